//! How far a reproduction or an arena is: what is under way, and how long it will take.

use std::io::{self, IsTerminal};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use nix::time::{ClockId, clock_gettime};

/// On a terminal a bar; elsewhere a line for each part that ends.
pub struct Progress {
    bar: Option<ProgressBar>,
    state: Mutex<State>,
}

struct State {
    since: Instant,
    /// What a part is called, in the plural.
    parts: &'static str,
    under_way: Vec<String>,
    simulations: u64,
    /// Parts that ended in this run, that ended before it, and all.
    ended: u32,
    before: u32,
    all: u32,
}

impl Progress {
    /// Of so many `parts`.
    pub fn new(parts: &'static str, all: usize) -> Progress {
        let state = State { since: Instant::now(), parts, under_way: Vec::new(), simulations: 0, ended: 0, before: 0, all: all as u32 };
        let bar = io::stderr().is_terminal().then(|| {
            let style = ProgressStyle::with_template(&format!("{{bar:30}} {{pos}}/{{len}} {parts}, {{msg}}, {{elapsed}}"))
                .expect("a valid template");
            let bar = ProgressBar::with_draw_target(Some(all as u64), ProgressDrawTarget::stderr()).with_style(style);
            bar.enable_steady_tick(Duration::from_millis(200));
            bar
        });
        Progress { bar, state: Mutex::new(state) }
    }

    /// One ended before this run.
    pub fn skip(&self) {
        self.with(|state| state.before += 1);
        self.bar.iter().for_each(|bar| bar.inc(1));
    }

    /// It is under way.
    pub fn begin(&self, id: &str) {
        self.with(|state| state.under_way.push(id.into()));
    }

    /// A simulation has ended.
    pub fn ran(&self) {
        self.with(|state| state.simulations += 1);
    }

    /// It has ended.
    pub fn end(&self, id: &str) {
        let line = self.with(|state| {
            state.under_way.retain(|other| other != id);
            state.ended += 1;
            format!("{id} done: {} of {} {}; {}", state.before + state.ended, state.all, state.parts, state.words())
        });
        match &self.bar {
            Some(bar) => bar.inc(1),
            None => eprintln!("{line}"),
        }
    }

    /// All have.
    pub fn finish(&self) {
        self.bar.iter().for_each(ProgressBar::finish_and_clear);
    }

    fn with<T>(&self, change: impl FnOnce(&mut State) -> T) -> T {
        let mut state = self.state.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        let changed = change(&mut state);
        self.bar.iter().for_each(|bar| bar.set_message(state.words()));
        changed
    }
}

impl State {
    /// What is under way, and how long the rest will take at the pace so far, one part counted as any other.
    fn words(&self) -> String {
        let rest = self.all - self.before - self.ended;
        let left = match self.ended {
            0 => String::new(),
            ended => format!(", about {} left", clock(self.since.elapsed().as_secs_f64() * f64::from(rest) / f64::from(ended))),
        };
        let under_way = if self.under_way.is_empty() { String::new() } else { format!("{} under way, ", self.under_way.join(", ")) };
        format!("{under_way}{} simulations{left}", self.simulations)
    }
}

/// CPU time that this process has used, all threads together. What else runs on the machine has no part in it, unlike the time on the wall.
pub fn cpu_time() -> Duration {
    clock_gettime(ClockId::CLOCK_PROCESS_CPUTIME_ID).map_or(Duration::ZERO, Duration::from)
}

/// Seconds as people say them.
fn clock(seconds: f64) -> String {
    if seconds < 90.0 { format!("{seconds:.0} s") } else { format!("{:.0} min", seconds / 60.0) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_is_told_at_the_pace_so_far() {
        let state = |ended, all| State {
            since: Instant::now() - Duration::from_secs(60),
            parts: "experiments",
            under_way: vec!["S7".into(), "T3".into()],
            simulations: 12,
            ended,
            before: 1,
            all,
        };
        assert_eq!(state(0, 3).words(), "S7, T3 under way, 12 simulations");
        assert_eq!(state(3, 5).words(), "S7, T3 under way, 12 simulations, about 20 s left");
        assert_eq!(state(1, 5).words(), "S7, T3 under way, 12 simulations, about 3 min left");
    }
}
