//! Why a call to a server came to nothing, and what to do about it.

use std::net::SocketAddr;

use miette::miette;
use symbiosis_quic::identity::{Fingerprint, Identity, Trust};
use symbiosis_quic::plain::plain;
use symbiosis_quic::socket::CallError;

use super::known::Known;
use crate::failure::Failure;

/// What was given to an option is no fingerprint.
pub fn is_fingerprint(option: &str, text: &str, more: &str) -> Failure {
    Failure::input(format!("{option} {text}: this is no fingerprint"), format!("a fingerprint has 64 hexadecimal digits{more}"))
}

/// A server is not the one that was known by that line.
pub fn changed(to: SocketAddr, shown: Fingerprint, known: &Known) -> Failure {
    let Known { fingerprint, file, line } = known;
    let file = file.display();
    Failure::input(
        format!(
            "THE SERVER AT {to} IS NOT THE ONE THAT WAS KNOWN: somebody may be between, or it has a new certificate. It shows {shown}, and was known by {fingerprint} ({file}, line {line}). Nothing was sent or fetched"
        ),
        format!(
            "ask whoever runs the server. If it has a new certificate, remove line {line} of {file} and call again: sed -i {line}d {file}"
        ),
    )
}

/// A server serves others.
pub fn not_admitted(error: &CallError, shows: Option<&Identity>) -> Failure {
    match shows {
        Some(identity) => {
            let own = identity.fingerprint();
            Failure::input(
                format!("{error}, and does not know {own}"),
                format!("whoever runs the server lets you in with `symbiosis serve --admit {own}`"),
            )
        }
        None => Failure::input(format!("{error}, and was shown no certificate"), "say with --identity FILE what to show"),
    }
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
        "the server takes files from those alone whom it was given with --allow; `symbiosis identity` prints this side's fingerprint"
    } else if why.contains("takes no files") {
        "the server was started without --allow and without --anyone-may-write"
    } else if why.contains("steer a terminal") {
        "give the file a name without control characters"
    } else {
        "names are relative to the served folder, without `..` and hidden files"
    }
}
