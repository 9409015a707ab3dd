//! C4, "Christian's Congestion Control Code" (draft-huitema-ccwg-c4-spec, its editors' text after version 04 of July 2026, with trimming and
//! draining): paced by a nominal rate, which the greatest rate of delivery raises and congestion reduces, within a window by the greatest RTT
//! that the path has without queues.
//!
//! Names are the draft's; rates are bytes a second on the wire, times seconds.
//!
//! Where this deviates from the draft, or it leaves something open:
//! - the draft's line `if nominal_rate > rate_estimate` has its sign the wrong way round, as the text below it says;
//! - its `(pacing_rate + margin) · nominal_max_rtt` adds seconds to a rate: the margin is added to the RTT, as its text says;
//! - in its β for delays a parenthesis is misplaced: the excess over the target is divided by the threshold;
//! - a window rises to what the draft sets by no more than what is acknowledged, as slow start does;
//! - rates are the house's delivery-rate samples: their interval begins with the last ACK before the packet left, not when it left;
//! - a rate has grown when it is 1/1024 larger, the resolution of the authors' program: two roundings are no growth;
//! - drained is with 7/8 (its section) and not with 3/4 (its table), after the Initial state, after Pushing, and where the least RTT became
//!   shorter by more than the 1/16 that Recovery leaves free anyway;
//! - persistent congestion sets the nominal rate to the recent maximum only where that is less;
//! - Initial is entered again for high jitter once at most (as in versions 00 to 04): whoever fills a buffer of twice the RTT beside it makes
//!   what looks like jitter;
//! - the nominal rate stays at two packets in a nominal max RTT, as its window does, or pacing would end;
//! - QUIC's probe timeouts are not told to controllers; a retransmission timeout says that all in flight is lost, and counts as congestion;
//! - a mark of which only is told that there was one (RFC 3168) counts as the most that marks can take;
//! - packets are paced one by one, not in quanta; no Resuming state, since no world remembers an earlier connection.

mod eras;
mod signals;
mod state;

use alloc::boxed::Box;

use crate::delivery_rate::RateSample;
use crate::entry::{Entry, Feedback, Recovery};
use crate::{
    AckProcessed, Acked, Ask, Basis, Bytes, Controller, Departure, Instant, LossKind, Lost, Notice, PacketLost, Permit, Rate, Sent,
};
use signals::Signal;
pub use state::C4;
use state::State;

/// C4.
pub const ENTRY: Entry = Entry {
    name: "c4",
    about: "C4: a nominal rate and a nominal greatest RTT, for real-time media (draft-huitema-ccwg-c4-spec)",
    params: &[],
    recovery: Recovery::Rack,
    feedback: Feedback::Acks,
    build: |setup, _| Box::new(C4::new(setup)),
};

/// No window is less \[packets\].
const LEAST_WINDOW: f64 = 2.0;
/// Least pacing rate in the Initial state \[bytes/s\]: 1,048,576 bit/s.
const LEAST_INITIAL_RATE: f64 = 131_072.0;
/// The window's margin over the nominal max RTT: so much of it …
const MARGIN: f64 = 0.25;
/// … and at most so much \[s\].
const MOST_MARGIN: f64 = 0.015;
/// An era without growth leaves 2⁻³ of what the Initial window grows by.
const HALVINGS: i32 = 3;

impl C4 {
    /// "Nominal rate".
    fn measure_rate(&mut self, sample: &RateSample) {
        let rate = sample.bytes_per_s();
        self.recent_max = self.recent_max.max(rate);
        if !(self.state == State::Recovery && self.congested) {
            self.nominal_rate = self.nominal_rate.max(rate);
        }
        if self.state == State::Initial && !sample.app_limited {
            let shift = -HALVINGS * self.eras_no_increase.min(100) as i32;
            self.initial_cwnd += libm::ldexp(sample.newly_acked.as_f64(), shift);
        }
    }

    /// "Setting pacing rate, congestion window and quantum".
    fn set_window(&mut self, acked: f64) {
        if !self.is_assessed() {
            return;
        }
        self.nominal_rate = self.nominal_rate.max(LEAST_WINDOW * self.packet / self.nominal_max_rtt);
        let bdp = |margin: f64| self.alpha * self.nominal_rate * (self.nominal_max_rtt + margin);
        let target = match self.state {
            State::Initial => bdp(0.0).max(self.initial_cwnd),
            _ => bdp((MARGIN * self.nominal_max_rtt).min(MOST_MARGIN)),
        };
        self.cwnd = target.max(LEAST_WINDOW * self.packet).min(self.cwnd + acked);
    }

    fn pacing_rate(&self) -> f64 {
        let rate = self.alpha * self.nominal_rate;
        if self.state == State::Initial { rate.max(LEAST_INITIAL_RATE) } else { rate }
    }
}

impl Controller for C4 {
    fn sent(&mut self, packet: &Sent) {
        self.rate.sent(packet);
        if self.is_assessed() {
            let gap = Rate::from_bytes_per_s(self.pacing_rate()).time_for(packet.bytes);
            self.next_send_time = self.next_send_time.max(packet.now - self.timer).saturating_add(gap);
        }
    }

    fn acked(&mut self, ack: &Acked) {
        self.rate.acked(ack);
        self.signals.arrived();
        self.era_ends |= self.round.ends_with(ack);
        if let Some(rtt) = ack.rtt.map(|rtt| rtt.secs()).filter(|rtt| *rtt > 0.0) {
            self.era.rtt(rtt);
            self.latest_rtt = self.latest_rtt.max(rtt);
            if self.nominal_max_rtt == 0.0 {
                self.nominal_max_rtt = rtt;
            }
        }
    }

    fn packet_lost(&mut self, packet: &PacketLost) {
        self.rate.lost(packet);
        self.signals.missing();
    }

    fn lost(&mut self, loss: &Lost) {
        match loss.kind {
            LossKind::FastRetransmit => {} // its packets have been counted
            LossKind::Ecn => self.congestion(loss.now, Signal::Mark),
            LossKind::Timeout | LossKind::PersistentCongestion => self.congestion(loss.now, Signal::Timeout),
        }
    }

    fn ack_processed(&mut self, ack: &AckProcessed) {
        let sample = self.rate.take(ack.now);
        if sample.newly_acked > Bytes::ZERO {
            self.era.limited |= sample.app_limited;
            self.measure_rate(&sample);
        }
        let rtt = core::mem::take(&mut self.latest_rtt);
        for signal in self.signals.found(self.nominal_rate, self.nominal_max_rtt, rtt, ack.ecn) {
            self.congestion(ack.now, signal);
        }
        if core::mem::take(&mut self.era_ends) {
            self.end_era(ack.now);
        }
        self.set_window(sample.newly_acked.as_f64());
    }

    fn notice(&mut self, notice: &Notice) {
        match *notice {
            Notice::AppLimited { in_flight, .. } => self.rate.limited(in_flight),
            Notice::PacketSize { packet, .. } => self.packet = packet.as_f64().max(1.0),
            // After silence it goes on at its nominal rate; the first era says whether that is too much.
            Notice::Idle { .. } | Notice::Spurious { .. } | Notice::AckFrequency { .. } | Notice::HostWindow { .. } => {}
        }
    }

    fn permit(&self, _ask: &Ask) -> Permit {
        Permit::paced(Bytes::from_f64(self.cwnd.max(self.packet)), Departure::At(self.next_send_time))
    }

    fn basis(&self, _now: Instant) -> Basis {
        if self.state == State::Initial { Basis::SlowStart } else { Basis::Law }
    }

    fn gauges(&self, plot: &mut dyn FnMut(&'static str, f64)) {
        plot("nominal_mbps", self.nominal_rate * 8e-6);
        plot("nominal_max_rtt_ms", self.nominal_max_rtt * 1e3);
        plot("alpha", self.alpha);
    }
}

#[cfg(test)]
mod tests;
