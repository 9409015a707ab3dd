//! Transfers over QUIC: what the commands have in common.

pub mod fetch;
pub mod here;
mod out;
mod own;
pub mod panics;
pub mod record;
mod report;
pub mod send;
pub mod serve;
mod watch;

use std::fs;
use std::net::{SocketAddr, ToSocketAddrs};
use std::path::PathBuf;

use miette::miette;
use symbiosis_control::params::{ParamError, Value};
use symbiosis_quic::choice::{Choice, ChoiceError};
use symbiosis_quic::identity::{Fingerprint, Trust};
use symbiosis_quic::node::QLOG;
use symbiosis_quic::plain::plain;
use symbiosis_quic::socket::{Call, CallError};
use symbiosis_quic::transfer::Task;
use symbiosis_scenario::suggestion;

pub use out::Out;
use record::{Recorder, outcome};
pub use report::Report;
pub use watch::Bar;

use crate::failure::Failure;
use crate::output::writable;
use crate::print::{pretty, print};

/// A folder for qlog files.
#[derive(Debug, clap::Args)]
pub struct Qlog {
    /// Write what happens in each connection into this folder, as qlog (in builds with the feature `qlog`)
    #[arg(long, value_name = "DIR")]
    qlog: Option<PathBuf>,
}

impl Qlog {
    /// The folder, made if it was not there.
    pub fn folder(&self) -> Result<Option<PathBuf>, Failure> {
        let Some(folder) = &self.qlog else { return Ok(None) };
        if !QLOG {
            let help = "build it with `--features qlog`";
            return Err(Failure::input(format!("--qlog {}: this build writes no qlog", folder.display()), help));
        }
        let fault = |why: String| Failure::input(format!("--qlog {}: {why}", folder.display()), "give a folder where you may write");
        writable(folder).map_err(fault)?;
        fs::create_dir_all(folder).map_err(|error| fault(error.to_string()))?;
        Ok(Some(folder.clone()))
    }
}

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

/// Whom to call, and whom to believe there.
#[derive(Debug, clap::Args)]
pub struct Connection {
    /// Believe the server whose certificate has this fingerprint: `symbiosis serve` prints it
    #[arg(long, value_name = "SHA256", conflicts_with = "ca")]
    trust: Option<String>,
    /// Believe servers for whose name an authority in this file (PEM) vouches
    #[arg(long, value_name = "FILE")]
    ca: Option<PathBuf>,
    /// Seed of what is drawn at random
    #[arg(long, value_name = "S", default_value_t = 1)]
    pub seed: u64,
    #[command(flatten)]
    qlog: Qlog,
}

impl Connection {
    /// A call to `HOST:PORT`.
    pub fn call(&self, server: &str, choice: Choice) -> Result<Call, Failure> {
        let (name, to) = resolve(server)?;
        Ok(Call { to, name, shows: None, trust: self.trust()?, choice, seed: self.seed, qlog: self.qlog.folder()? })
    }

    fn trust(&self) -> Result<Trust, Failure> {
        match (&self.trust, &self.ca) {
            (Some(text), _) => Fingerprint::parse(text).map(Trust::Pinned).ok_or_else(|| {
                Failure::input(
                    format!("--trust {text}: this is no fingerprint"),
                    "a fingerprint has 64 hexadecimal digits; `symbiosis serve` prints it",
                )
            }),
            (None, Some(file)) => {
                let fault = |why: String| {
                    Failure::input(format!("--ca {}: {why}", file.display()), "give a PEM file with certificates of authorities")
                };
                let pem = fs::read_to_string(file).map_err(|error| fault(format!("it cannot be read: {error}")))?;
                Trust::authorities(&pem).map_err(|error| fault(format!("it {error}")))
            }
            (None, None) => Ok(Trust::Nobody),
        }
    }
}

/// The host of `HOST:PORT`, and its address.
fn resolve(server: &str) -> Result<(String, SocketAddr), Failure> {
    let fault = |why: &str| Failure::input(format!("{server}: {why}"), "write HOST:PORT, e.g. 127.0.0.1:4433 or [::1]:4433");
    let (host, port) = server.rsplit_once(':').ok_or_else(|| fault("there is no port"))?;
    port.parse::<u16>().ok().filter(|port| *port > 0).ok_or_else(|| fault("the port is no number from 1 to 65535"))?;
    let mut found = server.to_socket_addrs().map_err(|error| fault(&format!("the host is not found: {error}")))?;
    let to = found.next().ok_or_else(|| fault("the host has no address"))?;
    Ok((host.trim_matches(['[', ']']).to_string(), to))
}

/// Why a call came to nothing, for the user.
pub fn failed(error: CallError, trust: &Trust) -> Failure {
    // Much of it is in the server's words.
    let said = plain(&error.to_string());
    match error {
        CallError::Stranger { to, shown } => {
            let (said, wanted) = match trust {
                Trust::Pinned(wanted) => ("it is not the server you meant, or it has a new certificate", format!(", not {wanted}")),
                _ => ("nobody said that it may be believed", String::new()),
            };
            let help = format!("compare it with what `symbiosis serve` printed there; if it is the same, add --trust {shown}");
            Failure::input(format!("the server at {to} shows certificate {shown}{wanted}: {said}"), help)
        }
        CallError::NotDone(why) if why.contains("writing failed") => {
            Failure::Other(miette!(help = "make room there and run the same command again: what has arrived is kept", "{said}"))
        }
        CallError::NotDone(why) => Failure::input(said, help(&why)),
        CallError::Refused(_) | CallError::NoAnswer(_) => {
            Failure::Other(miette!(help = "is the server running, and are address and port right? A firewall must let UDP pass", "{said}"))
        }
        CallError::Busy(_) => Failure::Other(miette!(help = "all its places are taken; try again later", "{said}")),
        CallError::Ended { .. } | CallError::Gone(_) => {
            Failure::Other(miette!(help = "run the same command again: what has arrived is kept", "{said}"))
        }
        other => Failure::Other(miette!("{other}")),
    }
}

/// What to do about a refusal.
fn help(why: &str) -> &'static str {
    if why.ends_with("is there already") {
        "choose another name, or say --force to replace it"
    } else if why.contains("hash is") {
        "what had arrived was damaged and is gone; run the same command again"
    } else if why.contains("another transfer") {
        "a transfer that was killed is given up after 20 s; run the same command again then"
    } else if why.contains("takes no files from") {
        "the server takes files from those alone whose fingerprints it was given with --allow"
    } else if why.contains("takes no files") {
        "the server was started without --allow and without --anyone-may-write"
    } else if why.contains("steer a terminal") {
        "give the file a name without control characters"
    } else {
        "names are relative to the served folder, without `..` and hidden files"
    }
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
pub fn transfer(call: &Call, tasks: Vec<Task>, work: &Work<'_>) -> Result<(), Failure> {
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
    let called = called.map_err(|error| failed(error, &call.trust))?;
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
