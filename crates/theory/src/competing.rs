//! What flows of `symbiosis` that compete have beside CUBIC, whose law their window follows: CUBIC's share, less what their probes give up.
//!
//! All lose when the buffer is full, so that windows are alike. Of the flight `τ + q` the opponents have a part c. In a probe those of the kind have half of
//! their share of τ in flight for two round trips, and all of it for three, which tells them whose the queue is:
//!
//! ```text
//! in flight    (1 − c)(τ + q)        (1 − c)τ/2              (1 − c)τ
//! their rate   1 − c            (1 − c)τ/2 / flight    (1 − c)τ / flight        flight = c(τ + q) + theirs, or τ if that is more
//! ```
//!
//! What they give up in a probe, over the time from one probe to the next, is a part L of their rate. Opponents get it while the link is full.

use symbiosis_base::Span;
use symbiosis_control::symbiosis::{PROBE_RTT_INTERVAL, probe_timing};

/// The share of a flow that competes over an opponent's, where opponents have `part` of the flight and `queue` stands on average \[s\].
pub fn share_over_opponents(part: f64, tau: Span, queue: f64) -> f64 {
    let (tau, full) = (tau.secs(), tau.secs() + queue);
    let own = 1.0 - part;
    let probe = |flight: f64| {
        let all = (part * full + flight).max(tau);
        (flight / all, part * full / all, all)
    };
    let (drained, drained_others, short) = probe(own * tau / 2.0);
    let (held, held_others, _) = probe(own * tau);
    let [drains, holds, period] = probe_timing(PROBE_RTT_INTERVAL, Span::from_secs(full), Span::from_secs(short));
    let mean = |usual: f64, drained: f64, held: f64| (usual * (period - drains - holds) + drained * drains + held * holds) / period;
    mean(own, drained, held) / own / (mean(part, drained_others, held_others) / part)
}

/// The mean queue that CUBIC's leave in a buffer \[s\], where all lose when it is full: the mean window is .925 of the peak's (RFC 9438: `1 − (1 − .7)/4`), less τ.
pub fn mean_queue(tau: Span, buffer: f64) -> f64 {
    ((1.0 - (1.0 - symbiosis_control::cubic::BETA) / 4.0) * (tau.secs() + buffer) - tau.secs()).max(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By hand: half of the flight at τ = 60 ms and q = 240 ms. A drain is 2 · 300 ms long at a rate of .015/.165 instead of .5, a hold 3 · 165 at .03/.18; the next comes
    /// 32 · 300 ms later. L = (.6 · .818 + .495 · .667)/10.695 = .0767, and (1 − L)/(1 + L) = .857.
    #[test]
    fn what_probes_cost_beside_one_opponent() {
        let share = share_over_opponents(0.5, Span::from_millis(60), 0.24);
        assert!((share - 0.857).abs() < 0.001, "{share}");
    }

    #[test]
    fn without_a_queue_hardly_anything_is_given_up() {
        let share = share_over_opponents(0.5, Span::from_millis(60), 0.0);
        assert!((0.97..1.0).contains(&share), "{share}");
    }

    #[test]
    fn the_mean_of_cubics_way_back() {
        // ∫ from 0 to k of .4(t − k)³ + W is Wk − .1k⁴, and .4k³ = .3W.
        let (w, k) = (1_000.0, libm::cbrt(0.3 * 1_000.0 / 0.4));
        let mean: f64 = (w * k - 0.1 * k.powi(4)) / k;
        let queue = mean_queue(Span::from_millis(100), 0.1);
        assert!((queue - (0.2 * mean / w - 0.1)).abs() < 1e-12, "{queue}");
    }
}
