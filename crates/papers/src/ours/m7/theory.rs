//! Where laws rest that are told wrong.

use symbiosis_base::{Bytes, Rate};
use symbiosis_control::symbiosis::law::{THETA, theta};
use symbiosis_theory::misread::Misread;
pub use symbiosis_theory::misread::Rest;

use super::path::{FREE, MBPS, RTT_MS};
use symbiosis_report::figure::{Mark, Series};

/// S Eq 11 for `n` flows, or for one beside UDP.
pub fn papers(n: u32, gamma: f64, capacity: f64, available: f64) -> Rest {
    let misread = Misread { gamma, capacity, available };
    if n == 1 { misread.alone(FREE) } else { misread.among(n) }
}

/// The logarithmic law: on a full link it goes by its own rate, which it reads rightly, but knows K only as it is read. So the queue is
/// `θ·ln(K'/x)`, and who reads less of K than its share takes no more than that. What is read of A counts only while no queue stands: too much makes
/// one, and too little is outgrown, because the rate counts where it is more.
pub fn logarithmic(n: u32, capacity: f64) -> Rest {
    let (share, flows) = if n == 1 { (FREE, 1.0) } else { (1.0 / f64::from(n), f64::from(n)) };
    if capacity <= share {
        return Rest { throughput: flows * capacity, queue: 0.0 };
    }
    let theta = theta(THETA, Rate::from_mbps(MBPS * capacity), Bytes(1500));
    Rest { throughput: flows * share, queue: theta * (capacity / share).ln() / (RTT_MS / 1e3) }
}

/// Where, over a bias of K or of A, the papers' law begins to overflow a buffer of so many Kτ, and where it begins to leave the link idle: γ over the bias.
pub fn boundaries(n: u32, of_capacity: bool, buffer: f64, errors: &[f64]) -> Vec<Series> {
    let (low, high) = (errors[0], errors[errors.len() - 1]);
    let at = |bias: f64, gamma: f64| if of_capacity { papers(n, gamma, 1.0 + bias, 1.0) } else { papers(n, gamma, 1.0, 1.0 + bias) };
    let crossing = |bias: f64, is: &dyn Fn(Rest) -> bool| {
        let gammas = (0..=600).map(|i| 0.4 + f64::from(i) / 1000.0);
        gammas.clone().zip(gammas.skip(1)).find(|(a, b)| is(at(bias, *a)) != is(at(bias, *b))).map(|(a, b)| (bias, (a + b) / 2.0))
    };
    let curve = |name: &str, mark: Mark, is: &dyn Fn(Rest) -> bool| {
        let points: Vec<_> = (0..=80).filter_map(|i| crossing(low + (high - low) * f64::from(i) / 80.0, is)).collect();
        (!points.is_empty()).then(|| Series::new(name, mark, points))
    };
    let full = if n == 1 { FREE } else { 1.0 };
    let overflow = curve("overflow begins", Mark::Dashed, &|rest| rest.queue > buffer);
    let idle = curve("idle begins", Mark::Dotted, &|rest| rest.throughput < full - 1e-9);
    overflow.into_iter().chain(idle).collect()
}
