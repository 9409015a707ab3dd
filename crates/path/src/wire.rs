//! What every link has, whatever its queue: a sending end and the way behind it.

use symbiosis_base::{Bytes, Instant, Random, Span};

use crate::link_spec::{Drop, LinkSpec, Offered};
use crate::rate::Server;

/// Sends one packet after another.
#[derive(Debug)]
pub(crate) struct Wire {
    server: Server,
    delay: Span,
    loss: f64,
    jitter: Span,
    random: Random,
    /// When the last transmission ends.
    pub(crate) free_at: Instant,
    last_out: Instant,
}

impl Wire {
    pub(crate) fn new(spec: &LinkSpec, random: Random) -> Wire {
        Wire {
            server: Server::new(&spec.rate),
            delay: spec.delay,
            loss: spec.loss,
            jitter: spec.jitter,
            random,
            free_at: Instant::START,
            last_out: Instant::START,
        }
    }

    /// A packet's transmission begins at `start`, which must not lie before [`Wire::free_at`].
    #[inline]
    pub(crate) fn send(&mut self, start: Instant, size: Bytes) -> Offered {
        self.free_at = self.server.finish(start, size);
        if self.loss > 0.0 && self.random.chance(self.loss) {
            return Err(Drop::Wire);
        }
        let mut out = self.free_at.saturating_add(self.delay);
        if self.jitter > Span::ZERO {
            out = out.saturating_add(self.jitter.scale(self.random.exponential())).max(self.last_out);
            self.last_out = out;
        }
        Ok(out)
    }
}
