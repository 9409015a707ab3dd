//! Which controllers there are to play against.

/// Opponents where nobody names others: those of the arena's specification that are loss-based …
const LOSS_BASED: [&str; 2] = ["cubic", "reno"];
/// … and the rest. Of those that there are not yet no cell is made.
const OTHERS: [&str; 7] = ["bbr3", "copa", "prague", "vegas", "fast", "ledbat++", "quic-cubic"];

/// The controllers that a target has, and the opponents that were asked for.
#[derive(Clone, Copy, Debug)]
pub struct Known<'a> {
    /// Names of all controllers.
    pub names: &'a [&'a str],
    /// Opponents; the usual ones if it is empty.
    pub against: &'a [String],
}

impl Known<'_> {
    /// The name under which the hosts have a controller: their own, if they have one.
    pub fn here(&self, name: &str) -> String {
        let native = format!("linux-{name}");
        if self.names.contains(&native.as_str()) { native } else { name.into() }
    }

    /// CUBIC, what most others are held against.
    pub fn cubic(&self) -> String {
        self.here("cubic")
    }

    fn opponents(&self, usual: &[&str], is_wanted: impl Fn(&str) -> bool) -> Vec<String> {
        let wanted: Vec<String> = match self.against {
            [] => usual.iter().map(|name| (*name).into()).collect(),
            given => given.iter().filter(|name| is_wanted(name)).cloned().collect(),
        };
        wanted.iter().map(|name| self.here(name)).filter(|name| self.names.contains(&name.as_str())).collect()
    }

    /// Opponents of the family "beside loss-based".
    pub fn loss_based(&self) -> Vec<String> {
        self.opponents(&LOSS_BASED, |name| LOSS_BASED.contains(&name))
    }

    /// Opponents of the family "beside others".
    pub fn others(&self) -> Vec<String> {
        self.opponents(&OTHERS, |name| !LOSS_BASED.contains(&name))
    }
}
