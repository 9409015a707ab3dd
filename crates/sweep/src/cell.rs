//! A value of an axis as a cell of the results.

use toml::de::DeValue;

/// A cell.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    /// A whole number.
    Integer(i64),
    /// A number.
    Number(f64),
    /// A switch.
    Flag(bool),
    /// A word; also what is no single value, as TOML.
    Text(String),
}

/// What the cells of a column are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Whole numbers.
    Integer,
    /// Numbers.
    Number,
    /// Switches.
    Flag,
    /// Words.
    Text,
}

impl Cell {
    /// The cell of a value that stands in the text as `source`.
    pub(crate) fn of(value: &DeValue<'_>, source: &str) -> Cell {
        let word = || Cell::Text(source.split_whitespace().collect::<Vec<_>>().join(" "));
        match value {
            DeValue::Integer(n) => i64::from_str_radix(n.as_str(), n.radix()).map_or_else(|_| word(), Cell::Integer),
            DeValue::Float(n) => n.as_str().parse().ok().filter(|n: &f64| n.is_finite()).map_or_else(word, Cell::Number),
            DeValue::Boolean(flag) => Cell::Flag(*flag),
            DeValue::String(text) => Cell::Text(text.to_string()),
            _ => word(),
        }
    }

    /// As a number, if it is one.
    pub fn number(&self) -> Option<f64> {
        match self {
            Cell::Integer(n) => Some(*n as f64),
            Cell::Number(n) => Some(*n),
            _ => None,
        }
    }

    /// As text: what a folder of a partition is called by.
    pub fn text(&self) -> String {
        match self {
            Cell::Integer(n) => n.to_string(),
            Cell::Number(n) => n.to_string(),
            Cell::Flag(flag) => flag.to_string(),
            Cell::Text(text) => text.clone(),
        }
    }

    /// Whether a condition means this cell: `10` means `10.0`.
    pub(crate) fn is(&self, other: &Cell) -> bool {
        match (self.number(), other.number()) {
            (Some(a), Some(b)) => a == b,
            _ => self == other,
        }
    }

    fn kind(&self) -> Kind {
        match self {
            Cell::Integer(_) => Kind::Integer,
            Cell::Number(_) => Kind::Number,
            Cell::Flag(_) => Kind::Flag,
            Cell::Text(_) => Kind::Text,
        }
    }
}

impl Kind {
    /// Of a column with these cells: whole numbers beside others are numbers, and what mixes is text.
    pub(crate) fn of<'a>(cells: impl Iterator<Item = &'a Cell>) -> Kind {
        let both = |a: Kind, b: Kind| match (a, b) {
            (a, b) if a == b => a,
            (Kind::Integer | Kind::Number, Kind::Integer | Kind::Number) => Kind::Number,
            _ => Kind::Text,
        };
        cells.map(Cell::kind).reduce(both).unwrap_or(Kind::Text)
    }
}
