//! Groups packed by zstd, where that makes a copy faster.
//!
//! Hashes are of what is in the file, so a packed group is checked, kept and resumed as any other. Whoever unpacks takes no more than was
//! announced, and no more than a group.

use std::time::{Duration, Instant};

use crate::groups::GROUP;
use crate::job::Compress;

/// zstd's own default. On one core of this project's machines it packs 200 to 400 MB/s of text.
const LEVEL: i32 = 3;
/// Whether a group can be packed is tried on so much of it \[bytes\]: 1/64 of a group, and so of what packing it takes.
const SAMPLE: usize = 16 << 10;
/// Less is not worth the frame's own head, some 13 bytes \[bytes\].
const LEAST: usize = 256;
/// What does not lose a tenth is sent as it is: to unpack it costs the other end, too.
const WORTH: f64 = 0.9;
/// After so much it is decided anew \[bytes\]: what may lie ready is 4 MB, so the queue is full by then if the path is what is slow.
const TURN: u64 = 16 << 20;
/// The path is what is slow where this end waited for it for more than this part of the time.
const WAITED: f64 = 0.1;

/// What became of the groups of a turn.
#[derive(Clone, Copy, Debug, Default)]
struct Turn {
    /// Bytes of files, and what they took on the path.
    bytes: u64,
    wire: u64,
    /// Bytes that were packed, and how long that took.
    packed: u64,
    packing: Duration,
    /// How long nothing was asked for, since enough lay ready.
    waited: Duration,
    all: Duration,
}

/// Packs groups, and decides whether to.
#[derive(Debug)]
pub(crate) struct Packer {
    when: Compress,
    packs: bool,
    turn: Turn,
    /// What can be packed \[bytes/s\], as far as it was tried.
    speed: Option<f64>,
    /// When the last frame was handed out.
    said: Option<Instant>,
}

impl Packer {
    pub(crate) fn new(when: Compress) -> Packer {
        Packer { when, packs: when != Compress::Never, turn: Turn::default(), speed: None, said: None }
    }

    /// The group as it is to be sent, if not as it is.
    pub(crate) fn packs(&mut self, bytes: &[u8]) -> Option<Vec<u8>> {
        if self.when == Compress::Never {
            return None;
        }
        let asked = Instant::now();
        let waited = self.said.map_or(Duration::ZERO, |said| asked - said);
        let packed = if self.packs { packed(bytes) } else { None };
        let now = Instant::now();
        self.said = Some(now);
        let tried = if self.packs { (bytes.len() as u64, now - asked) } else { (0, Duration::ZERO) };
        self.counts(bytes.len() as u64, packed.as_ref().map_or(bytes.len(), Vec::len) as u64, tried, waited);
        packed
    }

    fn counts(&mut self, bytes: u64, wire: u64, (packed, packing): (u64, Duration), waited: Duration) {
        let turn = &mut self.turn;
        turn.bytes += bytes;
        turn.wire += wire;
        turn.packed += packed;
        turn.packing += packing;
        turn.waited += waited;
        turn.all += packing + waited;
        if turn.bytes >= TURN {
            self.decides();
        }
    }

    /// Packed, a file moves at the lesser of what is packed and what the path takes of that; else at what the path takes. So packing pays where more can be
    /// packed than the path takes.
    fn decides(&mut self) {
        let turn = std::mem::take(&mut self.turn);
        if turn.packed > 0 {
            self.speed = Some(turn.packed as f64 / turn.packing.as_secs_f64().max(1e-9));
        }
        if self.when == Compress::Always {
            return;
        }
        let all = turn.all.as_secs_f64().max(1e-9);
        let path_is_slow = turn.waited.as_secs_f64() > WAITED * all;
        self.packs = path_is_slow && self.speed.is_none_or(|speed| speed > turn.wire as f64 / all);
    }
}

/// Packed, if that is worth it.
fn packed(bytes: &[u8]) -> Option<Vec<u8>> {
    if bytes.len() < LEAST {
        return None;
    }
    let worth = |packed: &Vec<u8>, of: usize| packed.len() as f64 <= WORTH * of as f64;
    if bytes.len() > 2 * SAMPLE {
        // From the middle: what files begin with is often unlike the rest.
        let from = (bytes.len() - SAMPLE) / 2;
        let sample = zstd::bulk::compress(&bytes[from..from + SAMPLE], LEVEL).ok()?;
        if !worth(&sample, SAMPLE) {
            return None;
        }
    }
    zstd::bulk::compress(bytes, LEVEL).ok().filter(|packed| worth(packed, bytes.len()))
}

/// What a packed group is, of which so many bytes were announced.
pub(crate) fn unpacked(packed: &[u8], bytes: u32) -> Result<Vec<u8>, String> {
    if u64::from(bytes) > GROUP {
        return Err(format!("a packed group of {bytes} bytes; the longest has {GROUP}"));
    }
    // Nothing is written beyond the capacity.
    let group = zstd::bulk::decompress(packed, bytes as usize).map_err(|error| format!("a packed group cannot be unpacked: {error}"))?;
    if group.len() == bytes as usize { Ok(group) } else { Err(format!("a packed group has {} and not {bytes} bytes", group.len())) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn text(bytes: usize) -> Vec<u8> {
        b"the same again, and again ".iter().copied().cycle().take(bytes).collect()
    }

    fn noise(bytes: usize) -> Vec<u8> {
        (0..bytes as u64).map(|at| blake3::hash(&(at / 32).to_be_bytes()).as_bytes()[at as usize % 32]).collect()
    }

    #[test]
    fn what_is_worth_it_is_packed_and_comes_back() {
        let mut packer = Packer::new(Compress::Always);
        for length in [LEAST, 5000, GROUP as usize] {
            let packed = packer.packs(&text(length)).expect("it repeats itself");
            assert!(packed.len() < length / 4);
            assert_eq!(unpacked(&packed, length as u32).unwrap(), text(length));
        }
        assert_eq!(packer.packs(&noise(100_000)), None, "noise stays as it is");
        assert_eq!(packer.packs(&text(LEAST - 1)), None);
        assert_eq!(Packer::new(Compress::Never).packs(&text(5000)), None);
    }

    /// A gigabyte of zeros takes 32 kB packed.
    #[test]
    fn a_bomb_takes_no_more_than_was_announced() {
        let bomb = zstd::bulk::compress(&vec![0; 64 << 20], LEVEL).unwrap();
        assert!(bomb.len() < 10_000);
        for announced in [0, 1, 5000, GROUP as u32] {
            assert!(unpacked(&bomb, announced).is_err(), "{announced}");
        }
        assert!(unpacked(&bomb, 64 << 20).unwrap_err().contains("the longest has"));
        let short = zstd::bulk::compress(&text(5000), LEVEL).unwrap();
        assert!(unpacked(&short, 5001).unwrap_err().contains("5000 and not 5001"));
    }

    proptest! {
        #[test]
        fn whatever_comes_is_unpacked_or_refused(packed in proptest::collection::vec(any::<u8>(), 0..300), bytes in 0u32..3_000_000) {
            if let Ok(group) = unpacked(&packed, bytes) {
                prop_assert!(group.len() == bytes as usize && group.len() as u64 <= GROUP);
            }
        }
    }

    /// A turn in which so much is packed in a second, and the path takes so much \[MB/s\] of a file that packs to a third.
    fn turn(packer: &mut Packer, speed: f64, path: f64) {
        let (bytes, on) = (1u64 << 20, packer.packs);
        for _ in 0..16 {
            let wire = if on { bytes / 3 } else { bytes };
            let packing = if on { bytes as f64 / (speed * 1e6) } else { 0.0 };
            let waited = (wire as f64 / (path * 1e6) - packing).max(1e-6);
            let tried = if on { (bytes, Duration::from_secs_f64(packing)) } else { (0, Duration::ZERO) };
            packer.counts(bytes, wire, tried, Duration::from_secs_f64(waited));
        }
    }

    #[test]
    fn it_packs_where_the_path_is_slower_than_packing() {
        for (speed, path, packs) in [(300.0, 10.0, true), (300.0, 80.0, true), (300.0, 1000.0, false), (20.0, 100.0, false)] {
            let mut packer = Packer::new(Compress::Auto);
            let mut packed = 0;
            for _ in 0..20 {
                turn(&mut packer, speed, path);
                packed += u32::from(packer.packs);
            }
            assert!(if packs { packed >= 18 } else { packed <= 2 }, "{speed} and {path} MB/s: {packed} of 20 turns");
        }
        let mut packer = Packer::new(Compress::Auto);
        turn(&mut packer, 300.0, 1000.0);
        assert!(!packer.packs);
        turn(&mut packer, 300.0, 10.0);
        assert!(packer.packs, "the path has become slow");
    }
}
