//! Measurements over time. Who has not settled at the end of a run has taken so long.

use crate::view::View;

/// Throughput at an instant is the mean over this time \[s\], or a few round trips where it says so: long beside a sawtooth of the goals'
/// paths, short beside the goals.
const MEAN: f64 = 2.0;

/// Spacing of the run's samples \[s\].
fn step(view: &View<'_>) -> f64 {
    view.plan.sample_every.map_or(0.1, |every| every.secs())
}

/// Instants from `from` on at which a mean over `over` seconds is known.
fn instants(view: &View<'_>, from: f64, over: f64) -> impl Iterator<Item = f64> + use<> {
    let (step, last) = (step(view), view.end() - over);
    let many = if last > from { ((last - from) / step) as usize } else { 0 };
    (0..many).map(move |k| from + k as f64 * step)
}

/// How long after `joined` \[s\] the last flow's throughput lies within `part` of the mean of all flows under test, and stays there to the
/// end of the run \[s\]; the rest of the run if it never does.
pub fn settles(view: &View<'_>, joined: f64, part: f64) -> f64 {
    let own: Vec<usize> = view.own().collect();
    let Some((last, _)) = own.split_last() else { return f64::NAN };
    let outside = |at: &f64| {
        let mean = own.iter().map(|flow| view.rate(*flow, *at, at + MEAN)).sum::<f64>() / own.len() as f64;
        let share = view.rate(*last, *at, at + MEAN) / mean.max(1e-3);
        (share - 1.0).abs() > part
    };
    let never = view.end() - joined - MEAN;
    match instants(view, joined, MEAN).filter(outside).last() {
        None => 0.0,
        Some(at) => (at - joined + step(view)).min(never),
    }
}

/// How long after the start the flow under test first gets `part` of the link's rate, over `over` seconds \[s\]; the whole run if it never
/// does. The time ends with these seconds.
pub fn reaches(view: &View<'_>, part: f64, over: f64) -> f64 {
    let rate = view.link_rate(0, 0.0, view.end());
    let there = |at: &f64| view.own().map(|flow| view.rate(flow, *at, at + over)).sum::<f64>() >= part * rate;
    instants(view, 0.0, over).find(there).map_or(view.end(), |at| at + over)
}

/// The same over that of the run beside. What lies between two samples is not told apart.
pub fn reaches_ratio(view: &View<'_>, part: f64, over: f64) -> f64 {
    reaches(view, part, over) / (reaches(&view.other_run(), part, over) + step(view))
}

/// What the flows under test got between two instants \[s\] over what the first link could have carried \[%\].
pub fn used_between(view: &View<'_>, from: f64, to: f64) -> f64 {
    100.0 * view.own().map(|flow| view.rate(flow, from, to)).sum::<f64>() / view.link_rate(0, from, to)
}

/// Mean of the first link's queue between two instants \[s\], as delay \[ms\].
pub fn queue_between(view: &View<'_>, from: f64, to: f64) -> f64 {
    let samples = view.outcome.link_traces[0].iter().filter(|sample| (from..to).contains(&sample.at.secs()));
    let (n, sum) = samples.fold((0.0_f64, 0.0), |(n, sum), sample| (n + 1.0, sum + sample.queue_packets as f64));
    sum / n.max(1.0) * 12.0 / view.link_rate(0, from, to)
}

/// Mean of Jain's index over stretches of `stretch` seconds, each of the flows under test that are there in all of it.
pub fn churn(view: &View<'_>, stretch: f64) -> f64 {
    let (from, to) = (view.plan.measure_from.secs(), view.plan.measure_to.secs());
    let stretches = ((to - from) / stretch) as usize;
    let fairness = (0..stretches).filter_map(|k| {
        let (begins, ends) = (from + k as f64 * stretch, from + (k + 1) as f64 * stretch);
        let there = view.own().filter(|at| view.plan.flows[*at].start.secs() <= begins && view.plan.flows[*at].stop.secs() >= ends);
        let rates: Vec<f64> = there.map(|at| view.rate(at, begins, ends)).collect();
        (rates.len() > 1).then(|| symbiosis_run::jain(rates.into_iter()))
    });
    let (n, sum) = fairness.fold((0.0_f64, 0.0), |(n, sum), index| (n + 1.0, sum + index));
    if n > 0.0 { sum / n } else { f64::NAN }
}

/// How long a flow took for what it had to send \[s\]: in all, or of bursts for each that came in the window of measurement. What is not
/// done has taken the rest of the run.
fn took(view: &View<'_>, at: usize) -> Vec<f64> {
    let (flow, found) = (&view.plan.flows[at], view.flow(at));
    let Some(every) = flow.hosts.every.map(|every| every.secs()) else {
        return vec![found.completion_s.unwrap_or(view.end() - flow.start.secs())];
    };
    let came = |k: usize| flow.start.secs() + k as f64 * every;
    let last = flow.stop.min(view.plan.end()).secs();
    let bursts = (0..).take_while(|k| came(*k) < last).filter(|k| came(*k) >= view.plan.measure_from.secs());
    bursts.map(|k| found.bursts_s.get(k).copied().unwrap_or(view.end() - came(k))).collect()
}

/// Completion times of what the flows under test had to send, each over what it would be at best; the greatest.
pub fn completion(view: &View<'_>, best: impl Fn(f64) -> f64) -> f64 {
    let flows = view.own().filter_map(|at| Some((at, best(view.plan.flows[at].bytes?.as_f64()))));
    flows.flat_map(|(at, best)| took(view, at).into_iter().map(move |took| took / best)).fold(0.0, f64::max)
}

/// The sum of completion times over that of the run beside.
pub fn completion_ratio(view: &View<'_>) -> f64 {
    let sum = |view: &View<'_>| {
        let ended = view.own().filter(|at| view.plan.flows[*at].bytes.is_some());
        ended.flat_map(|at| took(view, at)).sum::<f64>()
    };
    sum(view) / sum(&view.other_run())
}

/// Packets of the flows under test that the path lost in the window of measurement.
pub fn lost(view: &View<'_>) -> f64 {
    view.own().map(|at| view.flow(at).packets_lost as f64).sum()
}
