//! One flow beside constant UDP whose rate jumps (T §4): the scenario of T Figs 10, 12 to 16, and what theory says of it.

use rayon::prelude::*;
use statrs::distribution::{ContinuousCDF, Gamma};
use symbiosis_control::symbiosis::{EPSILON, GAMMA};
use symbiosis_theory::stationary::Stationary;

use super::Lab;
use super::kinds::Kind;
use symbiosis_report::figure::{Mark, Series};
use symbiosis_report::outcome::Measured;

/// Bottleneck \[Mbit/s\].
pub const K: f64 = 100.0;
/// Base round-trip time \[s\].
pub const TAU: f64 = 0.120;
/// Packets of 1500 bytes that are one bandwidth-delay product, and T's buffer.
pub const BDP: f64 = K * 1e6 * TAU / 8.0 / 1500.0;

/// One flow beside UDP.
#[derive(Clone, Debug)]
pub struct Step {
    /// The experiment.
    pub id: &'static str,
    pub kind: Kind,
    pub recovery: &'static str,
    /// Degree of oscillation.
    pub m: f64,
    /// Of the bottleneck \[BDP\].
    pub buffer: f64,
    /// What UDP leaves \[Mbit/s\], from these instants on \[s\].
    pub available: Vec<(f64, f64)>,
    pub duration: f64,
    /// Window of the statistics \[s\].
    pub measure: (f64, f64),
    /// Spacing of the samples \[ms\].
    pub sample: f64,
    /// Further parameters.
    pub more: &'static str,
}

impl Step {
    /// The scenario of one seed. The UDP is even, so the seed also moves the flow's start: by up to a second against the jump.
    pub fn text(&self, seed: u64) -> String {
        let Step { id, recovery, m, duration, sample, more, measure: (from, to), .. } = self;
        let udp: Vec<String> = self.available.iter().map(|(at, a)| format!("[{at}, {}]", K - a)).collect();
        format!(
            r#"# One flow beside constant UDP that leaves what [[cross]] says. Base RTT 120 ms: 1000 packets.
name = "{id}-{kind}-{recovery}-m{m}"
duration_s = {duration}
seed = {seed}
[bottleneck]
rate_mbps = {K}
delay_ms = 50
queue_packets = {queue}
[[flow]]
cc = "{cc}"
params = {{ {params}{more} }}
recovery = "{recovery}"
start_s = {start:.4}
access_rate_mbps = 200
access_delay_ms = 5
initial_window = 2
[[cross]]
gaps = "constant"
rate_mbps = [{udp}]
[measure]
from_s = {from}
to_s = {to}
[trace]
every_ms = {sample}
"#,
            kind = self.kind.slug(),
            cc = self.kind.cc,
            params = self.kind.params(K, &format!("oscillation = {m}")),
            queue = self.buffer * BDP,
            start = (0.0617 * seed as f64).fract(),
            udp = udp.join(", "),
        )
    }

    /// The scenario of the first seed, for the report.
    pub fn shown(&self, lab: &Lab) -> (String, String) {
        let scenario = lab.scenario(&self.text(1));
        (scenario.name, scenario.text)
    }

    /// A run with each of so many seeds.
    pub fn runs(&self, lab: &Lab, seeds: u64) -> Vec<symbiosis_run::Outcome> {
        (1..=seeds).into_par_iter().map(|seed| lab.run(&lab.scenario(&self.text(seed)))).collect()
    }

    /// The same, of which only the numbers are kept.
    pub fn found(&self, lab: &Lab, seeds: u64) -> Found {
        Found(self.kept(lab, 1..=seeds))
    }

    /// The same with the first `few` seeds, and with all of them where a timeout comes with some of these and not with others.
    pub fn found_until_sure(&self, lab: &Lab, few: u64, seeds: u64) -> Found {
        let mut runs = self.kept(lab, 1..=few.min(seeds));
        if runs.iter().any(|run| run.timed_out != runs[0].timed_out) {
            runs.extend(self.kept(lab, few + 1..=seeds));
        }
        Found(runs)
    }

    fn kept(&self, lab: &Lab, seeds: std::ops::RangeInclusive<u64>) -> Vec<Run> {
        let one = |seed| {
            let run = lab.run(&lab.scenario(&self.text(seed)));
            let flow = &run.summary.flows[0];
            Run {
                timed_out: flow.timeouts > 0,
                lost: flow.packets_lost as f64,
                utilization: run.summary.links[0].utilization,
                throughput: flow.throughput_mbps,
                window: flow.cwnd_packets.mean,
            }
        };
        seeds.into_par_iter().map(one).collect()
    }
}

/// What matters of a run, over its window of measurement.
#[derive(Clone, Debug)]
pub struct Run {
    pub timed_out: bool,
    pub lost: f64,
    pub utilization: f64,
    pub throughput: f64,
    pub window: f64,
}

/// The runs of all seeds.
pub struct Found(Vec<Run>);

impl Found {
    pub fn over(&self, value: impl Fn(&Run) -> f64) -> Measured {
        Measured::over(&self.0.iter().map(value).collect::<Vec<_>>())
    }

    /// How often a timeout came.
    pub fn timeouts(&self) -> Measured {
        self.over(|run| f64::from(run.timed_out))
    }

    /// The utilisation in runs without a timeout, if there are any.
    pub fn unharmed(&self) -> Option<Measured> {
        let samples: Vec<f64> = self.0.iter().filter(|run| !run.timed_out).map(|run| run.utilization).collect();
        (!samples.is_empty()).then(|| Measured::over(&samples))
    }
}

/// The papers' law at its rest beside UDP that leaves `available`, under an oscillation: its window over time is gamma-distributed.
pub struct Rest {
    /// S Eq 11 \[packets\].
    pub w: f64,
    stationary: Option<(Stationary, Gamma)>,
}

impl Rest {
    pub fn of(available: f64, m: f64) -> Rest {
        let c = 1.0 - GAMMA * (1.0 - available / K);
        let w = c * BDP;
        let stationary = Stationary::of(EPSILON, c, m).filter(|_| m > 0.0).map(|stationary| {
            let rate = stationary.shape / (stationary.mean * w);
            (stationary, Gamma::new(stationary.shape, rate).expect("shape and rate are above zero"))
        });
        Rest { w, stationary }
    }

    /// Mean window \[packets\].
    pub fn mean(&self) -> f64 {
        self.stationary.as_ref().map_or(self.w, |(stationary, _)| stationary.mean * self.w)
    }

    /// How much of the time the window is above `limit` packets.
    pub fn above(&self, limit: f64) -> f64 {
        match &self.stationary {
            None => f64::from(self.w > limit),
            Some((_, gamma)) => gamma.sf(limit),
        }
    }

    /// Utilisation beside UDP that leaves `available`: what of a window is beyond Aτ stands in the queue, what it is below is idle. A window
    /// changes within 1/(εc), several round trips, so the queue follows it.
    pub fn utilization(&self, available: f64) -> f64 {
        let most = available / K * BDP;
        let used = match &self.stationary {
            None => self.w.min(most),
            // E[min(w, a)] = E[w] F(a; shape + 1) + a (1 − F(a; shape))
            Some((stationary, gamma)) => {
                let next = Gamma::new(stationary.shape + 1.0, gamma.rate()).expect("as above");
                self.mean() * next.cdf(most) + most * gamma.sf(most)
            }
        };
        (K - available) / K + used / BDP
    }
}

/// The greatest window \[packets\] that a buffer of so many BDP bears when UDP comes to leave only `available`: the link is full, so the flow gets A
/// and its window fits A·(τ + B/K). A window above it overflows the buffer, unless it shrinks before the queue is full.
pub fn borne(available: f64, buffer: f64) -> f64 {
    available / K * (1.0 + buffer) * BDP
}

/// Results with their intervals over a parameter.
pub fn curve(name: &str, xs: &[f64], values: &[Measured]) -> Series {
    let points = xs.iter().zip(values).map(|(x, value)| (*x, value.mean)).collect();
    let band = values.iter().map(|value| (value.mean - value.ci95, value.mean + value.ci95)).collect();
    Series { band: Some(band), ..Series::new(name, Mark::LinePoints, points) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rest_without_and_with_oscillation() {
        let still = Rest::of(60.0, 0.0);
        assert!((still.w - 640.0).abs() < 1e-9 && still.utilization(60.0) == 1.0);
        assert_eq!((still.above(639.0), still.above(641.0)), (1.0, 0.0));
        // Against a sum over the density by its quantiles.
        let moving = Rest::of(60.0, 0.5);
        let (_, gamma) = moving.stationary.as_ref().unwrap();
        let windows: Vec<f64> = (0..2000).map(|i| gamma.inverse_cdf((i as f64 + 0.5) / 2000.0)).collect();
        let mean = |value: &dyn Fn(f64) -> f64| windows.iter().map(|w| value(*w)).sum::<f64>() / 2000.0;
        assert!((mean(&|w| w) / moving.mean() - 1.0).abs() < 1e-3);
        assert!((0.4 + mean(&|w| w.min(600.0)) / 1000.0 - moving.utilization(60.0)).abs() < 1e-4);
        assert!((mean(&|w| f64::from(w > 700.0)) - moving.above(700.0)).abs() < 1e-3);
    }

    #[test]
    fn what_t_s_buffer_bears() {
        // 1000 packets: at A = 50 Mbit/s twice 500, at 20 twice 200.
        assert!((borne(50.0, 1.0) - 1000.0).abs() < 1e-9 && (borne(20.0, 1.0) - 400.0).abs() < 1e-9);
    }
}
