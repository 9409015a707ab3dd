//! Which controller a connection runs: one of ours, or one of noq's own.

use std::sync::Arc;

use noq_proto::congestion::{Bbr3Config, ControllerFactory, CubicConfig, NewRenoConfig};
use symbiosis_base::{Bytes, Span};
use symbiosis_control::params::{ParamError, Value, Values};
use symbiosis_control::registry::{self, Entry, Feedback};
use symbiosis_noq::{ControllerHandle, Factory};

use crate::clock::Clock;
use crate::feedback::wire::Observes;

/// A congestion controller that noq brings with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Native {
    /// RFC 9438.
    Cubic,
    /// RFC 9002 appendix B.
    NewReno,
    /// BBR version 3 (draft-ietf-ccwg-bbr).
    Bbr3,
}

/// noq's own controllers by name. `quic-` tells them from ours of the same law.
pub const NATIVE: &[(&str, Native, &str)] = &[
    ("quic-cubic", Native::Cubic, "CUBIC as noq has it (RFC 9438)"),
    ("quic-newreno", Native::NewReno, "NewReno as noq has it (RFC 9002 appendix B)"),
    ("quic-bbr", Native::Bbr3, "BBR version 3 as noq has it (draft-ietf-ccwg-bbr)"),
];

/// The controller of a connection.
#[derive(Clone, Debug)]
pub enum Choice {
    /// One of the registry, with its parameters.
    Ours {
        /// As the registry has it.
        entry: &'static Entry,
        /// Its parameters.
        params: Values,
    },
    /// One of noq's, by its name.
    Native(&'static str, Native),
}

/// Why there is no such choice.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ChoiceError {
    /// No controller has that name.
    #[error("there is no controller `{0}`")]
    Unknown(String),
    /// A parameter is at fault.
    #[error(transparent)]
    Param(#[from] ParamError),
}

impl Choice {
    /// A controller by name, with parameters where it takes some.
    ///
    /// What the simulator knows of a path without measuring it is known in no other world, and refused here.
    ///
    /// # Errors
    /// No controller has the name, or a parameter is none of its own.
    pub fn find(name: &str, given: &[(String, Value)]) -> Result<Choice, ChoiceError> {
        if let Some((name, native, _)) = NATIVE.iter().find(|(known, ..)| *known == name) {
            Values::resolve(&[], given)?;
            return Ok(Choice::Native(name, *native));
        }
        let entry = registry::find(name).ok_or_else(|| ChoiceError::Unknown(name.into()))?;
        Choice::of(entry, &Values::resolve(entry.params, given)?)
    }

    /// A controller that was found before, with its parameters. One that stands for noq's is noq's.
    ///
    /// # Errors
    /// It needs what only the simulator knows.
    pub fn of(entry: &'static Entry, params: &Values) -> Result<Choice, ChoiceError> {
        if let Some((name, native, _)) = NATIVE.iter().find(|(known, ..)| *known == entry.name) {
            return Ok(Choice::Native(name, *native));
        }
        let params = params.clone().outside_a_simulator()?;
        Ok(Choice::Ours { entry, params })
    }

    /// Every name there is.
    pub fn names() -> impl Iterator<Item = &'static str> {
        registry::ALL.iter().map(|entry| entry.name).chain(NATIVE.iter().map(|(name, ..)| *name))
    }

    /// Its name.
    pub fn name(&self) -> &'static str {
        match self {
            Choice::Ours { entry, .. } => entry.name,
            Choice::Native(name, _) => name,
        }
    }

    /// The receiver's half of the controller, if it has one.
    pub(crate) fn observer(&self, payload: u16) -> Option<Observes> {
        match self {
            Choice::Ours { entry, params } if matches!(entry.feedback, Feedback::Reports(_)) => {
                Some(Observes::new(entry.name, params, payload))
            }
            _ => None,
        }
    }

    /// What noq makes the connection's controller with; and the world's side of it, if it is one of ours.
    pub(crate) fn factory(&self, at: &At) -> (Arc<dyn ControllerFactory + Send + Sync>, Option<ControllerHandle>) {
        // noq counts UDP payload.
        let window = at.initial_window * u64::from(at.payload);
        match self {
            Choice::Ours { entry, params } => {
                let controller = ControllerHandle::default();
                let factory = Factory::new(entry)
                    .with_params(params.clone())
                    .with_seed(at.seed)
                    .with_overhead(at.overhead)
                    .with_initial_window(at.initial_window)
                    .with_timer(at.timer)
                    .with_hook(controller.clone(), at.clock);
                (Arc::new(factory), Some(controller))
            }
            Choice::Native(_, Native::Cubic) => {
                let mut config = CubicConfig::default();
                config.initial_window(window);
                (Arc::new(config), None)
            }
            Choice::Native(_, Native::NewReno) => {
                let mut config = NewRenoConfig::default();
                config.initial_window(window);
                (Arc::new(config), None)
            }
            Choice::Native(_, Native::Bbr3) => {
                let mut config = Bbr3Config::default();
                config.initial_window(window);
                (Arc::new(config), None)
            }
        }
    }
}

/// Where and when a connection begins.
#[derive(Clone, Copy, Debug)]
pub(crate) struct At {
    pub(crate) clock: Clock,
    pub(crate) seed: u64,
    /// UDP payload of a full packet \[bytes\].
    pub(crate) payload: u16,
    /// What UDP and IP add to it.
    pub(crate) overhead: Bytes,
    /// Window before the first ACK \[packets\].
    pub(crate) initial_window: u64,
    /// What the host's timer can do.
    pub(crate) timer: Span,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn find(name: &str, params: &[(&str, Value)]) -> Result<Choice, ChoiceError> {
        let params: Vec<_> = params.iter().map(|(name, value)| (name.to_string(), value.clone())).collect();
        Choice::find(name, &params)
    }

    #[test]
    fn every_name_is_found_and_nothing_else() {
        for name in Choice::names() {
            assert_eq!(find(name, &[]).unwrap().name(), name);
        }
        assert_eq!(find("renno", &[]).unwrap_err().to_string(), "there is no controller `renno`");
        assert_eq!(find("quic-bbr", &[("gamma", Value::Number(0.5))]).unwrap_err().to_string(), "there is no parameter `gamma`");
        assert!(find("symbiosis", &[("gamma", Value::Number(7.0))]).unwrap_err().to_string().contains("must be"));
    }

    #[test]
    fn what_measures_measures_by_the_packets() {
        for word in ["oracle", "capacity"] {
            let error = find("symbiosis", &[("measurement", Value::Word(word.into()))]).unwrap_err();
            assert_eq!(error.to_string(), format!("`measurement` is {word}, which only a simulator knows"));
        }
    }
}
