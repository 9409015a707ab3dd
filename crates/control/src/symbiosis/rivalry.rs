//! Beside flows that fill the buffer: whether there are any, and the window that competes with them.
//!
//! ```text
//! filled or missing, three times and for 2 s, or filled by τ too much once; or a sawtooth of three
//!   low queue ────────────────────────────────────────────────────────────▶ competing
//!             ◀────────────────────────────────────────────────────────────
//!                                  empty, twice in a row
//! ```
//!
//! A min-RTT probe ends with a flight held at `xτ`, by all flows of the kind at a time ([`Verdict`]). The queue is *empty* then if no more of it is left than harms nobody, or than
//! three eighths of what stood, if many flows of the kind leave so much; to who competes, than noise, or a sixteenth. It is *filled* if more is left and the flow competes, or if a queue
//! had stood for eight round-trip times, half a second at least, and one of three holds: the buffer has overflowed of late, and others joined in or can have seen the probe; more is left than many flows of
//! the kind leave; or the queue has not been empty for longer than the time between probes. A crowd of the kind that
//! has just come does not let a queue stand: its probes empty it now and then. Until it is known whose queue it is, and between the verdicts of a change, the law leaves the
//! window what it had without a queue.
//!
//! An empty queue that others had emptied too, and that is not back in time when all are released, as after an opponent's loss, is *missing* ([`Refill`]), which counts as one that is filled.
//!
//! Anything else tells nothing, and changes no doubt: a queue that is left without any of the three; an empty one until it is missing; one that came back while the flight was still held, of a flow too
//! small for others to have seen its probe: they were out of step. The next verdict is asked for in step, too ([`Rivalry::asks_again`]). One is enough where more is left than flows of the kind can have at all, `τ` over what many of them leave.
//!
//! A flow that the others do not see may be one of a *crowd*, in a queue that many leave. Alone it finds the queue of all, and its two verdicts come from two rounds of probes, since
//! those of a crowd that is still coming are out of step for a round, unless more is left than many leave. The first of the two may have come before the queue had stood for long enough.
//!
//! An opponent's queue stands in every round of probes: what no other verdict follows within two of them is past.
//!
//! Where every dip of the queue is an opponent's loss no probe tells anything. What others have in flight does: it falls at once, and is made up slowly, three times in a row
//! ([`Sawtooth`](super::sawtooth::Sawtooth)).
//!
//! The window that competes is CUBIC's. It begins where the low-delay law left it, which may be a tenth of its share, and CUBIC needs minutes to make that up in a
//! deep buffer. So it *catches up* first: slow start to half of the link's flight, the share beside one opponent.

use crate::cubic::{BETA, C, Cubic};
use crate::window::{Law as _, Window, may_grow};
use crate::{Acked, Instant, Lost, Span};

use super::probe_rtt::{LITTLE, NOISE, Verdict};
use super::refill::Refill;

/// So many verdicts in a row begin competition: newcomers of the kind are out of step twice in a row, and a third takes a second or two. With two, 10 of 520 runs of 4 to 16 flows of the kind
/// that start within 1 to 30 s have flows that take others for opponents for some time, with three 2.
const BEGIN: u32 = 3;
/// And so many end it, or begin it if they come from two rounds of the probes of all.
const END: u32 = 2;
/// The probes of the first and the last verdict that find an opponent begin so far apart, and none between them finds the queue empty, unless more is left than many flows of the kind leave: on short paths a
/// newcomer of the kind has its share by then. Of 520 runs of 4 to 16 flows of the kind that start within 1 to 30 s, 28 have flows that take others for opponents without it, 13 with it; with three seconds shares beside CUBIC are less, .73 instead of .75.
const SETTLES: Span = Span::from_millis(2_000);
/// A verdict that speaks for an opponent is past if no other follows it within so many rounds of the probes of all: an opponent's queue stands in each. On a cellular link a queue of the flow's own may go
/// as an opponent's does, once in a while: of 120 flows alone on such links 17 compete within a minute without this, 9 with it.
const PAST: u64 = 2;
/// Of a queue that stood this part may be left by flows of the kind that are out of step: a crowd of fifty that came within a second leaves a third.
const LEFT: f64 = 0.375;
/// So many losses of its own making end the catching up: each takes a part from the opponents' windows, too. With two, four beside one CUBIC in 8 BDP have .45 of its share at 120 ms, with three .78
/// (arena, medians of ten seeds).
const CATCHES: u32 = 3;
/// A loss is of a flow's own making if its window has grown so many times since the last one, but for a packet, as slow start lets it in a round trip: others overflow the buffer as well.
const DOUBLED: f64 = 2.0;

/// Which law rules the window, and why.
#[derive(Clone)]
pub struct Rivalry {
    competing: bool,
    /// When the probe began that told anything first.
    first: Option<Instant>,
    /// Verdicts of late that say otherwise, and when the probes of the first and of the last of them began.
    contrary: u32,
    doubted: Instant,
    latest: Instant,
    /// When the first began of the probes that found, alone, a queue of all that nobody empties.
    found: Option<Instant>,
    /// A verdict has agreed since the last one that did not.
    agreed: bool,
    /// Losses that the catching up has left, none once it is over.
    catches: u32,
    /// The window after the last loss, or where the catching up began.
    caught: Option<f64>,
    refill: Refill,
    cubic: Cubic,
}

/// What a verdict is held against.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// A queue that harms nobody.
    pub harmless: Span,
    /// The longest queue that flows of the kind leave.
    pub most: Span,
    /// The longest that so few of them leave that they see each other's probes.
    pub crowd: Span,
    /// The base round-trip time τ.
    pub tau: Span,
    /// The buffer has overflowed of late.
    pub lost: bool,
    /// Between the probes of all.
    pub interval: Span,
    /// A round trip.
    pub round: Span,
}

/// What a verdict changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// Nothing.
    None,
    /// The state of competition begins.
    Begins,
    /// It ends.
    Ends,
}

impl Default for Rivalry {
    fn default() -> Self {
        Rivalry {
            competing: false,
            first: None,
            contrary: 0,
            doubted: Instant::START,
            latest: Instant::START,
            found: None,
            agreed: false,
            catches: 0,
            caught: None,
            refill: Refill::default(),
            cubic: Cubic::new(C, BETA, true),
        }
    }
}

impl Rivalry {
    /// Whether the window is CUBIC's.
    pub fn competes(&self) -> bool {
        self.competing
    }

    /// Whether the last verdict was against the state.
    pub fn doubts(&self) -> bool {
        self.contrary > 0
    }

    /// Whether a verdict has agreed with the state since it began, or since another doubted it.
    pub fn is_sure(&self) -> bool {
        self.agreed
    }

    /// Whether a probe that raised, or left, doubts is to be followed by another at once: in step with the others. Alone a flow would find their queue. A probe that they can
    /// have seen calls them, and so does a queue that flows of the kind do not leave; who competes has a clock in common with those who do.
    pub fn asks_again(&self, verdict: &Verdict, bounds: &Bounds) -> bool {
        self.doubts() && (self.competing || verdict.seen || verdict.left > bounds.most)
    }

    /// A probe found so much of the queue left.
    pub fn judged(&mut self, verdict: &Verdict, bounds: &Bounds) -> Change {
        let long = verdict.left > bounds.most;
        let harmless = if self.competing {
            NOISE.max(verdict.before.scale(LITTLE))
        } else {
            bounds.harmless.max(verdict.before.scale(LEFT).min(bounds.most))
        };
        let left = verdict.left > harmless;
        let first = *self.first.get_or_insert(verdict.asked);
        // What a newcomer finds gone is what slow starts had put into the queue.
        if !self.competing && verdict.asked - first >= SETTLES {
            self.refill.probed(verdict, harmless, bounds.tau, bounds.round);
        }
        // The flow may be one of a crowd, who are out of step as long as more of them come. Whose probe nobody can have seen finds the queue of all, and many overflow the buffer.
        let crowd = !verdict.seen && verdict.before > bounds.crowd;
        let overflowed = bounds.lost && (verdict.company || verdict.seen);
        let filled = left && (self.competing || (verdict.stood && (overflowed || long || verdict.long)));
        let alone = !self.competing && left && crowd && verdict.stood && !verdict.company && !verdict.early;
        if verdict.back {
            self.found = alone.then(|| self.found.unwrap_or(verdict.asked));
        }
        // However many of the kind are out of step, and whatever they take for τ.
        let certain = filled && verdict.left > bounds.most.saturating_add(bounds.tau);
        let tells_nothing = if left { (verdict.early && !verdict.seen) || !filled } else { !self.competing && !verdict.back };
        if tells_nothing && !certain {
            return Change::None;
        }
        if filled == self.competing {
            self.contrary = 0;
            self.agreed = true;
            return Change::None;
        }
        let apart = if self.competing || long {
            Span::ZERO
        } else if crowd {
            bounds.interval
        } else {
            SETTLES
        };
        if !self.contradicted(self.found.unwrap_or(verdict.asked), verdict.asked, apart, bounds.interval) && !certain {
            return Change::None;
        }
        self.turns(filled, certain);
        if filled { Change::Begins } else { Change::Ends }
    }

    /// One more verdict against the state, of a probe that began at `asked`, no nearer than `apart` to the first of them, which began at `since`. Whether they are enough.
    fn contradicted(&mut self, since: Instant, asked: Instant, apart: Span, interval: Span) -> bool {
        if !self.competing && asked - self.latest > interval * PAST {
            self.contrary = 0;
        }
        self.latest = asked;
        if self.contrary == 0 {
            self.doubted = since;
            self.contrary = u32::from(asked - since >= interval);
        } else if asked - self.doubted < apart {
            return false;
        }
        self.contrary += 1;
        self.agreed = false;
        let rounds = self.competing || asked - self.doubted >= interval;
        self.contrary >= if rounds { END } else { BEGIN }
    }

    /// A round-trip time was measured; between the probes of all there is `interval`. A queue that all had emptied and that is missing speaks against flows of the kind as one that is left does. Whether that
    /// is enough.
    pub fn misses(&mut self, now: Instant, rtt: Span, interval: Span) -> bool {
        self.refill.sees(now, rtt).is_some_and(|asked| self.contradicted(asked, asked, SETTLES, interval))
    }

    /// The queue is not watched for the time being.
    pub fn looks_away(&mut self) {
        self.refill = Refill::default();
    }

    /// What others have in flight falls and rises as an opponent's window does, or a queue was missing often enough.
    pub fn begins(&mut self) {
        self.turns(true, false);
    }

    /// From one state to the other.
    fn turns(&mut self, competing: bool, agreed: bool) {
        *self = Rivalry { competing, agreed, catches: if competing { CATCHES } else { 0 }, ..Rivalry::default() };
    }

    /// The window answers an ACK in competition: up to `half` of the link's flight \[packets\] by slow start, then as CUBIC's (RFC 9438). CUBIC's clock runs
    /// on while a `probe` keeps the window, so that what opponents grew by meanwhile is made up.
    pub fn grow(&mut self, window: &mut Window, ack: &Acked, half: f64, probe: bool) {
        if !may_grow(ack) {
            self.cubic.paused();
            return;
        }
        let (acked, cwnd) = (window.packets(ack.bytes), window.cwnd);
        self.caught.get_or_insert(cwnd);
        if probe {
            if self.catches == 0 && !window.in_slow_start() {
                self.cubic.growth(cwnd, acked, ack);
            }
            return;
        }
        if self.catches > 0 && cwnd >= half {
            self.catches = 0;
            window.ssthresh = window.ssthresh.min(cwnd);
        }
        if self.catches > 0 || window.in_slow_start() {
            window.slow_start(acked);
        } else {
            window.cwnd = (cwnd + self.cubic.growth(cwnd, acked, ack)).max(1.0);
        }
    }

    /// The window answers a loss in competition, as CUBIC's does.
    pub fn lose(&mut self, window: &mut Window, loss: &Lost) {
        if self.caught.is_some_and(|caught| window.cwnd + 1.0 >= DOUBLED * caught) {
            self.catches = self.catches.saturating_sub(1);
        }
        let kept = self.cubic.after_loss(window.cwnd, loss.now);
        if loss.kind.collapses() {
            self.cubic.timeout();
            window.restart_below(kept);
        } else {
            window.shrink_to(kept);
        }
        self.caught = Some(window.cwnd);
    }
}

#[cfg(test)]
mod tests;
