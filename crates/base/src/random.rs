use rand::RngExt;
use rand_pcg::Pcg64Mcg;

/// One source of randomness: everything that draws has its own, so that adding one draw somewhere changes nothing elsewhere.
///
/// The transforms go through `libm` and not through the platform's mathematics: the same seed gives the same bits on every machine.
#[derive(Clone, Debug)]
pub struct Random(Pcg64Mcg);

impl Random {
    /// The generator of the source named by `seed` (of the run) and `source` (unique within the run).
    pub fn new(seed: u64, source: u64) -> Random {
        Random(Pcg64Mcg::new((mixed(seed) as u128) << 64 | mixed(!source) as u128))
    }

    /// A seed for somebody else's generator.
    pub fn seed(&mut self) -> u64 {
        self.0.random()
    }

    /// Uniform in `[0, 1)`.
    pub fn uniform(&mut self) -> f64 {
        self.0.random()
    }

    /// True with probability `p`.
    pub fn chance(&mut self, p: f64) -> bool {
        self.uniform() < p
    }

    /// Exponential with mean 1.
    pub fn exponential(&mut self) -> f64 {
        -libm::log(1.0 - self.uniform())
    }

    /// Normal with mean 0 and variance 1 (Box and Muller).
    pub fn normal(&mut self) -> f64 {
        let radius = libm::sqrt(2.0 * self.exponential());
        radius * libm::cos(core::f64::consts::TAU * self.uniform())
    }
}

/// Spreads neighbouring seeds over the whole range (the finaliser of SplitMix64; Steele, Lea, Flood 2014).
fn mixed(seed: u64) -> u64 {
    let z = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
