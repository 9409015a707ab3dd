//! Why a copy is no faster: from what both ends waited for, and what the controller measured of the path.

use serde::Serialize;
use symbiosis_base::Span;
use symbiosis_quic::exchange::Waits;

/// What both ends counted, and what this one measured.
#[derive(Clone, Debug, Default)]
pub struct Seen {
    /// Of the end that has the files, and of the end that takes them.
    pub giver: Waits,
    pub taker: Waits,
    pub time: Span,
    /// What moved.
    pub mbps: f64,
    /// Capacity and available bandwidth, where this end sends and its controller measures.
    pub path_mbps: Option<(f64, f64)>,
    /// Part of the packets that was lost, where this end sends.
    pub lost: f64,
    /// Part of the times that this end's loop woke late.
    pub late: f64,
    pub rtt_ms: f64,
}

/// What held a copy up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Cause {
    /// It was over before anything could be said.
    Short,
    /// It was asked for.
    Limit,
    /// Who takes the files writes them no faster.
    Writing,
    /// Who has the files reads them no faster.
    Reading,
    /// There was nothing to send before the other end had answered.
    RoundTrips,
    /// Much of the time passed while the connection found its rate.
    Start,
    /// Packets are lost.
    Loss,
    /// Others use the path.
    Others,
    /// This host wakes too late.
    Host,
    /// The path has room that the controller does not take.
    Controller,
    /// The path is full, or nothing is known of it.
    Path,
}

/// Less than this says nothing: connections begin with slow start, which takes some ten round trips.
const SHORT: Span = Span::from_millis(1000);
/// What an end waited for so long of all the time is what held it up, if nothing else did for longer.
const HOLDS: f64 = 0.25;
/// Where so many packets are lost, a controller that goes by loss keeps half a window of 100 packets (RFC 8312 §5.1: 1.2/√p).
const LOSSY: f64 = 0.001;
/// A loop that is late so often keeps its controller from its rate: half of what voids a run of `bench`, where nothing waits for what was late.
const LATE: f64 = 0.1;
/// A controller that takes less than this of what is free, and could, is what holds the copy up: slow start takes half in its last round trip.
const TAKES: f64 = 0.5;
/// Packets that a connection begins with (RFC 6928), of the usual size \[bits\].
const FIRST: f64 = 10.0 * 1448.0 * 8.0;
/// Others use the path if it has so much more than what is free.
const SHARED: f64 = 0.1;

impl Seen {
    fn part(&self, waited: Span) -> f64 {
        waited.secs() / self.time.secs().max(f64::MIN_POSITIVE)
    }

    /// The part of the time that the start costs: two round trips until the first bytes leave, and of `n` that double the window up to the bandwidth-delay
    /// product all that they leave unused, which is `Σ(1 − 2^(i−n))` < `n` round trips.
    fn start(&self) -> f64 {
        let rtt = 1e-3 * self.rtt_ms;
        let product = 1e6 * self.path_mbps.map_or(self.mbps, |(_, free)| free) * rtt;
        (2.0 + (product / FIRST).log2().max(0.0)) * rtt / self.time.secs().max(f64::MIN_POSITIVE)
    }

    /// What held it up.
    pub fn cause(&self) -> Cause {
        if self.time < SHORT {
            return Cause::Short;
        }
        // A giver whose taker writes slowly waits for the network: the taker is asked first.
        let waits = [
            (Cause::Limit, self.part(self.giver.limit)),
            // With room left and nothing to say who takes files still writes those that came.
            (Cause::Writing, self.part(self.taker.sink + self.taker.source)),
            (Cause::Reading, self.part(self.giver.source)),
        ];
        let longest = waits.into_iter().max_by(|a, b| a.1.total_cmp(&b.1)).filter(|(_, part)| *part >= HOLDS);
        let network = self.part(self.giver.network);
        match longest {
            Some((cause @ (Cause::Limit | Cause::Writing), _)) => cause,
            Some((cause, part)) if part >= network => cause,
            _ if self.part(self.giver.peer) > network.max(HOLDS) => Cause::RoundTrips,
            _ if self.start() >= HOLDS => Cause::Start,
            _ if self.lost >= LOSSY => Cause::Loss,
            // Before what others use: a host that is late measures others where there are none.
            _ if self.late >= LATE => Cause::Host,
            _ if self.path_mbps.is_some_and(|(capacity, free)| free < (1.0 - SHARED) * capacity) => Cause::Others,
            _ if self.path_mbps.is_some_and(|(_, free)| self.mbps < TAKES * free) => Cause::Controller,
            _ => Cause::Path,
        }
    }

    /// One sentence.
    pub fn sentence(&self) -> Option<String> {
        let (mbps, rtt) = (self.mbps, self.rtt_ms);
        let path = self.path_mbps.map(|(capacity, free)| {
            format!("the path has {capacity:.0} Mbit/s, others use {:.0}; you have {mbps:.0}", (capacity - free).max(0.0))
        });
        Some(match self.cause() {
            Cause::Short => return None,
            Cause::Limit => format!("you have {mbps:.0} Mbit/s because you limited it"),
            Cause::Writing => format!("what is copied to writes {mbps:.0} Mbit/s; the path could carry more"),
            Cause::Reading => format!("what is copied from gives {mbps:.0} Mbit/s; the path could carry more"),
            Cause::RoundTrips => format!("most of the time one end waited for an answer of the other, {rtt:.0} ms away"),
            Cause::Start => {
                let start = format!(
                    "{:.0} % of the time passed while the connection found its rate, over {rtt:.0} ms",
                    100.0 * self.start().min(1.0)
                );
                path.map_or(start.clone(), |path| format!("{path}; {start}"))
            }
            Cause::Loss => {
                let loss = format!("{:.2} % of the packets are lost, and the controller slows down for each", 100.0 * self.lost);
                path.map_or(loss.clone(), |path| format!("{path}; {loss}"))
            }
            Cause::Others | Cause::Path => path.unwrap_or_else(|| format!("the path, at {rtt:.0} ms, gives {mbps:.0} Mbit/s")),
            Cause::Controller => {
                path.map_or(String::new(), |path| format!("{path}, and the controller takes no more (--cc names another)"))
            }
            Cause::Host => format!("this host is busy: {:.0} % of what it sends leaves late; you have {mbps:.0} Mbit/s", 100.0 * self.late),
        })
    }

    /// What each end waited for.
    pub fn details(&self) -> String {
        let line = |who: &str, waits: &Waits| {
            let parts = [
                ("the network", waits.network),
                ("reading", waits.source),
                ("writing", waits.sink),
                ("the other end", waits.peer),
                ("the limit", waits.limit),
            ];
            let parts: Vec<String> = parts.iter().map(|(what, waited)| format!("{what} {:.0} %", 100.0 * self.part(*waited))).collect();
            format!("{who} waited for {}\n", parts.join(", "))
        };
        let path = self.path_mbps.map_or(String::new(), |(capacity, free)| format!("K {capacity:.1} Mbit/s, A {free:.1} Mbit/s\n"));
        let host = format!("{:.3} % lost, RTT {:.1} ms, {:.1} % of wakes late\n", 100.0 * self.lost, self.rtt_ms, 100.0 * self.late);
        line("who has the files", &self.giver) + &line("who takes them", &self.taker) + &path + &host
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn waits(network: u64, source: u64, sink: u64, peer: u64, limit: u64) -> Waits {
        let s = |seconds| Span::from_millis(1000 * seconds);
        Waits { network: s(network), source: s(source), sink: s(sink), peer: s(peer), limit: s(limit) }
    }

    #[test]
    fn every_situation_has_its_cause() {
        let base = Seen { giver: waits(9, 1, 0, 0, 0), time: Span::from_millis(10_000), mbps: 60.0, rtt_ms: 50.0, ..Seen::default() };
        let path = |capacity, free| Some((capacity, free));
        for (seen, cause, says) in [
            (Seen { time: Span::from_millis(900), ..base.clone() }, Cause::Short, ""),
            (Seen { giver: waits(1, 0, 0, 0, 9), ..base.clone() }, Cause::Limit, "you limited it"),
            (Seen { taker: waits(0, 0, 8, 2, 0), ..base.clone() }, Cause::Writing, "writes 60 Mbit/s"),
            (Seen { giver: waits(2, 0, 0, 8, 0), taker: waits(0, 7, 2, 1, 0), ..base.clone() }, Cause::Writing, "writes 60 Mbit/s"),
            (Seen { giver: waits(1, 8, 0, 1, 0), ..base.clone() }, Cause::Reading, "gives 60 Mbit/s"),
            (Seen { giver: waits(1, 1, 0, 8, 0), ..base.clone() }, Cause::RoundTrips, "waited for an answer of the other, 50 ms away"),
            // Ten times from 10 to 10240 packets, and two round trips before: 7.2 s.
            (
                Seen { path_mbps: path(197.7, 197.7), rtt_ms: 600.0, lost: 0.01, ..base.clone() },
                Cause::Start,
                "you have 60; 72 % of the time passed while the connection found its rate, over 600 ms",
            ),
            (Seen { lost: 0.01, ..base.clone() }, Cause::Loss, "1.00 % of the packets are lost"),
            (Seen { path_mbps: path(100.0, 62.0), ..base.clone() }, Cause::Others, "the path has 100 Mbit/s, others use 38; you have 60"),
            (Seen { path_mbps: path(62.0, 61.0), ..base.clone() }, Cause::Path, "the path has 62 Mbit/s, others use 1; you have 60"),
            (Seen { path_mbps: path(200.0, 190.0), ..base.clone() }, Cause::Controller, "and the controller takes no more"),
            (Seen { late: 0.5, ..base.clone() }, Cause::Host, "50 % of what it sends leaves late"),
            (Seen { late: 0.5, path_mbps: path(100.0, 62.0), ..base.clone() }, Cause::Host, "50 % of what it sends leaves late"),
            (base, Cause::Path, "the path, at 50 ms, gives 60 Mbit/s"),
        ] {
            assert_eq!(seen.cause(), cause);
            assert!(seen.sentence().unwrap_or_default().contains(says), "{:?}", seen.sentence());
        }
    }
}
