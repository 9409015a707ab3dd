//! What is on its way through a network.

use std::cmp::Ordering;

use symbiosis_base::{Bytes, Instant};

use crate::Drop;

/// A packet on its way. What others send carries nothing.
#[derive(Debug)]
pub(super) struct Parcel<C> {
    pub(super) stream: usize,
    pub(super) hop: usize,
    pub(super) size: Bytes,
    pub(super) cargo: Option<C>,
}

/// A packet at an instant; the earliest is the greatest, as a heap wants it.
#[derive(Debug)]
pub(super) struct Due<C> {
    pub(super) at: Instant,
    pub(super) ordinal: u64,
    pub(super) dropped: Option<Drop>,
    pub(super) parcel: Parcel<C>,
}

impl<C> Ord for Due<C> {
    fn cmp(&self, other: &Due<C>) -> Ordering {
        (other.at, other.ordinal).cmp(&(self.at, self.ordinal))
    }
}

impl<C> PartialOrd for Due<C> {
    fn partial_cmp(&self, other: &Due<C>) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<C> PartialEq for Due<C> {
    fn eq(&self, other: &Due<C>) -> bool {
        self.cmp(other).is_eq()
    }
}

impl<C> Eq for Due<C> {}
