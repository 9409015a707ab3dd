//! How long a flow takes to fill what UDP leaves, over the bandwidth and over the delay.

use super::Lab;
use super::claims::{claim, exact};
use super::kinds::{HIGHSPEED, Kind, OURS, PAPER_ORACLE, RENO, SCALABLE, SYMBIOSIS};
use super::reach::{FIRST, KEPT_FOR, Path};
use rayon::prelude::*;
use symbiosis_report::figure::{Axis, Figure, Mark, Series};
use symbiosis_report::outcome::{Claim, Measured, Outcome};
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

/// Times of one kind over the paths.
pub type Times = Vec<Measured>;

pub const BANDWIDTHS: [f64; 5] = [10.0, 30.0, 100.0, 300.0, 1000.0];

/// Each flow's own link is as fast as the bottleneck.
pub fn bandwidths(lab: &Lab, delay_ms: f64, queue_bdp: f64) -> Vec<Path> {
    let rates = if lab.quick { &[10.0, 100.0][..] } else { &BANDWIDTHS };
    rates.iter().map(|mbps| Path { mbps: *mbps, access_mbps: *mbps, delay_ms, queue_bdp }).collect()
}

impl Sweep {
    pub fn run(&self, lab: &Lab) -> (Outcome, Vec<Times>) {
        let cases: Vec<(&Kind, &Path)> = self.kinds.iter().flat_map(|kind| self.paths.iter().map(move |path| (kind, path))).collect();
        let played: Vec<(Scenario, Measured)> = cases
            .par_iter()
            .map(|(kind, path)| {
                let scenario = lab.scenario(&path.text((self.id, self.source), kind, self.most));
                let times: Vec<f64> = lab.over_seeds(&scenario).iter().map(|run| path.reached(run)).collect();
                (scenario, Measured::over(&times))
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
        let points = self.paths.iter().zip(times).map(|(path, time)| ((self.over)(path), time.mean)).collect();
        // The axis is logarithmic.
        let band = times.iter().map(|time| ((time.mean - time.ci95).max(time.mean / 10.0), time.mean + time.ci95)).collect();
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
    pub fn growth(&self, times: &[Times], kind: &Kind) -> f64 {
        let times = self.times(times, kind);
        times[times.len() - 1].mean / times[0].mean
    }
}

pub fn over_bandwidth(sweep: &Sweep, times: &[Times]) -> Vec<Claim> {
    let unit = "times, from the least bandwidth to the greatest";
    let growth = |kind: &Kind| exact(sweep.growth(times, kind));
    let mut claims = Vec::new();
    for (kind, why) in [
        (RENO, "Reno's recovery ends in a timeout on each path, and half of what was in flight then is where it starts from"),
        (HIGHSPEED, "with selective ACKs slow start ends in one recovery, after which half of a full buffer and link is a full link"),
    ] {
        let grown = growth(&kind);
        claims.push(claim(format!("{}: time grows with the bandwidth", kind.name), "grows", grown, unit, grown.mean > 2.0, why));
    }
    let last = |kind: &Kind| sweep.times(times, kind)[sweep.paths.len() - 1];
    for kind in &SYMBIOSIS {
        let grown = growth(kind);
        // What S Eq 12 grows by.
        let eq_12 = sweep.paths[sweep.paths.len() - 1].eq_12() / sweep.paths[0].eq_12();
        claims.push(claim(
            format!("{}: time grows no faster than the logarithm of S Eq 12", kind.name),
            format!("approximately constant (S Eq 12: {eq_12:.2} times)"),
            grown,
            unit,
            grown.mean <= 1.1 * eq_12,
            FASTER,
        ));
    }
    let (own, scalable) = (last(&OURS), last(&SCALABLE));
    claims.push(claim(
        "symbiosis: faster than Scalable on the fastest path",
        format!("below {:.1} (scalable)", scalable.mean),
        own,
        "s",
        own.mean < scalable.mean,
        "with selective ACKs slow start ends in one recovery, after which seven eighths of a full buffer and link is a full link",
    ));
    claims
}

/// Why a time may grow faster than S Eq 12.
pub const FASTER: &str =
    "what passes before the first reading grows with the RTT and with slow start's overshoot, and not with the logarithm";

/// The oracle's time beside the closed form.
pub fn equation(sweep: &Sweep, times: &[Times]) -> Vec<Claim> {
    let worst = sweep.paths.iter().zip(sweep.times(times, &PAPER_ORACLE)).map(|(path, time)| (time.mean / path.eq_12(), time));
    let (ratio, _) = worst.max_by(|a, b| (a.0 - 1.0).abs().total_cmp(&(b.0 - 1.0).abs())).expect("at least one path");
    vec![claim(
        format!("{}: S Eq 12's time within 25 %", PAPER_ORACLE.name),
        "1 (S Eq 12)",
        exact(ratio),
        "of S Eq 12's, farthest off",
        (ratio - 1.0).abs() <= 0.25,
        "before the first reading the window is Reno's, whose slow start is faster than the closed form",
    )]
}
