//! Which groups of a file are there: beside its part, a record for each group, written when the group is. A copy that broke off goes on behind the
//! last of them without reading the others again.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::FileExt;

use crate::groups::{GROUP, Tree, node};
use crate::message::{Hash, Version};

/// What a journal begins with.
const MAGIC: &[u8; 16] = b"symbiosis tree 1";
/// Magic, version of the source, and the boot.
const HEAD: usize = 16 + 16 + 16;
/// Number of groups of zeros, or none and the node of a group.
const RECORD: usize = 8 + 32;

/// What is there of a file.
#[derive(Clone, Debug, Default)]
pub(crate) struct Kept {
    pub(crate) groups: u64,
    /// Of the groups, if none of them is a hole: then the file's hash is known at its end.
    pub(crate) tree: Option<Tree>,
    /// Records.
    records: u64,
}

/// What is told apart: since the machine was started, what was written can be read, also if it was not on the disk yet.
fn boot() -> [u8; 16] {
    let id = std::fs::read("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    blake3::hash(&id).as_bytes()[..16].try_into().expect("it has 32")
}

/// A journal that is written.
#[derive(Debug)]
pub(crate) struct Journal(File);

impl Journal {
    /// A new one.
    pub(crate) fn begin(mut file: File, version: Version) -> io::Result<Journal> {
        file.set_len(0)?;
        file.seek(SeekFrom::Start(0))?;
        file.write_all(&[&MAGIC[..], &version, &boot()].concat())?;
        Ok(Journal(file))
    }

    /// One that goes on behind what is kept.
    pub(crate) fn go_on(mut file: File, kept: &Kept) -> io::Result<Journal> {
        let end = HEAD as u64 + kept.records * RECORD as u64;
        file.set_len(end)?;
        file.seek(SeekFrom::Start(end))?;
        Ok(Journal(file))
    }

    /// A group is there.
    pub(crate) fn group(&mut self, node: &Hash) -> io::Result<()> {
        self.0.write_all(&[&[0; 8][..], node].concat())
    }

    /// So many groups of zeros are.
    pub(crate) fn hole(&mut self, groups: u64) -> io::Result<()> {
        self.0.write_all(&[&groups.to_be_bytes()[..], &[0; 32]].concat())
    }
}

/// What a journal says of a part, as far as it is true. After a restart of the machine every group is read; else the last one, which shows
/// that this is the part.
pub(crate) fn kept(mut journal: &File, part: &File) -> io::Result<Option<(Version, Kept)>> {
    let mut head = [0; HEAD];
    match journal.read_exact(&mut head) {
        Ok(()) if head[..16] == MAGIC[..] => {}
        Ok(()) => return Ok(None),
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
        Err(error) => return Err(error),
    }
    let version: Version = head[16..32].try_into().expect("it has 16");
    let all = head[32..] != boot();
    let records = journal.metadata()?.len().saturating_sub(HEAD as u64) / RECORD as u64;
    let mut kept = Kept { groups: 0, tree: Some(Tree::default()), records: 0 };
    // A buffer of its own: 1 TB has a million records.
    let mut journal = io::BufReader::new(journal);
    for at in 0..records {
        let mut record = [0; RECORD];
        journal.read_exact(&mut record)?;
        let (holes, hash) = record.split_at(8);
        let holes = u64::from_be_bytes(holes.try_into().expect("it has 8"));
        if holes == 0 {
            let hash: Hash = hash.try_into().expect("it has 32");
            let offset = kept.groups.saturating_mul(GROUP);
            if (all || at + 1 == records) && !is_there(part, offset, &hash)? {
                break;
            }
            if let Some(tree) = &mut kept.tree {
                tree.push(hash);
            }
            kept.groups += 1;
        } else {
            kept.tree = None;
            kept.groups = kept.groups.saturating_add(holes);
        }
        kept.records += 1;
    }
    Ok(Some((version, kept)))
}

fn is_there(part: &File, offset: u64, hash: &Hash) -> io::Result<bool> {
    let mut bytes = vec![0; GROUP as usize];
    match part.read_exact_at(&mut bytes, offset) {
        Ok(()) => Ok(node(offset, &bytes) == *hash),
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(false),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_is_what_is_there() {
        let (journal, part) = (tempfile::tempfile().unwrap(), tempfile::tempfile().unwrap());
        let group = |at: u64| vec![at as u8; GROUP as usize];
        let mut write = Journal::begin(journal.try_clone().unwrap(), [7; 16]).unwrap();
        for at in 0..3 {
            part.write_all_at(&group(at), at * GROUP).unwrap();
            write.group(&node(at * GROUP, &group(at))).unwrap();
        }
        let look = || {
            (&journal).seek(SeekFrom::Start(0)).unwrap();
            kept(&journal, &part).unwrap().unwrap()
        };
        assert_eq!((look().0, look().1.groups), ([7; 16], 3));
        // The last one is looked at, and nothing is believed of what is not there.
        part.set_len(3 * GROUP - 1).unwrap();
        assert_eq!(look().1.groups, 2);
        part.write_all_at(&group(2), 2 * GROUP).unwrap();
        // After a restart everything is.
        part.write_all_at(&[99], 5).unwrap();
        assert_eq!(look().1.groups, 3);
        journal.write_all_at(&[0; 16], 32).unwrap();
        assert_eq!(look().1.groups, 0);
        journal.set_len(20).unwrap();
        (&journal).seek(SeekFrom::Start(0)).unwrap();
        assert!(kept(&journal, &part).unwrap().is_none());
    }
}
