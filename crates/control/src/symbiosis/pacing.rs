//! How departures are paced.

use super::Symbiosis;
use crate::{Bytes, Departure, Instant, Sent, Span};

/// Pacing before the first estimate, as a multiple of `w / srtt`: slow start doubles the window in a round trip.
const START_PACING: f64 = 2.0;

impl Symbiosis {
    /// A packet left, and was `late` by so much: when the next may.
    pub(super) fn paces(&mut self, packet: &Sent, late: Span) {
        let Some(gain) = self.settings.pacing else { return };
        let gain = if self.paces_a_start() { START_PACING } else { gain };
        let (window, loop_time) = self.whole();
        let loop_time = self.refill_rtt(packet.now).map_or(loop_time, |rtt| rtt.min(loop_time));
        self.pacer.sent_late(packet, late, gain, window, loop_time);
        // An outage makes round-trip times of seconds. They pace nobody for longer than the path's own.
        self.pacer.no_later(packet.now.saturating_add(self.tau().unwrap_or_default()));
        if self.host.departure() != Departure::Now {
            self.pacer.interrupted();
        }
    }

    /// After a min-RTT probe the window is what it was before, and the round-trip time is as short as the probe found it: by that one what the probe took is paced back. Paced by the smoothed one, which
    /// no probe changes, the flight grows by a tenth of the link's rate, and a queue of a second takes ten to come back. The law's queues are short, and flows of the kind that are out of step would
    /// overflow short buffers.
    fn refill_rtt(&self, now: Instant) -> Option<Span> {
        self.probe_rtt.as_ref().filter(|_| self.rivalry.competes())?.refill_rtt(now)
    }

    /// The window over the whole loop, and the loop's time.
    pub(super) fn whole(&self) -> (Bytes, Span) {
        let (window, smoothed) = (self.window.bytes(), self.rtt.smoothed());
        // Beside flows that fill the buffer the window is CUBIC's, which goes by no round-trip time.
        let of_law = self.settings.loss_floor && self.host.reading().is_some() && !self.goes_by_losses();
        if of_law { self.own_burst.whole(window, smoothed) } else { (window, smoothed) }
    }

    /// Whether packets leave at a pace for a window that doubles.
    fn paces_a_start(&self) -> bool {
        if self.jitter.rules() { self.window.in_slow_start() } else { self.reading().is_none() || self.starting }
    }

    /// When the next packet should leave, but for its pacing.
    pub(super) fn wanted(&self) -> Departure {
        if self.goes_by_losses() { Departure::Now } else { self.host.departure() }
    }
}
