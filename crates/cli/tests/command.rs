//! The built command from outside: what it prints where, what it returns, what it leaves behind.

use std::fs;
use std::io::Read;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use serde_json::Value;

const SCENARIO: &str = r#"
duration_s = 2
[bottleneck]
rate_mbps = 10
delay_ms = 10
queue_packets = 50
loss = 0.01
[[flow]]
cc = "reno"
"#;

fn symbiosis(folder: &Path, args: &[&str]) -> Output {
    fs::write(folder.join("small.toml"), SCENARIO).unwrap();
    Command::new(env!("CARGO_BIN_EXE_symbiosis")).current_dir(folder).env("NO_COLOR", "1").args(args).output().unwrap()
}

fn in_folder(args: &[&str]) -> Output {
    symbiosis(tempfile::tempdir().unwrap().path(), args)
}

fn stdout(output: &Output) -> &str {
    std::str::from_utf8(&output.stdout).unwrap()
}

fn stderr(output: &Output) -> &str {
    std::str::from_utf8(&output.stderr).unwrap()
}

fn json(args: &[&str]) -> Value {
    let output = in_folder(args);
    assert!(output.status.success(), "{}", stderr(&output));
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {}", stdout(&output)))
}

#[test]
fn bad_input_is_code_2_and_one_report_on_stderr() {
    let rows: &[(&[&str], &str)] = &[
        (&["simulate", "missing.toml"], "missing.toml cannot be read"),
        (&["simulate", "small.toml", "--set", "flow.0.cc=renno"], "did you mean `reno`?"),
        (&["simulate", "small.toml", "--set", "flow.3.cc=reno"], "there is no `flow.3`"),
        (&["simulate", "small.toml", "--set", "bottleneck.loss=2"], "`bottleneck.loss` is 2"),
        (&["simulate", "small.toml", "--seeds", "0"], "--seeds"),
        (&["simulate", "small.toml", "--seed", "18446744073709551615", "--seeds", "2"], "not so many seeds"),
        (&["simulate", "small.toml", "--csv"], "--out"),
        (&["simulate", "small.toml", "--out", "small.toml"], "--out small.toml"),
        (&["simulate", "small.toml", "--out", "small.toml/below"], "--out small.toml/below"),
        (&["simulate", "small.toml", "--out", "/proc/here"], "--out /proc/here"),
        (&["simulate", "small.toml", "--out", "."], "the folder is not empty"),
        (&["arena", "--cc", "symbioses"], "did you mean `symbiosis`?"),
        (&["arena", "--against", "cubiq"], "--against cubiq"),
        (&["arena", "--only", "random-los"], "did you mean `random-loss`?"),
        (&["arena", "--cc", "fast{alpha=}"], "--cc fast{alpha=}"),
        (&["simulate"], "Usage"),
        (&["stimulate"], "simulate"),
    ];
    for (args, said) in rows {
        let output = in_folder(args);
        assert_eq!(output.status.code(), Some(2), "{args:?}: {}", stderr(&output));
        assert_eq!(stdout(&output), "", "{args:?}");
        assert!(stderr(&output).contains(said), "{args:?}: {}", stderr(&output));
        assert!(!stderr(&output).contains('\u{1b}'), "{args:?}: colour in spite of NO_COLOR");
    }
}

#[test]
fn a_refused_scenario_leaves_no_folder() {
    let folder = tempfile::tempdir().unwrap();
    let output = symbiosis(folder.path(), &["simulate", "small.toml", "--set", "duration_s=-1", "--out", "new"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(!folder.path().join("new").exists());
    fs::create_dir(folder.path().join("empty")).unwrap();
    symbiosis(folder.path(), &["simulate", "small.toml", "--set", "duration_s=-1", "--out", "empty"]);
    assert_eq!(fs::read_dir(folder.path().join("empty")).unwrap().count(), 0);
}

#[test]
fn json_is_the_object_that_the_format_promises() {
    let run = json(&["simulate", "small.toml", "--json", "--seed", "7"]);
    let keys = |value: &Value| value.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    assert_eq!(keys(&run), ["duration_s", "events", "flows", "jain", "links", "packets_delivered", "scenario", "seed", "wall_s"]);
    assert_eq!((run["seed"].as_u64(), run["scenario"].as_str(), run["duration_s"].as_f64()), (Some(7), Some("small"), Some(2.0)));
    assert!(run["packets_delivered"].as_u64().unwrap() > 100, "{run}");
    assert_eq!((run["flows"][0]["id"].as_str(), run["links"][0]["name"].as_str()), (Some("reno"), Some("bottleneck")));
    assert!(run["flows"][0]["cwnd_packets"]["final"].is_number());
}

#[test]
fn seeds_come_in_order_and_repeat_bit_for_bit() {
    let without_wall = |mut runs: Value| {
        for run in runs.as_array_mut().unwrap() {
            run.as_object_mut().unwrap().remove("wall_s");
        }
        runs
    };
    let one_at_a_time = without_wall(json(&["simulate", "small.toml", "--json", "--seeds", "5", "--threads", "1"]));
    let together = without_wall(json(&["simulate", "small.toml", "--json", "--seeds", "5", "--threads", "4"]));
    assert_eq!(one_at_a_time, together);
    let seeds: Vec<u64> = together.as_array().unwrap().iter().map(|run| run["seed"].as_u64().unwrap()).collect();
    assert_eq!(seeds, [1, 2, 3, 4, 5]);
    assert_ne!(together[0]["flows"], together[1]["flows"], "a lossy link must differ between seeds");
}

#[test]
fn people_get_tables() {
    let one = in_folder(&["simulate", "small.toml"]);
    assert!(one.status.success());
    assert!(stdout(&one).starts_with("small, seed 1: 2 s, measured from 0 s to 2 s\n"), "{}", stdout(&one));
    assert!(stdout(&one).contains("\nbottleneck "), "{}", stdout(&one));
    assert_eq!(stderr(&one), "", "no progress bar without a terminal");
    let many = in_folder(&["simulate", "small.toml", "--seeds", "3"]);
    assert!(stdout(&many).contains("seeds 1 to 3") && stdout(&many).contains(" ± "), "{}", stdout(&many));
}

#[test]
fn an_explanation_runs_nothing() {
    let text = in_folder(&["simulate", "small.toml", "--explain", "--set", "duration_s=1e6"]);
    assert!(text.status.success() && stdout(&text).contains("srtt + max(200 ms, 4 rttvar), at most 60000 ms"), "{}", stdout(&text));
    let json = json(&["simulate", "small.toml", "--explain", "--json", "--seed", "9"]);
    assert_eq!((json["seed"].as_u64(), json["flows"][0]["min_rto_ms"].as_f64()), (Some(9), Some(200.0)));
}

#[test]
fn a_new_folder_receives_the_results() {
    let folder = tempfile::tempdir().unwrap();
    let output = symbiosis(folder.path(), &["simulate", "small.toml", "--out", "a/b", "--set", "duration_s=1"]);
    assert!(output.status.success(), "{}", stderr(&output));
    let text = fs::read_to_string(folder.path().join("a/b/scenario.toml")).unwrap();
    assert!(text.contains("duration_s = 1\n"), "the scenario as it was run: {text}");
    let results: Value = serde_json::from_slice(&fs::read(folder.path().join("a/b/results.json")).unwrap()).unwrap();
    assert_eq!(results["duration_s"].as_f64(), Some(1.0));
    let page = fs::read_to_string(folder.path().join("a/b/index.html")).unwrap();
    assert!(page.contains("vega") && page.contains("simulate scenario.toml"), "the page draws, and says how it was made");
    for file in ["flows.parquet", "links.parquet"] {
        assert!(fs::read(folder.path().join("a/b").join(file)).unwrap().starts_with(b"PAR1"), "{file}");
    }
    assert!(!folder.path().join("a/b/flows.csv").exists(), "only if asked for");
}

#[test]
fn several_seeds_leave_their_traces_side_by_side() {
    let folder = tempfile::tempdir().unwrap();
    let output = symbiosis(folder.path(), &["simulate", "small.toml", "--out", "out", "--seeds", "2", "--csv", "--pcap"]);
    assert!(output.status.success(), "{}", stderr(&output));
    for file in ["seed-1/flows.csv", "seed-2/flows.csv", "seed-2/links.parquet", "seed-2/senders.pcap", "index.html"] {
        assert!(folder.path().join("out").join(file).exists(), "{file}");
    }
}

#[test]
fn experiments_are_listed_with_their_sources() {
    let list = in_folder(&["reproduce", "--list"]);
    assert!(list.status.success());
    for line in ["S7   S Fig 7", "T3   T Fig 3", "H2   H Fig 2"] {
        assert!(stdout(&list).lines().any(|row| row.starts_with(line)), "{line}: {}", stdout(&list));
    }
}

#[test]
fn a_reproduction_writes_its_report_and_prints_its_claims() {
    let folder = tempfile::tempdir().unwrap();
    let output = symbiosis(folder.path(), &["reproduce", "--only", "i1,S1", "--quick", "--out", "here/report"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    // Not on a terminal: a line for each experiment that ends.
    assert!(stderr(&output).contains("done: 2 of 2 experiments"), "{}", stderr(&output));
    assert!(stdout(&output).contains("published claims: 6 of 6 hold (100 %)"), "{}", stdout(&output));
    assert!(stderr(&output).ends_with(" s of CPU time, all threads together\n"), "{}", stderr(&output));
    for file in ["index.html", "results.json", "figures/I1.svg", "figures/S1.svg"] {
        assert!(folder.path().join("here/report").join(file).exists(), "{file}");
    }
    let again = symbiosis(folder.path(), &["reproduce", "--only", "S1", "--quick", "--out", "here/report", "--json"]);
    let claims: Value = serde_json::from_slice(&again.stdout).unwrap();
    assert_eq!((claims[0]["id"].as_str(), claims[0]["verdict"].as_str()), (Some("S1"), Some("holds")));
    assert_eq!(claims[0]["command"].as_str(), Some("symbiosis reproduce --only S1 --quick"));
}

/// Starts a reproduction of which the first experiment takes no time and the second a while, and kills it between the two. Whether it
/// could be caught there.
fn interrupted(folder: &Path, args: &[&str]) -> bool {
    let mut child = Command::new(env!("CARGO_BIN_EXE_symbiosis")).current_dir(folder).args(args).stdout(Stdio::null()).spawn().unwrap();
    while !folder.join("report/.unfinished/S1.outcome").exists() {
        if child.try_wait().unwrap().is_some() {
            return false;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    child.kill().unwrap();
    !child.wait().unwrap().success()
}

#[test]
fn an_interrupted_reproduction_goes_on_where_it_stopped() {
    let args = ["reproduce", "--only", "S1,B9", "--quick", "--threads", "1", "--out", "report"];
    let folder = tempfile::tempdir().unwrap();
    assert!((0..5).any(|_| interrupted(folder.path(), &args)), "ended before it could be interrupted");
    let resumed = symbiosis(folder.path(), &args);
    // A slow machine also says what is under way in between.
    let said = stderr(&resumed);
    assert!(said.starts_with("1 of 2 experiments were done before the interruption\n") && !said.contains("S1 "), "{said}");
    assert!(said.contains("\nB9 done, ") && said.contains(" s of CPU time: 2 of 2 experiments"), "{said}");
    let whole = tempfile::tempdir().unwrap();
    let at_once = symbiosis(whole.path(), &args);
    assert_eq!(stdout(&resumed), stdout(&at_once));
    let page = |folder: &Path| fs::read(folder.join("report/index.html")).unwrap();
    assert!(page(folder.path()) == page(whole.path()), "the same page");
    assert!(!folder.path().join("report/.unfinished").exists());
}

#[test]
fn what_cannot_be_reproduced_is_refused_before_anything_is_written() {
    for (args, said) in [
        (["reproduce", "--only", "S99", "--out", "new"], "no such experiment"),
        (["reproduce", "--only", "S1", "--out", "/proc/here"], "--out /proc/here"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let output = symbiosis(folder.path(), &args);
        assert_eq!((output.status.code(), stdout(&output)), (Some(2), ""), "{args:?}");
        assert!(stderr(&output).contains(said), "{args:?}: {}", stderr(&output));
        assert!(!folder.path().join("new").exists(), "{args:?}");
    }
}

#[test]
fn controllers_are_listed() {
    let text = in_folder(&["controllers"]);
    assert!(stdout(&text).contains("\nreno\n"), "{}", stdout(&text));
    let list = json(&["controllers", "--json"]);
    assert!(list.as_array().unwrap().iter().any(|entry| entry["name"] == "newreno" && entry["params"].is_array()), "{list}");
}

#[test]
fn a_reader_that_leaves_is_no_failure() {
    let folder = tempfile::tempdir().unwrap();
    // More than a pipe holds.
    fs::write(folder.path().join("many.toml"), SCENARIO.replace("cc = \"reno\"", "cc = \"reno\"\ncount = 3000")).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_symbiosis"));
    let command = command.current_dir(folder.path()).args(["simulate", "many.toml", "--explain", "--json"]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut head = [0; 10];
    let mut pipe = child.stdout.take().unwrap();
    pipe.read_exact(&mut head).unwrap();
    drop(pipe);
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), stderr(&output)), (Some(0), ""));
}

#[test]
fn shells_and_man_know_every_command() {
    let help = in_folder(&["--help"]);
    let commands: Vec<_> = stdout(&help)
        .lines()
        .skip_while(|line| *line != "Commands:")
        .skip(1)
        .take_while(|line| !line.is_empty())
        .filter_map(|line| line.strip_prefix("  ").filter(|line| !line.starts_with(' '))?.split(' ').next())
        .filter(|name| *name != "help")
        .collect();
    assert!(commands.contains(&"simulate") && commands.contains(&"kernel"), "{commands:?}");
    for shell in ["bash", "zsh", "fish"] {
        let script = in_folder(&["completions", shell]);
        let missing: Vec<_> = commands.iter().filter(|name| !stdout(&script).contains(**name)).collect();
        assert!(missing.is_empty(), "{shell} does not know {missing:?}");
    }
    let folder = tempfile::tempdir().unwrap();
    assert!(symbiosis(folder.path(), &["man", "--out", "pages"]).status.success());
    for name in &commands {
        let page = fs::read_to_string(folder.path().join(format!("pages/symbiosis-{name}.1"))).unwrap();
        assert!(page.contains(".SH SYNOPSIS") && page.contains(&format!("symbiosis\\-{name}")), "{page}");
    }
    assert!(folder.path().join("pages/symbiosis-kernel-start.1").exists());
}

#[test]
fn the_arena_says_the_same_of_the_same_seeds_and_nothing_else_on_stdout() {
    let args = ["arena", "--only", "application/10 kB alone", "--cc", "reno", "--cc", "cubic", "--seeds", "3", "--json"];
    let found = json(&args);
    assert_eq!(found, json(&args));
    assert_eq!(found["scoreboard"]["rows"][1]["cc"], "cubic");
    assert_eq!(found["cells"][0]["seeds"], 3);
    // What it gives back to be looked at is a scenario as it was run.
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("seen.toml"), found["cells"][0]["scenario"].as_str().unwrap()).unwrap();
    let seen = symbiosis(folder.path(), &["simulate", "seen.toml", "--json"]);
    assert!(seen.status.success(), "{}", stderr(&seen));
}

#[test]
fn an_interrupted_arena_goes_on_where_it_stopped() {
    let folder = tempfile::tempdir().unwrap();
    let args = ["arena", "--only", "start", "--cc", "reno", "--seeds", "3", "--threads", "1", "--json"];
    let outcomes = folder.path().join("arena/.unfinished");
    let is_outcome = |path: &Path| path.extension().is_some_and(|extension| extension == "outcome");
    let kept = || fs::read_dir(&outcomes).map_or(0, |files| files.filter(|file| is_outcome(&file.as_ref().unwrap().path())).count());
    let mut child = Command::new(env!("CARGO_BIN_EXE_symbiosis"))
        .current_dir(folder.path())
        .args(args)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    while kept() == 0 {
        assert!(child.try_wait().unwrap().is_none(), "ended before it could be interrupted");
        std::thread::sleep(Duration::from_millis(1));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let resumed = symbiosis(folder.path(), &args);
    assert!(stderr(&resumed).contains(" of 10 cells were done before the interruption"), "{}", stderr(&resumed));
    assert_eq!(stdout(&resumed), stdout(&in_folder(&args)), "as if it had not been interrupted");
    assert!(!outcomes.exists());
}
