//! Means over seeds.

use statrs::distribution::{ContinuousCDF, StudentsT};

use crate::outcome::Measured;

/// The quantile of Student's t for a 95 % interval of so many samples.
fn student(samples: f64) -> f64 {
    StudentsT::new(0.0, 1.0, samples - 1.0).expect("at least one degree of freedom").inverse_cdf(0.975)
}

/// Standard deviation of a sample.
fn deviation(samples: &[f64]) -> f64 {
    let n = samples.len() as f64;
    let mean = samples.iter().sum::<f64>() / n;
    (samples.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / (n - 1.0)).sqrt()
}

impl Measured {
    /// Mean of independent samples with the 95 % confidence interval of Student's t. Without samples the mean is NaN; a single one has no interval.
    pub fn over(samples: &[f64]) -> Measured {
        let n = samples.len() as f64;
        let mean = samples.iter().sum::<f64>() / n;
        let ci95 = if samples.len() < 2 {
            0.0
        } else {
            let variance = samples.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / (n - 1.0);
            student(n) * (variance / n).sqrt()
        };
        // What is left of equal samples is rounding.
        let ci95 = if ci95 < 1e-9 * mean.abs() { 0.0 } else { ci95 };
        Measured { mean, ci95, seeds: samples.len() as u64 }
    }

    /// A number that nothing random enters.
    pub fn exact(value: f64) -> Measured {
        Measured { mean: value, ci95: 0.0, seeds: 1 }
    }

    /// A count, of which that many are there by the whole of their intervals, and so many by some part of them.
    pub fn counted(surely: usize, possibly: usize, seeds: u64) -> Measured {
        let (least, most) = (surely as f64, possibly as f64);
        Measured { mean: least.midpoint(most), ci95: (most - least) / 2.0, seeds }
    }

    /// Nothing was run.
    pub fn none() -> Measured {
        Measured { mean: f64::NAN, ci95: 0.0, seeds: 0 }
    }

    /// What some of so many runs never came to has no mean: it is without end.
    pub fn never(seeds: u64) -> Measured {
        Measured { mean: f64::INFINITY, ci95: 0.0, seeds }
    }

    /// What so many runs do not tell.
    pub fn unknown(seeds: u64) -> Measured {
        Measured { mean: f64::NAN, ci95: 0.0, seeds }
    }

    /// The standard deviation of samples of a normal variable, whose own standard error is near σ/√(2(n − 1)).
    pub fn deviation(samples: &[f64]) -> Measured {
        let (sigma, n) = (deviation(samples), samples.len() as f64);
        Measured { mean: sigma, ci95: student(n) * sigma / (2.0 * (n - 1.0)).sqrt(), seeds: samples.len() as u64 }
    }

    /// So many standard deviations above the mean of samples of a normal variable, with the interval that both leave it: an extreme of several runs,
    /// however many were run.
    pub fn beyond(samples: &[f64], deviations: f64) -> Measured {
        let (mean, sigma) = (Measured::over(samples), Measured::deviation(samples));
        Measured { mean: mean.mean + deviations * sigma.mean, ci95: mean.ci95.hypot(deviations * sigma.ci95), ..mean }
    }

    /// So many times the number.
    pub fn times(self, factor: f64) -> Measured {
        Measured { mean: factor * self.mean, ci95: factor.abs() * self.ci95, ..self }
    }

    /// To be held against another number that was measured, too: with the interval of their difference.
    pub fn against(self, other: Measured) -> Measured {
        self.with(self.mean, self.ci95.hypot(other.ci95), other)
    }

    /// Less the other.
    pub fn minus(self, other: Measured) -> Measured {
        self.with(self.mean - other.mean, self.ci95.hypot(other.ci95), other)
    }

    /// In parts of the other, with the interval that both leave it (to first order).
    pub fn part_of(self, other: Measured) -> Measured {
        let mean = self.mean / other.mean;
        self.with(mean, (self.ci95 / other.mean).hypot(mean * other.ci95 / other.mean), other)
    }

    /// A number made of this one and another. It is over as many seeds as the fewer of those that have an interval, and if one was not run, neither was it.
    fn with(self, mean: f64, ci95: f64, other: Measured) -> Measured {
        let seeds = match (self.seeds, other.seeds) {
            (0, _) | (_, 0) => return Measured::none(),
            (own, _) if other.ci95 == 0.0 && self.ci95 > 0.0 => own,
            (_, others) if self.ci95 == 0.0 && other.ci95 > 0.0 => others,
            // Of one that is no more than a value the other's are all.
            (1, seeds) | (seeds, 1) => seeds,
            (own, others) => own.min(others),
        };
        Measured { mean, ci95, seeds }
    }

    /// How far it is from a value, to either side.
    pub fn off(self, value: f64) -> Measured {
        Measured { mean: (self.mean - value).abs(), ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_interval_is_student_s() {
        // t(0.975; 4) = 2.776445; the samples' standard deviation is √2.5.
        let measured = Measured::over(&[1.0, 2.0, 3.0, 4.0, 5.0]);
        assert_eq!((measured.mean, measured.seeds), (3.0, 5));
        assert!((measured.ci95 - 2.776_445 * (2.5_f64 / 5.0).sqrt()).abs() < 1e-5, "{}", measured.ci95);
        assert_eq!(Measured::over(&[7.0]), Measured::exact(7.0));
        assert_eq!(Measured::over(&[7.0, 7.0]).ci95, 0.0);
    }

    #[test]
    fn an_interval_goes_with_its_number() {
        let [one, two] = [[9.0, 11.0, 10.0], [4.0, 5.0, 6.0]].map(|samples| Measured::over(&samples));
        assert_eq!(one.minus(two).ci95, one.ci95.hypot(two.ci95));
        assert_eq!((one.times(-2.0).mean, one.times(-2.0).ci95), (-20.0, 2.0 * one.ci95));
        assert_eq!((one.off(12.0).mean, one.off(12.0).ci95), (2.0, one.ci95));
        assert!((one.part_of(two).ci95 - 2.0 * (one.ci95 / 10.0).hypot(two.ci95 / 5.0)).abs() < 1e-12);
    }

    #[test]
    fn whatever_is_made_of_two_numbers_has_the_interval_and_the_seeds_of_what_is_random() {
        let (one, exact, ten) = (Measured::over(&[9.0, 11.0, 10.0]), Measured::exact(5.0), Measured::over(&[0.0, 2.0].repeat(5)));
        for made in [one.against(exact), exact.against(one), exact.minus(one), exact.part_of(one), one.minus(ten), ten.minus(one)] {
            assert!(made.ci95 > 0.0 && made.seeds == 3, "{made:?}");
        }
        let nothing = Measured { mean: 0.0, ..one };
        assert_eq!(nothing.part_of(exact).ci95, one.ci95 / 5.0, "nothing in the mean is no number without an interval");
        assert_eq!(one.minus(Measured::none()).seeds, 0, "what was not run");
        assert_eq!((exact.minus(exact).ci95, exact.minus(exact).seeds), (0.0, 1));
        assert_eq!(Measured::over(&[7.0, 7.0, 7.0]).part_of(exact).seeds, 3, "three runs that agree are three");
        let some = Measured::counted(1, 4, 3);
        assert_eq!((some.mean - some.ci95, some.mean + some.ci95), (1.0, 4.0));
    }

    #[test]
    fn a_deviation_has_an_interval_of_its_own() {
        let samples = [1.0, 2.0, 3.0, 4.0, 5.0];
        let (sigma, extreme) = (Measured::deviation(&samples), Measured::beyond(&samples, -2.0));
        assert!((sigma.mean - 2.5_f64.sqrt()).abs() < 1e-12 && (sigma.ci95 - 2.776_445 * sigma.mean / 8f64.sqrt()).abs() < 1e-5);
        assert!((extreme.mean - (3.0 - 2.0 * sigma.mean)).abs() < 1e-12 && extreme.ci95 > 2.0 * sigma.ci95);
    }
}
