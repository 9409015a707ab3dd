//! Rate halving, as Linux 2.6 had it and ns-2's `TCP/Linux` agents have it still.
//!
//! During recovery the window sinks by one packet for every second ACK, down to *half* of what the controller wants to keep, and never
//! stays above what is in flight; afterwards it climbs back in slow start. A recovery so costs a dip of the queue that the controller did
//! not ask for: with Scalable TCP, which loses often and wants to keep 7/8, a tenth of the mean queue. Linux replaced it by proportional
//! rate reduction in 3.2.

/// A cap on the controller's window \[packets\], while there is one.
#[derive(Debug, Default)]
pub(crate) struct Halving {
    cap: Option<f64>,
    least: f64,
}

impl Halving {
    /// A recovery begins with `in_flight` packets in the network; the controller wants to keep `kept`.
    pub(crate) fn begin(&mut self, in_flight: u32, kept: f64) {
        self.cap = Some(in_flight as f64);
        self.least = kept / 2.0;
    }

    /// An ACK, after which `in_flight` packets are in the network.
    #[inline]
    pub(crate) fn acked(&mut self, recovering: bool, in_flight: u32, window: f64) {
        if let Some(cap) = self.cap {
            self.cap = match recovering {
                true if cap > self.least => Some((cap - 0.5).min(in_flight as f64 + 1.0)),
                true => Some(cap.min(in_flight as f64 + 1.0)),
                false => Some(cap + 1.0).filter(|cap| *cap < window),
            };
        }
    }

    /// A timeout: the window is one packet, no cap is needed.
    pub(crate) fn end(&mut self) {
        self.cap = None;
    }

    /// The window that is left of the controller's.
    #[inline]
    pub(crate) fn within(&self, window: f64) -> f64 {
        self.cap.map_or(window, |cap| cap.min(window))
    }
}
