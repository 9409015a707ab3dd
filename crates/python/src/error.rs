//! Bad input as an exception: the same words as the command's, with the place.

use pyo3::create_exception;
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;

create_exception!(
    symbiosis,
    ScenarioError,
    PyValueError,
    "A scenario or a sweep is wrong. Attributes: what, help, file, text, at (start and end in bytes, or None)."
);

/// The exception for an error of a scenario.
pub(crate) fn refused(py: Python<'_>, error: &symbiosis_scenario::ScenarioError) -> PyErr {
    let mut message = error.what.clone();
    if let Some(at) = error.at.clone().filter(|at| at.end <= error.text.len()) {
        let before = &error.text[..at.start];
        let line = before.lines().count().max(1) + usize::from(before.ends_with('\n'));
        let column = before.rsplit('\n').next().map_or(0, |text| text.chars().count()) + 1;
        let source = error.text.lines().nth(line - 1).unwrap_or_default().trim();
        message += &format!("\n  at {}:{line}:{column}: {source}", error.file);
    }
    if let Some(help) = &error.help {
        message += &format!("\n  help: {help}");
    }
    let exception = ScenarioError::new_err(message);
    let value = exception.value(py);
    let at = error.at.clone().map(|at| (at.start, at.end));
    let set = value
        .setattr("what", &error.what)
        .and_then(|()| value.setattr("help", &error.help))
        .and_then(|()| value.setattr("file", &error.file))
        .and_then(|()| value.setattr("text", &error.text))
        .and_then(|()| value.setattr("at", at));
    set.err().unwrap_or(exception)
}

/// The exception for what is a fault of the program, or a folder's.
pub(crate) fn failed(why: impl std::fmt::Display) -> PyErr {
    PyRuntimeError::new_err(why.to_string())
}
