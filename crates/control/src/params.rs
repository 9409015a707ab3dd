//! Parameters of controllers: declared once beside the controller, checked once, printed by `--explain`.

use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;

/// A parameter as its controller declares it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Param {
    /// Its name in a scenario's `params`.
    pub name: &'static str,
    /// What it may be, and what it is when not given.
    pub kind: Kind,
    /// One line: what it does, its unit, where the default comes from.
    pub about: &'static str,
    /// Where it changes anything; none: everywhere. To set it elsewhere is an error.
    pub only_if: Option<Condition>,
    /// Words of a choice that only a simulator can keep.
    pub simulated: &'static [&'static str],
}

/// What another parameter must be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Condition {
    /// The other one's name.
    pub param: &'static str,
    /// What it must be.
    pub is: Is,
}

/// What a parameter must be for another one to apply.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Is {
    /// One of these words.
    OneOf(&'static [&'static str]),
    /// A number that is not zero.
    Positive,
    /// Zero.
    Zero,
}

impl Is {
    fn holds(&self, value: &Value) -> bool {
        match (self, value) {
            (Is::OneOf(words), Value::Word(word)) => words.contains(&word.as_str()),
            (Is::Positive, Value::Number(n)) => *n > 0.0,
            (Is::Zero, Value::Number(n)) => *n == 0.0,
            _ => false,
        }
    }
}

impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.param;
        match self.is {
            Is::Positive => write!(f, "{name} > 0"),
            Is::Zero => write!(f, "{name} = 0"),
            Is::OneOf(words) => write!(f, "{name} = \"{}\"", words.join("\" or \"")),
        }
    }
}

/// What a parameter may be.
#[derive(Clone, Copy, Debug, PartialEq)]
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
    const fn new(name: &'static str, kind: Kind, about: &'static str) -> Param {
        Param { name, kind, about, only_if: None, simulated: &[] }
    }

    /// A number with its default and bounds (both included).
    pub const fn number(name: &'static str, default: f64, min: f64, max: f64, about: &'static str) -> Param {
        Param::new(name, Kind::Number { default, min, max }, about)
    }

    /// A choice; the first word is the default.
    pub const fn choice(name: &'static str, words: &'static [&'static str], about: &'static str) -> Param {
        Param::new(name, Kind::Choice(words), about)
    }

    /// A switch with its default.
    pub const fn flag(name: &'static str, default: bool, about: &'static str) -> Param {
        Param::new(name, Kind::Flag(default), about)
    }

    /// The same, where `param` is one of `words`; elsewhere it changes nothing.
    pub const fn only_if(self, param: &'static str, words: &'static [&'static str]) -> Param {
        Param { only_if: Some(Condition { param, is: Is::OneOf(words) }), ..self }
    }

    /// The same, where the number `param` is not zero.
    pub const fn only_if_positive(self, param: &'static str) -> Param {
        Param { only_if: Some(Condition { param, is: Is::Positive }), ..self }
    }

    /// The same, where the number `param` is zero.
    pub const fn only_if_zero(self, param: &'static str) -> Param {
        Param { only_if: Some(Condition { param, is: Is::Zero }), ..self }
    }

    /// The same choice, of which `words` ask for what only a simulator knows.
    pub const fn simulated(self, words: &'static [&'static str]) -> Param {
        Param { simulated: words, ..self }
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

/// Groups of parameters, one after another: `N` in all.
pub const fn joined<const N: usize>(groups: &[&[Param]]) -> [Param; N] {
    let mut all = [groups[0][0]; N];
    let (mut group, mut placed) = (0, 0);
    while group < groups.len() {
        let mut at = 0;
        while at < groups[group].len() {
            all[placed] = groups[group][at];
            (at, placed) = (at + 1, placed + 1);
        }
        group += 1;
    }
    assert!(placed == N, "as many as there are");
    all
}

/// Every parameter of one controller with its effective value, in the order of declaration.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Values {
    declared: &'static [Param],
    /// One for each that is declared.
    values: Vec<Value>,
}

impl Values {
    /// Declared parameters with what was given, defaults elsewhere.
    ///
    /// # Errors
    /// The first given parameter that is not declared, whose value its declaration does not allow, or that changes nothing beside the others.
    pub fn resolve(declared: &'static [Param], given: &[(String, Value)]) -> Result<Values, ParamError> {
        let mut resolved = Values { declared, values: declared.iter().map(Param::default).collect() };
        for (name, value) in given {
            let Some(at) = resolved.place(name) else {
                return Err(ParamError::Unknown { name: name.clone(), known: declared.iter().map(|p| p.name).collect() });
            };
            if !declared[at].allows(value) {
                return Err(ParamError::Value { name: name.clone(), value: value.clone(), wanted: declared[at].wanted() });
            }
            resolved.values[at] = value.clone();
        }
        for (name, _) in given {
            let unmet = resolved.unmet(name);
            if !unmet.is_empty() {
                let is = unmet.iter().map(|condition| (condition.param, resolved.get(condition.param).clone())).collect();
                return Err(ParamError::Idle { name: name.clone(), is, wants: unmet });
            }
        }
        Ok(resolved)
    }

    /// These values, for a world that is no simulator.
    ///
    /// # Errors
    /// A parameter asks for what only a simulator knows.
    pub fn outside_a_simulator(self) -> Result<Values, ParamError> {
        for (param, value) in self.declared.iter().zip(&self.values) {
            if let (Kind::Choice(words), Value::Word(word)) = (param.kind, value)
                && param.simulated.contains(&word.as_str())
            {
                let instead = words.iter().filter(|word| !param.simulated.contains(word)).copied().collect();
                return Err(ParamError::Simulated { name: param.name, word: word.clone(), instead });
            }
        }
        Ok(self)
    }

    fn place(&self, name: &str) -> Option<usize> {
        self.declared.iter().position(|param| param.name == name)
    }

    /// What would have to be otherwise for the parameter to change anything.
    fn unmet(&self, name: &str) -> Vec<Condition> {
        let condition = self.place(name).and_then(|at| self.declared[at].only_if);
        let Some(condition) = condition else { return Vec::new() };
        let mut unmet = self.unmet(condition.param);
        if !condition.is.holds(self.get(condition.param)) {
            unmet.push(condition);
        }
        unmet
    }

    /// Name and value of each parameter that changes something beside the others.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, &Value)> {
        let all = self.declared.iter().map(|param| param.name).zip(&self.values);
        all.filter(|(name, _)| self.unmet(name).is_empty())
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
        &self.values[self.place(name).unwrap_or_else(|| panic!("parameter {name} is read but not declared"))]
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
    /// It changes nothing beside the values of other parameters.
    Idle {
        /// The parameter.
        name: String,
        /// The other parameters and their values.
        is: Vec<(&'static str, Value)>,
        /// What they would have to be.
        wants: Vec<Condition>,
    },
    /// Only a simulator knows this.
    Simulated {
        /// The parameter.
        name: &'static str,
        /// The word given.
        word: String,
        /// The words that any world can keep.
        instead: Vec<&'static str>,
    },
}

impl ParamError {
    /// The parameter at fault.
    pub fn name(&self) -> &str {
        match self {
            ParamError::Unknown { name, .. } | ParamError::Value { name, .. } | ParamError::Idle { name, .. } => name,
            ParamError::Simulated { name, .. } => name,
        }
    }

    /// What would be right.
    pub fn help(&self) -> String {
        match self {
            ParamError::Unknown { known, .. } if known.is_empty() => "it has none".to_string(),
            ParamError::Unknown { known, .. } => alloc::format!("there are {}", known.join(", ")),
            ParamError::Value { wanted, .. } => alloc::format!("it must be {wanted}"),
            ParamError::Idle { wants, .. } => {
                let wants: Vec<String> = wants.iter().map(ToString::to_string).collect();
                alloc::format!("it applies with {}", wants.join(" and "))
            }
            ParamError::Simulated { instead, .. } => {
                alloc::format!("outside a simulator the packets must measure: {}", instead.join(" or "))
            }
        }
    }
}

impl fmt::Display for ParamError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ParamError::Unknown { name, .. } => write!(f, "there is no parameter `{name}`"),
            ParamError::Value { name, value, wanted } => write!(f, "`{name}` is {value}, but must be {wanted}"),
            ParamError::Idle { name, is, .. } => {
                let is: Vec<String> = is.iter().map(|(name, value)| alloc::format!("`{name}` is {value}")).collect();
                write!(f, "`{name}` changes nothing while {}", is.join(" and "))
            }
            ParamError::Simulated { name, word, .. } => write!(f, "`{name}` is {word}, which only a simulator knows"),
        }
    }
}

impl core::error::Error for ParamError {}

#[cfg(test)]
mod tests;
