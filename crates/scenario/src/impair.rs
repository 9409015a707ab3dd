//! `[[bottleneck.impair]]`, `[[link.impair]]` and `[[flow.ack_impair]]`: what a path does to packets beside delaying them.

use symbiosis_base::{Bytes, Instant, Rate, Span};
use symbiosis_path::Impairment;

use super::error::Fault;
use super::file::{Impair, ImpairKind, RateOverTime};
use super::topology::millis;

/// Mean packets in the good state, with which half of a percent is lost in runs of five: a value to change, not one that was measured.
const GOOD_PACKETS: f64 = 995.0;
const BAD_PACKETS: f64 = 5.0;
/// A policer's bucket holds what the rate fills in so long, which lets a window of the usual initial size through.
const POLICER_BURST: Span = Span::from_millis(20);

/// Every stage of a list that stands at `path`.
pub(super) fn plan(path: &str, stages: &[Impair]) -> Result<Vec<Impairment>, Fault> {
    stages.iter().enumerate().map(|(at, stage)| one(&format!("{path}.{at}"), stage)).collect()
}

/// The keys of each kind, those that it cannot do without first.
fn keys(kind: ImpairKind) -> (&'static str, &'static [&'static str], &'static [&'static str]) {
    match kind {
        ImpairKind::GilbertElliott => ("gilbert-elliott", &[], &["good_packets", "bad_packets", "good_loss", "bad_loss"]),
        ImpairKind::Corrupt => ("corrupt", &["bit_error"], &[]),
        ImpairKind::Reorder => ("reorder", &["probability", "by_ms"], &[]),
        ImpairKind::Duplicate => ("duplicate", &["probability"], &["by_ms"]),
        ImpairKind::Police => ("police", &["rate_mbps"], &["burst_bytes"]),
        ImpairKind::Delay => ("delay", &["delay_ms"], &["every_s"]),
        ImpairKind::Outage => ("outage", &["at_s", "lasts_s"], &["every_s"]),
        ImpairKind::Aggregate => ("aggregate", &["release_ms"], &[]),
        ImpairKind::Thin => ("thin", &["group"], &["within_ms"]),
    }
}

fn one(path: &str, stage: &Impair) -> Result<Impairment, Fault> {
    let given = [
        ("good_packets", stage.good_packets.is_some()),
        ("bad_packets", stage.bad_packets.is_some()),
        ("good_loss", stage.good_loss.is_some()),
        ("bad_loss", stage.bad_loss.is_some()),
        ("bit_error", stage.bit_error.is_some()),
        ("probability", stage.probability.is_some()),
        ("by_ms", stage.by_ms.is_some()),
        ("rate_mbps", stage.rate_mbps.is_some()),
        ("burst_bytes", stage.burst_bytes.is_some()),
        ("delay_ms", stage.delay_ms.is_some()),
        ("at_s", stage.at_s.is_some()),
        ("lasts_s", stage.lasts_s.is_some()),
        ("every_s", stage.every_s.is_some()),
        ("release_ms", stage.release_ms.is_some()),
        ("group", stage.group.is_some()),
        ("within_ms", stage.within_ms.is_some()),
    ];
    let (name, needed, more) = keys(stage.kind);
    let all = || needed.iter().chain(more).map(|key| format!("`{key}`")).collect::<Vec<_>>().join(", ");
    if let Some((key, _)) = given.iter().find(|(key, given)| *given && !needed.contains(key) && !more.contains(key)) {
        let what = format!("`{path}.{key}` is given, but `kind = \"{name}\"` does not look at it");
        return Err(Fault::at(format!("{path}.{key}"), what).help(format!("its keys are {}", all())));
    }
    if let Some(key) = needed.iter().find(|key| !given.contains(&(**key, true))) {
        return Err(
            Fault::at(path, format!("`{key}` is missing from `{path}`")).help(format!("the keys of `kind = \"{name}\"` are {}", all()))
        );
    }
    let every = stage.every_s.map(Span::from_secs);
    let (probability, by) = (stage.probability.unwrap_or(0.0), millis(stage.by_ms.unwrap_or(0.0)));
    Ok(match stage.kind {
        ImpairKind::GilbertElliott => Impairment::GilbertElliott {
            good_packets: stage.good_packets.unwrap_or(GOOD_PACKETS),
            bad_packets: stage.bad_packets.unwrap_or(BAD_PACKETS),
            good_loss: stage.good_loss.unwrap_or(0.0),
            bad_loss: stage.bad_loss.unwrap_or(1.0),
        },
        ImpairKind::Corrupt => Impairment::Corruption { per_bit: stage.bit_error.unwrap_or(0.0) },
        ImpairKind::Reorder => Impairment::Reordering { probability, by },
        ImpairKind::Duplicate => Impairment::Duplication { probability, by },
        ImpairKind::Police => {
            let rate = Rate::from_mbps(stage.rate_mbps.unwrap_or(0.0));
            let burst = stage.burst_bytes.map_or_else(|| Bytes::from_f64(rate.times(POLICER_BURST)), Bytes);
            Impairment::Policer { rate, burst }
        }
        ImpairKind::Delay => Impairment::Delay { steps: steps(stage.delay_ms.as_ref()), every },
        ImpairKind::Outage => {
            let (at, lasts) = (Instant::from_secs(stage.at_s.unwrap_or(0.0)), Span::from_secs(stage.lasts_s.unwrap_or(0.0)));
            if every.is_some_and(|every| every <= lasts) {
                let what = format!("`{path}.every_s` is {}, and the outage lasts {} s", stage.every_s.unwrap_or(0.0), lasts.secs());
                return Err(Fault::at(format!("{path}.every_s"), what).help("it must be longer than `lasts_s`, or nothing ever passes"));
            }
            Impairment::Outage { at, lasts, every }
        }
        ImpairKind::Aggregate => Impairment::Aggregation { every: millis(stage.release_ms.unwrap_or(0.0)) },
        ImpairKind::Thin => Impairment::Thinning { group: stage.group.unwrap_or(1), within: millis(stage.within_ms.unwrap_or(10.0)) },
    })
}

fn steps(delay: Option<&RateOverTime>) -> Vec<(Instant, Span)> {
    match delay {
        None => Vec::new(),
        Some(RateOverTime::Constant(ms)) => vec![(Instant::START, millis(*ms))],
        Some(RateOverTime::Steps(steps)) => steps.iter().map(|(at, ms)| (Instant::from_secs(*at), millis(*ms))).collect(),
    }
}
