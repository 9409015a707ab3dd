//! Which sub-range holds A: where "not increasing" below parts best from "increasing" above.

use super::trend::Verdict;

/// Where A is, by the streams' verdicts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    /// Below the range: every stream was too fast.
    Below,
    /// In the sub-range of that place: the lowest whose stream was too fast. Its stream scanned it all and met A in it.
    Within(usize),
    /// Above the range: no stream was too fast.
    Above,
}

/// The split at `s` sub-ranges from the lowest that is greatest in `Σ_{i≥s} T_i − Σ_{i<s} T_i`, the verdicts as signs. When several are
/// as good, as when streams between the clear ones say nothing, it is the middle one.
pub fn choose(verdicts: impl ExactSizeIterator<Item = Verdict> + Clone) -> Choice {
    let k = verdicts.len();
    let mut score: i32 = verdicts.clone().map(Verdict::sign).sum();
    let (mut best, mut first, mut last) = (score, 0, 0);
    for (i, verdict) in verdicts.enumerate() {
        score -= 2 * verdict.sign();
        if score > best {
            (best, first, last) = (score, i + 1, i + 1);
        } else if score == best {
            last = i + 1;
        }
    }
    match first.midpoint(last) {
        0 => Choice::Below,
        split if split == k => Choice::Above,
        split => Choice::Within(split),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Verdicts from the lowest sub-range, as `-`, `0`, `+`.
    fn of(verdicts: &str) -> Choice {
        let verdicts: alloc::vec::Vec<_> = verdicts
            .chars()
            .map(|sign| match sign {
                '-' => Verdict::Level,
                '0' => Verdict::Unclear,
                _ => Verdict::Increasing,
            })
            .collect();
        choose(verdicts.iter().copied())
    }

    #[test]
    fn splits_by_hand() {
        for (verdicts, choice) in [
            ("--++", Choice::Within(2)),
            ("-+++", Choice::Within(1)),
            ("---+", Choice::Within(3)),
            ("++++", Choice::Below),
            ("----", Choice::Above),
            // Splits at 1 and at 3 agree with four of five verdicts, all others with fewer: the middle.
            ("-+-++", Choice::Within(2)),
            // Only the split at 4 agrees with five of six.
            ("--+-++", Choice::Within(3)),
            ("-0+", Choice::Within(1)),
            ("-00+", Choice::Within(2)),
            // Nothing is known: the middle.
            ("0000", Choice::Within(2)),
        ] {
            assert_eq!(of(verdicts), choice, "{verdicts}");
        }
    }
}
