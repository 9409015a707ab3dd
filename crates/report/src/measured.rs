//! Means over seeds.

use statrs::distribution::{ContinuousCDF, StudentsT};

use crate::outcome::Measured;

impl Measured {
    /// Mean of independent samples with the 95 % confidence interval of Student's t. Without samples the mean is NaN; a single one has no interval.
    pub fn over(samples: &[f64]) -> Measured {
        let n = samples.len() as f64;
        let mean = samples.iter().sum::<f64>() / n;
        let ci95 = if samples.len() < 2 {
            0.0
        } else {
            let variance = samples.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / (n - 1.0);
            let t = StudentsT::new(0.0, 1.0, n - 1.0).expect("at least one degree of freedom").inverse_cdf(0.975);
            t * (variance / n).sqrt()
        };
        // What is left of equal samples is rounding.
        let ci95 = if ci95 < 1e-9 * mean.abs() { 0.0 } else { ci95 };
        Measured { mean, ci95, seeds: samples.len() as u64 }
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
        assert_eq!(Measured::over(&[7.0]), Measured { mean: 7.0, ci95: 0.0, seeds: 1 });
        assert_eq!(Measured::over(&[7.0, 7.0]).ci95, 0.0);
    }
}
