//! How a copy goes, and how it went.

use std::io;

use indicatif::{HumanBytes, ProgressBar, ProgressDrawTarget, ProgressStyle};
use miette::miette;
use serde::Serialize;
use symbiosis_base::{Bytes, Instant, Rate, Span};
use symbiosis_copy::{Listed, Progress, Tally};
use symbiosis_quic::exchange::{Moved, Waits};
use symbiosis_quic::node::View;

use super::why::{Cause, Seen};
use crate::failure::Failure;
use crate::print::print;

/// A bar is drawn anew this often.
const EVERY: Span = Span::from_millis(100);
/// Events are written this often.
const EVENTS_EVERY: Span = Span::from_millis(1000);
/// The rate that is shown follows the rate of each moment within this time: what a user reads, and not what a disk does between two flushes.
const SMOOTH: Span = Span::from_millis(3000);

/// How a copy went.
pub struct Done {
    pub moved: Moved,
    pub view: View,
    /// The part of the loop's wakes that were late.
    pub late: f64,
    /// The controller.
    pub cc: &'static str,
    /// This end has the files.
    pub gives: bool,
}

impl Done {
    /// What is known of why it was no faster.
    pub fn seen(&self, time: Span, mbps: f64) -> Seen {
        let (here, there) = (self.moved.waits, self.moved.peer_waits);
        let (giver, taker) = if self.gives { (here, there) } else { (there, here) };
        let gauge = |name| self.view.gauges.iter().find(|(known, _)| *known == name).map(|(_, value)| *value).filter(|value| *value > 0.0);
        let path_mbps = gauge("K_mbps").zip(gauge("A_mbps")).filter(|_| self.gives);
        let lost = if self.gives { self.view.lost as f64 / self.view.sent.max(1) as f64 } else { 0.0 };
        Seen { giver, taker, time, mbps, path_mbps, lost, late: self.late, rtt_ms: self.view.rtt.millis() }
    }
}

/// Shows how a copy goes.
pub struct Show {
    bar: ProgressBar,
    json: bool,
    /// Names are told on stdout, which is not what is copied to.
    names: bool,
    stdout_is_taken: bool,
    shown: Instant,
    told: Instant,
    done: u64,
    rate: Option<f64>,
}

/// An event, as JSON.
#[derive(Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
enum Event<'a> {
    Progress {
        seconds: f64,
        mbps: f64,
        seconds_left: Option<f64>,
        #[serde(flatten)]
        counts: Counts,
        rtt_ms: f64,
    },
    File {
        text: &'a str,
    },
    Fault {
        text: &'a str,
    },
    Done {
        seconds: f64,
        mbps: f64,
        #[serde(flatten)]
        counts: Counts,
        rtt_ms: f64,
        packets_sent: u64,
        packets_lost: u64,
        cc: &'a str,
        waits_s: Waited,
        peer_waits_s: Waited,
        cause: Cause,
        why: Option<String>,
        late: f64,
    },
}

#[derive(Serialize)]
struct Counts {
    files: u64,
    files_in_all: Option<u64>,
    bytes: u64,
    bytes_in_all: Option<u64>,
    copied: u64,
    moved_bytes: u64,
    resumed_bytes: u64,
    unchanged: u64,
    removed: u64,
    read_again: u64,
    faults: u64,
}

/// What this side waited for \[s\].
#[derive(Serialize)]
struct Waited {
    peer: f64,
    source: f64,
    network: f64,
    sink: f64,
    limit: f64,
}

impl Waited {
    fn new(waits: &Waits) -> Waited {
        Waited {
            peer: waits.peer.secs(),
            source: waits.source.secs(),
            network: waits.network.secs(),
            sink: waits.sink.secs(),
            limit: waits.limit.secs(),
        }
    }
}

impl Counts {
    fn new(progress: &Progress) -> Counts {
        let totals = progress.totals;
        Counts {
            files: progress.files,
            files_in_all: totals.map(|totals| totals.files),
            bytes: progress.bytes,
            bytes_in_all: totals.map(|totals| totals.bytes),
            copied: progress.copied,
            moved_bytes: progress.moved,
            resumed_bytes: progress.resumed,
            unchanged: progress.unchanged,
            removed: progress.removed,
            read_again: progress.changed,
            faults: progress.faults,
        }
    }
}

fn event(event: &Event<'_>) -> Result<(), Failure> {
    let json = serde_json::to_string(event).map_err(io::Error::from)?;
    print(&format!("{json}\n"))
}

impl Show {
    /// On stderr if that is a terminal.
    pub fn new(json: bool, names: bool, stdout_is_taken: bool) -> Show {
        // What does not fit is cut off: a line that wraps cannot be drawn anew.
        let style = ProgressStyle::with_template("{bar:24} {wide_msg}").expect("a valid template");
        let bar = ProgressBar::with_draw_target(Some(0), ProgressDrawTarget::stderr()).with_style(style);
        Show { bar, json, names, stdout_is_taken, shown: Instant::START, told: Instant::START, done: 0, rate: None }
    }

    /// Looks how it goes; it goes on as long as anybody reads.
    pub fn look(&mut self, now: Instant, tally: &Tally, moved: &Moved, view: &mut dyn FnMut() -> View) -> bool {
        if now - self.shown < EVERY {
            return true;
        }
        let progress = tally.progress();
        let passed = now - self.shown;
        let rate = Rate::of(Bytes(progress.moved.saturating_sub(self.done)), passed).mbps();
        let weight = 1.0 - (-passed.secs() / SMOOTH.secs()).exp();
        let before = self.rate.unwrap_or(rate);
        let smooth = before + weight * (rate - before);
        (self.shown, self.done) = (now, progress.moved);
        self.rate = (progress.moved > 0).then_some(smooth);
        let bytes = progress.totals.map_or(0, |totals| totals.bytes);
        let left = (smooth > 0.0).then(|| bytes.saturating_sub(progress.bytes) as f64 * 8.0 / 1e6 / smooth);
        self.bar.set_length(bytes);
        self.bar.set_position(progress.bytes);
        if !self.bar.is_hidden() {
            self.bar.set_message(message(&progress, smooth, left, &view()));
        }
        let mut said = Ok(());
        if self.json && now - self.told >= EVENTS_EVERY {
            self.told = now;
            let seconds = moved.began.map_or(0.0, |began| (now - began).secs());
            let rtt_ms = view().rtt.millis();
            said = event(&Event::Progress { seconds, mbps: smooth, seconds_left: left, counts: Counts::new(&progress), rtt_ms });
        }
        said.and_then(|()| self.lines(tally)).is_ok()
    }

    fn lines(&self, tally: &Tally) -> Result<(), Failure> {
        for line in tally.lines() {
            match (self.json, self.names && !self.stdout_is_taken) {
                (true, _) => event(&Event::File { text: &line })?,
                (false, true) => self.bar.suspend(|| print(&format!("{line}\n")))?,
                (false, false) => self.bar.suspend(|| eprintln!("{line}")),
            }
        }
        Ok(())
    }

    /// The bar goes.
    pub fn end(&self) {
        self.bar.finish_and_clear();
    }

    /// How it went.
    pub fn report(&self, tally: &Tally, done: &Done, faults: &[String], (dry_run, why): (bool, bool)) -> Result<(), Failure> {
        self.lines(tally)?;
        let progress = tally.progress();
        let time = match (done.moved.began, done.moved.finished) {
            (Some(began), Some(finished)) => finished - began,
            _ => Span::ZERO,
        };
        let mbps = Rate::of(Bytes(progress.moved), time).mbps();
        let seen = done.seen(time, mbps);
        if self.json {
            faults.iter().try_for_each(|why| event(&Event::Fault { text: why }))?;
            event(&Event::Done {
                seconds: time.secs(),
                mbps,
                counts: Counts::new(&progress),
                rtt_ms: done.view.rtt.millis(),
                packets_sent: done.view.sent,
                packets_lost: done.view.lost,
                cc: done.cc,
                waits_s: Waited::new(&done.moved.waits),
                peer_waits_s: Waited::new(&done.moved.peer_waits),
                cause: seen.cause(),
                why: seen.sentence(),
                late: done.late,
            })?;
            return quietly(faults);
        }
        let mut text = summary(&progress, time, mbps, dry_run);
        text.extend(seen.sentence().filter(|_| !dry_run).map(|sentence| sentence + "\n"));
        if why {
            text += &seen.details();
        }
        if self.stdout_is_taken {
            eprint!("{text}")
        } else {
            print(&text)?
        }
        faulty(faults)
    }
}

fn message(progress: &Progress, mbps: f64, left: Option<f64>, view: &View) -> String {
    let Some(totals) = progress.totals else { return "looking what there is".into() };
    let left = left.filter(|_| progress.moved > 0).map_or(String::new(), |left| format!(", {} left", clock(left)));
    format!(
        "{}/{} files, {}/{}, {mbps:.0} Mbit/s{left}, RTT {:.0} ms  {}",
        progress.files,
        totals.files,
        HumanBytes(progress.bytes),
        HumanBytes(totals.bytes),
        view.rtt.millis(),
        progress.current
    )
}

fn clock(seconds: f64) -> String {
    let seconds = seconds.round() as u64;
    match seconds {
        0..60 => format!("{seconds} s"),
        60..3600 => format!("{}:{:02} min", seconds / 60, seconds % 60),
        _ => format!("{}:{:02} h", seconds / 3600, seconds / 60 % 60),
    }
}

fn counted(number: u64, what: &str) -> String {
    format!("{number} {what}{}", if number == 1 { "" } else { "s" })
}

fn summary(progress: &Progress, time: Span, mbps: f64, dry_run: bool) -> String {
    if dry_run {
        return format!("would copy {}, remove {}; {} unchanged\n", counted(progress.copied, "file"), progress.removed, progress.unchanged);
    }
    let mut text =
        format!("copied {}, {} bytes in {:.2} s ({mbps:.1} Mbit/s)", counted(progress.copied, "file"), progress.moved, time.secs());
    for (number, what) in [
        (progress.unchanged, "unchanged"),
        (progress.removed, "removed"),
        (progress.resumed, "bytes were there"),
        (progress.changed, "read again because it changed"),
    ] {
        if number > 0 {
            text += &format!("; {number} {what}");
        }
    }
    text + "\n"
}

fn quietly(faults: &[String]) -> Result<(), Failure> {
    if faults.is_empty() { Ok(()) } else { Err(Failure::Said { text: String::new(), code: 1 }) }
}

/// What was not done, if there is any of it.
pub fn faulty(faults: &[String]) -> Result<(), Failure> {
    match faults {
        [] => Ok(()),
        _ => Err(Failure::Other(miette!(help = "everything else is done", "{}\n{}", not_done(faults.len()), faults.join("\n")))),
    }
}

fn not_done(number: usize) -> String {
    if number == 1 { "one thing was not done:".into() } else { format!("{number} things were not done:") }
}

/// Prints a list.
pub fn list(tally: &Tally, json: bool) -> Result<(), Failure> {
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
        assert_eq!([clock(5.2), clock(65.0), clock(3660.0)], ["5 s", "1:05 min", "1:01 h"]);
    }
}
