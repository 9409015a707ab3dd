//! Every controller by name. A line here, and it is there in every world, every scenario and every report.

pub use crate::entry::{Entry, Feedback, Recovery};
use crate::{
    adaptive_reno, bbr, bbr3, c4, compound, copa, cubic, early, fast, hcc, highspeed, ledbat_plus_plus, prague, probe, reno, scalable,
    symbiosis, vegas,
};

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
    probe::ENTRY,
    hcc::ENTRY,
    compound::ENTRY,
    adaptive_reno::ENTRY,
    bbr::ENTRY,
    bbr3::ENTRY,
    copa::ENTRY,
    prague::ENTRY,
    ledbat_plus_plus::ENTRY,
    c4::ENTRY,
];

/// The controller of that name.
pub fn find(name: &str) -> Option<&'static Entry> {
    ALL.iter().find(|entry| entry.name == name)
}
