//! `symbiosis serve`: a folder for others.

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
use crate::net::own::{default_identity, kept_identity};
use crate::net::panics;
use crate::net::{Control, Qlog};
use crate::print::print;

/// What to serve, where.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The folder whose files are served, and where files that are sent arrive
    #[arg(long, value_name = "DIR", default_value = ".")]
    dir: PathBuf,
    /// Where to listen. Whoever reaches this address may fetch: by default that is this machine alone
    #[arg(long, value_name = "ADDR:PORT", default_value = "127.0.0.1:4433")]
    listen: SocketAddr,
    /// Take files from whoever shows a certificate with this fingerprint, as `symbiosis send` does; may be given several times
    #[arg(long, value_name = "SHA256", conflicts_with = "anyone_may_write")]
    allow: Vec<String>,
    /// Take files from whoever reaches this address
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

impl Args {
    fn writers(&self) -> Result<Writers, Failure> {
        let read = |text: &String| {
            let why = || Failure::input(format!("--allow {text}: this is no fingerprint"), "a fingerprint has 64 hexadecimal digits");
            Fingerprint::parse(text).ok_or_else(why)
        };
        match (self.anyone_may_write, self.allow.is_empty()) {
            (true, _) => Ok(Writers::Anyone),
            (false, true) => Ok(Writers::Nobody),
            (false, false) => Ok(Writers::These(self.allow.iter().map(read).collect::<Result<_, _>>()?)),
        }
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
    let folder = Folder::limited(&args.dir, args.writers()?, args.max_bytes, keep)
        .map_err(|error| Failure::input(format!("--dir {}: {error}", args.dir.display()), "give a folder that you may read"))?;
    let identity = kept_identity(args.identity.clone().or_else(default_identity).as_deref())?;
    let clock = Clock::start();
    let mut udp = Udp::bind(args.listen, clock)
        .map_err(|error| Failure::input(format!("--listen {}: {error}", args.listen), "give an address of this machine and a free port"))?;
    let fault = |error: &dyn std::fmt::Display| Failure::Other(miette!("{error}"));
    let common = Common::beside();
    let settings = Settings { asks_who: !args.allow.is_empty(), ..settings_for(args.listen) };
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
