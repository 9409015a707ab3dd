//! The other end of a copy, on this machine.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::thread;
use std::time::{Duration, Instant};

pub const PROGRAM: &str = env!("CARGO_BIN_EXE_symbiosis");

/// A folder with a home for the other end, and a program that runs there what it is told, as ssh would elsewhere.
pub struct Elsewhere {
    folder: tempfile::TempDir,
}

impl Elsewhere {
    pub fn new() -> Elsewhere {
        Elsewhere::by("")
    }

    /// Where a command leads to the other machine: what it is told comes behind it.
    pub fn by(way: &str) -> Elsewhere {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("home")).unwrap();
        let ssh = folder.path().join("ssh");
        // It knows no -G, so that the host's own name is looked up; a shell that greets says so before anything else.
        let script = format!(
            "#!/bin/sh\n[ \"$1\" = -G ] && exit 1\nshift\necho 'Welcome to elsewhere.'\ncd \"$(dirname \"$0\")/home\" && HOME=\"$PWD\" exec {way} sh -c \"$*\"\n"
        );
        fs::write(&ssh, script).unwrap();
        fs::set_permissions(&ssh, PermissionsExt::from_mode(0o755)).unwrap();
        Elsewhere { folder }
    }

    pub fn home(&self) -> PathBuf {
        self.folder.path().join("home")
    }

    pub fn here(&self) -> PathBuf {
        self.folder.path().to_path_buf()
    }

    pub fn command(&self, command: &str, args: &[&str]) -> Command {
        self.command_at("127.0.0.1", command, args)
    }

    pub fn command_at(&self, address: &str, command: &str, args: &[&str]) -> Command {
        let mut made = Command::new(PROGRAM);
        made.current_dir(self.folder.path()).arg(command);
        made.args(["-e", self.folder.path().join("ssh").to_str().unwrap(), "--remote-program", PROGRAM, "--address", address]).args(args);
        made
    }

    pub fn run(&self, command: &str, args: &[&str]) -> Output {
        self.command(command, args).output().unwrap()
    }
}

pub fn text(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

pub fn done(output: &Output) {
    assert_eq!(output.status.code(), Some(0), "{}", text(output));
}

/// Processes of this program that were started by these tests in that folder and still run.
pub fn left(folder: &Path) -> usize {
    let of = |entry: fs::DirEntry| fs::read_link(entry.path().join("cwd")).is_ok_and(|cwd| cwd.starts_with(folder));
    fs::read_dir("/proc")
        .unwrap()
        .filter_map(Result::ok)
        .filter(|entry| entry.file_name().to_string_lossy().parse::<u32>().is_ok())
        .filter(|entry| fs::read_link(entry.path().join("exe")).is_ok_and(|exe| exe == Path::new(PROGRAM)))
        .filter_map(|entry| of(entry).then_some(()))
        .count()
}

pub fn nothing_is_left(folder: &Path) {
    let since = Instant::now();
    while left(folder) > 0 {
        assert!(since.elapsed() < Duration::from_secs(10), "the other end still runs");
        thread::sleep(Duration::from_millis(20));
    }
}
