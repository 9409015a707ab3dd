//! What a managed queue holds to.

use symbiosis_base::{Bytes, Span};

/// In which order a queue is served, and what is dropped beside what finds no room.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Discipline {
    /// In order of arrival; nothing else is dropped.
    #[default]
    DropTail,
    /// In order of arrival; packets are dropped when all have waited too long for too long (RFC 8289).
    CoDel(CoDelSpec),
    /// In turns between streams, those with little to send first; CoDel for each (RFC 8290).
    FqCoDel(FqCoDelSpec),
    /// In order of arrival; packets are dropped at arrival with a probability that a controller of the wait sets (RFC 8033).
    Pie(PieSpec),
    /// In turns between streams; PIE for each.
    FqPie(FqPieSpec),
    /// In order of arrival; packets are dropped at arrival with a probability that rises with the mean queue (RED).
    Red(RedSpec),
    /// L4S packets first, marked by a shallow threshold; the others under PI2, coupled (RFC 9332).
    DualPi2(DualPi2Spec),
    /// In turns between hosts, and between the streams of each; CoDel for each stream.
    Cake(CakeSpec),
}

/// What manages each queue where streams have their own.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum InnerSpec {
    CoDel(CoDelSpec),
    Pie(PieSpec),
}

/// What PIE holds to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PieSpec {
    /// The wait that it leads to.
    pub target: Span,
    /// Spacing of the updates of its probability; above zero.
    pub update: Span,
}

impl Default for PieSpec {
    /// RFC 8033 §4.2: 15 ms both.
    fn default() -> PieSpec {
        PieSpec { target: Span::from_millis(15), update: Span::from_millis(15) }
    }
}

/// What FQ-PIE holds to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FqPieSpec {
    /// Of each stream's queue.
    pub pie: PieSpec,
    /// Queues that streams are hashed to; at least one.
    pub flows: usize,
    /// Bytes that a queue may send in its turn; at least one.
    pub quantum: Bytes,
}

impl Default for FqPieSpec {
    /// As Linux: 1024 queues and a full packet.
    fn default() -> FqPieSpec {
        FqPieSpec { pie: PieSpec::default(), flows: 1024, quantum: Bytes(1500) }
    }
}

/// What RED holds to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RedSpec {
    /// Mean queue from which on packets are dropped \[packets\].
    pub min: f64,
    /// Mean queue at which the probability is `probability` \[packets\]; above `min`.
    pub max: f64,
    /// The probability there.
    pub probability: f64,
    /// Weight of a packet's queue in the mean.
    pub weight: f64,
}

impl Default for RedSpec {
    /// 5 and 15 packets, a tenth and 0.002, as Floyd recommended in 1997.
    fn default() -> RedSpec {
        RedSpec { min: 5.0, max: 15.0, probability: 0.1, weight: 0.002 }
    }
}

/// What DualPI2 holds to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DualPi2Spec {
    /// The wait to which it leads classic packets.
    pub target: Span,
    /// The wait from which on L4S packets are marked.
    pub step: Span,
}

impl Default for DualPi2Spec {
    /// RFC 9332 appendix A.1: 15 ms; a step at 1 ms, in the middle of its ramp from 0.8 to 1.2 ms.
    fn default() -> DualPi2Spec {
        DualPi2Spec { target: Span::from_millis(15), step: Span::from_millis(1) }
    }
}

/// What a queue like CAKE holds to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CakeSpec {
    /// Of each stream's queue.
    pub codel: CoDelSpec,
    /// Bytes that a host may send in its turn; at least one.
    pub quantum: Bytes,
}

impl Default for CakeSpec {
    /// CoDel's usual values and a full packet.
    fn default() -> CakeSpec {
        CakeSpec { codel: CoDelSpec::default(), quantum: Bytes(1500) }
    }
}

/// What CoDel holds to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CoDelSpec {
    /// A standing wait that is acceptable.
    pub target: Span,
    /// How long the wait may stay above it before the first drop: about the longest usual round-trip time.
    pub interval: Span,
}

impl Default for CoDelSpec {
    /// RFC 8289 §4: 5 ms and 100 ms.
    fn default() -> CoDelSpec {
        CoDelSpec { target: Span::from_millis(5), interval: Span::from_millis(100) }
    }
}

/// What FQ-CoDel holds to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FqCoDelSpec {
    /// Of each stream's queue.
    pub codel: CoDelSpec,
    /// Queues that streams are hashed to; at least one.
    pub flows: usize,
    /// Bytes that a queue may send in its turn; at least one.
    pub quantum: Bytes,
}

impl Default for FqCoDelSpec {
    /// RFC 8290 §5.2: 1024 queues. A quantum is a full packet; there is no Ethernet header here.
    fn default() -> FqCoDelSpec {
        FqCoDelSpec { codel: CoDelSpec::default(), flows: 1024, quantum: Bytes(1500) }
    }
}
