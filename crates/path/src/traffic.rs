//! The traffic of others: packets that follow no ACK.

use symbiosis_base::{Bytes, Nanos, Random};

use crate::Steps;

/// What sizes packets have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sizes {
    /// All the same.
    Fixed(Bytes),
    /// 40, 576 and 1500 bytes, 7 : 4 : 1 by packets (Agilent's Internet mix, which S §IV-A cites as \[27\]).
    Internet,
}

impl Sizes {
    const INTERNET: [(Bytes, f64); 3] = [(Bytes(40), 7.0 / 12.0), (Bytes(576), 4.0 / 12.0), (Bytes(1500), 1.0 / 12.0)];

    /// Mean size \[bytes\].
    pub fn mean(self) -> f64 {
        match self {
            Sizes::Fixed(size) => size.as_f64(),
            Sizes::Internet => Self::INTERNET.iter().map(|(size, share)| size.as_f64() * share).sum(),
        }
    }

    fn draw(self, random: &mut Random) -> Bytes {
        match self {
            Sizes::Fixed(size) => size,
            Sizes::Internet => {
                let u = random.uniform();
                if u < Self::INTERNET[0].1 {
                    Self::INTERNET[0].0
                } else if u < Self::INTERNET[0].1 + Self::INTERNET[1].1 {
                    Self::INTERNET[1].0
                } else {
                    Self::INTERNET[2].0
                }
            }
        }
    }
}

/// How packets are spaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gaps {
    /// Evenly: constant bit rate.
    Constant,
    /// Exponentially: a Poisson stream.
    Exponential,
}

/// A stream of packets that nobody controls.
#[derive(Clone, Debug, PartialEq)]
pub struct TrafficSpec {
    /// Sizes of its packets.
    pub sizes: Sizes,
    /// Spacing of its packets.
    pub gaps: Gaps,
    /// Mean rate over time, on the wire.
    pub rate: Steps,
}

/// The packets of a [`TrafficSpec`], one after another.
#[derive(Debug)]
pub struct Traffic {
    spec: TrafficSpec,
    random: Random,
    now: Nanos,
}

impl Traffic {
    /// A stream with its own source of randomness.
    pub fn new(spec: TrafficSpec, random: Random) -> Traffic {
        Traffic { spec, random, now: Nanos::ZERO }
    }
}

impl Iterator for Traffic {
    type Item = (Nanos, Bytes);

    /// The next packet's instant and size, until the rate stays zero.
    fn next(&mut self) -> Option<(Nanos, Bytes)> {
        let gap = match self.spec.gaps {
            Gaps::Constant => 1.0,
            Gaps::Exponential => self.random.exponential(),
        };
        // A gap is so many mean packets' worth of volume. In volume a stream is stationary, whatever the steps of its rate.
        self.now = self.spec.rate.finish(self.now, gap * self.spec.sizes.mean());
        (self.now < Nanos::MAX).then(|| (self.now, self.spec.sizes.draw(&mut self.random)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use symbiosis_base::Rate;

    fn volume(sizes: Sizes, gaps: Gaps, from: f64, to: f64) -> f64 {
        let rate = Steps::new(&[(Nanos::ZERO, Rate::from_mbps(20.0)), (Nanos::from_secs(40.0), Rate::from_mbps(70.0))]);
        Traffic::new(TrafficSpec { sizes, gaps, rate }, Random::new(3, 0))
            .take_while(|(at, _)| at.secs() < to)
            .filter(|(at, _)| at.secs() >= from)
            .map(|(_, size)| size.as_f64())
            .sum()
    }

    #[test]
    fn every_kind_keeps_its_mean_rate_through_a_step() {
        assert!((Sizes::Internet.mean() - 340.3333333333333).abs() < 1e-9);
        for sizes in [Sizes::Fixed(Bytes(1500)), Sizes::Internet] {
            for gaps in [Gaps::Constant, Gaps::Exponential] {
                let before = volume(sizes, gaps, 0.0, 40.0) * 8.0 / 40.0 / 1e6;
                let after = volume(sizes, gaps, 40.0, 80.0) * 8.0 / 40.0 / 1e6;
                assert!((before / 20.0 - 1.0).abs() < 0.01, "{sizes:?} {gaps:?}: {before} instead of 20");
                assert!((after / 70.0 - 1.0).abs() < 0.01, "{sizes:?} {gaps:?}: {after} instead of 70");
            }
        }
    }

    #[test]
    fn a_stream_ends_with_its_rate() {
        let rate = Steps::new(&[(Nanos::ZERO, Rate::from_mbps(12.0)), (Nanos::from_millis(10), Rate::ZERO)]);
        let spec = TrafficSpec { sizes: Sizes::Fixed(Bytes(1500)), gaps: Gaps::Constant, rate };
        let at: Vec<u64> = Traffic::new(spec, Random::new(0, 0)).map(|(at, _)| at.0 / 1_000_000).collect();
        assert_eq!(at, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    }
}
