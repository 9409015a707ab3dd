//! How a copy goes, and how it went.

use std::io;

use indicatif::{HumanBytes, ProgressBar, ProgressDrawTarget, ProgressStyle};
use miette::miette;
use serde::Serialize;
use symbiosis_base::{Bytes, Instant, Rate, Span};
use symbiosis_copy::{Progress, Tally};
use symbiosis_quic::exchange::{Moved, Waits};
use symbiosis_quic::node::View;

use super::clock::clock;
use super::watch::{Picture, Screen};
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
        Seen { late: self.late, ..seen((&self.moved, &self.view), self.gives, time, mbps) }
    }
}

/// What is known of why it is no faster, but for how late this end's loop is.
fn seen((moved, view): (&Moved, &View), gives: bool, time: Span, mbps: f64) -> Seen {
    let (here, there) = (moved.waits, moved.peer_waits);
    let (giver, taker) = if gives { (here, there) } else { (there, here) };
    let gauge = |name| view.gauges.iter().find(|(known, _)| *known == name).map(|(_, value)| *value).filter(|value| *value > 0.0);
    let path_mbps = gauge("K_mbps").zip(gauge("A_mbps")).filter(|_| gives);
    let lost = if gives { view.lost as f64 / view.sent.max(1) as f64 } else { 0.0 };
    Seen { giver, taker, time, mbps, path_mbps, lost, late: 0.0, rtt_ms: view.rtt.millis() }
}

/// What the user asked to be shown.
pub struct Wanted {
    /// Events as JSON.
    pub json: bool,
    /// Names of files.
    pub names: bool,
    /// The whole terminal.
    pub watch: bool,
    /// Files are copied to stdout.
    pub stdout_is_taken: bool,
    /// This end has the files.
    pub gives: bool,
}

/// Shows how a copy goes.
pub struct Show {
    bar: ProgressBar,
    screen: Option<Screen>,
    wanted: Wanted,
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
    pub fn new(wanted: Wanted) -> Show {
        // What does not fit is cut off: a line that wraps cannot be drawn anew.
        let style = ProgressStyle::with_template("{bar:24} {wide_msg}").expect("a valid template");
        let bar = ProgressBar::with_draw_target(Some(0), ProgressDrawTarget::stderr()).with_style(style);
        Show { bar, screen: None, wanted, shown: Instant::START, told: Instant::START, done: 0, rate: None }
    }

    /// Looks how it goes; it goes on as long as anybody reads.
    pub fn look(&mut self, now: Instant, tally: &Tally, moved: &Moved, view: &mut dyn FnMut() -> View) -> bool {
        if now - self.shown < EVERY {
            return true;
        }
        let mut progress = tally.progress();
        if self.wanted.gives {
            arrived(&mut progress, moved.acknowledged);
        }
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
        let lasts = moved.began.map_or(Span::ZERO, |began| now - began);
        if self.wanted.watch {
            return self.watch((lasts, now), (&progress, moved, &view()), smooth, left).is_ok();
        }
        if !self.bar.is_hidden() {
            self.bar.set_message(message(&progress, smooth, left, &view()));
        }
        let mut said = Ok(());
        if self.wanted.json && now - self.told >= EVENTS_EVERY {
            self.told = now;
            let rtt_ms = view().rtt.millis();
            let (seconds, counts) = (lasts.secs(), Counts::new(&progress));
            said = event(&Event::Progress { seconds, mbps: smooth, seconds_left: left, counts, rtt_ms });
        }
        said.and_then(|()| self.lines(tally)).is_ok()
    }

    /// The whole terminal; where there is none, a line each second.
    fn watch(
        &mut self,
        (lasts, now): (Span, Instant),
        (progress, moved, view): (&Progress, &Moved, &View),
        mbps: f64,
        left: Option<f64>,
    ) -> io::Result<()> {
        if !self.bar.is_hidden() && self.screen.is_none() {
            self.bar.set_draw_target(ProgressDrawTarget::hidden());
            self.screen = Screen::open()?;
        }
        let mean = Rate::of(Bytes(progress.moved), lasts).mbps();
        let seen = seen((moved, view), self.wanted.gives, lasts, mean);
        match &mut self.screen {
            Some(screen) => screen.draw(&Picture { progress, view, seen: &seen, mbps, left })?,
            None if now - self.told >= EVENTS_EVERY => {
                self.told = now;
                eprintln!("{}", message(progress, mbps, left, view));
            }
            None => {}
        }
        Ok(())
    }

    fn lines(&self, tally: &Tally) -> Result<(), Failure> {
        for line in tally.lines() {
            match (self.wanted.json, self.wanted.names && !self.wanted.stdout_is_taken) {
                (true, _) => event(&Event::File { text: &line })?,
                (false, true) => self.bar.suspend(|| print(&format!("{line}\n")))?,
                (false, false) => self.bar.suspend(|| eprintln!("{line}")),
            }
        }
        Ok(())
    }

    /// The bar goes, or the whole terminal is as it was.
    pub fn end(&mut self) {
        self.screen = None;
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
        if self.wanted.json {
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
        if self.wanted.stdout_is_taken {
            eprint!("{text}")
        } else {
            print(&text)?
        }
        faulty(faults)
    }
}

/// Who has the files reads megabytes ahead of what has come there. What counts is what has come, by what is acknowledged of the stream.
fn arrived(progress: &mut Progress, acknowledged: u64) {
    let part = (acknowledged as f64 / progress.carried.max(1) as f64).min(1.0);
    let ahead = (progress.moved as f64 * (1.0 - part)) as u64;
    progress.bytes = progress.bytes.saturating_sub(ahead);
    progress.moved -= ahead;
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_read_ahead_has_not_come() {
        // 12 MB were read and packed to 3 MB, of which a third is acknowledged; 5 MB had been there.
        let mut progress = Progress { bytes: 17_000_000, moved: 12_000_000, carried: 3_000_000, ..Progress::default() };
        arrived(&mut progress, 1_000_000);
        assert_eq!((progress.bytes, progress.moved), (9_000_000, 4_000_000));
        // What frames take beside is acknowledged too.
        let mut all = Progress { bytes: 10, moved: 10, carried: 10, ..Progress::default() };
        arrived(&mut all, 12);
        assert_eq!((all.bytes, all.moved), (10, 10));
    }
}
