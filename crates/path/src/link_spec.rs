//! What a link is, and what becomes of a packet at one.

use symbiosis_base::{Instant, Rate, Span};

use crate::{Discipline, Impairment, QueueLimit, RateSpec};

/// What a link is.
#[derive(Clone, Debug, PartialEq)]
pub struct LinkSpec {
    /// How fast it sends.
    pub rate: RateSpec,
    /// How long a bit travels, one way.
    pub delay: Span,
    /// How much may wait before it.
    pub queue: QueueLimit,
    /// In which order it is served, and what is dropped beside what finds no room.
    pub discipline: Discipline,
    /// Probability that a packet is lost on the wire, after its transmission.
    pub loss: f64,
    /// Mean of an exponential delay added to each packet's. Packets stay in order: one that would overtake arrives with the one before.
    pub jitter: Span,
    /// What happens to packets behind that, stage after stage.
    pub impair: Vec<Impairment>,
}

impl LinkSpec {
    /// A link that neither loses nor disturbs, with room for whatever comes.
    pub fn ideal(rate: Rate, delay: Span) -> LinkSpec {
        LinkSpec {
            rate: RateSpec::Constant(rate),
            delay,
            queue: QueueLimit::Unlimited,
            discipline: Discipline::DropTail,
            loss: 0.0,
            jitter: Span::ZERO,
            impair: Vec::new(),
        }
    }

    /// Whether packets may come out in another order than they went in, or twice.
    pub fn breaks_order(&self) -> bool {
        self.impair.iter().any(Impairment::breaks_order)
    }
}

/// Why a packet does not come out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Drop {
    /// The queue was full, or its management gave the packet up.
    Queue,
    /// Lost on the wire.
    Wire,
}

/// When an offered packet comes out at the far end, or why it does not.
pub type Offered = Result<Instant, Drop>;
