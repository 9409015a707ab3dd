//! What each side waited for.

use symbiosis_base::Span;

use super::end::Frame;
use super::framing::begin;

/// What a side waited for is told in a frame without a head, and with so many bytes in its body.
const NOTE: usize = 5 * 8;

/// How long this side waited for what.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Waits {
    /// For the peer: there was nothing to write before it says something.
    pub peer: Span,
    /// For its own end, which had nothing ready: a file is read, or looked at.
    pub source: Span,
    /// For the network, which took no more.
    pub network: Span,
    /// For its own end, which took no more of what came: a file is written.
    pub sink: Span,
    /// For the rate to which it is limited.
    pub limit: Span,
}

impl Waits {
    fn all(&mut self) -> [&mut Span; 5] {
        [&mut self.peer, &mut self.source, &mut self.network, &mut self.sink, &mut self.limit]
    }

    /// As the frame that tells the peer.
    fn note(mut self) -> Frame {
        Frame { head: Vec::new(), body: self.all().iter().flat_map(|span| span.0.to_be_bytes()).collect() }
    }

    /// Of that frame's body.
    pub(super) fn read(body: &[u8]) -> Option<Waits> {
        let mut waits = Waits::default();
        if body.len() != NOTE {
            return None;
        }
        for (span, bytes) in waits.all().into_iter().zip(body.chunks_exact(8)) {
            *span = Span(u64::from_be_bytes(bytes.try_into().ok()?));
        }
        Some(waits)
    }

    /// Tells the peer, after the frames that are gathered already.
    pub(super) fn tell(self, into: &mut Vec<u8>) {
        let frame = self.note();
        begin(&frame, into);
        into.extend_from_slice(&frame.body);
    }
}
