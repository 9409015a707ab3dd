//! A scenario under construction: tables of a scenario file, in which the controller under test has no name yet.

use std::fmt::Write;

use toml::Value;

use crate::contestant::Contestant;

/// Name of the flows under test; several are numbered `own-1`, `own-2`, ….
pub const OWN: &str = "own";
/// Name of their opponents.
pub const OTHER: &str = "other";

/// Controllers that answer L4S marks in proportion: their packets say so wherever they are (RFC 9331 §4).
const SCALABLE: [&str; 1] = ["prague"];

/// A table of a scenario file: keys with their values, in the order in which they are given.
#[derive(Clone, Debug, Default)]
pub struct Table(Vec<(&'static str, Value)>);

impl Table {
    /// With a key of the scenario format.
    pub fn with(mut self, key: &'static str, value: impl Into<Value>) -> Table {
        self.0.push((key, value.into()));
        self
    }

    /// With one more stage of what a path does to packets, under `impair` or `ack_impair`.
    pub fn impaired(mut self, key: &'static str, stage: Table) -> Table {
        let stage: toml::Table = stage.0.into_iter().map(|(key, value)| (key.to_owned(), value)).collect();
        match self.0.iter_mut().find(|(name, _)| *name == key) {
            Some((_, Value::Array(stages))) => stages.push(stage.into()),
            _ => self.0.push((key, vec![Value::from(stage)].into())),
        }
        self
    }

    fn get(&self, key: &str) -> Option<&Value> {
        self.0.iter().find(|(name, _)| *name == key).map(|(_, value)| value)
    }
}

/// A link of that rate \[Mbit/s\], or of steps `[[at_s, rate], …]`, and of that propagation one way \[ms\].
pub fn link(rate: impl Into<Value>, delay_ms: f64) -> Table {
    Table::default().with("rate_mbps", rate).with("delay_ms", delay_ms)
}

/// Steps of a rate: from each instant \[s\] on that rate \[Mbit/s\].
pub fn steps(steps: &[(f64, f64)]) -> Value {
    steps.iter().map(|(at, rate)| Value::from(vec![*at, *rate])).collect::<Vec<_>>().into()
}

/// A stage of what a path does to packets.
pub fn stage(kind: &str) -> Table {
    Table::default().with("kind", kind)
}

/// A flow of the controller under test.
pub fn own() -> Table {
    Table::default().with("name", OWN)
}

/// A flow of an opponent.
pub fn other(cc: &str) -> Table {
    Table::default().with("name", OTHER).with("cc", cc)
}

/// Traffic that follows no ACK: of that mean rate \[Mbit/s\], spaced as `gaps` says.
pub fn udp(rate: f64, gaps: &str) -> Table {
    Table::default().with("rate_mbps", rate).with("gaps", gaps)
}

/// What a scenario's measurements are held against.
#[derive(Clone, Debug)]
pub enum Beside {
    /// The same scenario, in which the flows under test are of this controller.
    Controller(String),
    /// Another scenario with the same controller.
    Scene(Box<Scene>),
}

/// A scenario.
#[derive(Clone, Debug)]
pub struct Scene {
    /// Links: one is the dumbbell's bottleneck unless it has a name.
    pub links: Vec<Table>,
    /// Flows, under test and opponents.
    pub flows: Vec<Table>,
    /// Traffic that follows no ACK.
    pub cross: Vec<Table>,
    /// Statistics count from here … \[s\]
    pub from: f64,
    /// … to here, where the run ends \[s\].
    pub to: f64,
    /// Spacing of the samples \[ms\].
    pub every: f64,
    /// What the measurements are held against, if they are.
    pub beside: Option<Beside>,
}

/// Usual spacing of samples \[ms\]: the shortest time that a goal speaks of is a few of them.
const EVERY: f64 = 100.0;

impl Scene {
    /// One bottleneck, measured from `from` to `to` \[s\], where the run ends.
    pub fn new(bottleneck: Table, from: f64, to: f64) -> Scene {
        Scene { links: vec![bottleneck], flows: vec![], cross: vec![], from, to, every: EVERY, beside: None }
    }

    /// Several links, each with a name, for flows with a route.
    pub fn of_links(links: Vec<Table>, from: f64, to: f64) -> Scene {
        Scene { links, flows: vec![], cross: vec![], from, to, every: EVERY, beside: None }
    }

    /// With a flow.
    pub fn flow(mut self, flow: Table) -> Scene {
        self.flows.push(flow);
        self
    }

    /// With these flows.
    pub fn flows(mut self, flows: impl IntoIterator<Item = Table>) -> Scene {
        self.flows.extend(flows);
        self
    }

    /// With traffic that follows no ACK.
    pub fn cross(mut self, cross: Table) -> Scene {
        self.cross.push(cross);
        self
    }

    /// With samples at this spacing \[ms\].
    pub fn every(self, ms: f64) -> Scene {
        Scene { every: ms, ..self }
    }

    /// Held against something.
    pub fn beside(self, beside: Beside) -> Scene {
        Scene { beside: Some(beside), ..self }
    }

    /// As a scenario file.
    pub fn toml(&self, name: &str, seed: u64, contestant: &Contestant) -> String {
        let mut text = format!("name = {}\nduration_s = {}\nseed = {seed}\n", Value::from(name), self.to);
        let named = self.links.iter().all(|link| link.get("name").is_some());
        for link in &self.links {
            table(&mut text, if named { "[[link]]" } else { "[bottleneck]" }, &link.0);
        }
        for flow in &self.flows {
            let cc = flow.get("cc").and_then(Value::as_str).unwrap_or(&contestant.cc);
            let mut keys = flow.0.clone();
            if SCALABLE.contains(&cc) {
                keys.retain(|(key, _)| *key != "ecn");
                keys.push(("ecn", "l4s".into()));
            }
            if flow.get("cc").is_none() {
                keys.insert(0, ("cc", contestant.cc.as_str().into()));
                keys.extend(contestant.params.clone().map(|params| ("params", params.into())));
            }
            table(&mut text, "[[flow]]", &keys);
        }
        for cross in &self.cross {
            table(&mut text, "[[cross]]", &cross.0);
        }
        table(&mut text, "[measure]", &[("from_s", self.from.into()), ("to_s", self.to.into())]);
        table(&mut text, "[trace]", &[("every_ms", self.every.into())]);
        text
    }
}

fn table(text: &mut String, head: &str, keys: &[(&str, Value)]) {
    write!(text, "\n{head}\n").expect("a String takes everything");
    for (key, value) in keys {
        writeln!(text, "{key} = {value}").expect("a String takes everything");
    }
}
