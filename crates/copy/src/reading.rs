//! A file as groups: those with something in them, and those of which its file system says that there is nothing.

use std::fs::{File, Metadata, OpenOptions};
use std::io;
use std::os::unix::fs::{FileExt, MetadataExt, OpenOptionsExt};
use std::path::Path;

use nix::errno::Errno;
use nix::fcntl::OFlag;
use nix::unistd::{Whence, lseek64};

use crate::groups::GROUP;
use crate::message::Version;

/// The next of a file.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Piece {
    /// A group's bytes.
    Data(Vec<u8>),
    /// So many groups of zeros; the last may be shorter.
    Hole(u64),
    End,
    /// It is not what it was when it was opened.
    Changed,
}

/// A file that is read.
#[derive(Debug)]
pub(crate) struct Reading {
    file: File,
    pub(crate) is: Metadata,
    /// The next byte that is read.
    pub(crate) offset: u64,
    /// It has fewer blocks than its size would take.
    sparse: bool,
}

/// What a file is known by as long as nobody changes it.
pub(crate) fn version(is: &Metadata) -> Version {
    let mut hasher = blake3::Hasher::new();
    for number in [is.ino() as i64, is.len() as i64, is.mtime(), is.mtime_nsec(), is.ctime(), is.ctime_nsec()] {
        hasher.update(&number.to_be_bytes());
    }
    hasher.finalize().as_bytes()[..16].try_into().expect("it has 32")
}

impl Reading {
    /// Opens a regular file.
    pub(crate) fn open(path: &Path) -> io::Result<Reading> {
        // What is no file must not block when it is opened.
        let file = OpenOptions::new().read(true).custom_flags(OFlag::O_NONBLOCK.bits()).open(path)?;
        let is = file.metadata()?;
        if !is.is_file() {
            return Err(io::Error::other("it is no regular file any more"));
        }
        // A block of `st_blocks` has 512 bytes, whatever the file system's have.
        let sparse = is.blocks().saturating_mul(512) < is.len();
        Ok(Reading { file, is, offset: 0, sparse })
    }

    /// The next piece.
    pub(crate) fn next(&mut self) -> io::Result<Piece> {
        let left = self.is.len().saturating_sub(self.offset);
        if left == 0 {
            let now = self.file.metadata()?;
            return Ok(if version(&now) == version(&self.is) { Piece::End } else { Piece::Changed });
        }
        if self.sparse {
            let groups = self.hole()?;
            if groups > 0 {
                self.offset = self.offset.saturating_add(groups.saturating_mul(GROUP)).min(self.is.len());
                return Ok(Piece::Hole(groups));
            }
        }
        let mut bytes = vec![0; left.min(GROUP) as usize];
        match self.file.read_exact_at(&mut bytes, self.offset) {
            Ok(()) => {
                self.offset += bytes.len() as u64;
                Ok(Piece::Data(bytes))
            }
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(Piece::Changed),
            Err(error) => Err(error),
        }
    }

    /// Whole groups from here on in which there is nothing.
    fn hole(&self) -> io::Result<u64> {
        match lseek64(&self.file, self.offset as i64, Whence::SeekData) {
            Ok(data) => Ok((data as u64).saturating_sub(self.offset) / GROUP),
            Err(Errno::ENXIO) => Ok((self.is.len() - self.offset).div_ceil(GROUP)),
            // A file system without holes.
            Err(Errno::EINVAL) => Ok(0),
            Err(error) => Err(error.into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn a_terabyte_of_nothing_is_a_piece() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("sparse");
        let mut file = File::create(&path).unwrap();
        file.write_all(b"begin").unwrap();
        file.write_all_at(b"end", (1 << 40) - 3).unwrap();
        drop(file);
        let mut reading = Reading::open(&path).unwrap();
        let mut pieces = Vec::new();
        loop {
            match reading.next().unwrap() {
                Piece::End => break,
                Piece::Data(bytes) => pieces.push((bytes.len() as u64, true)),
                Piece::Hole(groups) => pieces.push((groups * GROUP, false)),
                Piece::Changed => panic!("nobody changed it"),
            }
        }
        assert_eq!(pieces.iter().map(|(bytes, _)| bytes).sum::<u64>(), 1 << 40);
        assert!(pieces.len() <= 4, "{pieces:?}");
    }

    #[test]
    fn what_changes_is_noticed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        std::fs::write(&path, "12345").unwrap();
        for change in ["123456", "1234"] {
            let mut reading = Reading::open(&path).unwrap();
            if change.len() > 5 {
                assert_eq!(reading.next().unwrap(), Piece::Data(b"12345".into()));
            }
            std::fs::write(&path, change).unwrap();
            assert_eq!(reading.next().unwrap(), Piece::Changed, "{change}");
        }
    }
}
