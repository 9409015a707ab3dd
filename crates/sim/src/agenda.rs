//! What happens next: a tournament among slots.
//!
//! Everything that can happen has a slot of its own (a flow's next ACK, its timer, the next packet before a shared link), and a slot holds
//! one instant. So the agenda never grows with the packets in flight, a slot's instant may move both ways, and a tie goes to the lower
//! slot: the order of events is a function of the plan alone.

use symbiosis_base::Instant;

/// Index of a slot.
pub(crate) type Slot = usize;

/// Instants by slot, with the earliest on top.
#[derive(Debug)]
pub(crate) struct Agenda {
    /// A complete binary tree, the root at 1: each node is the earlier of its two children, the leaves are the slots.
    tree: Vec<Entry>,
    leaves: usize,
}

/// A slot with its instant; ordered by the instant, and a tie by the slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Entry {
    at: Instant,
    slot: u32,
}

impl Agenda {
    pub(crate) fn new(slots: usize) -> Agenda {
        let leaves = slots.next_power_of_two().max(2);
        // Nothing is set, and ties go to the lower slot.
        let mut tree = vec![Entry { at: Instant::NEVER, slot: 0 }; 2 * leaves];
        for slot in 0..leaves {
            tree[leaves + slot].slot = slot as u32;
        }
        for node in (1..leaves).rev() {
            tree[node] = tree[2 * node];
        }
        Agenda { tree, leaves }
    }

    /// The slot happens at `at`, or never for [`Instant::NEVER`]; its earlier instant is forgotten.
    #[inline]
    pub(crate) fn set(&mut self, slot: Slot, at: Instant) {
        let mut node = self.leaves + slot;
        self.tree[node].at = at;
        while node > 1 {
            let (left, right) = (self.tree[node & !1], self.tree[node | 1]);
            let earlier = if right.at < left.at { right } else { left };
            node /= 2;
            if self.tree[node] == earlier {
                return;
            }
            self.tree[node] = earlier;
        }
    }

    /// The instant that a slot holds.
    #[inline]
    pub(crate) fn get(&self, slot: Slot) -> Instant {
        self.tree[self.leaves + slot].at
    }

    /// The earliest instant and its slot; [`Instant::NEVER`] when nothing will ever happen.
    #[inline]
    pub(crate) fn next(&self) -> (Instant, Slot) {
        let first = self.tree[1];
        (first.at, first.slot as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_earliest_comes_first_and_a_tie_goes_to_the_lower_slot(
            slots in 1usize..40,
            moves in proptest::collection::vec((0usize..40, 0u64..20), 1..200),
        ) {
            let mut agenda = Agenda::new(slots);
            let mut plain = vec![Instant::NEVER; slots];
            for (slot, at) in moves {
                let slot = slot % slots;
                agenda.set(slot, Instant(at));
                plain[slot] = Instant(at);
                let earliest = *plain.iter().min().unwrap();
                let first = plain.iter().position(|at| *at == earliest).unwrap();
                prop_assert_eq!(agenda.next(), (earliest, first));
                prop_assert_eq!(agenda.get(slot), Instant(at));
            }
        }
    }
}
