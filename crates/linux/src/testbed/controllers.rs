//! The kernel's own controllers, as scenarios name them.

use symbiosis_control::registry::{Entry, Feedback, Recovery};

use crate::kernel::NAME;

/// `linux-` tells them from ours of the same law.
const PREFIX: &str = "linux-";

/// Controllers that only the kernel runs.
pub const NATIVE: &[Entry] = &[
    native("linux-reno", "Reno as Linux has it (tcp_cong.c)"),
    native("linux-cubic", "CUBIC as Linux has it (tcp_cubic.c)"),
    native("linux-bbr", "BBR as Linux has it (tcp_bbr.c, version 1)"),
];

const fn native(name: &'static str, about: &'static str) -> Entry {
    Entry { name, about, params: &[], recovery: Recovery::Sack, feedback: Feedback::Acks, build: |_, _| panic!("the kernel runs this one") }
}

/// Whether the kernel runs it by itself. Ours need an agent.
pub fn is_native(cc: &Entry) -> bool {
    cc.name.starts_with(PREFIX)
}

/// The name by which a socket chooses a scenario's controller. Ours have one name, whichever of them the agent runs.
pub fn kernel_name(cc: &'static Entry) -> &'static str {
    cc.name.strip_prefix(PREFIX).unwrap_or(NAME)
}
