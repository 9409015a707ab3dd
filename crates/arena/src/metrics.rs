//! Measurements over the window of measurement (RFC 5166).

use symbiosis_run::jain as index;

use crate::view::View;

/// A packet of the usual size \[bit\].
const PACKET: f64 = 12_000.0;

/// Payload of all flows under test over what the first link could have carried of it in the window \[%\].
pub fn utilisation(view: &View<'_>) -> f64 {
    of_rate(view, view.link_rate(0, view.plan.measure_from.secs(), view.plan.measure_to.secs()))
}

/// The same of another rate than the link's \[Mbit/s\].
pub fn of_rate(view: &View<'_>, rate: f64) -> f64 {
    let got: f64 = view.own().map(|at| view.goodput(at) / view.payload(at)).sum();
    100.0 * got / rate
}

/// Bits sent over the first link over those that could have been \[%\]: where everybody is under test, and where a rate goes by a trace.
pub fn used(view: &View<'_>) -> f64 {
    100.0 * view.outcome.summary.links[0].utilization
}

/// 95th percentile of the first link's queue over time, as delay \[ms\].
pub fn queue_p95(view: &View<'_>) -> f64 {
    delay(view, view.outcome.summary.links[0].queue_packets.p95)
}

/// Mean of the first link's queue over time, as delay \[ms\].
pub fn queue_mean(view: &View<'_>) -> f64 {
    delay(view, view.outcome.summary.links[0].queue_packets.mean)
}

/// How long so many packets take the first link \[ms\].
fn delay(view: &View<'_>, packets: f64) -> f64 {
    let (from, to) = (view.plan.measure_from.secs(), view.plan.measure_to.secs());
    packets * PACKET / (view.link_rate(0, from, to) * 1e3)
}

/// 95th percentile of the first flow's round-trip time over what propagation takes on the first link, both ways \[ms\].
pub fn delay_p95(view: &View<'_>) -> f64 {
    let base = 2.0 * view.plan.links[0].spec.delay.millis();
    view.own().next().and_then(|at| view.flow(at).rtt_ms.as_ref()).map_or(f64::NAN, |rtt| rtt.p95 - base)
}

/// Packets of the flows under test that the path lost.
pub fn lost(view: &View<'_>) -> f64 {
    view.own().map(|at| view.flow(at).packets_lost as f64).sum()
}

/// The same as a part of those sent \[%\].
pub fn loss(view: &View<'_>) -> f64 {
    let sent: u64 = view.own().map(|at| view.flow(at).packets_sent).sum();
    100.0 * lost(view) / sent.max(1) as f64
}

/// Jain's index of the flows under test; 0 if nothing got through.
pub fn jain(view: &View<'_>) -> f64 {
    let shares: Vec<f64> = view.own().map(|at| view.goodput(at)).collect();
    if shares.iter().sum::<f64>() > 0.0 { index(shares.into_iter()) } else { 0.0 }
}

/// The least share of the flows under test over the mean of them.
pub fn least(view: &View<'_>) -> f64 {
    let shares: Vec<f64> = view.own().map(|at| view.goodput(at)).collect();
    let mean = shares.iter().sum::<f64>() / shares.len().max(1) as f64;
    if mean > 0.0 { shares.iter().copied().fold(f64::INFINITY, f64::min) / mean } else { 0.0 }
}

/// The greatest over the least throughput of the flows under test.
pub fn spread(view: &View<'_>) -> f64 {
    let shares = || view.own().map(|at| view.goodput(at));
    shares().fold(0.0, f64::max) / shares().fold(f64::INFINITY, f64::min).max(1e-3)
}

fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let (n, sum) = values.fold((0.0_f64, 0.0), |(n, sum), value| (n + 1.0, sum + value));
    sum / n.max(1.0)
}

/// Mean throughput of a flow under test over that of an opponent.
pub fn beside(view: &View<'_>) -> f64 {
    let [own, others] = [mean(view.own().map(|at| view.goodput(at))), mean(view.others().map(|at| view.goodput(at)))];
    own / others.max(1e-3)
}

/// Mean share of the flows under test over the fair share of all flows.
pub fn fair_share(view: &View<'_>) -> f64 {
    let all = mean(view.own().chain(view.others()).map(|at| view.goodput(at)));
    mean(view.own().map(|at| view.goodput(at))) / all.max(1e-3)
}

/// The same of their opponents.
pub fn opponents_share(view: &View<'_>) -> f64 {
    let all = mean(view.own().chain(view.others()).map(|at| view.goodput(at)));
    mean(view.others().map(|at| view.goodput(at))) / all.max(1e-3)
}

/// Throughput of all flows under test over that of the run beside.
pub fn throughput_ratio(view: &View<'_>) -> f64 {
    let total = |view: &View<'_>| view.own().map(|at| view.goodput(at)).sum::<f64>();
    total(view) / total(&view.other_run()).max(1e-3)
}

/// Jain's index over that of the run beside.
pub fn jain_ratio(view: &View<'_>) -> f64 {
    jain(view) / jain(&view.other_run())
}

/// Throughput of the first half of the flows under test over that of the second.
pub fn halves(view: &View<'_>) -> f64 {
    let shares: Vec<f64> = view.own().map(|at| view.goodput(at)).collect();
    let (first, second) = shares.split_at(shares.len() / 2);
    first.iter().sum::<f64>() / second.iter().sum::<f64>().max(1e-3)
}
