//! What of the suite is run, for whom.

use symbiosis_arena::{Cell, Contestant, FAMILIES, Known, SLOW_SEEDS, Trial, suite};
use symbiosis_scenario::{Target, suggestion};

use crate::failure::Failure;

/// Fastest link that the testbed's relay keeps in time beside others' work \[Mbit/s\].
const TESTBED_MBPS: f64 = 100.0;

/// Cells and controllers.
pub struct Chosen {
    target: &'static Target,
    contestants: Vec<Contestant>,
    cells: Vec<Cell>,
    seeds: u64,
    left_out: usize,
}

/// What was asked for.
pub struct Asked<'a> {
    /// Controllers and hosts.
    pub target: &'static Target,
    /// In the kernel: of it only what makes sense there.
    pub kernel: bool,
    /// Whom to try.
    pub contestants: Vec<Contestant>,
    /// Opponents.
    pub against: &'a [String],
    /// Families or cells; all if it is empty.
    pub only: &'a [String],
    /// Only the quick ones.
    pub quick: bool,
    /// How many.
    pub seeds: u64,
}

impl Chosen {
    /// What was asked for, if there is such a thing.
    pub fn of(asked: Asked<'_>) -> Result<Chosen, Failure> {
        let names: Vec<&str> = asked.target.controllers().iter().map(|entry| entry.name).collect();
        let unknown = |option: &str, name: &str| {
            Failure::input(format!("--{option} {name}: there is no such controller"), suggestion(name, names.iter().copied()))
        };
        if let Some(contestant) = asked.contestants.iter().find(|contestant| !names.contains(&contestant.cc.as_str())) {
            return Err(unknown("cc", &contestant.cc));
        }
        if let Some(name) = asked.against.iter().find(|name| !names.contains(&name.as_str())) {
            return Err(unknown("against", name));
        }
        let known = Known { names: &names, against: asked.against };
        let mut cells = suite(&known);
        if !asked.against.is_empty() {
            // Somebody who names opponents wants to see these.
            let meets =
                |cell: &Cell| cell.against.as_ref().is_some_and(|name| asked.against.iter().any(|given| known.here(given) == *name));
            cells.retain(meets);
        }
        for only in asked.only {
            if !cells.iter().any(|cell| is(only, cell)) {
                let families = FAMILIES.iter().map(|family| family.id);
                let help = suggestion(only, families);
                return Err(Failure::input(
                    format!("--only {only}: there is no such family or cell"),
                    format!("{help}; --list has the cells"),
                ));
            }
        }
        cells.retain(|cell| (asked.only.is_empty() || asked.only.iter().any(|only| is(only, cell))) && (!asked.quick || cell.quick));
        let all = cells.len();
        let mut chosen =
            Chosen { target: asked.target, contestants: asked.contestants, cells: Vec::new(), seeds: asked.seeds, left_out: 0 };
        if asked.kernel {
            cells.retain(|cell| chosen.makes_sense(cell));
        }
        chosen.left_out = all - cells.len();
        chosen.cells = cells;
        Ok(chosen)
    }

    /// Whether the hosts do what a cell asks for, at a rate at which they do it in time.
    fn makes_sense(&self, cell: &Cell) -> bool {
        let runs = |contestant| {
            let scenario = Trial { cell, contestant, target: self.target, seeds: 1 }.scenario(1);
            scenario.is_ok_and(|scenario| {
                let end = scenario.plan.end();
                let fastest = |link: &symbiosis_run::PlannedLink| link.spec.rate.volume(symbiosis_base::Instant::START, end) * 8e-6;
                let listed = scenario.plan.links.iter().filter(|link| link.listed);
                listed.map(fastest).fold(0.0, f64::max) <= TESTBED_MBPS * end.secs()
            })
        };
        self.contestants.iter().all(runs)
    }

    /// Every cell for every controller, in the order of the suite: what is not finished has all of them for a part of the cells.
    pub fn trials(&self) -> impl Iterator<Item = Trial<'_>> {
        let of =
            move |cell| self.contestants.iter().map(move |contestant| Trial { cell, contestant, target: self.target, seeds: self.seeds });
        self.cells.iter().flat_map(of)
    }

    /// What a reader of the scoreboard must know.
    pub fn words(&self) -> String {
        let left_out = match self.left_out {
            0 => String::new(),
            n => format!(" {n} cells ask for what Linux' TCP does not do here, and are left out."),
        };
        let seeds = match self.seeds {
            1 => "a seed".into(),
            n if n <= SLOW_SEEDS => format!("{n} seeds, the worst of which decides"),
            n => format!("{n} seeds, the slow ones with {SLOW_SEEDS}; the worst decides"),
        };
        format!("{} cells with {seeds}.{left_out}", self.cells.len())
    }

    /// Families with their goals and cells.
    pub fn list(&self) -> String {
        let mut text = String::new();
        for family in FAMILIES {
            let cells: Vec<&Cell> = self.cells.iter().filter(|cell| cell.family == family).collect();
            if cells.is_empty() {
                continue;
            }
            text += &format!("{} ({}): {}\n", family.id, family.asked, family.goal);
            for cell in cells {
                text += &format!("    {}\n", cell.name);
            }
        }
        text
    }
}

/// Whether a name means a cell: its family's, or its own with the family's before it.
fn is(name: &str, cell: &Cell) -> bool {
    name == cell.family.id || name == cell.id()
}
