//! Cross traffic. In a dumbbell it enters the bottleneck directly; otherwise it crosses its `route`.

use symbiosis_base::{Bytes, Instant, Rate, Span};
use symbiosis_path::{Gaps, OnOff, Sizes, Steps, TrafficSpec};
use symbiosis_run::CrossPlan;

use super::error::Fault;
use super::file::{self, Cross, RateOverTime};
use super::keys::MOST_FLOWS;
use super::topology::Shape;

/// Every source of every `[[cross]]`.
pub(super) fn plan(cross: &[Cross], shape: &Shape) -> Result<Vec<CrossPlan>, Fault> {
    if cross.iter().map(|cross| cross.count).sum::<u64>() > MOST_FLOWS {
        return Err(Fault::at("cross.0.count", format!("the scenario has more than {MOST_FLOWS} sources of cross traffic"))
            .help("lower the `count` of its `[[cross]]`"));
    }
    let mut plans = Vec::new();
    for (at, cross) in cross.iter().enumerate() {
        let plan = one(&format!("cross.{at}"), cross, shape)?;
        plans.extend((0..cross.count).map(|_| plan.clone()));
    }
    Ok(plans)
}

/// A source of a `[[cross]]`: they differ only in what they draw.
fn one(path: &str, cross: &Cross, shape: &Shape) -> Result<CrossPlan, Fault> {
    let route = shape.data_route(path, cross.route.as_ref())?;
    let sizes = match cross.mix {
        Some(file::Mix::Internet) => Sizes::Internet,
        None => Sizes::Fixed(Bytes(cross.packet_bytes.unwrap_or_else(file::packet))),
    };
    let gaps = match cross.gaps {
        file::Gaps::Exponential => Gaps::Exponential,
        file::Gaps::Constant => Gaps::Constant,
        file::Gaps::ParetoOnOff => {
            let usual = OnOff::default();
            Gaps::ParetoOnOff(OnOff {
                on: cross.on_s.map_or(usual.on, Span::from_secs),
                off: cross.off_s.map_or(usual.off, Span::from_secs),
                shape: cross.shape.unwrap_or(usual.shape),
            })
        }
    };
    let bursts = [("on_s", cross.on_s), ("off_s", cross.off_s), ("shape", cross.shape)];
    if let (Some((key, _)), false) = (bursts.iter().find(|(_, given)| given.is_some()), matches!(gaps, Gaps::ParetoOnOff(_))) {
        return Err(Fault::at(format!("{path}.{key}"), format!("`{path}.{key}` is given, but its packets do not come in bursts"))
            .help("it belongs to `gaps = \"pareto-on-off\"`; leave it out, or give that"));
    }
    let start = Instant::from_secs(cross.start_s);
    let stop = cross.stop_s.map_or(Instant::NEVER, Instant::from_secs);
    if start >= stop {
        return Err(Fault::at(format!("{path}.stop_s"), format!("`{path}` stops at {} s, but starts at {} s", stop.secs(), start.secs()))
            .help("`start_s` must lie before `stop_s`"));
    }
    Ok(CrossPlan { traffic: TrafficSpec { sizes, gaps, rate: rate(&cross.rate_mbps, cross.count, start, stop) }, route })
}

/// One source's rate over time: a `count`-th of what is given, nothing before the start and after the stop.
fn rate(given: &RateOverTime, count: u64, start: Instant, stop: Instant) -> Steps {
    let share = |mbps: f64| Rate::from_mbps(mbps / count as f64);
    let given: Vec<(Instant, Rate)> = match given {
        RateOverTime::Constant(mbps) => vec![(Instant::START, share(*mbps))],
        RateOverTime::Steps(steps) => steps.iter().map(|(at, mbps)| (Instant::from_secs(*at), share(*mbps))).collect(),
    };
    let mut steps = vec![(start, Steps::new(&given).at(start))];
    steps.extend(given.iter().filter(|(at, _)| *at > start && *at < stop));
    if stop < Instant::NEVER {
        steps.push((stop, Rate::ZERO));
    }
    Steps::new(&steps)
}
