//! How long a flow takes to fill what UDP leaves, over the bandwidth and over the delay.

use super::Lab;
use super::claims::{above, against, at_least, at_most, below, check, claim, derived, exact, near, over, published, ratio};
use super::kinds::{HIGHSPEED, Kind, PAPER_ORACLE, RENO, SCALABLE};
use super::reach::{FIRST, KEPT_FOR, Path};
use super::series;
use rayon::prelude::*;
use symbiosis_report::figure::{Axis, Figure, Mark, Series};
use symbiosis_report::outcome::{Check, Claim, Measured, Outcome};
use symbiosis_run::Outcome as Run;
use symbiosis_scenario::Scenario;

/// One figure.
pub struct Sweep {
    pub id: &'static str,
    pub source: &'static str,
    pub about: &'static str,
    pub x: &'static str,
    pub paths: Vec<Path>,
    /// What is on the abscissa.
    pub over: fn(&Path) -> f64,
    pub kinds: Vec<Kind>,
    /// The longest run \[s\].
    pub most: f64,
}

/// How long one kind takes on one path.
#[derive(Clone, Copy)]
pub struct Time {
    /// \[s\]; a run that does not arrive counts with its length.
    pub taken: Measured,
    /// How many of the runs do not arrive.
    pub censored: u64,
    /// Until A is read for the first time \[s\].
    pub blind: Measured,
    /// Losses until it has arrived, those within a second counted as one.
    pub losses: Measured,
}

/// Times of one kind over the paths.
pub type Times = Vec<Time>;

pub const BANDWIDTHS: [f64; 5] = [10.0, 30.0, 100.0, 300.0, 1000.0];

/// Each flow's own link is as fast as the bottleneck.
pub fn bandwidths(lab: &Lab, delay_ms: f64, queue_bdp: f64) -> Vec<Path> {
    let rates = if lab.quick { &[10.0, 100.0][..] } else { &BANDWIDTHS };
    rates.iter().map(|mbps| Path { mbps: *mbps, access_mbps: *mbps, delay_ms, queue_bdp }).collect()
}

impl Sweep {
    pub fn run(&self, lab: &Lab) -> (Outcome, Vec<Times>) {
        let cases: Vec<(&Kind, &Path)> = self.kinds.iter().flat_map(|kind| self.paths.iter().map(move |path| (kind, path))).collect();
        let played: Vec<(Scenario, Time)> = cases
            .par_iter()
            .map(|(kind, path)| {
                let text = |most: f64| path.text((self.id, self.source), kind, most);
                let scenario = lab.scenario(&text(self.most));
                // A run that has arrived needs no more: the same run would begin in the same way.
                let short = lab.scenario(&text(path.first_look()));
                let enough = |run: &Run| path.reached(run).is_some() && (!kind.measures() || !series::gauge(run, 0, "A_mbps").is_empty());
                let last = |run: Run| if enough(&run) { run } else { lab.seeded(&scenario, run.summary.seed) };
                let played = |seeds: &[u64]| -> Vec<Run> {
                    // In a quick run Reno is not there before the end, whatever the seed.
                    match lab.quick && kind.name == RENO.name {
                        true => seeds.par_iter().map(|seed| lab.seeded(&scenario, *seed)).collect(),
                        false => seeds.par_iter().map(|seed| last(lab.seeded(&short, *seed))).collect(),
                    }
                };
                let seeds: Vec<u64> = lab.seeds().collect();
                let (few, rest) = seeds.split_at(late(lab).min(seeds.len()));
                let mut runs = played(few);
                if runs.iter().any(|run| path.reached(run).is_some()) {
                    runs.extend(played(rest));
                }
                let end = |run: &Run| run.summary.duration_s;
                let taken = over(&runs, |run| path.reached(run).unwrap_or(end(run)));
                let censored = runs.iter().filter(|run| path.reached(run).is_none()).count() as u64;
                let blind = over(&runs, |run| series::gauge(run, 0, "A_mbps").first().map_or(end(run), |(t, _)| *t));
                let losses = over(&runs, |run| series::losses(run, 0, 0.0, path.reached(run).unwrap_or(end(run)), 1.0).len() as f64);
                (scenario, Time { taken, censored, blind, losses })
            })
            .collect();
        let times: Vec<Times> = played.chunks(self.paths.len()).map(|kind| kind.iter().map(|(_, time)| *time).collect()).collect();
        let mut found = Outcome::default();
        for (part, title, measures) in [("", "", true), ("-oracle", ", Symbiosis with K and A handed to it", false)] {
            let shown = self.kinds.iter().zip(&times).filter(|(kind, _)| !kind.is_symbiosis() || kind.measures() == measures);
            let mut series: Vec<Series> = shown.map(|(kind, times)| self.series(kind.name, times)).collect();
            series.push(self.theory("S Eq 12", Mark::Dashed, Path::eq_12));
            series.push(self.theory("S Eq 13, Reno", Mark::Dotted, Path::eq_13));
            found.figures.push(Figure {
                id: format!("{}{part}", self.id),
                title: format!("{}{title}", self.about),
                caption: format!(
                    "Time until the window is what 99 % of what UDP leaves takes, and 90 % of that is used for the next {} s and {} RTTs; mean \
                     and 95 % interval over seeds. A run that does not come so far counts with its length, {} s at the most. Dashed and \
                     dotted: theory, from {FIRST} packets.",
                    KEPT_FOR.0,
                    KEPT_FOR.1,
                    self.most
                ),
                x: Axis::log(self.x),
                y: Axis::log("time [s]"),
                series,
            });
        }
        // One scenario of each kind.
        found.scenarios = played.into_iter().step_by(self.paths.len()).map(|(scenario, _)| (scenario.name, scenario.text)).collect();
        (found, times)
    }

    pub fn series(&self, name: &str, times: &Times) -> Series {
        let points = self.paths.iter().zip(times).map(|(path, time)| ((self.over)(path), time.taken.mean)).collect();
        // The axis is logarithmic.
        let band = times
            .iter()
            .map(|time| time.taken)
            .map(|time| ((time.mean - time.ci95).max(time.mean / 10.0), time.mean + time.ci95))
            .collect();
        Series { band: Some(band), ..Series::new(name, Mark::LinePoints, points) }
    }

    pub fn theory(&self, name: &str, mark: Mark, time: fn(&Path) -> f64) -> Series {
        Series::new(name, mark, self.paths.iter().map(|path| ((self.over)(path), time(path))).collect())
    }

    pub fn times<'a>(&self, times: &'a [Times], kind: &Kind) -> &'a Times {
        let place = self.kinds.iter().position(|other| other.name == kind.name).expect("this kind was run");
        &times[place]
    }

    /// How many times as long a kind takes on the last path as on the first.
    pub fn growth(&self, times: &[Times], kind: &Kind) -> Growth {
        let times = self.times(times, kind);
        let (first, last) = (times[0], times[times.len() - 1]);
        Growth { times: ratio(last.taken, first.taken), first: first.censored, last: last.censored, most: self.most }
    }
}

/// So many runs, of which none arrives, are enough: each counts with its length, and so would the others.
fn late(lab: &Lab) -> usize {
    if lab.quick { 2 } else { 4 }
}

/// The check that runs did not arrive.
fn missed(runs: u64) -> Check {
    check("runs that do not arrive", exact(runs as f64), at_least(1.0))
}

/// How many times as long the last path takes as the first, and how many runs did not arrive on each.
pub struct Growth {
    times: Measured,
    first: u64,
    last: u64,
    most: f64,
}

impl Growth {
    /// For a claim that it grows: on the last path a run's length is the least that it would have taken.
    pub fn longer(&self) -> Measured {
        if self.first > 0 { Measured::unknown(self.times.seeds) } else { self.times }
    }

    /// For a claim that it does not: without end where runs do not arrive.
    pub fn no_longer(&self) -> Measured {
        if self.first + self.last > 0 { Measured::never(self.times.seeds) } else { self.times }
    }

    /// That some did not arrive, and who.
    pub fn missing(&self) -> (Check, String) {
        let told = format!("{} runs on the first path and {} on the last do not arrive within {} s", self.first, self.last, self.most);
        (missed(self.first + self.last), told)
    }
}

pub fn over_bandwidth(sweep: &Sweep, times: &[Times], place: &str) -> Vec<Claim> {
    let unit = "times, from the least bandwidth to the greatest";
    let mut claims = Vec::new();
    let last = |kind: &Kind| sweep.times(times, kind)[sweep.paths.len() - 1];
    for (kind, why) in [
        (RENO, "Reno's recovery ends in a timeout on each path, and half of what was in flight then is where it starts from"),
        (HIGHSPEED, "with selective ACKs slow start ends in one recovery, after which half of a full buffer and link is a full link"),
    ] {
        let grown = sweep.growth(times, &kind).longer();
        let once = (kind.name == HIGHSPEED.name)
            .then(|| check("recoveries until it arrives, on the fastest path", last(&kind).losses, at_most(1.0)));
        let grows = claim(format!("{}: time grows with the bandwidth", kind.name), published(place, "grows"), grown, unit, above(2.0), why);
        claims.push(grows.because(once, why));
    }
    let own: Vec<&Kind> = sweep.kinds.iter().filter(|kind| kind.is_symbiosis()).collect();
    for kind in &own {
        let growth = sweep.growth(times, kind);
        let longest = sweep.paths[sweep.paths.len() - 1].eq_12();
        let eq_12 = longest / sweep.paths[0].eq_12();
        let (missing, who) = growth.missing();
        let time = last(kind);
        claims.push(
            claim(
                format!("{}: time grows no faster than the logarithm of S Eq 12", kind.name),
                derived("S §III-A, Eq 12", format!("almost constant: {eq_12:.2} times")),
                growth.no_longer(),
                unit,
                at_most(1.1 * eq_12),
                "on the slowest path slow start alone fills the few packets of a window",
            )
            .because(missing, who)
            .because(unread(&time), blind(&time))
            .because(
                check("its time on the fastest path, in parts of S Eq 12's", ratio(time.taken, exact(longest)), below(1.0)),
                "it is faster than S Eq 12 on every path, and the more so the fewer packets a window has: slow start is done with them sooner",
            ),
        );
    }
    for kind in own {
        let (time, scalable) = (last(kind), last(&SCALABLE));
        let taken = if time.censored > 0 { Measured::never(time.taken.seeds) } else { time.taken };
        claims.push(
            claim(
                format!("{}: faster than Scalable on the fastest path", kind.name),
                kind.states(place, format!("the smallest (scalable: {:.1} s)", scalable.taken.mean)),
                against(taken, scalable.taken),
                "s",
                below(scalable.taken.mean),
                "with selective ACKs slow start ends in one recovery, after which seven eighths of a full buffer and link is a full link",
            )
            .because(missed(time.censored), format!("{} runs do not arrive within {} s", time.censored, sweep.most))
            .because(unread(&time), blind(&time)),
        );
    }
    claims
}

/// The check that most of the time passes before anything is measured.
fn unread(time: &Time) -> Check {
    check("time until A is read for the first time, of all", ratio(time.blind, time.taken), above(0.5))
}

/// What passes before anything is measured.
fn blind(time: &Time) -> String {
    format!("{:.1} of its {:.1} s pass before A is read for the first time", time.blind.mean, time.taken.mean)
}

/// The oracle's time beside the closed form.
pub fn equation(sweep: &Sweep, times: &[Times]) -> Vec<Claim> {
    let of = |(path, time): (&Path, &Time)| (ratio(time.taken, exact(path.eq_12())), *time, path.rtt());
    let all = sweep.paths.iter().zip(sweep.times(times, &PAPER_ORACLE)).map(of);
    let off = |(times, ..): &(Measured, Time, f64)| (times.mean - 1.0).abs();
    let (worst, time, rtt) = all.max_by(|a, b| off(a).total_cmp(&off(b))).expect("at least one path");
    let text = format!("{}: S Eq 12's time within 25 %", PAPER_ORACLE.name);
    let claim = claim(
        text,
        derived("S §III-A, Eq 12", "1"),
        worst,
        "of S Eq 12's, farthest off",
        near(1.0, 0.25),
        "the window that is enough lies so near to w* that what UDP does in an RTT decides when it is reached",
    );
    vec![claim.because(
        check("time until A is read for the first time [s]", time.blind, above(1.5 * rtt)),
        "before the first reading the window is Reno's, whose slow start is faster than the closed form",
    )]
}
