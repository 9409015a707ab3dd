//! A list of another machine's files, as `ls -l` has it or as JSON.

use std::io;

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

/// Seconds since 1970 as a date (days as in Howard Hinnant's `civil_from_days`: 400 years have 146097 days, and years begin in March).
fn date(seconds: i64) -> String {
    let (days, seconds) = (seconds.div_euclid(86_400) + 719_468, seconds.rem_euclid(86_400));
    let (era, day) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let (month, year) = if month < 10 { (month + 3, year + era * 400) } else { (month - 9, year + era * 400 + 1) };
    format!("{year:04}-{month:02}-{day:02} {:02}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60)
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
        ] {
            assert_eq!(date(seconds), text);
        }
        let entry = Listed { name: "a".into(), kind: '-', bytes: 5, mode: 0o640, mtime: 0 };
        assert_eq!(text(&entry), "-rw-r-----              5 1970-01-01 00:00:00 a");
    }
}
