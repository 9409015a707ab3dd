//! What a run found.

use pyo3::prelude::*;
use symbiosis_report::traces;
use symbiosis_run::Outcome;

use crate::error::failed;
use crate::table::Table;

/// What a run found.
#[pyclass(frozen, module = "symbiosis")]
pub(crate) struct RunResult(pub Outcome);

#[pymethods]
impl RunResult {
    /// What `symbiosis simulate --json` prints of the run, but for the time that it took: as a dict.
    #[getter]
    fn summary<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let text = serde_json::to_string(&self.0.summary).map_err(failed)?;
        py.import("json")?.call_method1("loads", (text,))
    }

    /// The samples of the flows: `time_s`, `flow`, `cwnd_packets`, `in_flight_packets`, `srtt_ms`, …, and the controllers' gauges. Of a run with
    /// `traces=True`; without rows else.
    #[getter]
    fn flow_trace(&self) -> PyResult<Table> {
        Table::of_traces(&traces::flows(&self.0))
    }

    /// The samples of the links: `time_s`, `link`, `queue_packets`, `drops`, `bytes_begun`.
    #[getter]
    fn link_trace(&self) -> PyResult<Table> {
        Table::of_traces(&traces::links(&self.0))
    }

    fn __repr__(&self) -> String {
        let summary = &self.0.summary;
        let flows = summary.flows.iter().map(|flow| format!("{} {:.3} Mbit/s", flow.id, flow.throughput_mbps));
        format!("<symbiosis.RunResult of {}, seed {}: {}>", summary.scenario, summary.seed, flows.collect::<Vec<_>>().join(", "))
    }
}
