//! What each side waited for.

use symbiosis_base::Span;

use super::end::Frame;
use super::framing::begin;

/// What a side waited for, and how much it has read, is told in a frame without a head, and with so many bytes in its body.
const NOTE: usize = 6 * 8;
/// What that takes in the stream \[bytes\]: the lengths stand before it.
pub(super) const TOLD: u64 = 6 + NOTE as u64;

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

    /// What it waited for with which nobody but it can do anything.
    pub(super) fn at_work(&self) -> u64 {
        self.source.0.saturating_add(self.sink.0).saturating_add(self.limit.0)
    }

    /// For what it waited most since `before`, in words; none if it waited for nothing.
    pub(super) fn most_since(mut self, mut before: Waits) -> Option<&'static str> {
        let names = ["what this side says", "what it reads", "the connection to take more", "what it writes", "its limit"];
        let grown = self.all().into_iter().zip(before.all()).map(|(now, before)| now.0.saturating_sub(before.0));
        grown.zip(names).filter(|(grown, _)| *grown > 0).max_by_key(|(grown, _)| *grown).map(|(_, name)| name)
    }

    /// As the frame that tells the peer, with how many bytes were read of what it sent.
    fn note(mut self, read: u64) -> Frame {
        let numbers = self.all().map(|span| span.0).into_iter().chain([read]);
        Frame { head: Vec::new(), body: numbers.flat_map(u64::to_be_bytes).collect() }
    }

    /// Of that frame's body.
    pub(super) fn read(body: &[u8]) -> Option<(Waits, u64)> {
        let mut waits = Waits::default();
        if body.len() != NOTE {
            return None;
        }
        let mut numbers = body.chunks_exact(8).filter_map(|bytes| Some(u64::from_be_bytes(bytes.try_into().ok()?)));
        for span in waits.all() {
            *span = Span(numbers.next()?);
        }
        Some((waits, numbers.next()?))
    }

    /// Tells the peer, after the frames that are gathered already.
    pub(super) fn tell(self, read: u64, into: &mut Vec<u8>) {
        let frame = self.note(read);
        begin(&frame, into);
        into.extend_from_slice(&frame.body);
    }
}
