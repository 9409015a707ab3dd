//! What follows from HCC's rules by hand, for tests and plots. Periods are in multiples of the path's service time M/C, to which pairs pull.

/// Part of the link that one flow alone uses: pairs take P to M/C, and the mean of `P(1 + u)`, u uniform in `[0, randomiser)`, is
/// `P(1 + randomiser/2)`.
pub fn used_alone(randomiser: f64) -> f64 {
    1.0 / (1.0 + randomiser / 2.0)
}

/// Pairs until a period of `from` is down to `to`: each leaves 1 − α of what is above M/C (H §7).
pub fn pairs_until(from: f64, to: f64, alpha: f64) -> f64 {
    libm::log((to - 1.0) / (from - 1.0)) / libm::log(1.0 - alpha)
}

/// Part of the link that random losses of probability `loss` leave to one flow, without its randomiser: in `every` packets `every·loss`
/// losses add P each, and one pair takes `α(P − M/C)`; the rest is `P = M/C / (1 − every·loss/α)`. Nothing when losses win whatever P is.
///
/// For losses further apart than an RTT and two periods, all of which double, and an RTT of few packets.
pub fn used_under_loss(loss: f64, alpha: f64, every: f64) -> f64 {
    (1.0 - every * loss / alpha).max(0.0)
}
