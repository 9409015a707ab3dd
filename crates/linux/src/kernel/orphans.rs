//! What agents that have stopped left behind.

use serde::{Deserialize, Serialize};

/// Programs that are no longer registered, and stay for as long as something uses them: a socket, or a namespace whose default
/// congestion control they are, which new sockets there still get. No agent hears of their sockets, so all of these are Reno's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Orphans {
    /// How many programs.
    pub programs: usize,
    /// How many sockets use them.
    pub sockets: usize,
}
