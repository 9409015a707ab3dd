//! What a run found, as it is kept until its part of the dataset is written, and as it passes between machines.

use serde::{Deserialize, Serialize};
use symbiosis_run::Summary;

/// A run that has ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// Its number.
    pub run: u64,
    /// What it found, or why it is not possible.
    pub found: Result<Summary, String>,
}

/// Records as bytes.
pub fn encode(records: &[Record]) -> Vec<u8> {
    postcard::to_stdvec(records).expect("records are numbers and texts")
}

/// Bytes as records; none of bytes that are not whole.
pub fn decode(bytes: &[u8]) -> Option<Vec<Record>> {
    postcard::from_bytes(bytes).ok()
}
