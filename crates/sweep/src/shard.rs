//! A share of a sweep: the third of five.

use std::fmt;
use std::ops::Range;
use std::str::FromStr;

/// Share `at` of `of`, counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    at: u64,
    of: u64,
}

impl Shard {
    /// All of it.
    pub const WHOLE: Shard = Shard { at: 1, of: 1 };

    /// Its chunks, of so many.
    pub fn chunks(self, all: u64) -> Range<u64> {
        let from = |at: u64| (u128::from(all) * u128::from(at) / u128::from(self.of)) as u64;
        from(self.at - 1)..from(self.at)
    }
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Shard, String> {
        let parts = text.split_once('/').and_then(|(at, of)| Some((at.parse().ok()?, of.parse().ok()?)));
        match parts {
            Some((at, of)) if 1 <= at && at <= of => Ok(Shard { at, of }),
            _ => Err("a share `i/n` with i from 1 to n, as 3/5 for the third of five".into()),
        }
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.at, self.of)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shards_have_every_chunk_once() {
        for (all, of) in [(0, 1), (1, 3), (7, 3), (100, 7), (5, 5)] {
            let shards = (1..=of).map(|at| Shard { at, of }.chunks(all));
            assert_eq!(shards.flatten().collect::<Vec<_>>(), (0..all).collect::<Vec<_>>());
        }
        for text in ["0/3", "4/3", "1", "1/0", "-1/2", "a/b"] {
            assert!(text.parse::<Shard>().is_err(), "{text}");
        }
    }
}
