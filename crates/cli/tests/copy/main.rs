//! `symbiosis copy` and `list`, end to end: the other end is started by a program that stands for ssh, or by ssh itself where its server is installed.

mod elsewhere;
mod long_path;
mod measure;
mod watch;

use std::fs;
use std::io::{Read, Write};
use std::net::UdpSocket;
use std::os::unix::fs::{MetadataExt, symlink};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use elsewhere::{Elsewhere, PROGRAM, done, nothing_is_left, text};

fn many(folder: &Path, files: usize) {
    fs::create_dir_all(folder.join("sub/empty")).unwrap();
    for at in 0..files {
        fs::write(folder.join(if at % 2 == 0 { format!("f{at}") } else { format!("sub/f{at}") }), vec![at as u8; at * 31 % 9000]).unwrap();
    }
    symlink("f0", folder.join("link")).unwrap();
}

fn same(a: &Path, b: &Path) {
    let diff = Command::new("diff").args(["-r", "--no-dereference"]).args([a, b]).output().unwrap();
    done(&diff);
}

#[test]
fn a_tree_goes_there_and_comes_back_and_the_second_time_nothing_moves() {
    let elsewhere = Elsewhere::new();
    let tree = elsewhere.here().join("tree");
    many(&tree, 300);
    let sent = elsewhere.run("copy", &["tree", "localhost:"]);
    done(&sent);
    assert!(text(&sent).starts_with("copied 300 files, "), "{}", text(&sent));
    same(&tree, &elsewhere.home().join("tree"));
    let again = elsewhere.run("copy", &["--json", "tree", "localhost:"]);
    done(&again);
    let last: serde_json::Value =
        serde_json::from_slice(again.stdout.trim_ascii_end().rsplit(|byte| *byte == b'\n').next().unwrap()).unwrap();
    assert_eq!(
        (&last["event"], &last["copied"], &last["moved_bytes"], &last["files"]),
        (&"done".into(), &0.into(), &0.into(), &300.into())
    );
    done(&elsewhere.run("copy", &["localhost:tree/", "back"]));
    same(&tree, &elsewhere.here().join("back"));
    nothing_is_left(&elsewhere.here());
}

#[test]
fn filters_dry_runs_and_removal_do_what_they_say() {
    let elsewhere = Elsewhere::new();
    many(&elsewhere.here().join("tree"), 4);
    fs::write(elsewhere.here().join("tree/skip.o"), "").unwrap();
    fs::create_dir(elsewhere.home().join("tree")).unwrap();
    fs::write(elsewhere.home().join("tree/old"), "").unwrap();
    let args = ["--exclude", "*.o", "--delete", "tree", "localhost:"];
    let dry = elsewhere.run("copy", &[&["--dry-run"], &args[..]].concat());
    done(&dry);
    for line in ["would copy tree/f0", "would remove tree/old", "would copy 4 files, remove 1"] {
        assert!(text(&dry).contains(line), "{line}: {}", text(&dry));
    }
    assert!(!elsewhere.home().join("tree/f0").exists() && elsewhere.home().join("tree/old").exists());
    done(&elsewhere.run("copy", &args));
    fs::remove_file(elsewhere.here().join("tree/skip.o")).unwrap();
    same(&elsewhere.here().join("tree"), &elsewhere.home().join("tree"));
}

#[test]
fn the_other_end_hears_both_families() {
    let elsewhere = Elsewhere::new();
    fs::write(elsewhere.here().join("file"), "both").unwrap();
    let ipv6 = UdpSocket::bind(("::1", 0)).is_ok();
    for (address, to) in [("127.0.0.1", "four"), ("::1", "six")].into_iter().filter(|(address, _)| ipv6 || !address.contains(':')) {
        done(&elsewhere.command_at(address, "copy", &["file", &format!("localhost:{to}")]).output().unwrap());
        assert_eq!(fs::read(elsewhere.home().join(to)).unwrap(), b"both");
    }
}

#[test]
fn streams_lists_and_globs() {
    let elsewhere = Elsewhere::new();
    let content: Vec<u8> = (0..3_000_000u32).map(|at| (at.wrapping_mul(at) >> 7) as u8).collect();
    let mut child = elsewhere.command("copy", &["-", "localhost:stream.a"]).stdin(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(&content).unwrap();
    assert!(child.wait().unwrap().success());
    assert_eq!(fs::read(elsewhere.home().join("stream.a")).unwrap(), content);
    let out = elsewhere.run("copy", &["localhost:stream.a", "-"]);
    assert!(out.status.success() && out.stdout == content, "{}", String::from_utf8_lossy(&out.stderr));
    fs::write(elsewhere.home().join("other.a"), "a").unwrap();
    fs::write(elsewhere.home().join("other.b"), "b").unwrap();
    done(&elsewhere.run("copy", &["localhost:*.a", "got/"]));
    let mut names: Vec<_> = fs::read_dir(elsewhere.here().join("got")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, ["other.a", "stream.a"]);
    let listed = elsewhere.run("list", &["localhost:*.a"]);
    done(&listed);
    let lines = text(&listed);
    assert!(lines.contains(" other.a\n") && lines.contains("        3000000 ") && lines.lines().count() == 2, "{lines}");
}

#[test]
fn what_is_wrong_is_said_in_one_error() {
    let elsewhere = Elsewhere::new();
    fs::write(elsewhere.here().join("file"), "x").unwrap();
    for (args, code, says) in [
        (vec!["none", "localhost:"], 2, "none: No such file"),
        (vec!["file", "to"], 2, "neither this nor a source is on another machine"),
        (vec!["localhost:a", "localhost:b"], 2, "both sides are on other machines"),
        (vec!["localhost:none", "to"], 2, "none: there is no such file"),
        (vec!["localhost:*.none", "to"], 2, "*.none: nothing matches"),
        (vec!["file", "localhost:no/such/place"], 1, "no/such"),
        (vec!["--exclude", "a[", "file", "localhost:"], 2, "a["),
        (vec!["--port-range", "9-1", "file", "localhost:"], 2, "60000-60100"),
        (vec!["--remote-program", "/no/such/program", "file", "localhost:"], 1, "--remote-program PATH"),
    ] {
        let output = if args[0] == "--remote-program" {
            let ssh = elsewhere.here().join("ssh");
            Command::new(PROGRAM).current_dir(elsewhere.here()).args(["copy", "-e", ssh.to_str().unwrap()]).args(&args).output().unwrap()
        } else {
            elsewhere.run("copy", &args)
        };
        assert_eq!(output.status.code(), Some(code), "{args:?}: {}", text(&output));
        assert!(text(&output).replace("\n  │ ", " ").contains(says), "{args:?}: {}", text(&output));
    }
    nothing_is_left(&elsewhere.here());
}

/// Waits until a part of so many bytes is somewhere in a folder.
fn part_grows(folder: &Path, bytes: u64, child: &mut Child) {
    let since = Instant::now();
    let part =
        |entry: fs::DirEntry| entry.file_name().to_string_lossy().ends_with(".part") && entry.metadata().is_ok_and(|is| is.len() >= bytes);
    while !fs::read_dir(folder).unwrap().filter_map(Result::ok).any(part) {
        assert!(since.elapsed() < Duration::from_secs(30), "nothing arrives");
        assert!(child.try_wait().unwrap().is_none(), "it ended by itself");
        thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn who_is_killed_is_taken_up_again_at_once_and_loses_a_group_at_most() {
    for sends in [true, false] {
        let elsewhere = Elsewhere::new();
        let (from, to) = if sends { (elsewhere.here(), elsewhere.home()) } else { (elsewhere.home(), elsewhere.here()) };
        let content: Vec<u8> = (0..40_000_000u32).map(|at| (at.wrapping_mul(at) >> 9) as u8).collect();
        fs::write(from.join("large"), &content).unwrap();
        let args = if sends { ["large", "localhost:"] } else { ["localhost:large", "."] };
        let mut child = elsewhere
            .command("copy", &[&["--compress", "never", "--limit", "80"], &args[..]].concat())
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        part_grows(&to, 10 << 20, &mut child);
        // SIGKILL: it cannot tell anybody.
        child.kill().unwrap();
        child.wait().unwrap();
        let since = Instant::now();
        let output = elsewhere.run("copy", &[&["--json"], &args[..]].concat());
        done(&output);
        assert!(since.elapsed() < Duration::from_secs(10), "{:?}", since.elapsed());
        let last: serde_json::Value =
            serde_json::from_slice(output.stdout.trim_ascii_end().rsplit(|byte| *byte == b'\n').next().unwrap()).unwrap();
        let (resumed, moved) = (last["resumed_bytes"].as_u64().unwrap(), last["moved_bytes"].as_u64().unwrap());
        assert!(resumed >= 9 << 20 && resumed + moved == 40_000_000, "{resumed} resumed, {moved} moved");
        assert!(fs::read(to.join("large")).unwrap() == content);
        nothing_is_left(&elsewhere.here());
    }
}

#[test]
fn what_grows_while_it_is_copied_is_named() {
    let elsewhere = Elsewhere::new();
    let path = elsewhere.here().join("log");
    // More than is read ahead (4 MB): the rest is read as fast as it leaves, and not between two lines.
    fs::write(&path, vec![1; 6 << 20]).unwrap();
    let mut child = elsewhere
        .command("copy", &["--compress", "never", "--limit", "32", "log", "localhost:"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut log = fs::File::options().append(true).open(&path).unwrap();
    while child.try_wait().unwrap().is_none() {
        log.write_all(b"a line\n").unwrap();
        thread::sleep(Duration::from_millis(1));
    }
    let mut said = String::new();
    child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(1), "{said}");
    assert!(said.contains("log: it changed while it was read"), "{said}");
    assert!(!elsewhere.home().join("log").exists());
}

/// What the last event of `--json` says.
fn last(output: &Output) -> serde_json::Value {
    serde_json::from_slice(output.stdout.trim_ascii_end().rsplit(|byte| *byte == b'\n').next().unwrap()).unwrap()
}

#[test]
fn what_holds_a_copy_up_is_told() {
    let elsewhere = Elsewhere::new();
    fs::write(elsewhere.here().join("file"), vec![5; 8_000_000]).unwrap();
    let limited = elsewhere.run("copy", &["--json", "--compress", "never", "--limit", "30", "file", "localhost:limited"]);
    assert_eq!(last(&limited)["cause"], "limit", "{}", text(&limited));
    done(&elsewhere.run("copy", &["file", "localhost:"]));
    // The other end is limited, and told that it is.
    let fetched = elsewhere.run("copy", &["--json", "--compress", "never", "--limit", "30", "localhost:file", "fetched"]);
    assert_eq!(last(&fetched)["cause"], "limit", "{}", text(&fetched));
    // A program that has its bytes one after another.
    let mut child =
        elsewhere.command("copy", &["--json", "-", "localhost:slow"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    for _ in 0..12 {
        stdin.write_all(&vec![1; 200_000]).unwrap();
        thread::sleep(Duration::from_millis(150));
    }
    drop(stdin);
    let output = child.wait_with_output().unwrap();
    assert_eq!(last(&output)["cause"], "reading", "{}", text(&output));
    // A program that takes them slowly: what it says goes to stderr, since stdout is what is copied to.
    let mut child = elsewhere
        .command("copy", &["--why", "--compress", "never", "localhost:file", "-"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdout = child.stdout.take().unwrap();
    let mut piece = vec![0; 400_000];
    while stdout.read(&mut piece).unwrap() > 0 {
        thread::sleep(Duration::from_millis(20));
    }
    let mut said = String::new();
    child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
    assert!(child.wait().unwrap().success() && said.contains("what is copied to writes "), "{said}");
}

/// Through ssh itself: a server of one's own on loopback, with keys that nobody else has.
#[test]
fn ssh_itself_starts_the_other_end() {
    let required = std::env::var_os("SYMBIOSIS_REQUIRE_ALL").is_some();
    let sshd = Path::new("/usr/sbin/sshd");
    if !sshd.exists() {
        assert!(!required, "openssh-server is not installed");
        println!("SKIPPED: openssh-server is not installed");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_string();
    for key in ["host", "user"] {
        done(&Command::new("ssh-keygen").args(["-q", "-t", "ed25519", "-N", "", "-f", &path(key)]).output().unwrap());
    }
    fs::rename(path("user.pub"), path("authorized")).unwrap();
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let config = format!(
        "Port {port}\nListenAddress 127.0.0.1\nHostKey {}\nAuthorizedKeysFile {}\nPidFile none\nStrictModes no\nUsePAM no\nPasswordAuthentication no\n",
        path("host"),
        path("authorized")
    );
    fs::write(path("config"), config).unwrap();
    // Where it gives up its rights, it wants this folder.
    let _ = fs::create_dir_all("/run/sshd");
    let mut server = Command::new(sshd).args(["-D", "-e", "-f", &path("config")]).stderr(Stdio::null()).spawn().unwrap();
    let since = Instant::now();
    while std::net::TcpStream::connect(("127.0.0.1", port)).is_err() {
        assert!(since.elapsed() < Duration::from_secs(10) && server.try_wait().unwrap().is_none(), "sshd does not listen");
        thread::sleep(Duration::from_millis(20));
    }
    many(&folder.path().join("tree"), 50);
    let ssh = format!(
        "ssh -F none -p {port} -i {} -o BatchMode=yes -o StrictHostKeyChecking=no -o UserKnownHostsFile={}",
        path("user"),
        path("known")
    );
    let copy =
        |from: &str, to: &str| Command::new(PROGRAM).args(["copy", "-e", &ssh, "--remote-program", PROGRAM, from, to]).output().unwrap();
    let there = format!("127.0.0.1:{}", path("there"));
    let sent = copy(&path("tree"), &there);
    let back = copy(&format!("{there}/tree"), &path("back/"));
    let no_port = Command::new(PROGRAM).args(["copy", "-e", &ssh.replace(&port.to_string(), "9"), &path("tree"), &there]).output().unwrap();
    server.kill().unwrap();
    server.wait().unwrap();
    done(&sent);
    done(&back);
    same(&folder.path().join("tree"), &folder.path().join("there/tree"));
    same(&folder.path().join("tree"), &folder.path().join("back/tree"));
    assert_eq!(no_port.status.code(), Some(1));
    assert!(text(&no_port).contains("127.0.0.1 cannot be reached"), "{}", text(&no_port));
    assert_eq!(
        fs::metadata(folder.path().join("back/tree/f0")).unwrap().mtime(),
        fs::metadata(folder.path().join("tree/f0")).unwrap().mtime()
    );
}

#[test]
fn a_packed_copy_is_the_same_and_takes_less_of_the_path() {
    let elsewhere = Elsewhere::new();
    let text: Vec<u8> = (0..400_000u32).flat_map(|line| format!("line {}\n", line % 5000).into_bytes()).collect();
    fs::write(elsewhere.here().join("text"), &text).unwrap();
    let packets = |to: &str, when: &str| {
        let copied = elsewhere.run("copy", &["--json", "--compress", when, "text", &format!("localhost:{to}")]);
        done(&copied);
        assert!(fs::read(elsewhere.home().join(to)).unwrap() == text, "{when}");
        let last = copied.stdout.trim_ascii_end().rsplit(|byte| *byte == b'\n').next().unwrap();
        let last: serde_json::Value = serde_json::from_slice(last).unwrap();
        assert_eq!(last["moved_bytes"], text.len(), "what is counted is the file's");
        last["packets_sent"].as_u64().unwrap()
    };
    let (never, always) = (packets("never", "never"), packets("always", "always"));
    assert!(always < never / 3, "{always} packets instead of {never}");
    packets("auto", "auto");
    let refused = elsewhere.run("copy", &["--compress", "sometimes", "text", "localhost:"]);
    assert_eq!(refused.status.code(), Some(2));
}
