//! An honest client beside hostile ones, and what they leave.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use super::attackers::Attackers;
use super::server::Server;

/// Runs a client; how long it took.
pub fn succeeds(mut client: Command) -> Duration {
    let start = Instant::now();
    let output = client.output().unwrap();
    assert!(output.status.success(), "after {:?}: {}", start.elapsed(), String::from_utf8_lossy(&output.stderr));
    start.elapsed()
}

/// Fetches `small` beside attackers who go on until that is done, and `least` at least; the longest that a fetch took.
pub fn fetches_beside(server: &Server, attackers: &mut Attackers, least: Duration) -> Duration {
    let (tell, told) = std::sync::mpsc::channel();
    thread::scope(|scope| {
        scope.spawn(move || {
            let start = Instant::now();
            let mut longest = Duration::ZERO;
            for at in 0.. {
                longest = longest.max(succeeds(server.fetch("small", &format!("small-{at}"))));
                if start.elapsed() >= least {
                    break;
                }
                thread::sleep(Duration::from_millis(300));
            }
            tell.send(longest).unwrap();
        });
        let mut done = None;
        attackers.run(Duration::from_secs(120), |_| {
            done = done.or_else(|| told.try_recv().ok());
            done.is_some()
        });
        done.expect("fetches end")
    })
}

/// Files whose name ends so, and their bytes.
pub fn files(folder: &Path, ends: &str) -> (usize, u64) {
    let entries = fs::read_dir(folder).unwrap().map(Result::unwrap).filter(|entry| entry.file_name().to_string_lossy().ends_with(ends));
    // Some are gone before they are looked at.
    entries.filter_map(|entry| entry.metadata().ok()).fold((0, 0), |(files, bytes), is| (files + 1, bytes + is.len()))
}
