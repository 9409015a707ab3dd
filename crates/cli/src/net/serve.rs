//! `symbiosis serve`: a folder for others.

use std::collections::BTreeSet;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use miette::miette;
use nix::sys::resource::{Resource, getrlimit, setrlimit};
use symbiosis_base::Instant;
use symbiosis_quic::clock::Clock;
use symbiosis_quic::identity::Fingerprint;
use symbiosis_quic::node::{Node, Settings};
use symbiosis_quic::socket::{self, Udp, Watch, settings_for};
use symbiosis_quic::transfer::{Common, Folder, Transfer, Writers};

use crate::failure::Failure;
use crate::net::connection::listening;
use crate::net::own::{default_identity, kept_identity};
use crate::net::panics;
use crate::net::who::named;
use crate::net::{Control, Qlog};
use crate::print::print;

/// What to serve, where.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The folder whose files are served, and where files that are sent arrive
    #[arg(long, value_name = "DIR", default_value = ".")]
    dir: PathBuf,
    /// Where to listen. Whoever reaches this address may fetch: by default that is this machine alone
    #[arg(long, value_name = "ADDR[:PORT]", default_value = "127.0.0.1:4433", value_parser = listening)]
    listen: SocketAddr,
    /// Serve nobody but these, and those of --allow: a fingerprint, or a file of them, one a line; may be given several times
    #[arg(long, value_name = "WHO")]
    admit: Vec<String>,
    /// Take files from these: a fingerprint, which `symbiosis identity` prints, or a file of them; may be given several times
    #[arg(long, value_name = "WHO", conflicts_with = "anyone_may_write")]
    allow: Vec<String>,
    /// Take files from whoever reaches this address, and is admitted
    #[arg(long)]
    anyone_may_write: bool,
    /// Take no file with which the folder would have more than this many bytes in it
    #[arg(long, value_name = "N")]
    max_bytes: Option<u64>,
    /// Remove the part of a file for which nobody has come back for so many hours
    #[arg(long, value_name = "HOURS", default_value_t = 24, value_parser = clap::value_parser!(u32).range(1..=8760))]
    keep_parts: u32,
    /// The server's certificate and private key (PEM); made on first use
    #[arg(long, value_name = "FILE")]
    identity: Option<PathBuf>,
    #[command(flatten)]
    control: Control,
    /// Seed of what is drawn at random
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    #[command(flatten)]
    qlog: Qlog,
}

/// Whom it serves, and from whom it takes files.
struct Callers {
    admitted: Option<BTreeSet<Fingerprint>>,
    writers: Writers,
}

impl Args {
    fn callers(&self) -> Result<Callers, Failure> {
        let (mut admitted, allowed) = (named("--admit", &self.admit)?, named("--allow", &self.allow)?);
        admitted.extend(&allowed);
        let writers = match (self.anyone_may_write, self.allow.is_empty()) {
            (true, _) => Writers::Anyone,
            (false, true) => Writers::Nobody,
            (false, false) => Writers::These(allowed),
        };
        Ok(Callers { admitted: (!self.admit.is_empty()).then_some(admitted), writers })
    }
}

/// Runs the command, until it is ended from outside.
///
/// # Errors
/// Folder, address or identity are at fault; the socket fails.
pub fn run(args: &Args) -> Result<(), Failure> {
    // 64 connections with 16 requests each hold up to three files a request, which is more than the usual 1024. Where it may not be more, some are
    // refused.
    if let Ok((_, most)) = getrlimit(Resource::RLIMIT_NOFILE) {
        let _ = setrlimit(Resource::RLIMIT_NOFILE, most, most);
    }
    let choice = args.control.choice()?;
    let keep = Duration::from_secs(3600 * u64::from(args.keep_parts));
    let callers = args.callers()?;
    let folder = Folder::limited(&args.dir, callers.writers, args.max_bytes, keep)
        .map_err(|error| Failure::input(format!("--dir {}: {error}", args.dir.display()), "give a folder that you may read"))?;
    let identity = kept_identity(args.identity.clone().or_else(default_identity).as_deref())?;
    let clock = Clock::start();
    let mut udp = Udp::bind(args.listen, clock)
        .map_err(|error| Failure::input(format!("--listen {}: {error}", args.listen), "give an address of this machine and a free port"))?;
    let fault = |error: &dyn std::fmt::Display| Failure::Other(miette!("{error}"));
    let settings = Settings { asks_who: callers.admitted.is_some() || !args.allow.is_empty(), ..settings_for(args.listen) };
    let common = Common::beside();
    let common = callers.admitted.map_or(common.clone(), |these| common.admitting(these));
    let accept = Box::new(move |from| Transfer::server_among(Box::new(folder.clone()), &common, from));
    let mut node = Node::server(clock, settings, choice, args.seed, &identity, accept).map_err(|error| fault(&error))?;
    if let Some(folder) = args.qlog.folder()? {
        node.log_to(folder);
    }
    let at = udp.address().map_err(|error| fault(&error))?;
    panics::in_one_line();
    print(&format!("serving {} at {at}\nfingerprint {}\n", args.dir.display(), identity.fingerprint()))?;
    socket::run(&mut node, &mut udp, &clock, |_, _| Watch::At(Instant::NEVER)).map_err(|error| fault(&error))?;
    Ok(())
}
