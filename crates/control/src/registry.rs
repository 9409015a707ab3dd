//! Every controller by name. A line here, and it is there in every world, every scenario and every report.

use alloc::boxed::Box;

use crate::params::{Param, Values};
use crate::{Controller, Setup, cubic, early, fast, highspeed, reno, scalable, symbiosis, vegas};

/// A controller as the registry knows it.
#[derive(Debug)]
pub struct Entry {
    /// Its name in a scenario (`cc = "name"`).
    pub name: &'static str,
    /// One line: what it is and where it is published.
    pub about: &'static str,
    /// Its parameters.
    pub params: &'static [Param],
    /// Makes one for a connection, from values that were resolved against `params`.
    pub build: fn(&Setup, &Values) -> Box<dyn Controller>,
}

/// All controllers, in the order in which they are listed.
pub const ALL: &[Entry] = &[
    symbiosis::OURS,
    symbiosis::PAPER,
    early::ENTRY,
    reno::RENO,
    reno::NEWRENO,
    highspeed::ENTRY,
    scalable::ENTRY,
    fast::ENTRY,
    vegas::ENTRY,
    cubic::ENTRY,
];

/// The controller of that name.
pub fn find(name: &str) -> Option<&'static Entry> {
    ALL.iter().find(|entry| entry.name == name)
}
