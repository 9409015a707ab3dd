//! BBR version 3 (draft-ietf-ccwg-bbr, its text of August 2026): it models the path by the rate at which it delivers and by its least RTT,
//! paces at that rate, and probes in turn for more rate and for a lesser RTT.
//!
//! "§" is the draft's section, and names are the draft's. Sizes are bytes on the wire, rates bytes a second, and what the draft calls
//! infinite is `f64::INFINITY`.
//!
//! Where this deviates from the draft:
//! - packets are paced one by one, not in quanta: `send_quantum` (§5.6.3) is what leaves within the host's timer, not within 1 ms, and a
//!   departure that the timer missed is made up for by as much;
//! - every connection counts as one with selective ACKs (C.has_selective_acks): no world says that it has none;
//! - of a mark, which the draft leaves open (§3.7), it learns as of a loss while it is not probing: `is_loss_in_round`;
//! - persistent congestion (RFC 9002 §7.6) is answered as a retransmission timeout (§5.6.4.4);
//! - recovery after a timeout ends with the first packet acknowledged that had not left before it;
//! - the state to undo to is saved once in an episode: the draft's NoteLoss saves it again after a probe that lost too much has ended
//!   the round, and would so undo to what the losses have done;
//! - an empty slot of the max-bw filter does not displace a full one, as in the Linux implementation.

mod cycle;
mod filter;
mod loss;
mod model;
mod output;
mod probe_rtt;
mod state;

use alloc::boxed::Box;

use crate::delivery_rate::RateSample;
use crate::entry::{Entry, Feedback, Recovery as TcpRecovery};
use crate::{AckProcessed, Acked, Ask, Basis, Bytes, Controller, Departure, Instant, LossKind, Lost, Notice, PacketLost, Permit, Sent};

pub use state::Bbr;
use state::{Recovery, State};

/// BBR version 3.
pub const ENTRY: Entry = Entry {
    name: "bbr3",
    about: "BBR version 3: paced by a model of the path's rate and least RTT (draft-ietf-ccwg-bbr)",
    params: &[],
    recovery: TcpRecovery::Rack,
    feedback: Feedback::Acks,
    build: |setup, _| Box::new(Bbr::new(setup)),
};

impl Bbr {
    /// UpdateOnACK (§5.2.3).
    fn update_on_ack(&mut self, rs: &RateSample) {
        self.update_latest_delivery_signals(rs);
        self.update_congestion_signals(rs);
        self.update_ack_aggregation(rs);
        self.check_full_bw_reached(rs);
        self.check_startup_done(rs);
        self.check_drain_done();
        self.update_probe_bw_cycle_phase(rs);
        self.update_min_rtt(rs);
        self.check_probe_rtt(rs);
        self.advance_latest_delivery_signals(rs);
        self.bw = self.max_bw.get().min(self.bw_shortterm); // BoundBWForModel (§5.5.10.3)
        self.set_pacing_rate(self.state.pacing_gain());
        self.set_cwnd(rs);
    }
}

impl Controller for Bbr {
    fn sent(&mut self, packet: &Sent) {
        self.now = packet.now;
        if packet.in_flight <= packet.bytes {
            self.restart_from_idle();
        }
        self.highest_sent = self.highest_sent.max(packet.number);
        self.rate.sent(packet);
        self.inflight = packet.in_flight.as_f64();
        self.pace(packet);
    }

    fn acked(&mut self, ack: &Acked) {
        self.rate.acked(ack);
        if matches!(self.recovery, Recovery::Timeout(point) if ack.number > point) {
            self.recovery = Recovery::Over;
        }
    }

    fn packet_lost(&mut self, packet: &PacketLost) {
        self.now = packet.now;
        self.handle_lost_packet(packet);
    }

    fn lost(&mut self, loss: &Lost) {
        self.now = loss.now;
        match loss.kind {
            LossKind::FastRetransmit => self.enter_fast_recovery(),
            LossKind::Timeout | LossKind::PersistentCongestion => self.enter_rto((loss.in_flight - loss.bytes).as_f64()),
            LossKind::Ecn => self.note_loss(),
        }
    }

    fn ack_processed(&mut self, ack: &AckProcessed) {
        self.now = ack.now;
        self.inflight = ack.in_flight.as_f64();
        self.cwnd_limited.0 |= ack.cwnd_limited;
        let sample = self.rate.take(ack.now);
        if self.recovery == Recovery::Over || self.recovery == Recovery::Fast && !ack.recovering {
            self.recovered();
        }
        // A timeout acknowledges nothing: what it says was told by the losses.
        if sample.newly_acked > Bytes::ZERO {
            self.update_on_ack(&sample);
        }
    }

    fn notice(&mut self, notice: &Notice) {
        match *notice {
            Notice::Spurious { now, .. } => {
                self.now = now;
                self.handle_spurious_loss();
            }
            Notice::AppLimited { in_flight, .. } => self.rate.limited(in_flight),
            Notice::PacketSize { packet, .. } => self.packet = packet.as_f64().max(1.0),
            // How seldom ACKs come shows in the extra data that each acknowledges (§5.5.9).
            // After silence it goes by the rate that it knows (§5.4.1).
            Notice::AckFrequency { .. } | Notice::Idle { .. } | Notice::HostWindow { .. } => {}
        }
    }

    fn permit(&self, _ask: &Ask) -> Permit {
        let window = Bytes::from_f64(self.cwnd.max(self.packet));
        Permit::paced(window, Departure::At(self.next_send_time))
    }

    fn basis(&self, _now: Instant) -> Basis {
        match self.state {
            State::Startup => Basis::SlowStart,
            State::ProbeRtt => Basis::ProbeRtt,
            _ => Basis::Law,
        }
    }

    fn gauges(&self, plot: &mut dyn FnMut(&'static str, f64)) {
        plot("bw_mbps", self.bw * 8e-6);
        plot("max_bw_mbps", self.max_bw.get() * 8e-6);
        plot("pacing_mbps", self.pacing_rate * 8e-6);
        if let Some(rtt) = self.min_rtt {
            plot("min_rtt_ms", rtt.millis());
        }
        for (name, bound) in
            [("inflight_longterm_packets", self.inflight_longterm), ("inflight_shortterm_packets", self.inflight_shortterm)]
        {
            if bound.is_finite() {
                plot(name, bound / self.packet);
            }
        }
        plot("state", self.state.number());
    }
}

#[cfg(test)]
mod tests;
