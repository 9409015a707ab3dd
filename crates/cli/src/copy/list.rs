//! A list of another machine's files, as `ls -l` has it or as JSON.

use std::io;

use chrono::DateTime;
use serde::Serialize;
use symbiosis_copy::{Listed, Tally};

use crate::failure::Failure;
use crate::print::print;

/// Prints it.
///
/// # Errors
/// Nobody reads it.
pub fn print_list(tally: &Tally, json: bool) -> Result<(), Failure> {
    for entry in tally.listed() {
        let line = if json { serde_json::to_string(&Line::new(&entry)).map_err(io::Error::from)? } else { text(&entry) };
        print(&format!("{line}\n"))?;
    }
    Ok(())
}

#[derive(Serialize)]
struct Line<'a> {
    name: &'a str,
    kind: &'a str,
    bytes: u64,
    mode: String,
    mtime: i64,
}

impl Line<'_> {
    fn new(entry: &Listed) -> Line<'_> {
        let kind = match entry.kind {
            'd' => "folder",
            'l' => "link",
            _ => "file",
        };
        Line { name: &entry.name, kind, bytes: entry.bytes, mode: format!("{:03o}", entry.mode), mtime: entry.mtime }
    }
}

/// As `ls -l` has it, in universal time.
fn text(entry: &Listed) -> String {
    let bit = |at: u32, letter: char| if entry.mode >> at & 1 == 1 { letter } else { '-' };
    let mode: String = (0..9).rev().map(|at| bit(at, ['x', 'w', 'r'][at as usize % 3])).collect();
    format!("{}{mode} {:>14} {} {}", entry.kind, entry.bytes, date(entry.mtime), entry.name)
}

/// Seconds since 1970 as a date; as they are where they are none of the calendar's.
fn date(seconds: i64) -> String {
    DateTime::from_timestamp(seconds, 0).map_or_else(|| seconds.to_string(), |at| at.format("%Y-%m-%d %H:%M:%S").to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_those_of_the_calendar() {
        for (seconds, text) in [
            (0, "1970-01-01 00:00:00"),
            (-1, "1969-12-31 23:59:59"),
            (951_782_400, "2000-02-29 00:00:00"),
            (1_000_000_000, "2001-09-09 01:46:40"),
            (4_107_542_400, "2100-03-01 00:00:00"),
            (i64::MAX, "9223372036854775807"),
        ] {
            assert_eq!(date(seconds), text);
        }
        let entry = Listed { name: "a".into(), kind: '-', bytes: 5, mode: 0o640, mtime: 0 };
        assert_eq!(text(&entry), "-rw-r-----              5 1970-01-01 00:00:00 a");
    }
}
