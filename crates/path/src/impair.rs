//! What a path does to packets beside delaying them: stages behind a link's transmission, each a value, passed in the order in which they are given.
//!
//! Packets leave in the order in which they came, but for those that [`Impairment::Reordering`] holds back: what an earlier stage delays holds
//! back all behind it. A packet is copied once at the most.

use symbiosis_base::{Bytes, Instant, Random, Rate, Span};

/// A stage.
#[derive(Clone, Debug, PartialEq)]
pub enum Impairment {
    /// Losses in bursts (Gilbert 1960, Elliott 1963): two states, each with a probability of loss and a mean length in packets.
    GilbertElliott {
        /// Mean packets in the good state; at least one.
        good_packets: f64,
        /// Mean packets in the bad state; at least one.
        bad_packets: f64,
        /// Probability of loss in the good state.
        good_loss: f64,
        /// Probability of loss in the bad state.
        bad_loss: f64,
    },
    /// Bits flip, and the receiver's checksum discards the packet: large packets are lost more often.
    Corruption {
        /// Probability that a bit flips.
        per_bit: f64,
    },
    /// Some packets are held back and are overtaken by those behind them.
    Reordering {
        /// Probability that a packet is.
        probability: f64,
        /// For how long.
        by: Span,
    },
    /// Some packets arrive twice.
    Duplication {
        /// Probability that a packet does.
        probability: f64,
        /// The copy arrives so much later.
        by: Span,
    },
    /// A token bucket: what exceeds it is lost.
    Policer {
        /// How fast tokens come; above zero.
        rate: Rate,
        /// How many tokens there may be.
        burst: Bytes,
    },
    /// Delay that changes at given instants, beside the link's own: another route, a handover. Order is kept.
    Delay {
        /// The delay from each instant on, instants ascending; none before the first.
        steps: Vec<(Instant, Span)>,
        /// After so long the steps begin again.
        every: Option<Span>,
    },
    /// Everything is lost for a while.
    Outage {
        /// From when.
        at: Instant,
        /// For how long.
        lasts: Span,
        /// After so long it happens again.
        every: Option<Span>,
    },
    /// Packets are released together, at multiples of a time: aggregated ACKs, a radio's grants.
    Aggregation {
        /// The time; above zero.
        every: Span,
    },
    /// Of so many packets only the last passes, as where a modem thins ACKs out; one that waits longer than `within` for its group passes too.
    Thinning {
        /// Packets in a group; at least one.
        group: u64,
        /// The longest gap within a group.
        within: Span,
    },
}

impl Impairment {
    /// Whether packets may come out in another order than they went in, or twice.
    pub fn breaks_order(&self) -> bool {
        matches!(self, Impairment::Reordering { .. } | Impairment::Duplication { .. })
    }
}

/// The stages of a link.
#[derive(Debug)]
pub(crate) struct Impairments {
    stages: Vec<Stage>,
    random: Random,
    /// When the last packet came out that was not held back.
    last: Instant,
}

#[derive(Debug)]
struct Stage {
    what: Impairment,
    /// Of Gilbert and Elliott: in the bad state.
    bad: bool,
    /// Of a policer: tokens \[bytes\], as of `at`. Of thinning: packets of the group that did not pass.
    count: f64,
    at: Instant,
}

/// A packet between two stages.
struct Passing {
    at: Instant,
    size: Bytes,
    /// It is overtaken.
    held_back: bool,
    copy: Option<Instant>,
}

impl Impairments {
    pub(crate) fn new(stages: &[Impairment], random: Random) -> Impairments {
        let stage = |what: &Impairment| Stage {
            count: if let Impairment::Policer { burst, .. } = what { burst.as_f64() } else { 0.0 },
            what: what.clone(),
            bad: false,
            at: Instant::START,
        };
        Impairments { stages: stages.iter().map(stage).collect(), random, last: Instant::START }
    }

    /// A packet gets to the stages at `at`. When it comes out, and its copy if one was made; none if it is lost.
    pub(crate) fn pass(&mut self, at: Instant, size: Bytes) -> Option<(Instant, Option<Instant>)> {
        let mut packet = Passing { at, size, held_back: false, copy: None };
        for stage in &mut self.stages {
            if !stage.passes(&mut packet, &mut self.random) {
                return None;
            }
        }
        if !packet.held_back {
            packet.at = packet.at.max(self.last);
            self.last = packet.at;
        }
        Some((packet.at, packet.copy.map(|copy| copy.max(packet.at))))
    }
}

impl Stage {
    /// Whether a packet gets through, and what it is then.
    fn passes(&mut self, packet: &mut Passing, random: &mut Random) -> bool {
        let Stage { what, bad, count, at } = self;
        match what {
            Impairment::GilbertElliott { good_packets, bad_packets, good_loss, bad_loss } => {
                let (loss, length) = if *bad { (*bad_loss, *bad_packets) } else { (*good_loss, *good_packets) };
                let lost = random.chance(loss);
                *bad ^= random.chance(1.0 / length);
                !lost
            }
            Impairment::Corruption { per_bit } => {
                let whole = libm::exp(8.0 * packet.size.as_f64() * libm::log1p(-*per_bit));
                random.chance(whole)
            }
            Impairment::Reordering { probability, by } => {
                if random.chance(*probability) {
                    packet.at = packet.at.saturating_add(*by);
                    packet.held_back = true;
                }
                true
            }
            Impairment::Duplication { probability, by } => {
                if random.chance(*probability) {
                    packet.copy.get_or_insert(packet.at.saturating_add(*by));
                }
                true
            }
            Impairment::Policer { rate, burst } => {
                *count = (*count + rate.times(packet.at - *at)).min(burst.as_f64());
                *at = packet.at.max(*at);
                let conforms = *count >= packet.size.as_f64();
                if conforms {
                    *count -= packet.size.as_f64();
                }
                conforms
            }
            Impairment::Delay { steps, every } => {
                let now = since(packet.at, *every);
                let delay = match steps.partition_point(|(from, _)| *from <= now) {
                    0 => Span::ZERO,
                    next => steps[next - 1].1,
                };
                packet.delay(delay);
                true
            }
            Impairment::Outage { at, lasts, every } => {
                let again = every.filter(|_| packet.at >= *at);
                let now = Instant::after(again.map_or(packet.at - *at, |every| Span((packet.at - *at).0 % every.0.max(1))));
                packet.at < *at || now - Instant::START >= *lasts
            }
            Impairment::Aggregation { every } => {
                let out = packet.at.0.checked_next_multiple_of(every.0.max(1)).unwrap_or(u64::MAX);
                packet.delay(Instant(out) - packet.at);
                true
            }
            Impairment::Thinning { group, within } => {
                let late = packet.at - *at > *within;
                *at = packet.at;
                *count = if late { 1.0 } else { *count + 1.0 };
                let passes = late || *count >= *group as f64;
                if passes {
                    *count = 0.0;
                }
                passes
            }
        }
    }
}

impl Passing {
    fn delay(&mut self, by: Span) {
        self.at = self.at.saturating_add(by);
        self.copy = self.copy.map(|copy| copy.saturating_add(by));
    }
}

/// An instant within the repetition that it lies in.
fn since(now: Instant, every: Option<Span>) -> Instant {
    every.map_or(now, |every| Instant(now.0 % every.0.max(1)))
}

#[cfg(test)]
mod tests;
