//! Numbers as people read them.

use crate::outcome::{Check, Claim, Verdict};

/// The nearest number of six digits: more than any screen shows, and the same on every machine.
pub(super) fn six_digits(value: f64) -> f64 {
    format!("{value:.5e}").parse().expect("a number as just written")
}

/// Four digits that count; integers below ten million whole; very small and very large in powers of ten.
pub(super) fn number(value: f64) -> String {
    let size = value.abs();
    if !value.is_finite() {
        return "—".into();
    }
    if value == value.trunc() && size < 1e7 {
        return format!("{}", value as i64);
    }
    if !(1e-4..1e7).contains(&size) {
        return power(value);
    }
    let decimals = (3 - size.log10().floor() as i32).max(0) as usize;
    let text = format!("{value:.decimals$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').into() } else { text }
}

/// `1.234·10⁻⁶`.
fn power(value: f64) -> String {
    let text = format!("{value:.3e}");
    let (digits, exponent) = text.split_once('e').expect("the format has an exponent");
    let digits = if digits.contains('.') { digits.trim_end_matches('0').trim_end_matches('.') } else { digits };
    let raised = |c| match c {
        '-' => '⁻',
        '1' => '¹',
        '2' => '²',
        '3' => '³',
        '0' => '⁰',
        c => char::from_u32('⁴' as u32 + c as u32 - '4' as u32).expect("a digit"),
    };
    format!("{digits}·10{}", exponent.chars().map(raised).collect::<String>())
}

/// A mean and its interval to the same decimal: two digits of the interval count.
fn mean_and_interval(mean: f64, ci95: f64) -> String {
    if !(ci95 > 0.0 && ci95.is_finite() && mean.is_finite()) {
        return number(mean);
    }
    if !(1e-6..1e7).contains(&ci95) || mean.abs() >= 1e9 {
        return format!("{} ± {}", number(mean), number(ci95));
    }
    let decimals = (1 - ci95.log10().floor() as i32).max(0) as usize;
    format!("{mean:.decimals$} ± {ci95:.decimals$}")
}

/// What a claim measured, with interval and unit: `"78.2 ± 0.2 Mbit/s"`.
pub(super) fn measured(claim: &Claim) -> String {
    if claim.verdict() == Verdict::NotRun || claim.measured.mean.is_nan() {
        return "—".into();
    }
    let value = mean_and_interval(claim.measured.mean, claim.measured.ci95);
    match claim.unit.as_str() {
        "" => value,
        "%" => format!("{value} %"),
        unit => format!("{value} {unit}"),
    }
}

/// What confirmed a reason: `"what is read of A [Mbit/s] is 92.1 ± 0.3, where at least 80 confirms it"`.
pub(super) fn checked(check: &Check) -> String {
    let Check { what, measured, bar } = check;
    let must = match (bar.least.is_finite(), bar.most.is_finite()) {
        (true, true) if bar.least == bar.most => number(bar.least),
        (true, true) => format!("{} to {}", number(bar.least), number(bar.most)),
        (true, false) => format!("at least {}", number(bar.least)),
        _ => format!("at most {}", number(bar.most)),
    };
    format!("{what} is {}, where {must} confirms it", mean_and_interval(measured.mean, measured.ci95))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn four_digits_count() {
        let text: Vec<_> = [0.0, 3.0, -12.5, 1234.567, 99999.4, 0.012345, 52.6316, 1.2e-7, 3e9, 1e12 / 3.0, f64::NAN].map(number).into();
        assert_eq!(text.join(" "), "0 3 -12.5 1235 99999 0.01235 52.63 1.2·10⁻⁷ 3·10⁹ 3.333·10¹¹ —");
    }

    #[test]
    fn interval_sets_the_decimals() {
        assert_eq!(mean_and_interval(78.23456, 0.2345), "78.23 ± 0.23");
        assert_eq!(mean_and_interval(45.6, 8.7), "45.6 ± 8.7");
        assert_eq!(mean_and_interval(1234.5, 56.7), "1234 ± 57");
        assert_eq!(mean_and_interval(0.98765, 0.0), "0.9877");
    }
}
