//! Whom to call, whom to believe there, and what is shown to it.

use std::fs;
use std::io::{self, IsTerminal, Write};
use std::net::{IpAddr, SocketAddr, ToSocketAddrs};
use std::path::PathBuf;
use std::sync::Arc;

use symbiosis_quic::choice::Choice;
use symbiosis_quic::identity::{Fingerprint, Trust};
use symbiosis_quic::socket::{Call, CallError, PORT};

use super::known::{Known, KnownHosts};
use super::own::{default_identity, kept_identity};
use super::qlog::Qlog;
use super::refusal::{changed, failed, is_fingerprint, not_admitted};
use crate::failure::Failure;

/// Whom to call, and whom to believe there.
#[derive(Debug, clap::Args)]
pub struct Connection {
    /// Believe the server whose certificate has this fingerprint: `symbiosis serve` prints it
    #[arg(long, value_name = "SHA256", conflicts_with = "ca")]
    trust: Option<String>,
    /// Believe servers for whose name an authority in this file (PEM) vouches
    #[arg(long, value_name = "FILE")]
    ca: Option<PathBuf>,
    /// Servers that were believed before, a line each [default: symbiosis/known_hosts in the folder of settings]
    #[arg(long, value_name = "FILE")]
    known_hosts: Option<PathBuf>,
    /// The certificate and key that are shown to a server that asks who calls (PEM); made on first use
    #[arg(long, value_name = "FILE")]
    identity: Option<PathBuf>,
    /// Seed of what is drawn at random
    #[arg(long, value_name = "S", default_value_t = 1)]
    pub seed: u64,
    #[command(flatten)]
    qlog: Qlog,
}

/// A server that may be called, and why it is believed.
#[derive(Debug)]
pub struct Server {
    pub call: Call,
    /// The line by which it is known.
    known: Option<Known>,
}

impl Server {
    /// Why a call came to nothing, for the user.
    pub fn failed(&self, error: CallError) -> Failure {
        match (&error, &self.known) {
            (CallError::Stranger { to, shown }, Some(known)) => changed(*to, *shown, known),
            (CallError::NotAdmitted(_), _) => not_admitted(&error, self.call.shows.as_deref()),
            _ => failed(error, &self.call.trust),
        }
    }
}

impl Connection {
    /// A server at `HOST` or `HOST:PORT`. One that nobody has vouched for is called, and the user is asked.
    pub fn server(&self, server: &str, choice: Choice) -> Result<Server, Failure> {
        let at = At::parse(server)?;
        let to = at.address()?;
        let qlog = self.qlog.folder()?;
        let mut call = Call { to, name: at.host.clone(), shows: None, trust: Trust::Nobody, choice, seed: self.seed, qlog };
        let known = match self.told()? {
            Some(trust) => {
                call.trust = trust;
                None
            }
            None => Some(self.known(&call, &at)?),
        };
        if let Some(known) = &known {
            call.trust = Trust::Pinned(known.fingerprint);
        }
        // Without a home nothing is shown; most servers do not ask.
        if let Some(file) = self.identity.clone().or_else(default_identity) {
            call.shows = match kept_identity(Some(&file)) {
                Ok(identity) => Some(Arc::new(identity)),
                Err(fault) if self.identity.is_some() => return Err(fault),
                Err(_) => None,
            };
        }
        Ok(Server { call, known })
    }

    /// Whom the user said to believe.
    fn told(&self) -> Result<Option<Trust>, Failure> {
        match (&self.trust, &self.ca) {
            (Some(text), _) => {
                let why = || is_fingerprint("--trust", text, "; `symbiosis serve` prints it");
                Fingerprint::parse(text).map(Trust::Pinned).map(Some).ok_or_else(why)
            }
            (None, Some(file)) => {
                let fault = |why: String| {
                    Failure::input(format!("--ca {}: {why}", file.display()), "give a PEM file with certificates of authorities")
                };
                let pem = fs::read_to_string(file).map_err(|error| fault(format!("it cannot be read: {error}")))?;
                Trust::authorities(&pem).map(Some).map_err(|error| fault(format!("it {error}")))
            }
            (None, None) => Ok(None),
        }
    }

    /// The server as it was known before, or as the user makes it known now.
    fn known(&self, call: &Call, at: &At) -> Result<Known, Failure> {
        let hosts = KnownHosts::at(self.known_hosts.as_deref());
        let server = at.to_string();
        if let Some(hosts) = &hosts
            && let Some(known) = hosts.find(&server)?
        {
            return Ok(known);
        }
        let shown = call.shown().map_err(|error| failed(error, &Trust::Nobody))?;
        let line = format!("{server} {shown}");
        let way = match &hosts {
            Some(hosts) => format!("add --trust {shown}, or the line `{line}` to {}", hosts.file().display()),
            None => format!("add --trust {shown}"),
        };
        let help = format!("compare it with what `symbiosis serve` printed there; if it is the same, {way}");
        let stranger = |why: &str| Failure::input(format!("the server at {} shows certificate {shown}, {why}", call.to), &help);
        let hosts = hosts.ok_or_else(|| stranger("and there is no home folder in which servers are known"))?;
        if !(io::stdin().is_terminal() && io::stderr().is_terminal()) {
            return Err(stranger("is not known, and there is no terminal to ask whether it is the right one"));
        }
        if !accepted(&server, shown)? {
            return Err(stranger("and was not believed"));
        }
        let known = hosts.add(&server, shown)?;
        eprintln!("It is known from now on, by {}.", hosts.file().display());
        Ok(known)
    }
}

/// Asks whether a server is the right one.
fn accepted(server: &str, shown: Fingerprint) -> Result<bool, Failure> {
    eprint!(
        "{server} is called for the first time. Its certificate has the fingerprint\n  {shown}\nIs it the one that `symbiosis serve` printed there? Answer yes, or give the fingerprint: "
    );
    io::stderr().flush()?;
    let mut answer = String::new();
    io::stdin().read_line(&mut answer)?;
    let answer = answer.trim();
    Ok(answer.eq_ignore_ascii_case("yes") || Fingerprint::parse(answer) == Some(shown))
}

/// `HOST` or `HOST:PORT`.
struct At {
    host: String,
    port: u16,
}

impl std::fmt::Display for At {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.host.contains(':') {
            true => write!(f, "[{}]:{}", self.host, self.port),
            false => write!(f, "{}:{}", self.host, self.port),
        }
    }
}

impl At {
    fn parse(server: &str) -> Result<At, Failure> {
        let fault = |why: &str| Failure::input(format!("{server}: {why}"), "write HOST or HOST:PORT, e.g. 127.0.0.1:4433 or [::1]:4433");
        // An address with colons has a port only behind brackets.
        let (host, port) = match server.rsplit_once(':') {
            Some((host, _)) if host.contains(':') && !host.ends_with(']') => (server, None),
            Some((_, rest)) if rest.ends_with(']') => (server, None),
            Some((host, port)) => (host, Some(port)),
            None => (server, None),
        };
        let port = match port {
            None => PORT,
            Some(port) => port.parse().ok().filter(|port| *port > 0).ok_or_else(|| fault("the port is no number from 1 to 65535"))?,
        };
        let host = host.trim_matches(['[', ']']).to_ascii_lowercase();
        // It is a word of a line of known hosts.
        if host.is_empty() || host.starts_with('#') || host.contains(|c: char| c.is_whitespace() || c.is_control()) {
            return Err(fault("there is no host"));
        }
        Ok(At { host, port })
    }

    fn address(&self) -> Result<SocketAddr, Failure> {
        let fault = |why: &str| Failure::input(format!("{self}: {why}"), "write HOST or HOST:PORT, e.g. 127.0.0.1:4433 or [::1]:4433");
        let mut found =
            (self.host.as_str(), self.port).to_socket_addrs().map_err(|error| fault(&format!("the host is not found: {error}")))?;
        found.next().ok_or_else(|| fault("the host has no address"))
    }
}

/// Where to listen: `ADDR` or `ADDR:PORT`.
pub fn listening(text: &str) -> Result<SocketAddr, String> {
    let alone = || Some(SocketAddr::from((text.trim_matches(['[', ']']).parse::<IpAddr>().ok()?, PORT)));
    text.parse().ok().or_else(alone).ok_or_else(|| "write an address of this machine, with a port or without: 0.0.0.0, [::]:4433".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_is_written_with_a_port_or_without() {
        for (text, said) in [
            ("host", "host:4433"),
            ("Host:99", "host:99"),
            ("127.0.0.1", "127.0.0.1:4433"),
            ("127.0.0.1:1", "127.0.0.1:1"),
            ("::1", "[::1]:4433"),
            ("[::1]", "[::1]:4433"),
            ("[::1]:5", "[::1]:5"),
            ("fe80::1:2", "[fe80::1:2]:4433"),
        ] {
            assert_eq!(At::parse(text).unwrap().to_string(), said, "{text}");
        }
        for text in ["", ":5", "host:", "host:0", "host:65536", "host:x", "a b", "a\nb:5", "#host"] {
            assert!(At::parse(text).is_err(), "{text:?}");
        }
        assert_eq!(listening("0.0.0.0").unwrap().to_string(), "0.0.0.0:4433");
        assert_eq!(listening("::").unwrap().to_string(), "[::]:4433");
        assert_eq!(listening("[::1]:5").unwrap().to_string(), "[::1]:5");
        assert!(listening("host").is_err());
    }
}
