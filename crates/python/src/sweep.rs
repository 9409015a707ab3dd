//! Sweeps and their chunks.

use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use symbiosis_sweep as inner;
use symbiosis_sweep::{Changes, Record, Tables};

use crate::error::{failed, refused};
use crate::scenario::target;
use crate::supervised::supervised;
use crate::table::Table;

/// A sweep that was read and understood. `symbiosis.sweep` makes and runs it.
#[pyclass(frozen, module = "symbiosis")]
pub(crate) struct Sweep(Arc<inner::Sweep>);

impl Sweep {
    /// It.
    pub fn inner(&self) -> &inner::Sweep {
        &self.0
    }

    /// It, for whoever holds it too.
    pub fn shared(&self) -> Arc<inner::Sweep> {
        Arc::clone(&self.0)
    }
}

#[pymethods]
impl Sweep {
    #[new]
    #[pyo3(signature = (text, file, base = None, scenario = None, sets = Vec::new(), seeds = None, controllers = None))]
    #[expect(clippy::too_many_arguments, reason = "Python gives them by name")]
    fn new(
        py: Python<'_>,
        text: &str,
        file: &str,
        base: Option<PathBuf>,
        scenario: Option<(String, String)>,
        sets: Vec<String>,
        seeds: Option<u64>,
        controllers: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Sweep> {
        let target = target(controllers)?;
        let read = inner::Sweep::parse(&target, text, file, base.as_deref(), &Changes { sets, seeds, scenario });
        read.map(Arc::new).map(Sweep).map_err(|error| refused(py, &error))
    }

    /// Tries each value of each axis.
    fn check(&self, py: Python<'_>) -> PyResult<()> {
        self.0.check().map_err(|error| refused(py, &error))
    }

    /// How many runs there are.
    #[getter]
    fn runs(&self) -> u64 {
        self.0.runs()
    }

    /// How many chunks of runs there are.
    #[getter]
    fn chunks(&self) -> u64 {
        inner::chunks(&self.0)
    }

    /// Which sweep it is: equal for equal texts and versions.
    #[getter]
    fn id(&self) -> String {
        self.0.id()
    }

    /// The paths of its axes: the columns of the results.
    #[getter]
    fn axes(&self) -> Vec<String> {
        self.0.grid().axes().map(|axis| axis.path.clone()).collect()
    }

    /// The sweep as TOML, of a scenario in a file `scenario.toml` beside it.
    #[getter]
    fn text(&self) -> &str {
        self.0.text()
    }

    /// The scenario as TOML, with every change applied but those of the axes.
    #[getter]
    fn scenario(&self) -> &str {
        self.0.scenario()
    }

    /// Runs a chunk: bytes that follow from the sweep and the chunk's number alone. Each run's traces go into `traces` if it is given.
    #[pyo3(signature = (chunk, traces = None))]
    fn run_chunk<'py>(&self, py: Python<'py>, chunk: u64, traces: Option<PathBuf>) -> PyResult<Bound<'py, PyBytes>> {
        let found = supervised(py, None, |work| inner::run_chunk(&self.0, chunk, traces.as_deref(), &work.stop))??;
        let records = found.ok_or_else(|| failed("stopped"))?;
        Ok(PyBytes::new(py, &inner::encode(&records)))
    }

    /// Runs these chunks on so many threads, and gives what they found, each as `run_chunk` does.
    #[pyo3(signature = (chunks, threads, progress = None))]
    fn run_here<'py>(
        &self,
        py: Python<'py>,
        chunks: Vec<u64>,
        threads: usize,
        progress: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Vec<Bound<'py, PyBytes>>> {
        let found = Mutex::new(Vec::new());
        let lock = || found.lock().unwrap_or_else(PoisonError::into_inner);
        supervised(py, progress, |work| {
            inner::run_local(&self.0, &chunks, threads, None, &work.stop, |chunk, records| {
                work.done.fetch_add(1, Ordering::Relaxed);
                lock().push((chunk, inner::encode(&records)));
                Ok(())
            })
        })??;
        let mut found = std::mem::take(&mut *lock());
        found.sort();
        Ok(found.into_iter().map(|(_, bytes)| PyBytes::new(py, &bytes)).collect())
    }

    /// The tables of what chunks found, in the order of the chunks: flows, links, failures.
    fn tables(&self, py: Python<'_>, found: Vec<Vec<u8>>) -> PyResult<(Table, Table, Table)> {
        let tables = py.detach(|| {
            let mut tables = Tables::new(self.0.grid(), None);
            for chunk in &found {
                let records: Vec<Record> = inner::decode(chunk).ok_or("these bytes are no chunk")?;
                records.iter().for_each(|record| tables.push(self.0.grid(), record));
            }
            Ok::<_, &str>(tables)
        });
        let Tables { flows, links, failures, .. } = tables.map_err(failed)?;
        Ok((Table::of_sweep(flows)?, Table::of_sweep(links)?, Table::of_sweep(failures)?))
    }
}
