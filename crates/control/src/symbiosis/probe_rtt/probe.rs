//! A probe under way.

use crate::rtt::MinRtt;
use crate::{Instant, Span};

/// A queue that fell by so many times what the flow gave up has fallen by what others did, too.
pub const JOINED: f64 = 1.5;

/// Flows of the kind empty the queue once in every interval, as soon as all of them know of it: what has stood for so many intervals they would have emptied. Three quarters of one
/// are not enough (14 of 130 crowds of fifty take each other for opponents, 1 from 1.1 to 2 intervals).
pub const LONG: f64 = 1.25;

/// A probe under way.
#[derive(Clone, Copy, Debug)]
pub struct Probe {
    /// The smoothed round-trip time at its beginning.
    pub before: Span,
    /// Its unit of time: that, unless the path has become another since it was measured.
    pub turn: Span,
    /// What the queue falls by if nobody else probes.
    pub alone: Span,
    /// What others may have put into the queue meanwhile: of less a flow cannot say that it was in none.
    pub least: Span,
    /// The least round-trip time in it.
    pub found: MinRtt<Span>,
    /// What was acknowledged in the round trip before the probe's own packets were, as the time that it takes the link.
    pub before_it: Span,
    /// The least round-trip time while the flight was held.
    pub held: MinRtt<Span>,
    /// The queue had not been empty of late.
    pub stood: bool,
    /// Nor, by flows of the kind, for [`LONG`].
    pub long: bool,
    /// There is reason to think that not all are of the kind.
    pub contested: bool,
    /// Another's dip called it.
    pub joined: bool,
    /// When the queue had fallen by half, to which those who joined in last had begun theirs.
    pub halved: Option<Instant>,
    /// What the flow kept for its host.
    pub bridge: Span,
}

impl Probe {
    /// A round-trip time was measured.
    pub fn finds(&mut self, now: Instant, rtt: Span, tau: Span) {
        self.found.sample(rtt);
        if rtt - tau <= (self.before - tau).scale(0.5) {
            self.halved.get_or_insert(now);
        }
    }

    /// A round-trip time with the queue that was left in it.
    pub fn short(&self) -> Span {
        self.found.get().map_or(self.turn, |found| found.min(self.turn))
    }

    /// Whether a verdict may come of it: others joined in, or there is reason to ask.
    pub fn tells(&self) -> bool {
        self.contested || self.before - self.found.get().unwrap_or(self.before) > self.alone.scale(JOINED)
    }
}
