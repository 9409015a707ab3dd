//! The folder of a sweep.

use std::path::PathBuf;
use std::sync::atomic::Ordering;

use pyo3::exceptions::{PyFileExistsError, PyValueError};
use pyo3::prelude::*;
use symbiosis_sweep as inner;

use crate::error::failed;
use crate::supervised::supervised;
use crate::sweep::Sweep;

/// The folder in which a sweep's chunks become its dataset.
#[pyclass(frozen, module = "symbiosis")]
pub(crate) struct Store(inner::Store);

/// A folder's fault.
pub(crate) fn unfit(folder: &std::path::Path, error: inner::StoreError) -> PyErr {
    match error {
        inner::StoreError::Unfit(why) => PyFileExistsError::new_err(format!("{}: {why}", folder.display())),
        inner::StoreError::Io(error) => error.into(),
    }
}

/// What a sweep came to.
pub(crate) type Came = (u64, u64, Vec<String>);

/// Runs, runs that were not possible, and the dataset's files.
pub(crate) fn came(done: inner::Done) -> Came {
    (done.runs, done.failed, done.files)
}

#[pymethods]
impl Store {
    #[new]
    fn new(py: Python<'_>, folder: PathBuf, sweep: &Sweep) -> PyResult<Store> {
        py.detach(|| inner::Store::open(&folder, sweep.shared())).map(Store).map_err(|error| unfit(&folder, error))
    }

    /// What the finished sweep in a folder came to: runs, runs that were not possible, files; None if it is not finished.
    #[staticmethod]
    fn done(folder: PathBuf, sweep: &Sweep) -> Option<Came> {
        inner::Store::done(&folder, sweep.inner()).map(came)
    }

    /// How many chunks the share `shard` has, and those that are not there yet.
    #[pyo3(signature = (shard = "1/1"))]
    fn share(&self, shard: &str) -> PyResult<(u64, Vec<u64>)> {
        let shard: inner::Shard = shard.parse().map_err(|why| PyValueError::new_err(format!("shard is {shard:?}: it must be {why}")))?;
        let chunks = shard.chunks(self.0.chunks());
        Ok((chunks.end - chunks.start, self.0.missing(chunks)))
    }

    /// Runs these chunks on so many threads, and keeps them.
    #[pyo3(signature = (chunks, threads, traces = None, progress = None))]
    fn run(
        &self,
        py: Python<'_>,
        chunks: Vec<u64>,
        threads: usize,
        traces: Option<PathBuf>,
        progress: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        let ran = supervised(py, progress, |work| {
            inner::run_local(self.0.sweep(), &chunks, threads, traces.as_deref(), &work.stop, |chunk, records| {
                work.done.fetch_add(1, Ordering::Relaxed);
                self.0.keep(chunk, &records)
            })
        })?;
        Ok(ran?)
    }

    /// Keeps what `Sweep.run_chunk` gave.
    fn keep(&self, py: Python<'_>, chunk: u64, found: &[u8]) -> PyResult<()> {
        let records = inner::decode(found).ok_or_else(|| failed("these bytes are no chunk"))?;
        Ok(py.detach(|| self.0.keep(chunk, &records))?)
    }

    /// Ends the dataset: runs, runs that were not possible, files; None if chunks are missing.
    fn finish(&self, py: Python<'_>) -> PyResult<Option<Came>> {
        Ok(py.detach(|| self.0.finish())?.map(came))
    }
}
