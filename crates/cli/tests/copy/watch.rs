//! `copy --watch`: the whole terminal, which is as it was afterwards; plain lines where there is none.

use std::fs::{self, File};
use std::io::Read;
use std::process::{Child, Stdio};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use nix::pty::{OpenptyResult, Winsize, openpty};
use nix::sys::signal::{Signal, kill};
use nix::sys::termios::{LocalFlags, Termios, tcgetattr};
use nix::unistd::Pid;

use super::elsewhere::{Elsewhere, text};

const SIZE: Winsize = Winsize { ws_row: 24, ws_col: 80, ws_xpixel: 0, ws_ypixel: 0 };
/// What a terminal is told so that it shows another screen, and the first one again (xterm's private mode 1049).
const OTHER: &str = "\u{1b}[?1049h";
const FIRST: &str = "\u{1b}[?1049l";

/// A copy of 3 s on a terminal of its own: the process, all that it shows, and how the terminal is set before and after.
fn on_a_terminal(elsewhere: &Elsewhere) -> (Child, JoinHandle<String>, impl Fn() -> Termios + use<>) {
    fs::write(elsewhere.here().join("file"), vec![1; 3_000_000]).unwrap();
    let OpenptyResult { master, slave } = openpty(&SIZE, None).unwrap();
    let args = ["--watch", "--compress", "never", "--limit", "8", "file", "localhost:"];
    let stderr = slave.try_clone().unwrap();
    let child = elsewhere.command("copy", &args).stdout(Stdio::null()).stderr(stderr).spawn().unwrap();
    let settings = slave.try_clone().unwrap();
    let shown = thread::spawn(move || {
        let mut shown = Vec::new();
        // The kernel's word for a terminal that nobody writes to any more is an error.
        let _ = File::from(master).read_to_end(&mut shown);
        String::from_utf8_lossy(&shown).into_owned()
    });
    (child, shown, move || tcgetattr(&settings).unwrap())
}

/// Whether both screens were shown, and what was there in between.
fn between(shown: &str) -> &str {
    let (_, rest) = shown.split_once(OTHER).unwrap_or_else(|| panic!("no other screen: {shown:?}"));
    rest.split_once(FIRST).unwrap_or_else(|| panic!("not the first screen again: {shown:?}")).0
}

#[test]
fn the_terminal_shows_it_and_is_as_it_was_afterwards() {
    let elsewhere = Elsewhere::new();
    let (mut child, shown, settings) = on_a_terminal(&elsewhere);
    let before = settings();
    assert!(child.wait().unwrap().success());
    assert_eq!(settings(), before);
    drop(settings);
    let shown = shown.join().unwrap();
    // Blanks are not drawn.
    for word in ["Mbit/s", "files", "faster", "RTT"] {
        assert!(between(&shown).contains(word), "{word}: {shown:?}");
    }
}

#[test]
fn who_interrupts_it_has_the_terminal_back() {
    let elsewhere = Elsewhere::new();
    let (mut child, shown, settings) = on_a_terminal(&elsewhere);
    let before = settings();
    // Until it is drawn.
    while settings().local_flags.contains(LocalFlags::ECHO) {
        thread::sleep(Duration::from_millis(10));
        assert!(child.try_wait().unwrap().is_none(), "it ended before");
    }
    kill(Pid::from_raw(child.id() as i32), Signal::SIGINT).unwrap();
    assert!(!child.wait().unwrap().success());
    assert_eq!(settings(), before);
    drop(settings);
    between(&shown.join().unwrap());
}

#[test]
fn where_there_is_no_terminal_lines_say_it() {
    let elsewhere = Elsewhere::new();
    fs::write(elsewhere.here().join("file"), vec![1; 3_000_000]).unwrap();
    let out = elsewhere.run("copy", &["--watch", "--compress", "never", "--limit", "8", "file", "localhost:"]);
    assert!(out.status.success(), "{}", text(&out));
    let said = String::from_utf8_lossy(&out.stderr);
    assert!(said.lines().filter(|line| line.contains("0/1 files") && line.contains("Mbit/s")).count() >= 2, "{said}");
    assert!(!said.contains('\u{1b}'), "{said:?}");
}
