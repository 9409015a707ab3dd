//! Transfers over QUIC: what the commands have in common.

mod connection;
pub mod fetch;
pub mod here;
mod known;
mod out;
pub mod own;
pub mod panics;
mod qlog;
pub mod record;
mod refusal;
mod report;
pub mod send;
pub mod serve;
mod watch;
mod who;

use symbiosis_control::params::{ParamError, Value};
use symbiosis_quic::choice::{Choice, ChoiceError};
use symbiosis_quic::transfer::Task;
use symbiosis_scenario::suggestion;

pub use connection::{Connection, Server};
pub use out::Out;
pub use qlog::Qlog;
use record::{Recorder, outcome};
pub use refusal::failed;
pub use report::Report;
pub use watch::Bar;

use crate::failure::Failure;
use crate::print::{pretty, print};

/// Which controller a transfer runs.
#[derive(Debug, clap::Args)]
pub struct Control {
    /// The congestion controller; `symbiosis controllers` lists them
    #[arg(long, value_name = "NAME", default_value = "symbiosis")]
    cc: String,
    /// Change a parameter of the controller, e.g. theta_ms=10
    #[arg(long = "set", value_name = "NAME=VALUE")]
    sets: Vec<String>,
}

impl Control {
    /// Its name.
    pub fn name(&self) -> &str {
        &self.cc
    }

    /// Its parameters, as they were given.
    pub fn sets(&self) -> &[String] {
        &self.sets
    }

    /// The controller.
    pub fn choice(&self) -> Result<Choice, Failure> {
        choice(&self.cc, &self.sets)
    }
}

/// Parameters as `NAME=VALUE`.
pub fn given(sets: &[String]) -> Result<Vec<(String, Value)>, Failure> {
    let mut params = Vec::new();
    for set in sets {
        let Some((name, value)) = set.split_once('=') else {
            return Err(Failure::input(format!("--set {set}: there is no `=`"), "write NAME=VALUE, e.g. theta_ms=10"));
        };
        let number = value.parse().map(Value::Number);
        let value = value.parse().map(Value::Flag).or(number).unwrap_or_else(|_| Value::Word(value.into()));
        params.push((name.to_string(), value));
    }
    Ok(params)
}

/// A controller by its name, with parameters as `NAME=VALUE`.
pub fn choice(cc: &str, sets: &[String]) -> Result<Choice, Failure> {
    Choice::find(cc, &given(sets)?).map_err(|error| match &error {
        ChoiceError::Unknown(name) => Failure::input(format!("--cc {cc}: {error}"), suggestion(name, Choice::names().collect::<Vec<_>>())),
        ChoiceError::Param(ParamError::Unknown { name, known }) => {
            Failure::input(format!("--set {name}: {cc} has no such parameter"), suggestion(name, known.iter().copied()))
        }
        ChoiceError::Param(error) => Failure::input(format!("--set {}: {error}", error.name()), error.help()),
    })
}

/// What is done at a server, and what is made of it.
pub struct Work<'a> {
    /// In a word, when it is done.
    pub done: &'a str,
    /// The command that does it again.
    pub command: String,
    /// Data comes to this side.
    pub comes: bool,
    /// Where it is written down.
    pub out: &'a Out,
    /// JSON is printed, and nothing else.
    pub json: bool,
}

/// Does what is to be done at a server, shows how it goes, and prints how it went.
pub fn transfer(server: &Server, tasks: Vec<Task>, work: &Work<'_>) -> Result<(), Failure> {
    let call = &server.call;
    let place = work.out.check()?;
    let mut bar = Bar::new("");
    let mut recorder = Recorder::new(work.comes);
    let called = call.run(tasks, |now, progress, view| {
        bar.show(now, progress, view);
        if place.is_some() {
            recorder.look(now, progress, view);
        }
        true
    });
    bar.end();
    let called = called.map_err(|error| server.failed(error))?;
    let report = Report::new(call, &called);
    if let Some(place) = place {
        let outcome = outcome("transfer", call.seed, vec![recorder.flow(&report, &called.view)], Vec::new());
        place.write("Transfer", &work.command, &outcome, vec![report.note()])?;
    }
    match work.json {
        true => print(&pretty(&report)),
        false => print(&report.text(work.done)),
    }
}
