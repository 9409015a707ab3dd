//! TCP Symbiosis and Reno on the Linux hosts of B, in a laboratory and over the Internet, while UDP moves in steps.
//!
//! The Internet paths are what B says of them: capacity, base RTT, and what B takes to be available. UDP is iperf's (B §3.1, §4).

use super::Lab;
use super::claims::{above, check, claim, over};
use super::dumbbell::{Dumbbell, Udp};
use super::kinds::{Kind, OF_B, RENO, asked};
use super::series;
use super::steps::{Curve, Played, Steps};
use symbiosis_report::outcome::{Claim, Outcome};

/// B §3.1: 20 000 ticks a second.
pub const TIMER_US: f64 = 50.0;

/// B gives no buffer: of those that were tried, this one gives both of Table 7's numbers (B12). That windows overflow when ImTCP reads a few Mbit/s too much (B §3.3, §4.2.2) says that it is small, and that they do
/// not where it is right, at 30 Mbit/s and 150 ms, that it holds S Eq 11's queue there: 87 packets. Dummynet's queues
/// in packets have 100 at the most, its queues in bytes 1 MiB; this is the former in bytes.
pub const QUEUE: &str = "queue_bytes = 150_000";

/// The recovery of Linux 2.6, which the hosts ran (B Tables 1, 3, 5).
pub const LINUX: &str = "rate-halving";

pub fn on_linux(lab: &Lab) -> Vec<Kind> {
    [&[RENO][..], &asked(lab, &OF_B)].concat().iter().map(|kind| kind.recovering(kind.name, LINUX)).collect()
}

pub fn path(id: &str, about: &str, mbps: f64, rtt_ms: f64, available: &[(f64, f64)], until: f64) -> Steps {
    Steps {
        id: id.into(),
        about: about.into(),
        path: Dumbbell { mbps, delay_ms: rtt_ms / 2.0 - 2.0, queue: QUEUE.into(), access_mbps: 10.0 * mbps, access_ms: 1.0 },
        udp: Udp::Iperf,
        timer_us: TIMER_US,
        available: available.to_vec(),
        until,
        from: 0.0,
    }
}

/// B Fig 6: the laboratory at an RTT \[ms\].
pub fn laboratory_at(rtt_ms: f64) -> Steps {
    let available = [(0.0, 80.0), (40.0, 30.0), (80.0, 50.0)];
    path(&format!("B6-{rtt_ms}"), "B Fig 6: the laboratory", 100.0, rtt_ms, &available, 120.0)
}

/// B Figs 8 and 9.
pub fn to_tokyo() -> Steps {
    let available = [(0.0, 40.0), (20.0, 20.0), (40.0, 10.0), (60.0, 30.0), (80.0, 40.0)];
    path("B9", "B Figs 8, 9: Osaka to Tokyo", 40.0, 16.0, &available, 100.0)
}

/// B Figs 10 and 11.
pub fn to_california() -> Steps {
    // UDP of 15, 65, 45 Mbit/s and 5 of others, so that A is what B's Table 6 has.
    let available = [(0.0, 80.0), (20.0, 30.0), (40.0, 50.0)];
    path("B11", "B Figs 10, 11: Osaka to California", 100.0, 118.0, &available, 60.0)
}

/// B Fig 12 and Table 7: sixty seconds beside 20 Mbit/s of UDP.
pub fn with_a_fixed() -> Steps {
    path("B12", "B Fig 12, Table 7: Osaka to California, A fixed", 100.0, 118.0, &[(0.0, 80.0)], 60.0)
}

/// The three figures of a path: what flows get, what they read, their windows.
pub fn figures(found: &mut Outcome, played: &Played, id: &str, title: &str, curves: &[(&'static str, &Curve)]) {
    let kinds: Vec<Kind> = [&[RENO][..], &OF_B].concat();
    for (name, curve) in curves {
        let (reno, own) = match *name {
            "throughput" => (true, "throughput in each second"),
            "reading" => (false, "what ImTCP reads"),
            _ => (false, "window over the base RTT"),
        };
        let shown: Vec<Kind> = kinds.iter().filter(|kind| (reno && !kind.is_symbiosis()) || kind.measures()).copied().collect();
        let caption = "The first seed, from a host whose timer ticks every 50 µs. Dashed: what UDP leaves.";
        found.figures.push(played.figure(curve, &shown, &format!("{id}-{name}"), &format!("{title}: {own}"), caption));
    }
    found.scenarios.extend(played.scenarios());
}

pub fn ahead(played: &Played, kind: &Kind, (where_, place): (&str, &str)) -> Claim {
    let until = played.steps.until;
    let ratio = played.ratio(kind, &RENO, 0.0, until);
    // What Reno gets of what is available.
    let available: f64 = played.steps.stages().iter().map(|(from, to, available)| available * (to - from)).sum::<f64>() / until;
    let used = over(played.of(&RENO), |run| series::delivered(run, 0, 0.0, until) / available);
    let claim = claim(
        format!("{}: ahead of Reno, {place}", kind.name),
        kind.states(where_, "ahead"),
        ratio,
        "times Reno's throughput",
        above(1.0),
        "results come late beside the stages' length",
    );
    claim.because(check("Reno's part of what is available", used, above(0.95)), RENO_FILLS)
}

/// Why Reno is hard to beat where the buffer is large.
pub const RENO_FILLS: &str = "where the buffer holds a good part of a BDP it keeps the link full through Reno's halvings, and who gets all that is left cannot be beaten";
