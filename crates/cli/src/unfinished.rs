//! What an interrupted reproduction, or arena, has finished, so that the next one goes on from there.
//!
//! While it runs, each finished part's outcome lies in a folder of its own beside the report. The same command of the same program takes
//! them from there. When all are done the folder is removed: what has ended is run anew.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde::de::DeserializeOwned;
use symbiosis_report::files::write_atomically;

/// The outcomes of parts that have ended, of a whole that has not.
#[derive(Debug)]
pub struct Unfinished(PathBuf);

impl Unfinished {
    /// Those in the folder of a report, if they were made in the same way: by the same program with the same `settings`. Others are removed.
    ///
    /// # Errors
    /// The program cannot be read, or the folder cannot be written.
    pub fn open(report: &Path, settings: &str) -> io::Result<Unfinished> {
        let folder = report.join(".unfinished");
        let made_by = format!("{settings}\n{}\n", blake3::hash(&fs::read(std::env::current_exe()?)?));
        let note = folder.join("made-by");
        if fs::read_to_string(&note).is_ok_and(|before| before == made_by) {
            return Ok(Unfinished(folder));
        }
        let unfinished = Unfinished(folder);
        unfinished.remove()?;
        write_atomically(note, made_by)?;
        Ok(unfinished)
    }

    /// The outcome of a part, if it has ended.
    pub fn outcome<T: DeserializeOwned>(&self, id: &str) -> Option<T> {
        postcard::from_bytes(&fs::read(self.file(id)).ok()?).ok()
    }

    /// Keeps the outcome of a part that has ended.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn keep<T: Serialize>(&self, id: &str, outcome: &T) -> io::Result<()> {
        write_atomically(self.file(id), postcard::to_stdvec(outcome).map_err(io::Error::other)?)
    }

    /// All parts have ended, and nothing is left to go on with.
    ///
    /// # Errors
    /// The folder cannot be removed.
    pub fn remove(&self) -> io::Result<()> {
        match fs::remove_dir_all(&self.0) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }

    fn file(&self, id: &str) -> PathBuf {
        self.0.join(format!("{id}.outcome"))
    }
}

#[cfg(test)]
mod tests {
    use symbiosis_report::outcome::{Bar, Basis, Check, Claim, Measured, Outcome, Reference};

    use super::*;

    fn outcome() -> Outcome {
        let measured = Measured::over(&[0.1, 0.3, 0.6]);
        let (reference, bar) = (Reference { basis: Basis::Ours, place: String::new() }, Bar { least: 1.0, most: f64::INFINITY });
        let claim = |measured| Claim::new("θ", (reference.clone(), "1".into()), (measured, ""), bar);
        let check = Check { what: "one".into(), measured: Measured::exact(1.0), bar };
        let claims = vec![claim(Measured::unknown(3)), claim(measured.minus(measured).against(measured)).because(check, "reason")];
        Outcome { claims, notes: vec!["note".into()], ..Outcome::default() }
    }

    #[test]
    fn the_same_reproduction_goes_on_with_the_same_bits() {
        let report = tempfile::tempdir().unwrap();
        let first = Unfinished::open(report.path(), "quick").unwrap();
        first.keep("S1", &outcome()).unwrap();
        let again = Unfinished::open(report.path(), "quick").unwrap();
        let found: Outcome = again.outcome("S1").expect("kept");
        assert!(found.claims[0].measured.mean.is_nan(), "what is not a number survives");
        assert_eq!(found.claims[1], outcome().claims[1]);
        assert_eq!(found.claims[1].measured.ci95.to_bits(), outcome().claims[1].measured.ci95.to_bits());
        assert_eq!(found.notes, outcome().notes);
        assert!(again.outcome::<Outcome>("S4").is_none());
    }

    #[test]
    fn another_reproduction_does_not_take_them_and_an_ended_one_leaves_none() {
        let report = tempfile::tempdir().unwrap();
        Unfinished::open(report.path(), "quick").unwrap().keep("S1", &outcome()).unwrap();
        let other = Unfinished::open(report.path(), "full").unwrap();
        assert!(other.outcome::<Outcome>("S1").is_none());
        other.remove().unwrap();
        assert_eq!(fs::read_dir(report.path()).unwrap().count(), 0);
    }

    #[test]
    fn half_a_file_is_run_again() {
        let report = tempfile::tempdir().unwrap();
        let unfinished = Unfinished::open(report.path(), "quick").unwrap();
        unfinished.keep("S1", &outcome()).unwrap();
        let bytes = fs::read(unfinished.file("S1")).unwrap();
        fs::write(unfinished.file("S1"), &bytes[..bytes.len() / 2]).unwrap();
        assert!(unfinished.outcome::<Outcome>("S1").is_none());
    }
}
