//! Transfers over devices as they are, each congestion control in turn:
//!
//! ```sh
//! cargo run --release -p symbiosis-linux --example veth -- 100 20 8 10 symbiosis reno cubic bbr
//! ```
//!
//! Mbit/s of the bottleneck (0: none), the round-trip time in ms, how long a transfer lasts in s, how many rounds, and the kernel's names of congestion
//! controls. `symbiosis` is there after `symbiosis kernel start`. Needs root.

use std::time::Duration;

use symbiosis_base::{Rate, Span};
use symbiosis_linux::testbed::veth::Veth;

/// Ticks of /proc/stat in a second (`USER_HZ`).
const TICKS: f64 = 100.0;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [mbps, rtt_ms, seconds, rounds, names @ ..] = &args[..] else { return Err("Mbit/s, RTT in ms, seconds, rounds, names".into()) };
    let rate = Some(mbps.parse()?).filter(|mbps| *mbps > 0.0).map(Rate::from_mbps);
    let delay = Some(rtt_ms.parse::<f64>()?).filter(|rtt_ms| *rtt_ms > 0.0).map(|rtt_ms| Span::from_secs(rtt_ms / 1e3));
    let (lasts, rounds) = (Duration::from_secs_f64(seconds.parse()?), rounds.parse::<usize>()?);
    let hosts = Veth::new(rate, delay)?;
    let mut found: Vec<(Vec<f64>, Vec<f64>)> = vec![Default::default(); names.len()];
    for round in 1..=rounds {
        for (name, (goodput, cost)) in names.iter().zip(&mut found) {
            let before = busy()?;
            let transfer = hosts.transfer(name, lasts)?;
            let bytes = transfer.goodput.bytes_per_s() * lasts.as_secs_f64();
            goodput.push(transfer.goodput.mbps());
            cost.push((busy()? - before) / (bytes / 1e9));
            eprintln!("{round} of {rounds}, {name}: {:.1} Mbit/s, {:?}", transfer.goodput.mbps(), transfer.info);
        }
    }
    println!("| | goodput [Mbit/s]: median, least, most | of the whole machine's processors [s/GB]: median |\n|---|---|---|");
    for (name, (goodput, cost)) in names.iter().zip(found) {
        let (goodput, cost) = (sorted(goodput), sorted(cost));
        println!("| {name} | {:.1}, {:.1}, {:.1} | {:.2} |", median(&goodput), goodput[0], goodput[rounds - 1], median(&cost));
    }
    Ok(())
}

/// What the machine's processors have worked so far, for whomever \[s\].
fn busy() -> Result<f64, Box<dyn std::error::Error>> {
    let stat = std::fs::read_to_string("/proc/stat")?;
    let ticks: Vec<f64> = stat.lines().next().unwrap_or("").split_whitespace().skip(1).filter_map(|field| field.parse().ok()).collect();
    // user, nice, system, idle, iowait, irq, softirq, steal.
    let [user, nice, system, _, _, irq, softirq, ..] = ticks[..] else { return Err("/proc/stat is not what it was".into()) };
    Ok((user + nice + system + irq + softirq) / TICKS)
}

fn sorted(mut values: Vec<f64>) -> Vec<f64> {
    values.sort_by(f64::total_cmp);
    values
}

fn median(sorted: &[f64]) -> f64 {
    let middle = sorted.len() / 2;
    if sorted.len() % 2 == 1 { sorted[middle] } else { (sorted[middle - 1] + sorted[middle]) / 2.0 }
}
