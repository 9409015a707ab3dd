//! Flows of one kind that join a link one after the other and leave it again.

use rayon::prelude::*;
use symbiosis_run::Outcome as Run;

use super::Lab;
use super::dumbbell::Dumbbell;
use super::kinds::Kind;
use super::series;
use symbiosis_report::figure::{Axis, Figure, Mark, Series};
use symbiosis_scenario::Scenario;

/// When flows join and when they leave, on a path.
#[derive(Clone, Debug)]
pub struct Joins {
    /// Of the scenarios, before the kind.
    pub id: &'static str,
    /// What the scenarios' first line says.
    pub about: &'static str,
    pub path: Dumbbell,
    /// What link and buffer hold, in bandwidth-delay products.
    pub holds: f64,
    /// Each flow's start and end \[s\].
    pub stays: Vec<(f64, f64)>,
}

impl Joins {
    /// The same in a part of the time.
    pub fn quicker(mut self, part: f64) -> Joins {
        for (join, leave) in &mut self.stays {
            (*join, *leave) = (*join * part, *leave * part);
        }
        self
    }

    /// The last flow's end \[s\].
    pub fn until(&self) -> f64 {
        self.stays.iter().map(|(_, leave)| *leave).fold(0.0, f64::max)
    }

    /// The time between two joins or leaves, and the flows that are there.
    pub fn stages(&self) -> Vec<(f64, f64, Vec<usize>)> {
        let mut times: Vec<f64> = self.stays.iter().flat_map(|(join, leave)| [*join, *leave]).collect();
        times.sort_by(f64::total_cmp);
        let there = |from: f64, to: f64| {
            let stays = |flow: &usize| self.stays[*flow].0 <= from && to <= self.stays[*flow].1;
            (0..self.stays.len()).filter(stays).collect()
        };
        times.windows(2).map(|pair| (pair[0], pair[1], there(pair[0], pair[1]))).collect()
    }

    pub fn text(&self, kind: &Kind) -> String {
        let path = &self.path;
        let lines = kind.lines(path.mbps);
        let flow = |(i, (join, leave)): (usize, &(f64, f64))| path.flow(i + 1, &format!("{lines}\nstart_s = {join}\nstop_s = {leave}"));
        format!(
            r#"# {about}. Base RTT {rtt} ms.
name = "{id}-{slug}"
duration_s = {until}
{bottleneck}{flows}[trace]
every_ms = 500
"#,
            about = self.about,
            rtt = path.rtt_ms(),
            id = self.id,
            slug = kind.slug(),
            until = self.until(),
            bottleneck = path.bottleneck(),
            flows = self.stays.iter().enumerate().map(flow).collect::<String>(),
        )
    }

    /// Each kind, those of Symbiosis from several starts.
    pub fn play(&self, lab: &Lab, kinds: &[Kind]) -> Vec<(Kind, Scenario, Vec<Run>)> {
        let one = |kind: &Kind| {
            let scenario = lab.scenario(&self.text(kind));
            let runs = match (kind.is_symbiosis(), kind.has_oracle() && lab.quick) {
                (false, _) => vec![lab.run(&scenario)],
                // Told by an oracle starts differ little.
                (true, true) => lab.of_seeds(2).over_starts(&scenario),
                (true, false) => lab.over_starts(&scenario),
            };
            (*kind, scenario, runs)
        };
        kinds.par_iter().map(one).collect()
    }

    /// Jain's index over what those who are there get in the second half of a stage.
    pub fn jain(&self, run: &Run, (from, to, there): &(f64, f64, Vec<usize>)) -> f64 {
        let rates: Vec<f64> = there.iter().map(|flow| series::delivered(run, *flow, (from + to) / 2.0, *to)).collect();
        let (sum, squares) = rates.iter().fold((0.0, 0.0), |(sum, squares), x| (sum + x, squares + x * x));
        sum * sum / (rates.len() as f64 * squares)
    }

    /// The least Jain's index of all stages.
    pub fn least_jain(&self, run: &Run) -> f64 {
        self.stages().iter().map(|stage| self.jain(run, stage)).fold(1.0, f64::min)
    }

    /// Every flow's window while it is there.
    pub fn windows(&self, id: &str, kind: &Kind, run: &Run) -> Figure {
        let flow = |(flow, (join, leave)): (usize, &(f64, f64))| {
            let there = |(t, _): &(f64, f64)| join <= t && t <= leave;
            Series::new(&format!("flow {}", flow + 1), Mark::Line, series::window(run, flow).into_iter().filter(there).collect())
        };
        Figure {
            id: id.into(),
            title: format!("Five flows of {} join and leave", kind.name),
            caption: "Congestion windows, the first run.".into(),
            x: Axis::linear("time [s]").range(0.0, self.until()),
            y: Axis::linear("window [packets]"),
            series: self.stays.iter().enumerate().map(flow).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stage_lies_between_two_joins_or_leaves() {
        let stays = vec![(0.0, 30.0), (10.0, 40.0)];
        let path = Dumbbell { mbps: 12.0, delay_ms: 40.0, queue: String::new(), access_mbps: 12.0, access_ms: 5.0 };
        let joins = Joins { id: "", about: "", path, holds: 2.0, stays };
        assert_eq!(joins.stages(), [(0.0, 10.0, vec![0]), (10.0, 30.0, vec![0, 1]), (30.0, 40.0, vec![1])]);
        assert_eq!(joins.until(), 40.0);
    }
}
