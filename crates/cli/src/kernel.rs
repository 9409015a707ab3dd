//! `symbiosis kernel`: a controller under the kernel's TCP.

use std::env;
use std::fs::File;
use std::io::{self, Read, Seek};
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{self, Stdio};
use std::thread;
use std::time::Duration;

use miette::miette;
use symbiosis_control::params::ParamError;
use symbiosis_linux::kernel::control::{self, Report};
use symbiosis_linux::kernel::service::{self, Service, ServiceError};
use symbiosis_linux::kernel::{KernelError, LiveSocket, NAME, Options, OptionsError, Orphans, Phase};
use symbiosis_scenario::suggestion;

use crate::failure::Failure;
use crate::net::given;
use crate::print::{pretty, print};
use crate::table::table;

/// What to do with it.
#[derive(Debug, clap::Subcommand)]
pub enum Command {
    /// Register the congestion control `symbiosis` and start its agent in the background; then `iperf3 -C symbiosis` and the like work
    Start(Start),
    /// List the sockets that use it
    Status(Status),
    /// End the agent and unregister the congestion control; open connections go on as Reno
    Stop,
    /// Have systemd run the agent from boot on: writes a unit and settings, and starts it
    Install(Install),
    /// End that service and remove what `install` wrote
    Uninstall(Place),
}

/// Which controller, and how.
#[derive(Debug, clap::Args)]
pub struct What {
    /// The controller that sockets get; `symbiosis controllers` lists them. Whichever it is, sockets choose it as `symbiosis`
    #[arg(long, value_name = "NAME", default_value = "symbiosis")]
    cc: String,
    /// Change a parameter of the controller, e.g. oscillation=0.1
    #[arg(long = "set", value_name = "NAME=VALUE")]
    sets: Vec<String>,
    /// Seed of what is drawn at random
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
}

/// What to start.
#[derive(Debug, clap::Args)]
pub struct Start {
    #[command(flatten)]
    what: What,
    /// Stay in the foreground, until Ctrl-C or `symbiosis kernel stop`
    #[arg(long)]
    foreground: bool,
}

/// What to install.
#[derive(Debug, clap::Args)]
pub struct Install {
    #[command(flatten)]
    what: What,
    /// Also make it the congestion control of every socket that chooses none
    #[arg(long)]
    default: bool,
    #[command(flatten)]
    place: Place,
}

/// Where a service is installed.
#[derive(Debug, clap::Args)]
pub struct Place {
    /// Write under this folder, the root of an image of a system, instead of on this machine
    #[arg(long, value_name = "DIR", default_value = "/")]
    root: PathBuf,
}

/// How to list.
#[derive(Debug, clap::Args)]
pub struct Status {
    /// Print JSON and nothing else
    #[arg(long)]
    json: bool,
}

/// Between looks at an agent that is starting, and how many of them: the kernel checks the program within a tenth of a second, on a busy
/// machine in some.
const LOOK: Duration = Duration::from_millis(50);
const LOOKS: u32 = 200;

/// Runs the command.
///
/// # Errors
/// Something is missing, an agent is running already, or none is.
pub fn run(command: &Command) -> Result<(), Failure> {
    match command {
        Command::Start(args) => {
            let options = options(&args.what)?;
            if args.foreground { foreground(options) } else { background() }
        }
        Command::Status(args) => status(args),
        Command::Stop => match control::stop().map_err(failed)? {
            true => print("stopped: open connections go on as Reno\n"),
            false => print("there is nothing to stop\n"),
        },
        Command::Install(args) => install(args),
        Command::Uninstall(place) => uninstall(place),
    }
}

fn failed(error: KernelError) -> Failure {
    let help = error.help();
    match (&error, help) {
        (KernelError::Io(_) | KernelError::Refused(_), Some(help)) => Failure::Other(miette!(help = help, "{error}")),
        (KernelError::Io(cause), None) if cause.kind() == io::ErrorKind::PermissionDenied => failed(KernelError::NotRoot),
        (_, Some(help)) => Failure::input(error, help),
        (_, None) => Failure::Other(miette!("{error}")),
    }
}

fn options(args: &What) -> Result<Options, Failure> {
    let cc = &args.cc;
    Options::new(cc, &given(&args.sets)?, args.seed).map_err(|error| match &error {
        OptionsError::Unknown(name) => {
            Failure::input(format!("--cc {cc}: {error}"), suggestion(name, Options::names().collect::<Vec<_>>()))
        }
        OptionsError::Reports(_) => {
            Failure::input(format!("--cc {cc}: {error}"), format!("there are {}", Options::names().collect::<Vec<_>>().join(", ")))
        }
        OptionsError::Param(ParamError::Unknown { name, known }) => {
            Failure::input(format!("--set {name}: {cc} has no such parameter"), suggestion(name, known.iter().copied()))
        }
        OptionsError::Param(error) => Failure::input(format!("--set {}: {error}", error.name()), error.help()),
    })
}

fn foreground(options: Options) -> Result<(), Failure> {
    control::run(options, |kernel| {
        let took_over = if kernel.took_over() { ", with the sockets of an agent that was killed" } else { "" };
        service::notify_ready();
        // Nobody may read it.
        let _ = print(&format!("{NAME} is registered and runs {}{took_over}\n", kernel.controller()));
    })
    .map_err(failed)
}

/// Starts this command again, in a session of its own, and waits until it answers.
fn background() -> Result<(), Failure> {
    // Whoever runs already would answer for the new one.
    if let Some(report) = control::status().map_err(failed)? {
        return Err(failed(KernelError::Running(report.pid)));
    }
    // Whoever may not write there is told why by the agent.
    let mut said = control::log().or_else(|_| tempfile::tempfile())?;
    let mut agent = process::Command::new(env::current_exe()?)
        .args(env::args_os().skip(1))
        .arg("--foreground")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(said.try_clone()?)
        .process_group(0)
        .spawn()?;
    for _ in 0..LOOKS {
        if let Some(ended) = agent.try_wait()? {
            return Err(Failure::Said { text: text(&mut said)?, code: ended.code().unwrap_or(1) as u8 });
        }
        if let Ok(Some(report)) = control::status()
            && report.pid == agent.id()
        {
            let took_over = if report.took_over { ", with the sockets of an agent that was killed" } else { "" };
            return print(&format!(
                "{NAME} is registered and runs {}{took_over}; its agent is process {}\n\
                 try: iperf3 -c HOST -C {NAME}    log: {}    end: symbiosis kernel stop\n",
                report.controller,
                report.pid,
                control::LOG
            ));
        }
        thread::sleep(LOOK);
    }
    agent.kill()?;
    Err(Failure::Other(miette!(help = "start it with --foreground to see what it does", "the agent did not answer within ten seconds")))
}

fn unserved(error: ServiceError) -> Failure {
    match &error {
        ServiceError::Unsafe(_) => Failure::input(
            error,
            "put the program where only root writes: sudo install -m 755 symbiosis /usr/local/bin, then sudo /usr/local/bin/symbiosis kernel install",
        ),
        ServiceError::Unspeakable(_) => Failure::input(error, "choose another value, without line breaks"),
        ServiceError::File(_, cause) if cause.kind() == io::ErrorKind::PermissionDenied => {
            Failure::input(error, "run it as root, e.g. with sudo")
        }
        _ => Failure::Other(miette!("{error}")),
    }
}

fn listed(files: &[PathBuf]) -> String {
    files.iter().map(|file| format!("  {}\n", file.display())).collect()
}

fn install(args: &Install) -> Result<(), Failure> {
    // What the service would refuse at each start is refused now.
    options(&args.what)?;
    let What { cc, sets, seed } = &args.what;
    let sets = sets.iter().flat_map(|set| ["--set".to_string(), set.clone()]);
    let options = ["--cc".into(), cc.clone(), "--seed".into(), seed.to_string()].into_iter().chain(sets).collect();
    let program = env::current_exe()?.canonicalize()?;
    let done = Service { program, options, default: args.default }.install(&args.place.root).map_err(unserved)?;
    let then = match done.told {
        true => "the service runs, now and after each boot: systemctl status symbiosis",
        false => "systemd does not run here: the service starts when this system boots with it",
    };
    print(&format!("written:\n{}{then}\n", listed(&done.files)))
}

fn uninstall(place: &Place) -> Result<(), Failure> {
    let done = service::uninstall(&place.root).map_err(unserved)?;
    match done.files.is_empty() {
        true => print("there is nothing to remove\n"),
        false => print(&format!("removed:\n{}", listed(&done.files))),
    }
}

fn text(said: &mut File) -> io::Result<String> {
    let mut text = String::new();
    said.rewind()?;
    said.read_to_string(&mut text)?;
    Ok(text)
}

fn status(args: &Status) -> Result<(), Failure> {
    let Some(report) = control::status().map_err(failed)? else {
        return Err(Failure::input("no agent is running", "start one with `symbiosis kernel start`"));
    };
    match args.json {
        true => print(&pretty(&report)),
        false => print(&shown(&report)),
    }
}

fn shown(report: &Report) -> String {
    let dropped = if report.dropped > 0 { format!(", {} records were lost", report.dropped) } else { String::new() };
    let Orphans { programs, sockets } = report.orphans;
    let orphans = if programs + sockets > 0 {
        format!(
            "{sockets} sockets use {programs} programs of agents that have stopped: they are Reno; close them, and where such a program is the\n\
             default choose it again: sysctl -w net.ipv4.tcp_congestion_control={NAME}\n"
        )
    } else {
        String::new()
    };
    let head = format!("agent {} runs {} for {} sockets{dropped}\n{orphans}", report.pid, report.controller, report.registered);
    let header = ["local", "remote", "phase", "why", "window", "K Mbit/s", "A Mbit/s", "gamma", "RTT ms", "tau ms", "losses"];
    let rows: Vec<Vec<String>> = report.sockets.iter().map(row).collect();
    if rows.is_empty() { head } else { head + "\n" + &table(&header, &rows, 4) }
}

fn row(socket: &LiveSocket) -> Vec<String> {
    let gauge = |name, digits| socket.gauges.get(name).map_or("-".into(), |value| format!("{value:.digits$}"));
    let phase = match socket.phase {
        Phase::Reno => "reno",
        Phase::Start => "start",
        Phase::Law => "law",
        Phase::ProbeRtt => "min-RTT probe",
        Phase::Recovery => "recovery",
    };
    vec![
        format!(":{}", socket.local_port),
        socket.peer(),
        phase.into(),
        socket.why.clone(),
        socket.cwnd_packets.to_string(),
        gauge("K_mbps", 2),
        gauge("A_mbps", 2),
        gauge("gamma", 3),
        format!("{:.2}", socket.rtt_ms),
        gauge("tau_ms", 2),
        socket.losses.to_string(),
    ]
}
