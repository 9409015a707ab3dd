//! The extension module `symbiosis._native`: what the Python package `symbiosis` (in `python/`) is made of.
//!
//! Scenarios, runs and sweeps are those of the command, with the interpreter's lock released while they run; tables go over as Arrow, by the
//! PyCapsule interface, without being copied; a class with `acked`, `lost` and `permit` is a controller.

mod controller;
mod error;
mod event;
mod merge;
mod result;
mod scenario;
mod store;
mod supervised;
mod sweep;
mod table;

use pyo3::prelude::*;

/// What `symbiosis` is made of. Use `symbiosis`; this is its inside.
#[pymodule]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add("ScenarioError", module.py().get_type::<error::ScenarioError>())?;
    module.add_class::<scenario::Scenario>()?;
    module.add_class::<result::RunResult>()?;
    module.add_class::<sweep::Sweep>()?;
    module.add_class::<store::Store>()?;
    module.add_class::<table::Table>()?;
    module.add_class::<event::Setup>()?;
    module.add_class::<event::Sent>()?;
    module.add_class::<event::Acked>()?;
    module.add_class::<event::PacketLost>()?;
    module.add_class::<event::Lost>()?;
    module.add_class::<event::AckProcessed>()?;
    module.add_class::<event::Ask>()?;
    module.add_function(wrap_pyfunction!(scenario::controllers, module)?)?;
    module.add_function(wrap_pyfunction!(scenario::run_many, module)?)?;
    module.add_function(wrap_pyfunction!(merge::merge, module)?)
}
