//! What the machine does to a transfer: a disk that fills up, and clocks that are set while it is under way.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use super::server::{Server, attacked};

/// Whether the machine lets a test do what it needs; where everything is installed it must.
fn ready(test: &str, needs: &str, met: bool) -> bool {
    if !met {
        let message = format!("SKIPPED {test}: it needs {needs}");
        assert!(std::env::var_os("SYMBIOSIS_REQUIRE_ALL").is_none(), "{message}");
        eprintln!("{message}");
    }
    met
}

/// A disk of 4 MB over `served`, which only the server sees.
const SMALL_DISK: &str = r#"mount -t tmpfs -o size=4m,mode=700 none served && exec "$0" "$@""#;

#[test]
fn a_full_disk_costs_the_files_that_have_no_room_and_nothing_else() {
    let mut mounts = Command::new("unshare");
    let can = mounts.args(["-m", "sh", "-c", "mount -t tmpfs none /mnt"]).status().is_ok_and(|status| status.success());
    if !ready("a_full_disk_costs_the_files_that_have_no_room_and_nothing_else", "root and a mount namespace", can) {
        return;
    }
    let mut small = Command::new("unshare");
    small.args(["-m", "sh", "-c", SMALL_DISK]).arg(attacked());
    let server = Server::start_by(small, &["--anyone-may-write"], |_| ());
    let disk = PathBuf::from(format!("/proc/{}/root", server.pid())).join(server.served().strip_prefix("/").unwrap());
    fs::write(disk.join("small"), "content").unwrap();
    let file = |name: &str, bytes: usize| {
        let path = server.folder.path().join(name);
        fs::write(&path, vec![7; bytes]).unwrap();
        path
    };
    // No byte of it is taken.
    let sent = server.send(&file("too-large", 5_000_000), &[]);
    let said = String::from_utf8_lossy(&sent.stderr).split_whitespace().filter(|word| *word != "│").collect::<Vec<_>>().join(" ");
    eprintln!("5 MB: {said}");
    assert!(!sent.status.success() && said.contains("there is room for"), "{said}");
    assert_eq!(fs::read_dir(&disk).unwrap().count(), 1);
    // Each has room by itself, all of them have not.
    let files: Vec<_> = (0..6).map(|at| file(&format!("file-{at}"), 1_000_000)).collect();
    let went: Vec<bool> = thread::scope(|scope| {
        let sends: Vec<_> = files.iter().map(|path| scope.spawn(|| server.send(path, &[]).status.success())).collect();
        sends.into_iter().map(|send| send.join().unwrap()).collect()
    });
    let through = went.iter().filter(|well| **well).count();
    eprintln!("{through} of 6 files of 1 MB have room on a disk of 4 MB");
    assert!((3..=4).contains(&through), "{went:?}");
    for (at, well) in went.iter().enumerate() {
        let is = fs::read(disk.join(format!("file-{at}")));
        assert_eq!(is.as_ref().is_ok_and(|is| *is == vec![7; 1_000_000]), *well, "file-{at}: whole, or not there");
        assert_eq!(is.is_ok(), *well);
    }
    // Somebody else takes what is left: what is there is served all the same.
    let _ = fs::write(disk.join("of-another"), vec![0; 4_000_000]);
    let sent = server.send(&file("none-left", 1), &[]);
    assert!(!sent.status.success(), "{}", String::from_utf8_lossy(&sent.stderr));
    let fetched = server.fetch("small", "here").output().unwrap();
    assert!(fetched.status.success(), "{}", String::from_utf8_lossy(&fetched.stderr));
}

/// The machine's clock is an hour ahead as long as a file is there. Arrivals are stamped by the kernel, whose clock is not: so they differ as they do
/// when a clock is set while a datagram waits.
const JUMPING_CLOCK: &str = r#"
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

int clock_gettime(clockid_t clock, struct timespec *now)
{
	static int (*real)(clockid_t, struct timespec *);
	if (!real)
		real = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
	int done = real(clock, now);
	const char *ahead = getenv("CLOCK_AHEAD"), *behind = getenv("CLOCK_BEHIND");
	if (clock == CLOCK_REALTIME && ahead && access(ahead, F_OK) == 0)
		now->tv_sec += 3600;
	if (clock == CLOCK_REALTIME && behind && access(behind, F_OK) == 0)
		now->tv_sec -= 3600;
	return done;
}
"#;

/// A library that takes the place of functions of the system's in a process that is told so by `LD_PRELOAD`.
fn library(folder: &Path, name: &str, source: &str) -> PathBuf {
    let (c, so) = (folder.join(format!("{name}.c")), folder.join(format!("{name}.so")));
    fs::write(&c, source).unwrap();
    let made = Command::new("cc").args(["-shared", "-fPIC", "-O2", "-o"]).arg(&so).arg(&c).arg("-ldl").status();
    assert!(made.expect("cc is there wherever Rust links").success());
    so
}

#[test]
fn clocks_that_are_set_while_a_file_is_under_way_do_not_matter() {
    let folder = tempfile::tempdir().unwrap();
    let so = library(folder.path(), "clock", JUMPING_CLOCK);
    let (ahead, behind) = (folder.path().join("ahead"), folder.path().join("behind"));
    let jumps = |command: &mut Command| {
        command.env("LD_PRELOAD", &so).env("CLOCK_AHEAD", &ahead).env("CLOCK_BEHIND", &behind);
    };
    let seconds = |command: &mut Command| {
        String::from_utf8(command.args(["-u", "+%s"]).output().unwrap().stdout).unwrap().trim().parse::<i64>().unwrap()
    };
    fs::write(&ahead, "").unwrap();
    let mut date = Command::new("date");
    jumps(&mut date);
    assert!(seconds(&mut date) - seconds(&mut Command::new("date")) > 3000, "the clock does not jump");
    fs::remove_file(&ahead).unwrap();
    let content: Vec<u8> = (0..60_000_000_u32).map(|at| (at.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    for cc in ["cubic", "symbiosis", "hcc"] {
        let mut serves = Command::new(attacked());
        jumps(&mut serves);
        let server = Server::start_by(serves, &["--cc", cc], |_| ());
        fs::write(server.served().join("large"), &content).unwrap();
        let at = format!("{}/large", server.address);
        let mut client = server.client(&["fetch", &at, "--to", cc, "--cc", cc]);
        jumps(&mut client);
        let (start, mut client) = (Instant::now(), client.spawn().unwrap());
        let mut jumped = 0;
        let ended = loop {
            // An hour ahead, back, an hour behind, back, several times a second.
            for file in [&ahead, &behind] {
                fs::write(file, "").unwrap();
                thread::sleep(Duration::from_millis(60));
                fs::remove_file(file).unwrap();
                thread::sleep(Duration::from_millis(40));
                jumped += 2;
            }
            if let Some(status) = client.try_wait().unwrap() {
                break status;
            }
            assert!(start.elapsed() < Duration::from_secs(60), "{cc} hangs");
        };
        eprintln!("{cc}: {:?}, {jumped} jumps", start.elapsed());
        assert!(ended.success(), "{cc}: {:?}", client.wait_with_output());
        assert!(fs::read(server.folder.path().join(cc)).unwrap() == content, "{cc}");
    }
}

/// Tells what is written to the disk, and when a client is told of success: what comes last is what no failure of power takes back.
const TELLING_SYNC: &str = r#"
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int fsync(int file)
{
	int (*real)(int) = (int (*)(int))dlsym(RTLD_NEXT, "fsync");
	int done = real(file);
	char link[64], path[4096];
	snprintf(link, sizeof link, "/proc/self/fd/%d", file);
	ssize_t length = readlink(link, path, sizeof path - 2);
	if (length > 0 && done == 0) {
		path[length] = '\n';
		int log = open(getenv("SYNC_LOG"), O_WRONLY | O_APPEND | O_CREAT, 0600);
		if (write(log, path, length + 1) < 0)
			_exit(1);
		close(log);
	}
	return done;
}
"#;

#[test]
fn a_file_and_its_name_are_on_the_disk_when_success_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let (log, file) = (folder.path().join("log"), folder.path().join("file"));
    fs::write(&file, "content").unwrap();
    let mut serves = Command::new(attacked());
    serves.env("LD_PRELOAD", library(folder.path(), "sync", TELLING_SYNC)).env("SYNC_LOG", &log);
    let server = Server::start_by(serves, &["--anyone-may-write"], |_| ());
    let before = fs::read_to_string(&log).unwrap_or_default().lines().count();
    let sent = server.send(&file, &[]);
    assert!(sent.status.success(), "{}", String::from_utf8_lossy(&sent.stderr));
    let all = fs::read_to_string(&log).unwrap_or_default();
    let synced: Vec<&str> = all.lines().skip(before).collect();
    eprintln!("on the disk when success was told: {synced:?}");
    let served = fs::canonicalize(server.served()).unwrap();
    let (of_file, of_name) =
        (synced.iter().position(|path| path.ends_with(".part")), synced.iter().position(|path| Path::new(path) == served));
    assert!(of_file.is_some() && of_file < of_name, "first the file, then its name: {synced:?}");
}
