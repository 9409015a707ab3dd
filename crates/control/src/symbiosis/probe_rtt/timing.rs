//! When probes are due, and how long they take.

use crate::Span;

/// A probe lasts so many smoothed round-trip times: one until the others see it, and one for them.
pub const LASTS: f64 = 2.0;
/// It lasts longer while others join in, until a round-trip time after the queue fell last; but no longer than this. And the queue has as long to come back.
pub const MOST_LASTS: f64 = 4.0;
/// Probes are at least so far apart, and a flow's first comes so soon: it may have joined a queue, and its share is wrong until it knows; a joiner
/// is to have its share within 3 s. Half of the link for two round-trip times of sixteen is 1/16 of it at the most.
pub const LEAST_INTERVAL: Span = Span::from_millis(1_000);
/// And so many round-trip times.
pub const LEAST_ROUND_TRIPS: f64 = 16.0;
/// A newcomer's first, which is for τ alone, comes after this part of both: until then its share grows to up to n times what it should be. Fifty that start within a second have the buffer
/// full of their slow starts then, and what it finds in that tells of nobody.
pub const FIRST: f64 = 0.5;
/// After a probe the flight is held at what the path holds without a queue, `xτ`, for so many turns. Nothing of their own kind stands in the queue then; what does is others'.
pub const HOLDS: f64 = 3.0;
/// So many round-trip times after that began the link is full again, and half of one later the opponents' packets queue again. Who joined in a round trip later looks before it can see that
/// the first no longer hold.
pub const REFILLS: f64 = 2.5;
/// A turn is a round-trip time with the queue that the probe left, and at least this, so that flows of other round-trip times hold at the same time.
pub const LEAST_TURN: Span = Span::from_millis(150);
/// Beside flows that fill the buffer probes are at least so many round-trip times apart: one takes half of the rate for five of them at the most, and so
/// a twelfth of it in all.
const RARER: f64 = 32.0;

/// The timing of the probes of a flow that competes and is sure of it, where a round trip takes `full` before a probe and `short` in it: how long `xτ/2` and how long `xτ` is in flight,
/// and how long it is from one probe to the next, if the queue is never as short in between \[s\].
pub fn probe_timing(interval: Span, full: Span, short: Span) -> [f64; 3] {
    let (drains, holds) = (full.scale(LASTS).secs(), short.max(LEAST_TURN).scale(HOLDS).secs());
    [drains, holds, drains + holds + competing_interval(interval, full).secs()]
}

/// So long after the shortest queue the next probe of a flow that competes begins.
pub fn competing_interval(interval: Span, smoothed: Span) -> Span {
    interval.scale(0.5).max(smoothed.scale(RARER))
}

/// A probe, its hold, and the time that the queue has to come back take no longer.
pub fn longest(smoothed: Span) -> Span {
    smoothed.scale(2.0 * MOST_LASTS).saturating_add(smoothed.max(LEAST_TURN).scale(HOLDS))
}

/// Probes are at least so far apart.
pub fn apart(smoothed: Span) -> Span {
    LEAST_INTERVAL.max(smoothed.scale(LEAST_ROUND_TRIPS))
}
