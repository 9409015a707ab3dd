//! The agent's sockets: records in, decisions out. No I/O.

use std::collections::{BTreeMap, BTreeSet};

use symbiosis_base::{Instant, Span};

use super::flow::{Flow, Start};
use super::foresight::LOOKS;
use super::layout::{Decision, HOLDS, Record, kind};
use super::live::{LiveSocket, Phase};

/// Who is silent for so long and is there no more is forgotten: its end may have been told when there was no room.
const UNTOLD: Span = Span::from_millis(30_000);
/// Who is silent for so long is forgotten, whether it seems to be there or not. The kernel does not tell of the end of every socket (on Linux 6.18 one in some thousands of short connections, closed while both
/// processors are busy, and many at a time), and what is known of a path is no longer worth keeping.
const SILENT: Span = Span::from_millis(600_000);

/// The agent looks as often as this where nothing happens: what happens then wakes it.
const IDLE: Span = Span::from_millis(50);

/// All sockets.
pub(crate) struct Table {
    start: Start,
    flows: BTreeMap<u64, Flow>,
    /// Those that something was heard of since they got a decision.
    heard: BTreeSet<u64>,
    /// Sockets of which nothing was heard, and since when they are known.
    unheard: BTreeMap<u64, Instant>,
    /// How long the agent may wait before it looks again.
    looks: Span,
    /// When it last found anything.
    found: Instant,
}

impl Table {
    /// For controllers that begin as `start` says.
    pub(crate) fn new(start: Start) -> Table {
        Table { start, flows: BTreeMap::new(), heard: BTreeSet::new(), unheard: BTreeMap::new(), looks: IDLE, found: Instant::START }
    }

    /// Takes in a record.
    pub(crate) fn take(&mut self, record: &Record) {
        if record.kind == kind::CLOSED {
            self.forget(record.id);
            return;
        }
        if record.mss == 0 {
            return; // no packet has left yet
        }
        let flow = self.flows.entry(record.id).or_insert_with(|| Flow::new(&self.start, record));
        if !flow.continues(record) {
            *flow = Flow::new(&self.start, record).after(flow);
        }
        flow.take(record);
        self.heard.insert(record.id);
    }

    /// Words for those that something was heard of; `say` tells whether the socket is there still.
    pub(crate) fn answer(&mut self, now: Instant, mut say: impl FnMut(u64, &Decision) -> bool) {
        let heard = std::mem::take(&mut self.heard);
        if !heard.is_empty() {
            (self.found, self.looks) = (now, LOOKS.1);
        } else if now - self.found > Span(HOLDS) {
            self.looks = IDLE;
        }
        for id in heard {
            let Some(flow) = self.flows.get_mut(&id) else { continue };
            if say(id, &flow.decision(now)) {
                self.looks = self.looks.min(flow.looks().unwrap_or(self.looks));
            } else {
                self.forget(id);
            }
        }
    }

    /// Forgets those that have been silent for long; which of the sockets `there` are those.
    pub(crate) fn sweep(&mut self, now: Instant, there: &BTreeSet<u64>) -> Vec<u64> {
        self.flows.retain(|id, flow| now - flow.heard() < if there.contains(id) { SILENT } else { UNTOLD });
        let unheard = there.iter().filter(|id| !self.flows.contains_key(id));
        self.unheard = unheard.map(|id| (*id, self.unheard.get(id).copied().unwrap_or(now))).collect();
        let silent: Vec<u64> = self.unheard.iter().filter(|(_, since)| now - **since >= SILENT).map(|(id, _)| *id).collect();
        silent.iter().for_each(|id| _ = self.unheard.remove(id));
        silent
    }

    /// How long the agent may wait before it looks again, whether or not a record wakes it.
    pub(crate) fn looks(&self) -> Span {
        self.looks
    }

    /// What the log says: which sockets have come to Reno since it said something of them, and why, or to their controller; a line for each
    /// reason that lasts from one call to the next.
    pub(crate) fn news(&mut self) -> Vec<String> {
        let mut news: BTreeMap<&str, (LiveSocket, usize)> = BTreeMap::new();
        for flow in self.flows.values_mut() {
            let state = match flow.phase() {
                (Phase::Recovery, _) => continue,
                (Phase::Reno, why) => why,
                _ => "",
            };
            let [said, seen] = &mut flow.logged;
            if *said == Some(state) || seen.replace(state) != Some(state) {
                continue;
            }
            *said = Some(state);
            news.entry(state).or_insert_with(|| (flow.show(), 0)).1 += 1;
        }
        let line = |(state, (socket, count)): (&str, (LiveSocket, usize))| {
            let state = if state.is_empty() { "the controller decides".into() } else { format!("reno, {state}") };
            let others = if count > 1 { format!(" and {} more", count - 1) } else { String::new() };
            format!("{state}: :{} to {}{others}", socket.local_port, socket.peer())
        };
        news.into_iter().map(line).collect()
    }

    fn forget(&mut self, id: u64) {
        self.flows.remove(&id);
        self.heard.remove(&id);
    }

    /// For whoever looks, in the order in which they began.
    pub(crate) fn show(&self) -> Vec<LiveSocket> {
        self.flows.values().map(Flow::show).collect()
    }
}

#[cfg(test)]
mod tests;
