//! The kernel's own controllers, as scenarios name them.

use symbiosis_control::registry::{Entry, Feedback};

/// `linux-` tells them from ours of the same law.
const PREFIX: &str = "linux-";

/// Controllers that only the kernel runs.
pub const NATIVE: &[Entry] = &[
    native("linux-reno", "Reno as Linux has it (tcp_cong.c)"),
    native("linux-cubic", "CUBIC as Linux has it (tcp_cubic.c)"),
    native("linux-bbr", "BBR as Linux has it (tcp_bbr.c, version 1)"),
];

const fn native(name: &'static str, about: &'static str) -> Entry {
    Entry { name, about, params: &[], feedback: Feedback::Acks, build: |_, _| panic!("the kernel runs this one") }
}

/// The kernel's name for a scenario's controller.
pub fn kernel_name(cc: &str) -> &str {
    cc.strip_prefix(PREFIX).unwrap_or(cc)
}
