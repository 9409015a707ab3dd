//! The end of a copy on this machine, whichever side of ssh it is on.

use std::ffi::OsString;
use std::path::PathBuf;

use symbiosis_copy::{Options, Receiver, Sender, Sources, Tally, Target};
use symbiosis_quic::exchange::End;

use crate::failure::Failure;

/// What this side does.
pub enum Kind {
    /// It has the files.
    Gives(Vec<OsString>),
    /// It wants them, there.
    Takes(OsString),
    /// It wants to know what there is.
    Lists,
}

/// The end.
///
/// # Errors
/// A glob is none.
pub fn end(kind: &Kind, options: &Options, tally: &Tally) -> Result<Box<dyn End>, Failure> {
    let fault = |why| Failure::input(why, "globs are written as in .gitignore");
    let (options, tally) = (options.clone(), tally.clone());
    let target = match kind {
        Kind::Gives(sources) => {
            let sources = match &sources[..] {
                [stdin] if stdin == "-" => Sources::Stream("stdin".into(), Box::new(std::io::stdin())),
                paths => Sources::Paths(paths.iter().map(PathBuf::from).collect()),
            };
            return Ok(Box::new(Sender::new(sources, options, tally).map_err(fault)?));
        }
        Kind::Takes(to) if to == "-" => Target::Stream(Box::new(std::io::stdout())),
        Kind::Takes(to) => Target::Path(to.into()),
        Kind::Lists => Target::Nothing,
    };
    Ok(Box::new(Receiver::new(target, options, tally).map_err(fault)?))
}
