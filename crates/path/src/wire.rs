//! What every link has, whatever its queue: a sending end and the way behind it.

use symbiosis_base::{Bytes, Instant, Random, Span};

use crate::impair::Impairments;
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
    /// It only delays: neither losses, nor jitter, nor impairments.
    plain: bool,
    /// When the last transmission ends.
    pub(crate) free_at: Instant,
    last_out: Instant,
    impairments: Option<Box<Impairments>>,
    /// When the copy comes out that was made of the last packet.
    pub(crate) copy: Option<Instant>,
}

impl Wire {
    pub(crate) fn new(spec: &LinkSpec, mut random: Random) -> Wire {
        // Draws from the link's own generator only where there is something to draw for.
        let impaired = !spec.impair.is_empty();
        let impairments = impaired.then(|| Box::new(Impairments::new(&spec.impair, Random::new(random.seed(), 0))));
        let server = Server::new(&spec.rate, &mut random);
        Wire {
            server,
            delay: spec.delay,
            loss: spec.loss,
            jitter: spec.jitter,
            random,
            plain: spec.loss <= 0.0 && spec.jitter == Span::ZERO && !impaired,
            free_at: Instant::START,
            last_out: Instant::START,
            impairments,
            copy: None,
        }
    }

    /// A packet's transmission begins at `start`, which must not lie before [`Wire::free_at`].
    #[inline]
    pub(crate) fn send(&mut self, start: Instant, size: Bytes) -> Offered {
        self.free_at = self.server.finish(start, size);
        let out = self.free_at.saturating_add(self.delay);
        if self.plain { Ok(out) } else { self.disturbed(out, size) }
    }

    /// What chance makes of a packet that would come out at `out`.
    fn disturbed(&mut self, mut out: Instant, size: Bytes) -> Offered {
        if self.loss > 0.0 && self.random.chance(self.loss) {
            return Err(Drop::Wire);
        }
        if self.jitter > Span::ZERO {
            out = out.saturating_add(self.jitter.scale(self.random.exponential())).max(self.last_out);
            self.last_out = out;
        }
        match &mut self.impairments {
            None => Ok(out),
            Some(_) => self.impaired(out, size),
        }
    }

    fn impaired(&mut self, out: Instant, size: Bytes) -> Offered {
        let passed = self.impairments.as_mut().map_or(Some((out, None)), |impairments| impairments.pass(out, size));
        let (out, copy) = passed.ok_or(Drop::Wire)?;
        self.copy = copy;
        Ok(out)
    }
}
