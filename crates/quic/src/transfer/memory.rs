//! Bytes that need no file.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::storage::{Sink, Source};

/// Bytes by rule, of any length: the same at the same offset, different nearby.
#[derive(Clone, Copy, Debug)]
pub struct Pattern(pub u64);

impl Source for Pattern {
    fn bytes(&self) -> u64 {
        self.0
    }

    fn read_at(&mut self, offset: u64, into: &mut [u8]) -> io::Result<usize> {
        let some = (self.0.saturating_sub(offset)).min(into.len() as u64) as usize;
        // Fibonacci hashing: neighbouring sixteens differ in all bits.
        let of_sixteen = |sixteen: u64| (sixteen.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56) as u8;
        let (before, rest) = into[..some].split_at_mut(some.min((offset.wrapping_neg() % 16) as usize));
        before.fill(of_sixteen(offset / 16));
        rest.chunks_mut(16).zip(offset.div_ceil(16)..).for_each(|(bytes, sixteen)| bytes.fill(of_sixteen(sixteen)));
        Ok(some)
    }
}

/// Bytes until somebody says that it is enough.
#[derive(Clone, Debug, Default)]
pub struct Endless {
    enough: Arc<AtomicBool>,
}

impl Endless {
    /// It is enough: what was read is all.
    pub fn end(&self) {
        self.enough.store(true, Ordering::Relaxed);
    }
}

impl Source for Endless {
    fn bytes(&self) -> u64 {
        if self.enough.load(Ordering::Relaxed) { 0 } else { u64::MAX }
    }

    fn read_at(&mut self, offset: u64, into: &mut [u8]) -> io::Result<usize> {
        Pattern(u64::MAX).read_at(offset, into)
    }
}

/// Takes bytes and forgets them.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Forget;

impl Sink for Forget {
    fn has(&self) -> u64 {
        0
    }

    fn read_at(&mut self, _offset: u64, _into: &mut [u8]) -> io::Result<usize> {
        Ok(0)
    }

    fn write(&mut self, _bytes: &[u8]) -> io::Result<()> {
        Ok(())
    }

    fn complete(self: Box<Self>) -> Result<(), String> {
        Ok(())
    }

    fn discard(self: Box<Self>) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_is_the_same_wherever_reading_begins() {
        let mut whole = [0; 200];
        assert_eq!(Pattern(200).read_at(0, &mut whole).unwrap(), 200);
        for (from, to) in [(0, 1), (1, 15), (3, 50), (15, 33), (16, 32), (17, 200), (31, 200)] {
            let mut part = vec![0; to - from];
            Pattern(200).read_at(from as u64, &mut part).unwrap();
            assert_eq!(part, whole[from..to], "{from}..{to}");
        }
        assert!(whole.chunks(16).collect::<std::collections::BTreeSet<_>>().len() > 8, "it does not repeat soon");
        assert_eq!(Pattern(200).read_at(150, &mut whole).unwrap(), 50);
    }
}
