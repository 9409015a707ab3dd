//! Active queue management: queues that look at a packet again when its turn comes, and may then drop it or serve another.

mod codel;
mod dualpi2;
mod ecn;
mod fair;
mod link;
mod packet;
mod pie;
mod queue;
mod red;
mod spec;

pub use ecn::Ecn;
pub use link::{Fate, ManagedLink, Offer};
pub use spec::{CakeSpec, CoDelSpec, Discipline, DualPi2Spec, FqCoDelSpec, FqPieSpec, PieSpec, RedSpec};

#[cfg(test)]
mod tests;
