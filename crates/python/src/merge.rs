//! Shards put together.

use std::path::PathBuf;

use pyo3::prelude::*;
use symbiosis_papers::World;
use symbiosis_sweep::MergeError;

use crate::error::refused;
use crate::store::{Came, came, unfit};

/// Puts shards together in a folder, as `symbiosis sweep merge` does.
#[pyfunction]
pub(crate) fn merge(py: Python<'_>, shards: Vec<PathBuf>, out: PathBuf) -> PyResult<Came> {
    let done = py.detach(|| symbiosis_sweep::merge(World::Simulator.target(), &shards, &out));
    done.map(came).map_err(|error| match error {
        MergeError::Sweep(error) => refused(py, &error),
        MergeError::Store(error) => unfit(&out, error),
    })
}
