//! `symbiosis serve`: a folder for others.

use std::fs;
use std::io;
use std::net::SocketAddr;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use miette::miette;
use symbiosis_base::Instant;
use symbiosis_quic::clock::Clock;
use symbiosis_quic::identity::Identity;
use symbiosis_quic::node::Node;
use symbiosis_quic::socket::{self, Udp, Watch, settings_for};
use symbiosis_quic::transfer::{Folder, Transfer};

use crate::failure::Failure;
use crate::net::{Control, Qlog};
use crate::print::print;

/// What to serve, where.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The folder whose files are served, and where files that are sent arrive
    #[arg(long, value_name = "DIR", default_value = ".")]
    dir: PathBuf,
    /// Where to listen. Whoever reaches this address may fetch and send: by default that is this machine alone
    #[arg(long, value_name = "ADDR:PORT", default_value = "127.0.0.1:4433")]
    listen: SocketAddr,
    /// Take no files
    #[arg(long)]
    read_only: bool,
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

/// Runs the command, until it is ended from outside.
///
/// # Errors
/// Folder, address or identity are at fault; the socket fails.
pub fn run(args: &Args) -> Result<(), Failure> {
    let choice = args.control.choice()?;
    let folder = Folder::new(&args.dir, !args.read_only)
        .map_err(|error| Failure::input(format!("--dir {}: {error}", args.dir.display()), "give a folder that you may read"))?;
    let identity = identity(args.identity.clone().or_else(default_identity).as_deref())?;
    let clock = Clock::start();
    let mut udp = Udp::bind(args.listen, clock)
        .map_err(|error| Failure::input(format!("--listen {}: {error}", args.listen), "give an address of this machine and a free port"))?;
    let fault = |error: &dyn std::fmt::Display| Failure::Other(miette!("{error}"));
    let accept = Box::new(move |_| Transfer::server(Box::new(folder.clone())));
    let mut node = Node::server(clock, settings_for(args.listen), choice, args.seed, &identity, accept).map_err(|error| fault(&error))?;
    if let Some(folder) = args.qlog.folder()? {
        node.log_to(folder);
    }
    let at = udp.address().map_err(|error| fault(&error))?;
    print(&format!("serving {} at {at}\nfingerprint {}\n", args.dir.display(), identity.fingerprint()))?;
    socket::run(&mut node, &mut udp, &clock, |_, _| Watch::At(Instant::NEVER)).map_err(|error| fault(&error))?;
    Ok(())
}

/// Where the identity is kept if nobody says otherwise; nowhere without a home.
fn default_identity() -> Option<PathBuf> {
    let data = std::env::var_os("XDG_DATA_HOME").map(PathBuf::from).filter(|path| path.is_absolute());
    let home = || std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".local/share"));
    Some(data.or_else(home)?.join("symbiosis/identity.pem"))
}

/// The identity in a file; a new one if there is no such file.
fn identity(file: Option<&Path>) -> Result<Identity, Failure> {
    let Some(file) = file else {
        return Err(Failure::input("there is no home folder to keep the server's identity in", "say where with --identity FILE"));
    };
    let fault = |why: String| {
        Failure::input(
            format!("--identity {}: {why}", file.display()),
            "give a PEM file with a certificate and its private key, or a new name",
        )
    };
    match fs::read_to_string(file) {
        Ok(pem) => Identity::from_pem(&pem).map_err(|error| fault(format!("it {error}"))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let (identity, pem) = Identity::generate().map_err(|error| Failure::Other(miette!("{error}")))?;
            keep(file, &pem).map_err(|error| fault(format!("it cannot be written: {error}")))?;
            Ok(identity)
        }
        Err(error) => Err(fault(format!("it cannot be read: {error}"))),
    }
}

/// Writes a secret that only its owner may read.
fn keep(file: &Path, pem: &str) -> io::Result<()> {
    if let Some(folder) = file.parent() {
        fs::create_dir_all(folder)?;
    }
    let mut out = fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(file)?;
    io::Write::write_all(&mut out, pem.as_bytes())
}
