//! Groups of a file: 1 MiB each but the last, and each a subtree of the file's BLAKE3 tree. So every group can be checked by itself, and the
//! file's hash follows from them without reading it again.

use blake3::Hasher;
use blake3::hazmat::{ChainingValue, HasherExt, Mode, merge_subtrees_non_root, merge_subtrees_root};
use symbiosis_quic::exchange::BODY;

/// Bytes of a group.
pub const GROUP: u64 = BODY as u64;

/// The node of a group that begins at `offset`.
pub fn node(offset: u64, bytes: &[u8]) -> ChainingValue {
    Hasher::new().set_input_offset(offset).update(bytes).finalize_non_root()
}

/// A tree of groups, in the order of the file.
#[derive(Clone, Debug, Default)]
pub struct Tree {
    /// Complete subtrees, the largest first.
    subtrees: Vec<ChainingValue>,
    /// Groups in them.
    groups: u64,
    /// The newest group: it is merged when another follows, since the last merge of all is the root's, which is another one.
    last: Option<ChainingValue>,
}

impl Tree {
    /// The next group.
    pub fn push(&mut self, node: ChainingValue) {
        let Some(mut node) = self.last.replace(node) else { return };
        self.groups += 1;
        for _ in 0..self.groups.trailing_zeros() {
            let left = self.subtrees.pop().expect("as many wait as the number of groups has bits");
            node = merge_subtrees_non_root(&left, &node, Mode::Hash);
        }
        self.subtrees.push(node);
    }

    /// The hash of a file of several groups; none of one, whose root is no node of this kind.
    pub fn root(mut self) -> Option<blake3::Hash> {
        let mut right = self.last?;
        while let Some(left) = self.subtrees.pop() {
            if self.subtrees.is_empty() {
                return Some(merge_subtrees_root(&left, &right, Mode::Hash));
            }
            right = merge_subtrees_non_root(&left, &right, Mode::Hash);
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_root_is_the_hash_of_the_file() {
        for groups in 1..=9 {
            for rest in [1, 1024, GROUP as usize] {
                let file: Vec<u8> = (0..(groups - 1) * GROUP as usize + rest).map(|at| (at / 7 % 251) as u8).collect();
                let mut tree = Tree::default();
                file.chunks(GROUP as usize).zip(0..).for_each(|(group, at)| tree.push(node(at * GROUP, group)));
                assert_eq!(tree.root(), (groups > 1).then(|| blake3::hash(&file)), "{groups} groups, the last of {rest}");
            }
        }
        assert_eq!(Tree::default().root(), None);
    }
}
