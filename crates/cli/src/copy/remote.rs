//! `symbiosis remote`: the other end of a copy, started through ssh by the first. It takes one caller, and ends with it.

use std::ffi::OsString;
use std::io::{self, BufRead, Read};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use miette::miette;
use symbiosis_copy::{Bytes, Tally};
use symbiosis_quic::clock::Clock;
use symbiosis_quic::exchange::{Answering, Beside, Offer, Work, answer};
use symbiosis_quic::identity::{Fingerprint, Identity};
use symbiosis_quic::socket::Udp;

use super::end::{Kind, end};
use super::handshake::{Hello, LONGEST, MARK, Measured, Ready, Reply, Task, VERSION};
use super::measure::load::Load;
use crate::failure::Failure;
use crate::net::{choice, panics};
use crate::print::print;

/// Nothing: it is told on stdin.
#[derive(Debug, clap::Args)]
pub struct Args {}

/// Runs the command.
///
/// # Errors
/// The copy failed; the first end knows why.
pub fn run(_: &Args) -> Result<(), Failure> {
    let mut line = Vec::new();
    io::stdin().lock().take(LONGEST).read_until(b'\n', &mut line)?;
    let hello: Result<Hello, _> = serde_json::from_slice(&line);
    let measures = matches!(&hello, Ok(Hello { task: Task::Measure(_), .. }));
    let begun = match hello {
        Ok(hello) if hello.version == VERSION => begin(&hello),
        Ok(hello) => Err(format!("it speaks version {VERSION} of the protocol, and you speak version {}", hello.version)),
        Err(_) => Err("it was told nothing that it understands: `symbiosis copy` starts it".into()),
    };
    let (answering, offer, ready) = match begun {
        Ok(begun) => begun,
        Err(why) => {
            say(&Reply::Refused { why })?;
            return Err(Failure::Said { text: String::new(), code: 2 });
        }
    };
    panics::in_one_line();
    say(&Reply::Ready(ready))?;
    // Whoever started it is there as long as stdin is open.
    let alone = Arc::new(AtomicBool::new(false));
    let there = alone.clone();
    thread::Builder::new().name("stdin".into()).spawn(move || {
        let _ = io::copy(&mut io::stdin().lock(), &mut io::sink());
        there.store(true, Ordering::Relaxed);
    })?;
    match answer(answering, &offer, |_| !alone.load(Ordering::Relaxed)) {
        Ok((_, view)) if measures => say(&Reply::Measured(Measured::of(&view))),
        Ok(_) => Ok(()),
        // The first end says it, where anybody reads it.
        Err(_) => Err(Failure::Said { text: String::new(), code: 1 }),
    }
}

fn say(reply: &Reply) -> Result<(), Failure> {
    let json = serde_json::to_string(reply).map_err(|error| Failure::Other(miette!("{error}")))?;
    print(&format!("{MARK}{json}\n"))
}

fn begin(hello: &Hello) -> Result<(Answering, Offer, Ready), String> {
    let peer = Fingerprint::parse(&hello.fingerprint).ok_or("the fingerprint is none")?;
    let choice = choice(&hello.cc, &hello.sets).map_err(|_| format!("there is no controller {} with these parameters", hello.cc))?;
    let work = match &hello.task {
        Task::Give { sources } => copies(&Kind::Gives(sources.iter().map(expanded).collect::<Result<Vec<_>, _>>()?.concat()), hello)?,
        Task::Take { to } => copies(&Kind::Takes(at_home(to.into())), hello)?,
        Task::Measure(plan) if plan.seconds.is_finite() && plan.seconds >= 0.0 => Box::new(Load::new(plan, false)),
        Task::Measure(_) => return Err("it is no time to measure".into()),
    };
    let (identity, _) = Identity::generate().map_err(|error| error.to_string())?;
    let clock = Clock::start();
    let udp = bound(hello.ports, clock)?;
    let port = udp.address().map_err(|error| error.to_string())?.port();
    let ready = Ready { port, fingerprint: identity.fingerprint().to_string(), address: reached() };
    let limit = hello.limit.clone().unwrap_or_default().limit()?;
    let answering = Answering { udp, clock, identity, choice, seed: hello.seed, limit };
    Ok((answering, Offer::new(peer, work), ready))
}

fn copies(kind: &Kind, hello: &Hello) -> Result<Box<dyn Work>, String> {
    let work = end(kind, &hello.options, &Tally::default()).map_err(|_| "a glob is none".to_string())?;
    Ok(Box::new(Beside::new(work).map_err(|error| error.to_string())?))
}

/// A socket at one of the ports that may be taken. One of IPv6 takes what comes by IPv4, too (RFC 3493 §3.7); a machine without IPv6 has none.
fn bound(ports: Option<(u16, u16)>, clock: Clock) -> Result<Udp, String> {
    let (from, to) = ports.unwrap_or((0, 0));
    let mut why = String::new();
    for port in from..=to {
        let udp = Udp::bind(SocketAddr::from((Ipv6Addr::UNSPECIFIED, port)), clock);
        match udp.or_else(|_| Udp::bind(SocketAddr::from((Ipv4Addr::UNSPECIFIED, port)), clock)) {
            Ok(udp) => return Ok(udp),
            Err(error) => why = error.to_string(),
        }
    }
    Err(format!("none of the UDP ports {from} to {to} is free: {why}"))
}

/// Where ssh's server was reached.
fn reached() -> Option<IpAddr> {
    std::env::var("SSH_CONNECTION").ok()?.split(' ').nth(2)?.parse().ok()
}

/// Without a path it is the home, where a command of ssh's begins; so is a tilde.
fn at_home(path: OsString) -> OsString {
    let bytes = path.as_bytes();
    match std::env::var_os("HOME") {
        _ if bytes.is_empty() => ".".into(),
        Some(home) if bytes == b"~" => home,
        Some(home) if bytes.starts_with(b"~/") => {
            let rest = std::ffi::OsStr::from_bytes(&bytes[2..]);
            let mut path = PathBuf::from(home).join(rest).into_os_string();
            if rest.is_empty() {
                path.push("/");
            }
            path
        }
        _ => path,
    }
}

/// What a source means here: itself, or what its glob matches.
fn expanded(source: &Bytes) -> Result<Vec<OsString>, String> {
    let path = at_home(source.into());
    let globs = path.as_bytes().iter().any(|byte| b"*?[".contains(byte));
    match path.to_str() {
        Some(pattern) if globs && Path::new(&path).symlink_metadata().is_err() => {
            let found = glob::glob(pattern).map_err(|error| format!("{pattern}: {error}"))?;
            let found: Vec<OsString> = found.filter_map(|path| Some(path.ok()?.into_os_string())).collect();
            if found.is_empty() { Err(format!("{pattern}: nothing matches")) } else { Ok(found) }
        }
        // What it gives is a file, not its stdin.
        _ if path == "-" => Ok(vec!["./-".into()]),
        _ if Path::new(&path).symlink_metadata().is_err() => {
            Err(format!("{}: there is no such file", symbiosis_copy::shown(path.as_bytes())))
        }
        _ => Ok(vec![path]),
    }
}
