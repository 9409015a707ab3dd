//! A controller that is an object of a Python class.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use symbiosis_base::{Bytes, Instant};
use symbiosis_control::params::{Param, Values};
use symbiosis_control::registry::{Entry, Feedback, Recovery};
use symbiosis_control::{AckProcessed, Acked, Ask, Controller, Departure, Lost, PacketLost, Permit, Sent, Setup};

use crate::event;

/// The parameter by which an entry finds its class: an entry's `build` is a function, which holds nothing.
const CLASS: &str = "python_class";

/// The classes that have been controllers in this process, with the names of their parameters. A class is known by its address, and kept.
static CLASSES: Mutex<Vec<Class>> = Mutex::new(Vec::new());
/// What the last controller raised that ended its run.
static RAISED: Mutex<Option<PyErr>> = Mutex::new(None);

struct Class {
    object: Py<PyAny>,
    name: String,
    entry: &'static Entry,
}

/// The entries of classes, by the names that scenarios call them.
///
/// # Errors
/// A class lacks a method, or its `params` are no table of numbers.
pub(crate) fn entries(given: &Bound<'_, PyDict>) -> PyResult<Vec<Entry>> {
    given.iter().map(|(name, class)| entry(&name.extract::<String>()?, &class)).collect()
}

fn entry(name: &str, class: &Bound<'_, PyAny>) -> PyResult<Entry> {
    for method in ["acked", "lost", "permit"] {
        if !class.hasattr(method)? {
            return Err(PyTypeError::new_err(format!("controller \"{name}\" has no method `{method}`")));
        }
    }
    let mut classes = CLASSES.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = classes.iter().find(|known| known.object.bind(class.py()).is(class) && known.name == name) {
        return Ok(Entry { ..*known.entry });
    }
    let at = classes.len() as f64;
    let mut params = vec![Param::number(CLASS, at, at, at, "which class it is; set by the package")];
    if let Ok(declared) = class.getattr("params") {
        for (name, default) in declared.extract::<BTreeMap<String, f64>>()? {
            params.push(Param::number(name.leak(), default, f64::MIN, f64::MAX, "declared by the class"));
        }
    }
    // Each class once, so that what is never given back is bounded by the program's text.
    let entry: &'static Entry = Box::leak(Box::new(Entry {
        name: name.to_owned().leak(),
        about: "a class of Python",
        params: params.leak(),
        recovery: Recovery::Rack,
        feedback: Feedback::Acks,
        build,
    }));
    classes.push(Class { object: class.clone().unbind(), name: name.into(), entry });
    Ok(Entry { ..*entry })
}

/// Makes a controller of the class for a connection: `cls(setup, **params)`.
fn build(setup: &Setup, values: &Values) -> Box<dyn Controller> {
    Python::attach(|py| {
        let class = {
            let classes = CLASSES.lock().unwrap_or_else(PoisonError::into_inner);
            classes[values.number(CLASS) as usize].object.clone_ref(py)
        };
        let params = PyDict::new(py);
        let made = values.iter().filter(|(name, _)| *name != CLASS).try_for_each(|(name, _)| params.set_item(name, values.number(name)));
        let made = made.and_then(|()| class.bind(py).call((event::Setup::from(setup),), Some(&params)));
        let object = made.unwrap_or_else(|error| fail(py, error));
        let has = |method: &str| object.hasattr(method).unwrap_or(false);
        let hears =
            Hears { sent: has("sent"), packet_lost: has("packet_lost"), ack_processed: has("ack_processed"), gauges: has("gauges") };
        Box::new(OfPython { object: object.unbind(), packet: setup.packet, hears })
    })
}

/// Ends the run: the class raised an exception, or gave what no controller can.
fn fail(py: Python<'_>, error: PyErr) -> ! {
    let why = error.to_string();
    *RAISED.lock().unwrap_or_else(PoisonError::into_inner) = Some(error.clone_ref(py));
    symbiosis_sweep::throw(why)
}

/// What ended the last run that a class ended.
pub(crate) fn raised() -> Option<PyErr> {
    RAISED.lock().unwrap_or_else(PoisonError::into_inner).take()
}

/// Which of the events a class hears that it need not.
#[derive(Clone, Copy)]
struct Hears {
    sent: bool,
    packet_lost: bool,
    ack_processed: bool,
    gauges: bool,
}

struct OfPython {
    object: Py<PyAny>,
    packet: Bytes,
    hears: Hears,
}

impl OfPython {
    fn tell<E>(&self, method: &str, event: E)
    where
        E: for<'py> IntoPyObject<'py>,
        (E,): for<'py> pyo3::call::PyCallArgs<'py>,
    {
        Python::attach(|py| {
            if let Err(error) = self.object.bind(py).call_method1(method, (event,)) {
                fail(py, error);
            }
        });
    }
}

impl Clone for OfPython {
    /// A copy that shares nothing with the original, as a world needs that rehearses what comes next.
    fn clone(&self) -> OfPython {
        Python::attach(|py| {
            let copied = py.import("copy").and_then(|copy| copy.call_method1("deepcopy", (&self.object,)));
            let object = copied.unwrap_or_else(|error| fail(py, error)).unbind();
            OfPython { object, ..*self }
        })
    }
}

impl Controller for OfPython {
    fn sent(&mut self, packet: &Sent) {
        if self.hears.sent {
            self.tell("sent", event::Sent::from(packet));
        }
    }

    fn acked(&mut self, ack: &Acked) {
        self.tell("acked", event::Acked::from(ack));
    }

    fn packet_lost(&mut self, packet: &PacketLost) {
        if self.hears.packet_lost {
            self.tell("packet_lost", event::PacketLost::from(packet));
        }
    }

    fn lost(&mut self, loss: &Lost) {
        self.tell("lost", event::Lost::from(loss));
    }

    fn ack_processed(&mut self, ack: &AckProcessed) {
        if self.hears.ack_processed {
            self.tell("ack_processed", event::AckProcessed::from(ack));
        }
    }

    fn permit(&self, ask: &Ask) -> Permit {
        Python::attach(|py| {
            let answer = self.object.bind(py).call_method1("permit", (event::Ask::from(ask),));
            answer.and_then(|answer| permit(&answer, self.packet)).unwrap_or_else(|error| fail(py, error))
        })
    }

    fn gauges(&self, plot: &mut dyn FnMut(&'static str, f64)) {
        if !self.hears.gauges {
            return;
        }
        Python::attach(|py| {
            let found = self.object.bind(py).call_method0("gauges").and_then(|found| found.extract::<BTreeMap<String, f64>>());
            found.unwrap_or_else(|error| fail(py, error)).into_iter().for_each(|(name, value)| plot(kept(name), value));
        });
    }
}

/// What `permit` answered: a window in bytes, or a window and the instant before which the next packet may not leave \[s\].
fn permit(answer: &Bound<'_, PyAny>, packet: Bytes) -> PyResult<Permit> {
    let (window, departure) = match answer.cast::<PyTuple>() {
        Ok(_) => answer.extract::<(f64, f64)>().map(|(window, at)| (window, Departure::At(Instant::from_secs(at))))?,
        Err(_) => (answer.extract::<f64>()?, Departure::Now),
    };
    match window.is_nan() {
        true => Err(PyValueError::new_err("permit answered a window that is not a number")),
        // A window stays at least one packet.
        false => Ok(Permit::paced(Bytes((window as u64).max(packet.0)), departure)),
    }
}

/// A gauge's name, for good; each once.
fn kept(name: String) -> &'static str {
    static NAMES: Mutex<Vec<&'static str>> = Mutex::new(Vec::new());
    let mut names = NAMES.lock().unwrap_or_else(PoisonError::into_inner);
    match names.iter().find(|known| **known == name) {
        Some(known) => known,
        None => {
            let name: &'static str = name.leak();
            names.push(name);
            name
        }
    }
}
