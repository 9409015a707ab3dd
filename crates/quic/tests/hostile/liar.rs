//! A receiver that lies about what came: in which numbers it acknowledges, and in when it says that they came.

use std::collections::{BTreeMap, BTreeSet};

use symbiosis_base::Random;

use super::frames::{integer, write_integer};
use super::rewriting::Packets;

/// Ways of lying, all of which may be used at once.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lies {
    /// Part of the numbers that did not come, below the largest, that are acknowledged all the same.
    pub hides: f64,
    /// So many numbers beyond the largest that came are acknowledged.
    pub ahead: u64,
    /// Each ACK tells of its largest number alone, so that what it leaves out looks lost or late (ACK division has no other effect where packets,
    /// and not bytes, are acknowledged).
    pub alone: bool,
    /// Arrivals that are said to be so far apart \[ns\].
    pub apart: Option<u64>,
    pub seed: u64,
}

/// What it has said and seen.
pub struct Liar {
    lies: Lies,
    pub acknowledged: BTreeSet<u64>,
    /// The largest that truly came.
    pub came: u64,
    untold: Vec<u64>,
    told: u64,
}

impl Liar {
    pub fn new(lies: Lies) -> Liar {
        Liar { lies, acknowledged: BTreeSet::new(), came: 0, untold: Vec::new(), told: 0 }
    }

    /// Messages about what has come since the last time, each for a DATAGRAM frame of its own.
    pub fn forged(&mut self, now: u64) -> Vec<Vec<u8>> {
        let numbers = std::mem::take(&mut self.untold);
        let Some(apart) = self.lies.apart.filter(|_| !numbers.is_empty()) else { return Vec::new() };
        // crates/quic/src/feedback/wire.rs: numbers and times as differences, signed ones in zigzag; and what a receiver's half found.
        let (mut arrivals, mut before) = (vec![1], 0);
        for (at, number) in numbers.iter().enumerate().take(32) {
            let signed = *number as i64 - before as i64;
            number_to(&mut arrivals, (signed << 1 ^ signed >> 63) as u64);
            number_to(&mut arrivals, if at == 0 { self.told } else { apart });
            before = *number;
        }
        self.told += apart * numbers.len() as u64;
        let mut found = vec![4];
        [apart, now].into_iter().for_each(|n| number_to(&mut found, n));
        found.extend_from_slice(&1.0_f64.to_be_bytes());
        vec![arrivals, found]
    }
}

fn number_to(bytes: &mut Vec<u8>, number: u64) {
    let length = length(number);
    let at = bytes.len();
    bytes.resize(at + length, 0);
    write_integer(&mut bytes[at..], number);
}

/// Bytes that a number takes.
fn length(number: u64) -> usize {
    match number {
        0..=0x3f => 1,
        0x40..=0x3fff => 2,
        0x4000..=0x3fff_ffff => 4,
        _ => 8,
    }
}

impl Packets for Liar {
    fn leaves(&mut self, frames: &mut [u8]) {
        if frames.first() != Some(&2) {
            return;
        }
        // ACK (RFC 9000 §19.3): largest number, delay, number of gaps, length of the first range; then gaps and lengths.
        let mut end = 1;
        let mut next = |frames: &[u8]| {
            let (value, length) = integer(&frames[end..]);
            end += length;
            value
        };
        let (largest, _delay, gaps, first) = (next(frames), next(frames), next(frames), next(frames));
        let mut truth: BTreeSet<u64> = (largest - first..=largest).collect();
        let mut low = largest - first;
        for _ in 0..gaps {
            let (gap, length) = (next(frames), next(frames));
            let high = low - gap - 2;
            low = high - length;
            truth.extend(low..=high);
        }
        let mut lie: BTreeMap<u64, bool> = (low..=largest + self.lies.ahead).map(|n| (n, n > largest || truth.contains(&n))).collect();
        for (number, said) in &mut lie {
            *said |= Random::new(self.lies.seed, *number).uniform() < self.lies.hides;
        }
        // Ranges from the largest down, as many as find room where the truth was.
        let mut ranges: Vec<(u64, u64)> = Vec::new();
        for (number, _) in lie.iter().rev().filter(|(_, said)| **said) {
            match ranges.last_mut() {
                Some((low, _)) if *low == number + 1 => *low = *number,
                _ => ranges.push((*number, *number)),
            }
        }
        if self.lies.alone {
            ranges.truncate(1);
            ranges[0].0 = ranges[0].1;
        }
        let mut said = Vec::new();
        while !ranges.is_empty() {
            said = vec![2];
            let (low, high) = ranges[0];
            [high, 0, ranges.len() as u64 - 1, high - low].into_iter().for_each(|n| number_to(&mut said, n));
            for pair in ranges.windows(2) {
                [pair[0].0 - pair[1].1 - 2, pair[1].1 - pair[1].0].into_iter().for_each(|n| number_to(&mut said, n));
            }
            if said.len() <= end {
                break;
            }
            ranges.pop();
        }
        // Where there is no room for any lie it is honest.
        if ranges.is_empty() {
            self.acknowledged.extend(truth);
            return;
        }
        ranges.iter().for_each(|(low, high)| self.acknowledged.extend(*low..=*high));
        frames[..said.len()].copy_from_slice(&said);
        frames[said.len()..end].fill(0);
    }

    fn came(&mut self, number: u64) {
        self.came = self.came.max(number);
        self.untold.push(number);
    }
}
