//! `symbiosis sweep` from outside: what it writes, what it refuses, and that it goes on where it was interrupted.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};
use std::time::Duration;

const SWEEP: &str = "
seeds = 8
[axes]
bottleneck.rate_mbps = [5, 10]
'flow.*.cc' = ['reno', 'cubic']
[scenario]
duration_s = 0.3
bottleneck = { delay_ms = 5, queue_packets = 10, loss = 0.01 }
flow = [{ cc = 'reno' }, { cc = 'reno', start_s = 0.1 }]
";

fn command(folder: &Path, args: &[&str]) -> Command {
    fs::write(folder.join("small.toml"), SWEEP).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_symbiosis"));
    command.current_dir(folder).env("NO_COLOR", "1").arg("sweep").args(args);
    command
}

fn sweep(folder: &Path, args: &[&str]) -> Output {
    command(folder, args).output().unwrap()
}

fn entries(folder: &Path) -> Vec<String> {
    let mut names: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// Whether two folders hold the same bytes.
fn same(folder: &Path, a: &str, b: &str) -> bool {
    Command::new("diff").current_dir(folder).args(["-r", a, b]).output().unwrap().status.success()
}

#[test]
fn threads_shards_and_interruptions_leave_the_same_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    assert!(sweep(folder, &["small.toml", "--threads", "1"]).status.success());
    assert_eq!(entries(&folder.join("small")), ["flows", "links", "scenario.toml", "sweep.json", "sweep.toml"]);
    assert!(sweep(folder, &["small.toml", "--threads", "4", "--out", "four"]).status.success());
    for shard in ["1/3", "2/3", "3/3"] {
        let output = sweep(folder, &["small.toml", "--shard", shard, "--out", &format!("shard-{}", &shard[..1])]);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
    assert!(sweep(folder, &["merge", "shard-3", "shard-1", "shard-2", "--out", "merged"]).status.success());

    // Long enough to be interrupted: each of the runs takes a good part of a second.
    let long = ["small.toml", "--set", "duration_s=400", "--set", "bottleneck.loss=0", "--seeds", "1"];
    let mut child = command(folder, &[&long[..], &["--threads", "1", "--out", "broken"]].concat()).spawn().unwrap();
    while !folder.join("broken/.unfinished/chunk-0").exists() {
        std::thread::sleep(Duration::from_millis(5));
        assert!(child.try_wait().unwrap().is_none(), "it ended before its first chunk was there");
    }
    Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert!(!folder.join("broken/sweep.json").exists());
    assert!(sweep(folder, &[&long[..], &["--out", "broken"]].concat()).status.success());
    assert!(sweep(folder, &[&long[..], &["--out", "unbroken"]].concat()).status.success());

    for (a, b) in [("small", "four"), ("small", "merged"), ("broken", "unbroken")] {
        assert!(same(folder, a, b), "{a} and {b} differ");
    }
    assert!(!same(folder, "small", "broken"));
    // Done once, done for good.
    let again = sweep(folder, &["small.toml"]);
    assert_eq!(String::from_utf8_lossy(&again.stdout), "small: 32 runs, 0 of them not possible; tables flows, links\n");
}

#[test]
fn bad_input_is_code_2_and_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::write(folder.join("slip.toml"), SWEEP.replace("'cubic'", "'cubik'")).unwrap();
    fs::write(folder.join("full"), "").unwrap();
    for (args, said) in [
        (&["slip.toml"][..], &["slip.toml:5:", "axis `flow.*.cc` cannot be 'cubik'", "did you mean `cubic`?"][..]),
        (&["missing.toml"], &["missing.toml cannot be read"]),
        (&["small.toml", "--set", "bottleneck.los=0"], &["--set:1:12", "did you mean `loss`"]),
        (&["small.toml", "--shard", "4/3"], &["3/5 for the third of five"]),
        (&["small.toml", "--out", "full"], &["--out full"]),
        (&["small.toml", "--out", "."], &["the folder is not empty"]),
        (&["merge", "nowhere", "--out", "merged"], &["nowhere/sweep.toml cannot be read"]),
        (&[], &["Usage"]),
    ] {
        let output = sweep(folder, args);
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{args:?}: {stderr}");
        assert!(output.stdout.is_empty());
        said.iter().for_each(|said| assert!(stderr.contains(said), "{args:?}: {stderr}"));
        assert_eq!(entries(folder), ["full", "slip.toml", "small.toml"], "{args:?}");
    }
}

#[test]
fn a_run_that_is_not_possible_is_told_and_the_others_are_there() {
    let folder = tempfile::tempdir().unwrap();
    let set = ["small.toml", "--set", "measure.from_s=0.1"];
    fs::write(folder.path().join("small.toml"), "").unwrap();
    let output = sweep(folder.path(), &[&set[..], &["--count"]].concat());
    assert_eq!(String::from_utf8_lossy(&output.stdout), "32\n");
    fs::write(
        folder.path().join("some.toml"),
        SWEEP.replace("bottleneck.rate_mbps = [5, 10]", "duration_s = [0.05, 0.3]\nbottleneck.rate_mbps = [5]"),
    )
    .unwrap();
    let output = sweep(folder.path(), &["some.toml"]);
    assert_eq!(output.status.code(), Some(1));
    let stderr = String::from_utf8_lossy(&output.stderr);
    // Which five are told first is the threads' affair; the dataset has them all in order.
    assert_eq!(stderr.matches(" is not possible: `flow.1` starts at 0.1 s, after the end of the run").count(), 5, "{stderr}");
    assert!(stderr.contains("16 of 32 runs were not possible"), "{stderr}");
    assert_eq!(entries(&folder.path().join("some")), ["failures", "flows", "links", "scenario.toml", "sweep.json", "sweep.toml"]);
}
