//! Frames as bytes: the head's length in two bytes and the body's in four, the greatest first, then both.

use super::end::{BODY, Frame, HEAD};

/// What stands before a frame \[bytes\].
const LENGTHS: usize = 6;

/// Writes a frame's lengths and its head; the body follows.
pub(super) fn begin(frame: &Frame, into: &mut Vec<u8>) {
    debug_assert!(frame.head.len() <= HEAD && frame.body.len() <= BODY);
    into.extend_from_slice(&(frame.head.len() as u16).to_be_bytes());
    into.extend_from_slice(&(frame.body.len() as u32).to_be_bytes());
    into.extend_from_slice(&frame.head);
}

/// Puts frames together of what comes.
#[derive(Debug, Default)]
pub(super) struct Assembly {
    came: Vec<u8>,
    /// Lengths of the head and of the body that are under way.
    lengths: Option<(usize, usize)>,
    frame: Frame,
}

impl Assembly {
    /// So many bytes are to come next.
    pub(super) fn wants(&self) -> usize {
        match self.lengths {
            None => LENGTHS - self.came.len(),
            Some((head, body)) => (head - self.frame.head.len()) + (body - self.frame.body.len()),
        }
    }

    /// Takes bytes, at most as many as it wants; a frame that is whole.
    pub(super) fn take(&mut self, bytes: &[u8]) -> Result<Option<Frame>, String> {
        match self.lengths {
            None => {
                self.came.extend_from_slice(bytes);
                if self.came.len() < LENGTHS {
                    return Ok(None);
                }
                let head = usize::from(u16::from_be_bytes([self.came[0], self.came[1]]));
                let body = u32::from_be_bytes([self.came[2], self.came[3], self.came[4], self.came[5]]) as usize;
                if head > HEAD || body > BODY {
                    return Err(format!("a frame of {head} and {body} bytes; the longest has {HEAD} and {BODY}"));
                }
                self.came.clear();
                self.lengths = Some((head, body));
            }
            Some((head, _)) => {
                let (first, rest) = bytes.split_at(bytes.len().min(head - self.frame.head.len()));
                self.frame.head.extend_from_slice(first);
                self.frame.body.extend_from_slice(rest);
            }
        }
        Ok((self.wants() == 0).then(|| {
            self.lengths = None;
            std::mem::take(&mut self.frame)
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn frames_come_as_they_were_in_whatever_pieces(frames in proptest::collection::vec((0usize..40, 0usize..90), 1..8), piece in 1usize..64) {
            let frames: Vec<Frame> = frames.into_iter().map(|(head, body)| Frame { head: vec![7; head], body: vec![9; body] }).collect();
            let mut bytes = Vec::new();
            for frame in &frames {
                begin(frame, &mut bytes);
                bytes.extend_from_slice(&frame.body);
            }
            let (mut assembly, mut came, mut rest) = (Assembly::default(), Vec::new(), &bytes[..]);
            while !rest.is_empty() {
                let (now, later) = rest.split_at(rest.len().min(piece).min(assembly.wants()));
                rest = later;
                came.extend(assembly.take(now).unwrap());
            }
            prop_assert_eq!(came, frames);
        }

        #[test]
        fn whatever_comes_is_a_frame_or_an_error(bytes in proptest::collection::vec(any::<u8>(), 0..64)) {
            let (mut assembly, mut rest) = (Assembly::default(), &bytes[..]);
            while !rest.is_empty() {
                let (now, later) = rest.split_at(rest.len().min(assembly.wants()));
                rest = later;
                if assembly.take(now).is_err() {
                    break;
                }
                prop_assert!(assembly.frame.body.capacity() <= 2 * bytes.len(), "memory is taken for what came, not for what was announced");
            }
        }
    }
}
