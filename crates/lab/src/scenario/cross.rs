//! Cross traffic. In a dumbbell it enters the bottleneck directly; otherwise it crosses its `route`.

use symbiosis_base::{Bytes, Nanos, Rate};
use symbiosis_path::{Gaps, Sizes, Steps, TrafficSpec};
use symbiosis_sim::CrossPlan;

use super::error::Fault;
use super::file::{self, Cross, RateOverTime};
use super::topology::Shape;

/// Every `[[cross]]`.
pub(super) fn plan(cross: &[Cross], shape: &Shape) -> Result<Vec<CrossPlan>, Fault> {
    cross.iter().enumerate().map(|(at, cross)| one(&format!("cross.{at}"), cross, shape)).collect()
}

fn one(path: &str, cross: &Cross, shape: &Shape) -> Result<CrossPlan, Fault> {
    let route = shape.data_route(path, cross.route.as_ref())?;
    let sizes = match cross.mix {
        Some(file::Mix::Internet) => Sizes::Internet,
        None => Sizes::Fixed(Bytes(cross.packet_bytes.unwrap_or_else(file::packet))),
    };
    let gaps = match cross.gaps {
        file::Gaps::Exponential => Gaps::Exponential,
        file::Gaps::Constant => Gaps::Constant,
    };
    let start = Nanos::from_secs(cross.start_s);
    let stop = cross.stop_s.map_or(Nanos::MAX, Nanos::from_secs);
    if start >= stop {
        return Err(Fault::at(format!("{path}.stop_s"), format!("`{path}` stops at {} s, but starts at {} s", stop.secs(), start.secs()))
            .help("`start_s` must lie before `stop_s`"));
    }
    Ok(CrossPlan { traffic: TrafficSpec { sizes, gaps, rate: rate(&cross.rate_mbps, start, stop) }, route })
}

/// The rate over time, nothing before the start and after the stop.
fn rate(given: &RateOverTime, start: Nanos, stop: Nanos) -> Steps {
    let given: Vec<(Nanos, Rate)> = match given {
        RateOverTime::Constant(mbps) => vec![(Nanos::ZERO, Rate::from_mbps(*mbps))],
        RateOverTime::Steps(steps) => steps.iter().map(|(at, mbps)| (Nanos::from_secs(*at), Rate::from_mbps(*mbps))).collect(),
    };
    let mut steps = vec![(start, Steps::new(&given).at(start))];
    steps.extend(given.iter().filter(|(at, _)| *at > start && *at < stop));
    if stop < Nanos::MAX {
        steps.push((stop, Rate::ZERO));
    }
    Steps::new(&steps)
}
