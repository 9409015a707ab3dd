//! How far a reproduction or an arena is: what is under way, and how long it will take.

use std::io::{self, IsTerminal};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use nix::time::{ClockId, clock_gettime};

/// Where there is no terminal, a line says this often how far it is.
const EVERY: Duration = Duration::from_secs(10);
/// What is told to be done of a part until it is: what it is expected to take is what it took before.
const NEARLY: f64 = 0.95;

/// On a terminal a bar; elsewhere a line for each part that ends, and every ten seconds.
pub struct Progress {
    bar: Option<ProgressBar>,
    state: Mutex<State>,
}

struct State {
    since: Instant,
    told: Instant,
    simulations: u64,
    /// If what is expected is CPU time \[s\]: on so many threads. Otherwise it only says how much more one part is than another.
    threads: Option<f64>,
    /// What a part is called, in the plural.
    called: &'static str,
    parts: Vec<Part>,
}

/// A part: what is expected of it and what its simulations have taken, by whatever measure all parts have.
struct Part {
    id: String,
    expected: f64,
    taken: f64,
    stage: Stage,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    Waits,
    UnderWay,
    Ended,
    /// It ended before this run.
    Before,
}

impl Progress {
    /// Of these parts, each with what is expected of it: CPU time on so many threads, or, without, by whatever measure.
    pub fn new(called: &'static str, parts: impl IntoIterator<Item = (String, f64)>, threads: Option<usize>) -> Progress {
        let part = |(id, expected)| Part { id, expected, taken: 0.0, stage: Stage::Waits };
        let now = Instant::now();
        let parts: Vec<Part> = parts.into_iter().map(part).collect();
        let all = parts.len() as u64;
        let threads = threads.map(|threads| threads.max(1) as f64);
        let state = State { since: now, told: now, simulations: 0, threads, called, parts };
        let bar = io::stderr().is_terminal().then(|| {
            let style = ProgressStyle::with_template(&format!("{{bar:30}} {{pos}}/{{len}} {called}, {{msg}}, {{elapsed}}"))
                .expect("a valid template");
            let bar = ProgressBar::with_draw_target(Some(all), ProgressDrawTarget::stderr()).with_style(style);
            bar.enable_steady_tick(Duration::from_millis(200));
            bar
        });
        Progress { bar, state: Mutex::new(state) }
    }

    /// One ended before this run.
    pub fn skip(&self, id: &str) {
        self.with(|state| state.part(id).stage = Stage::Before);
        self.bar.iter().for_each(|bar| bar.inc(1));
    }

    /// It is under way.
    pub fn begin(&self, id: &str) {
        self.with(|state| state.part(id).stage = Stage::UnderWay);
    }

    /// One of its simulations has ended, and took so much CPU time.
    pub fn ran(&self, id: &str, cpu: Duration) {
        let line = self.with(|state| {
            state.simulations += 1;
            state.part(id).taken += cpu.as_secs_f64();
            let due = state.told.elapsed() >= EVERY;
            due.then(|| state.line())
        });
        self.tell(line);
    }

    /// It has ended.
    pub fn end(&self, id: &str) {
        let line = self.with(|state| {
            let part = state.part(id);
            part.stage = Stage::Ended;
            let taken = if part.taken > 0.0 { format!(", {:.1} s of CPU time", part.taken) } else { String::new() };
            format!("{id} done{taken}: {}", state.line())
        });
        self.bar.iter().for_each(|bar| bar.inc(1));
        self.tell(Some(line));
    }

    /// All have.
    pub fn finish(&self) {
        self.bar.iter().for_each(ProgressBar::finish_and_clear);
    }

    fn tell(&self, line: Option<String>) {
        if let (None, Some(line)) = (&self.bar, line) {
            eprintln!("{line}");
        }
    }

    fn with<T>(&self, change: impl FnOnce(&mut State) -> T) -> T {
        let mut state = self.state.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        let changed = change(&mut state);
        self.bar.iter().for_each(|bar| bar.set_message(state.words()));
        changed
    }
}

impl State {
    fn part(&mut self, id: &str) -> &mut Part {
        self.parts.iter_mut().find(|part| part.id == id).expect("it is one of them")
    }

    fn line(&mut self) -> String {
        self.told = Instant::now();
        let done = self.parts.iter().filter(|part| matches!(part.stage, Stage::Ended | Stage::Before)).count();
        format!("{done} of {} {}; {}", self.parts.len(), self.called, self.words())
    }

    /// What is under way, and how long the rest will take.
    fn words(&self) -> String {
        let under_way: Vec<&str> = self.parts.iter().filter(|part| part.stage == Stage::UnderWay).map(|part| &*part.id).collect();
        let under_way = if under_way.is_empty() { String::new() } else { format!("{} under way, ", under_way.join(", ")) };
        let left = self.left().map_or(String::new(), |left| format!(", about {} left", clock(left)));
        format!("{under_way}{} simulations{left}", self.simulations)
    }

    /// What is left \[s\]: at the pace so far, and before there is one, as if this machine were that of the expected times.
    fn left(&self) -> Option<f64> {
        let here = || self.parts.iter().filter(|part| part.stage != Stage::Before);
        let all: f64 = here().map(|part| part.expected).sum();
        let done: f64 = here()
            .map(|part| match part.stage {
                Stage::Ended => part.expected,
                _ if self.threads.is_some() => part.taken.min(NEARLY * part.expected),
                _ => 0.0,
            })
            .sum();
        let elapsed = self.since.elapsed().as_secs_f64();
        if done < 0.01 * all { self.threads.map(|threads| all / threads) } else { Some(elapsed * (all - done) / done) }
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

    fn state(stages: &[(f64, f64, Stage)]) -> State {
        let part =
            |(expected, taken, stage): &(f64, f64, Stage)| Part { id: "S7".into(), expected: *expected, taken: *taken, stage: *stage };
        let since = Instant::now() - Duration::from_secs(60);
        State { since, told: since, simulations: 12, threads: Some(2.0), called: "experiments", parts: stages.iter().map(part).collect() }
    }

    #[test]
    fn what_is_left_is_told_at_the_pace_so_far() {
        use Stage::{Before, Ended, UnderWay, Waits};
        let before = state(&[(30.0, 0.0, UnderWay), (90.0, 0.0, Waits)]);
        assert_eq!(before.words(), "S7 under way, 12 simulations, about 60 s left", "120 s of CPU on two threads");
        let half = state(&[(30.0, 35.0, Ended), (60.0, 30.0, UnderWay), (30.0, 0.0, Waits)]);
        assert_eq!(half.words(), "S7 under way, 12 simulations, about 60 s left", "half of 120 s took a minute");
        let unknown = State { threads: None, ..state(&[(1.0, 0.0, UnderWay), (1.0, 0.0, Waits)]) };
        assert_eq!(unknown.words(), "S7 under way, 12 simulations");
        let late = state(&[(100.0, 300.0, UnderWay), (900.0, 0.0, Before)]);
        assert_eq!(
            late.words(),
            "S7 under way, 12 simulations, about 3 s left",
            "it takes longer than expected; what was done before does not count"
        );
    }
}
