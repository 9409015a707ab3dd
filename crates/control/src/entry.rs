//! What a controller tells the registry of itself.

use alloc::boxed::Box;

use crate::params::{Param, Values};
use crate::{Controller, Setup};

/// A controller as the registry knows it.
#[derive(Debug)]
pub struct Entry {
    /// Its name in a scenario (`cc = "name"`).
    pub name: &'static str,
    /// One line: what it is and where it is published.
    pub about: &'static str,
    /// Its parameters.
    pub params: &'static [Param],
    /// Makes one for a connection, from values that were resolved against `params`.
    pub build: fn(&Setup, &Values) -> Box<dyn Controller>,
}
