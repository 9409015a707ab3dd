//! Active queue management: queues that look at a packet again when its turn comes, and may then drop it or serve another.

mod codel;
mod fq_codel;
mod link;
mod packet;
mod queue;
mod spec;

pub use link::{Fate, ManagedLink};
pub use spec::{CoDelSpec, Discipline, FqCoDelSpec};

#[cfg(test)]
mod tests;
