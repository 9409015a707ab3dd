//! Frames that are not as they should be.

use std::sync::{Arc, Mutex};

use super::rewriting::Rewrite;

/// Leaves out byte 0 of each stream: full packets become one piece of a stream, each behind the last.
pub fn without_the_first_byte() -> Rewrite {
    let (mut stream, mut offset) = (0_u64, 1_u64);
    Arc::new(Mutex::new(move |frames: &mut [u8]| {
        if frames.len() < 1000 {
            return;
        }
        let data = frames.len() - 11;
        // STREAM with an offset, to the end of the packet (RFC 9000 §19.8); client's bidirectional streams are 0, 4, 8…
        frames[0] = 0x0c;
        frames[1..3].copy_from_slice(&(0x4000 | (4 * stream) as u16).to_be_bytes());
        frames[3..11].copy_from_slice(&(3 << 62 | offset).to_be_bytes());
        offset += data as u64;
        if offset > 60_000_000 {
            (stream, offset) = (stream + 1, 1);
        }
    }))
}

/// Every second byte of each stream, each in a frame of its own.
pub fn every_second_byte() -> Rewrite {
    let (mut stream, mut offset) = (0_u64, 1_u64);
    Arc::new(Mutex::new(move |frames: &mut [u8]| {
        if frames.len() < 1000 {
            return;
        }
        for frame in frames.chunks_mut(13) {
            frame.fill(0);
            if frame.len() == 13 {
                // With an offset and a length.
                frame[0] = 0x0e;
                frame[1..3].copy_from_slice(&(0x4000 | (4 * stream) as u16).to_be_bytes());
                frame[3..11].copy_from_slice(&(3 << 62 | offset).to_be_bytes());
                (frame[11], frame[12]) = (1, 7);
                offset += 2;
            }
        }
        if offset > 1_000_000 {
            (stream, offset) = (stream + 1, 1);
        }
    }))
}

/// A variable-length integer (RFC 9000 §16), and the bytes that it takes.
pub fn integer(bytes: &[u8]) -> (u64, usize) {
    let length = 1 << (bytes[0] >> 6);
    let value = bytes[1..length].iter().fold(u64::from(bytes[0] & 0x3f), |value, byte| value << 8 | u64::from(*byte));
    (value, length)
}

/// The same, in as many bytes as are given.
pub fn write_integer(into: &mut [u8], value: u64) {
    into.copy_from_slice(&value.to_be_bytes()[8 - into.len()..]);
    into[0] |= (into.len().trailing_zeros() as u8) << 6;
}

/// Acknowledges everything up to the largest number that came, whether it came or not; takes note of that number.
pub fn acknowledges_all(largest_seen: &Arc<Mutex<u64>>) -> Rewrite {
    let largest_seen = largest_seen.clone();
    Arc::new(Mutex::new(move |frames: &mut [u8]| {
        if frames.first() != Some(&2) {
            return;
        }
        // ACK (RFC 9000 §19.3): largest number, delay, number of gaps, length of the first range. Gaps are filled by saying that there are none.
        let (largest, long) = integer(&frames[1..]);
        *largest_seen.lock().unwrap() = largest;
        let (_, delay) = integer(&frames[1 + long..]);
        let (gaps, count) = integer(&frames[1 + long + delay..]);
        let (first, length) = integer(&frames[1 + long + delay + count..]);
        let mut end = 1 + long + delay + count + length;
        for _ in 0..2 * gaps {
            end += integer(&frames[end..]).1;
        }
        // Delay and number in a byte each, and the range in as many as the number has; the rest is padding. Where there is no room it is honest.
        if first < largest && 1 + long + 2 + long <= end {
            frames[1 + long] = 0;
            frames[2 + long] = 0;
            write_integer(&mut frames[3 + long..3 + 2 * long], largest);
            frames[3 + 2 * long..end].fill(0);
        }
    }))
}
