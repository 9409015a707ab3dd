//! Parameters of controllers: declared once beside the controller, checked once, printed by `--explain`.

use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;

/// A parameter as its controller declares it.
#[derive(Debug)]
pub struct Param {
    /// Its name in a scenario's `params`.
    pub name: &'static str,
    /// What it may be, and what it is when not given.
    pub kind: Kind,
    /// One line: what it does, its unit, where the default comes from.
    pub about: &'static str,
}

/// What a parameter may be.
#[derive(Debug)]
pub enum Kind {
    /// A finite number within bounds.
    Number {
        /// When not given.
        default: f64,
        /// Least allowed.
        min: f64,
        /// Greatest allowed.
        max: f64,
    },
    /// One of a few words; the first is the default.
    Choice(&'static [&'static str]),
    /// Yes or no.
    Flag(bool),
}

impl Param {
    /// A number with its default and bounds (both included).
    pub const fn number(name: &'static str, default: f64, min: f64, max: f64, about: &'static str) -> Param {
        Param { name, kind: Kind::Number { default, min, max }, about }
    }

    /// A choice; the first word is the default.
    pub const fn choice(name: &'static str, words: &'static [&'static str], about: &'static str) -> Param {
        Param { name, kind: Kind::Choice(words), about }
    }

    /// A switch with its default.
    pub const fn flag(name: &'static str, default: bool, about: &'static str) -> Param {
        Param { name, kind: Kind::Flag(default), about }
    }

    fn default(&self) -> Value {
        match self.kind {
            Kind::Number { default, .. } => Value::Number(default),
            Kind::Choice(words) => Value::Word(words[0].to_string()),
            Kind::Flag(default) => Value::Flag(default),
        }
    }

    /// What would be right, in words.
    fn wanted(&self) -> String {
        match self.kind {
            Kind::Number { min, max, .. } => alloc::format!("a number from {min} to {max}"),
            Kind::Choice(words) => alloc::format!("one of: {}", words.join(", ")),
            Kind::Flag(_) => "true or false".to_string(),
        }
    }

    fn allows(&self, value: &Value) -> bool {
        match (&self.kind, value) {
            (Kind::Number { min, max, .. }, Value::Number(n)) => n >= min && n <= max,
            (Kind::Choice(words), Value::Word(word)) => words.contains(&word.as_str()),
            (Kind::Flag(_), Value::Flag(_)) => true,
            _ => false,
        }
    }
}

/// A parameter's value.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A number.
    Number(f64),
    /// A word.
    Word(String),
    /// A switch.
    Flag(bool),
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Number(n) => write!(f, "{n}"),
            Value::Word(word) => write!(f, "{word}"),
            Value::Flag(flag) => write!(f, "{flag}"),
        }
    }
}

/// Every parameter of one controller with its effective value, in the order of declaration.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Values(Vec<(&'static str, Value)>);

impl Values {
    /// Declared parameters with what was given, defaults elsewhere.
    ///
    /// # Errors
    /// The first given parameter that is not declared, or whose value its declaration does not allow.
    pub fn resolve(declared: &'static [Param], given: &[(String, Value)]) -> Result<Values, ParamError> {
        let mut values: Vec<(&'static str, Value)> = declared.iter().map(|p| (p.name, p.default())).collect();
        for (name, value) in given {
            let Some(at) = declared.iter().position(|p| p.name == name) else {
                return Err(ParamError::Unknown { name: name.clone(), known: declared.iter().map(|p| p.name).collect() });
            };
            if !declared[at].allows(value) {
                return Err(ParamError::Value { name: name.clone(), value: value.clone(), wanted: declared[at].wanted() });
            }
            values[at].1 = value.clone();
        }
        Ok(Values(values))
    }

    /// Name and value of each.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, &Value)> {
        self.0.iter().map(|(name, value)| (*name, value))
    }

    /// A declared number.
    ///
    /// # Panics
    /// When the controller reads a number that it did not declare: a fault of the controller, found by the registry's tests.
    pub fn number(&self, name: &str) -> f64 {
        match self.get(name) {
            Value::Number(n) => *n,
            other => panic!("parameter {name} is {other:?}, not a number"),
        }
    }

    /// A declared choice. Panics as [`Values::number`].
    pub fn word(&self, name: &str) -> &str {
        match self.get(name) {
            Value::Word(word) => word,
            other => panic!("parameter {name} is {other:?}, not a word"),
        }
    }

    /// A declared switch. Panics as [`Values::number`].
    pub fn flag(&self, name: &str) -> bool {
        match self.get(name) {
            Value::Flag(flag) => *flag,
            other => panic!("parameter {name} is {other:?}, not a switch"),
        }
    }

    fn get(&self, name: &str) -> &Value {
        let found = self.0.iter().find(|(known, _)| *known == name);
        &found.unwrap_or_else(|| panic!("parameter {name} is read but not declared")).1
    }
}

/// Why a parameter was refused.
#[derive(Clone, Debug, PartialEq)]
pub enum ParamError {
    /// The controller has no parameter of that name.
    Unknown {
        /// The name given.
        name: String,
        /// The names it has.
        known: Vec<&'static str>,
    },
    /// The value is of the wrong type or out of bounds.
    Value {
        /// The parameter.
        name: String,
        /// The value given.
        value: Value,
        /// What would be right, in words.
        wanted: String,
    },
}

impl fmt::Display for ParamError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ParamError::Unknown { name, .. } => write!(f, "there is no parameter `{name}`"),
            ParamError::Value { name, value, wanted } => write!(f, "`{name}` is {value}, but must be {wanted}"),
        }
    }
}

impl core::error::Error for ParamError {}
