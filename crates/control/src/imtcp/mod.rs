//! Inline measurement of capacity K and available bandwidth A with the data packets themselves.
//!
//! The idea is ImTCP's (S §II-B, T §2.2.1): no probe packets; data leaves at chosen times and the ACKs tell how it arrived. How A is
//! found is not: the published streams and trends read A too high at every load, because five to twenty packets with skewed noise look
//! as if nothing were in their way. Here every gap between neighbours that met the same busy period counts, by the identity that a busy
//! link obeys ([`joint`]), and packets are moved only when too few do ([`streams`]).
//!
//! Small files: [`gaps`] makes gaps of ACKs, [`joint`] makes K and A of gaps, [`streams`] decides departures.

pub mod gaps;
pub mod joint;
pub mod streams;

use crate::lotka_volterra::Bandwidth;
use crate::symbiosis::measurement::Measurement;
use crate::{Acked, Bytes, Departure, Nanos, Sent, Setup};

use gaps::Gaps;
use joint::{Capacity, Rivals, is_joint};
use streams::Streams;

/// Results come this often in a smoothed round-trip time.
const RESULTS: f64 = 4.0;
/// Joint gaps must cover this part of a smoothed round-trip time, or a stream is sent.
const LEAST_COVERED: f64 = 0.1;
/// Packets that left closer than this part of a service time left back to back.
const BACK_TO_BACK: f64 = 0.05;
/// Least part of a smoothed round-trip time between two streams.
const STREAM_SPACING: f64 = 1.0 / 3.0;

/// The measurement.
#[derive(Clone, Debug)]
pub struct ImTcp {
    packet: Bytes,
    gaps: Gaps,
    capacity: Capacity,
    rivals: Rivals,
    streams: Streams,
    smoothed: f64,
    last_ack: Option<Nanos>,
    last_result: Option<Nanos>,
    result: Option<Bandwidth>,
}

impl ImTcp {
    /// For a new connection.
    pub fn new(setup: &Setup) -> ImTcp {
        ImTcp {
            packet: setup.packet,
            gaps: Gaps::default(),
            capacity: Capacity::default(),
            rivals: Rivals::default(),
            streams: Streams::default(),
            smoothed: 0.0,
            last_ack: None,
            last_result: None,
            result: None,
        }
    }
}

impl Measurement for ImTcp {
    fn sent(&mut self, packet: &Sent) {
        self.streams.sent(packet);
    }

    fn acked(&mut self, ack: &Acked) -> Option<Bandwidth> {
        if let Some(rtt) = ack.rtt {
            let rtt = rtt.secs();
            self.smoothed = if self.smoothed == 0.0 { rtt } else { self.smoothed + (rtt - self.smoothed) / 8.0 };
        }
        let since = ack.now - self.last_ack.unwrap_or(ack.now);
        self.last_ack = Some(ack.now);
        if since > Nanos::ZERO {
            self.rivals.fade(since.secs(), self.smoothed);
        }
        let gap = self.gaps.acked(ack)?;
        let service = self.capacity.estimate().map_or(0.0, |(k, _)| self.packet.as_f64() / k.bytes_per_s());
        if is_joint(&gap, service) {
            self.rivals.add(&gap);
            if gap.sent <= BACK_TO_BACK * service {
                self.capacity.add(&gap);
            }
        }
        let (capacity, _) = self.capacity.estimate()?;
        if self.rivals.covered() < LEAST_COVERED * self.smoothed {
            let known = Bandwidth { capacity, available: self.result.map_or(capacity, |result| result.available) };
            let spacing = Nanos::from_secs(STREAM_SPACING * self.smoothed);
            self.streams.begin(ack.now, spacing, &known, self.packet, ack.in_flight.packets(self.packet));
            return None;
        }
        let due = self.last_result.is_none_or(|last| (ack.now - last).secs() >= self.smoothed / RESULTS);
        if !due {
            return None;
        }
        self.last_result = Some(ack.now);
        self.streams.told();
        self.result = self.rivals.available(capacity).map(|available| Bandwidth { capacity, available });
        self.result
    }

    fn departure(&self) -> Departure {
        self.streams.departure()
    }

    fn forget(&mut self) {
        self.rivals = Rivals::default();
        self.capacity = Capacity::default();
        self.gaps = Gaps::default();
        (self.last_result, self.result) = (None, None);
    }

    fn gauges(&self, plot: &mut dyn FnMut(&'static str, f64)) {
        if let Some((_, error)) = self.capacity.estimate() {
            plot("K_ci95_mbps", error.mbps());
        }
        plot("unused_recovering", self.gaps.unused().recovering as f64);
        plot("unused_apart", self.gaps.unused().apart as f64);
    }
}
