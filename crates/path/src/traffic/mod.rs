//! The traffic of others: packets that follow no ACK.

mod on_off;

use symbiosis_base::{Bytes, Instant, Random};

use crate::Steps;
use on_off::Bursts;
pub use on_off::OnOff;

/// What sizes packets have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sizes {
    /// All the same.
    Fixed(Bytes),
    /// 40, 576 and 1500 bytes, 7 : 4 : 1 by packets (Agilent's Internet mix, which S §IV-A cites as \[27\]).
    Internet,
}

impl Sizes {
    /// See [`Sizes::Internet`]: sizes on the wire, and parts of the packets.
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
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Gaps {
    /// Evenly: constant bit rate.
    Constant,
    /// Exponentially: a Poisson stream.
    Exponential,
    /// Evenly at a peak rate in bursts, with silence between.
    ParetoOnOff(OnOff),
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
    /// Only with bursts.
    bursts: Option<Bursts>,
    now: Instant,
}

impl Traffic {
    /// A stream with its own source of randomness.
    pub fn new(spec: TrafficSpec, mut random: Random) -> Traffic {
        let bursts = match spec.gaps {
            Gaps::ParetoOnOff(on_off) => {
                let from = spec.rate.iter().next().map_or(Instant::START, |(from, _)| from);
                Some(Bursts::new(on_off, from, &mut random))
            }
            Gaps::Constant | Gaps::Exponential => None,
        };
        Traffic { spec, random, bursts, now: Instant::START }
    }
}

impl Iterator for Traffic {
    type Item = (Instant, Bytes);

    /// The next packet's instant and size, until the rate stays zero.
    fn next(&mut self) -> Option<(Instant, Bytes)> {
        let gap = match self.spec.gaps {
            Gaps::Constant | Gaps::ParetoOnOff(_) => 1.0,
            Gaps::Exponential => self.random.exponential(),
        };
        // A gap is so many mean packets' worth of volume. In volume a stream is stationary, whatever the steps of its rate.
        let volume = gap * self.spec.sizes.mean();
        self.now = match &mut self.bursts {
            None => self.spec.rate.finish(self.now, volume),
            Some(bursts) => bursts.finish(&self.spec.rate, self.now, volume, &mut self.random),
        };
        (self.now < Instant::NEVER).then(|| (self.now, self.spec.sizes.draw(&mut self.random)))
    }
}

#[cfg(test)]
mod tests;
