//! What carries plans out.

use crate::{Outcome, Plan};

/// Carries plans out: the simulator, QUIC in virtual time, the kernel's TCP.
pub trait Runner {
    /// Why there is no run.
    type Error;

    /// Runs a plan to its end.
    ///
    /// # Errors
    /// The plan asks for what this runner does not do, or what it needs is missing.
    fn run(&self, plan: &Plan) -> Result<Outcome, Self::Error>;
}
