//! Shards put together.

use std::path::{Path, PathBuf};

use symbiosis_scenario::{ScenarioError, Target};

use crate::store::{Done, Store, StoreError};
use crate::sweep::{Changes, Sweep};

/// Why shards cannot be put together.
#[derive(Debug)]
pub enum MergeError {
    /// The sweep that a shard says it is of cannot be read.
    Sweep(ScenarioError),
    /// A folder is at fault.
    Store(StoreError),
}

/// Puts shards of one sweep together in a folder: the dataset that the sweep would have made alone, byte for byte.
///
/// # Errors
/// They are of different sweeps, runs are missing, or reading or writing fails.
pub fn merge(target: &Target, shards: &[PathBuf], folder: &Path) -> Result<Done, MergeError> {
    let unfit = |what: String| MergeError::Store(StoreError::Unfit(what));
    let first = shards.first().ok_or_else(|| unfit("no shards are given".into()))?;
    let sweep = Sweep::load(target, &first.join("sweep.toml"), &Changes::default()).map_err(MergeError::Sweep)?;
    let store = Store::open(folder, sweep.into()).map_err(MergeError::Store)?;
    shards.iter().try_for_each(|shard| store.absorb(shard)).map_err(MergeError::Store)?;
    let gaps = store.gaps();
    if !gaps.is_empty() {
        let gaps: Vec<String> = gaps.iter().map(|gap| format!("{} to {}", gap.start, gap.end - 1)).collect();
        return Err(unfit(format!("runs {} are in no shard yet; run the same command again when they are", gaps.join(", "))));
    }
    let done = store.finish().map_err(|error| MergeError::Store(error.into()))?;
    done.ok_or_else(|| unfit("runs are missing".into()))
}
