//! Runs a command on a host behind an emulated path, with another command on the host at its other end:
//!
//! ```sh
//! cargo run -p symbiosis-linux --example between -- 100 50 0.001 'sshd -D -f config' 'ssh 10.64.0.2 true'
//! ```
//!
//! Mbit/s, the round-trip time in ms, the part of packets that is lost on the way, a shell's command there (10.64.0.2), and one here
//! (10.64.0.1), whose exit code is this program's. The buffer has one BDP, and 100 kB at least. Needs root.

use std::process::{Command, ExitCode, Stdio};

use symbiosis_base::{Bytes, Rate, Span};
use symbiosis_linux::testbed::between::Hosts;
use symbiosis_path::{LinkSpec, QueueLimit};

/// A burst of slow start finds room also where the BDP is nothing: 70 packets.
const LEAST: Bytes = Bytes(100_000);

fn main() -> Result<ExitCode, Box<dyn std::error::Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [mbps, rtt_ms, loss, there, here] = &args[..] else { return Err("Mbit/s, RTT in ms, loss, a command there, one here".into()) };
    let (rate, rtt) = (Rate::from_mbps(mbps.parse()?), Span::from_secs(rtt_ms.parse::<f64>()? / 1e3));
    let queue = QueueLimit::Bytes(Bytes::from_f64(rate.times(rtt)).max(LEAST));
    let link = LinkSpec { queue, loss: loss.parse()?, ..LinkSpec::ideal(rate, Span(rtt.0 / 2)) };
    let hosts = Hosts::new()?;
    let shell = |text: &str| {
        let mut command = Command::new("sh");
        command.args(["-c", text]);
        command
    };
    // In the shell's place, so that its end is the command's.
    let mut other = hosts.start(1, shell(&format!("exec {there}")).stdout(Stdio::null()).stdin(Stdio::null()))?;
    let mut this = hosts.start(0, &mut shell(here))?;
    let (status, lateness) = hosts.carry([link.clone(), link], 1, || Ok(this.wait()))?;
    other.kill()?;
    other.wait()?;
    eprintln!("{lateness:?}");
    Ok(ExitCode::from(status?.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(1)))
}
