//! The hash of a whole file.

use std::fs::File;
use std::io::{self, Read};

use crate::groups::GROUP;
use crate::message::Hash;

/// Reads all of a file, and hashes it on all processors.
pub(crate) fn hash(mut file: &File) -> io::Result<Hash> {
    let mut hasher = blake3::Hasher::new();
    // Enough for each of eight processors to have a group.
    let mut bytes = vec![0; 8 * GROUP as usize];
    loop {
        match file.read(&mut bytes)? {
            0 => return Ok(*hasher.finalize().as_bytes()),
            read => hasher.update_rayon(&bytes[..read]),
        };
    }
}
