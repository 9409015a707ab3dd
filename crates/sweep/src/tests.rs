//! Sweeps as a whole: what is run, what is refused, and that bytes follow from the sweep alone.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use symbiosis_scenario::SIMULATOR;

use crate::*;

const SCENARIO: &str = "
[scenario]
duration_s = 0.2
seed = 4
[scenario.bottleneck]
rate_mbps = 10
delay_ms = 5
queue_packets = 10
loss = 0.01
[[scenario.flow]]
cc = 'reno'
";

fn sweep(text: &str) -> Sweep {
    parse(text).unwrap_or_else(|error| panic!("{error} ({:?})", error.help))
}

fn parse(text: &str) -> Result<Sweep, symbiosis_scenario::ScenarioError> {
    let text = format!("{text}\n{SCENARIO}");
    let sweep = Sweep::parse(&SIMULATOR, &text, "test.toml", None, &Changes::default())?;
    sweep.check().map(|()| sweep)
}

/// Every run, as `seed` and the cells of its axes.
fn runs(sweep: &Sweep) -> Vec<String> {
    let points = (0..sweep.size()).filter_map(|run| sweep.grid().point(run));
    let words = |point: Point| {
        let cells: Vec<String> = sweep.grid().cells(&point).map(Cell::text).collect();
        format!("{} {}", point.seed, cells.join(" "))
    };
    points.map(words).collect()
}

/// All files below a folder, with their bytes.
fn files(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut open = vec![folder.to_path_buf()];
    while let Some(here) = open.pop() {
        for entry in fs::read_dir(here).unwrap() {
            let path = entry.unwrap().path();
            match path.is_dir() {
                true => open.push(path),
                false => drop(found.insert(path.strip_prefix(folder).unwrap().to_path_buf(), fs::read(&path).unwrap())),
            }
        }
    }
    found
}

fn run_into(folder: &Path, sweep: &Sweep, threads: usize, shard: Shard, traces: bool) -> Option<Done> {
    let store = Store::open(folder, sweep.clone().into()).unwrap();
    let missing = store.missing(shard.chunks(chunks(sweep)));
    let traces = traces.then(|| folder.join("traces"));
    run_local(sweep, &missing, threads, traces.as_deref(), &AtomicBool::new(false), |chunk, records| store.keep(chunk, &records)).unwrap();
    store.finish().unwrap()
}

#[test]
fn axes_are_nested_zips_go_together_and_filters_leave_out() {
    let two = sweep("seeds = 2\n[axes]\nbottleneck.rate_mbps = [10, 20]\n'flow.*.cc' = ['reno', 'cubic']");
    assert_eq!(runs(&two), ["4 10 reno", "5 10 reno", "4 10 cubic", "5 10 cubic", "4 20 reno", "5 20 reno", "4 20 cubic", "5 20 cubic"]);
    let zipped = sweep("seeds = [7]\n[axes]\nduration_s = [1, 2]\n[[zip]]\nbottleneck.rate_mbps = [10, 20]\nbottleneck.delay_ms = [9, 8]");
    assert_eq!(runs(&zipped), ["7 1 10 9", "7 1 20 8", "7 2 10 9", "7 2 20 8"]);
    let filtered = "[axes]\nbottleneck.rate_mbps = [1, 2, 3]\nflow.0.cc = ['reno', 'cubic', 'vegas']\n";
    let rest = |filters: &str| runs(&sweep(&format!("{filtered}{filters}")));
    assert_eq!(
        rest("[[skip]]\nbottleneck.rate_mbps = { above = 1 }\nflow.0.cc = ['reno', 'cubic']"),
        ["4 1 reno", "4 1 cubic", "4 1 vegas", "4 2 vegas", "4 3 vegas"]
    );
    assert_eq!(
        rest("[[only]]\nbottleneck.rate_mbps = 2.0\n[[only]]\nflow.0.cc = 'vegas'\n[[skip]]\nbottleneck.rate_mbps = { from = 3 }"),
        ["4 1 vegas", "4 2 reno", "4 2 cubic", "4 2 vegas"]
    );
    assert_eq!(sweep(&format!("seeds = 3\n{filtered}[[skip]]\nflow.0.cc = 'vegas'")).runs(), 18);
}

#[test]
fn an_axis_adds_flows() {
    let sweep = sweep("[axes]\n'flow.+' = [[], { cc = 'cubic' }, [{ cc = 'cubic', count = 3 }, { cc = 'fast' }]]");
    let flows = (0..3).map(|run| sweep.plan(&sweep.grid().point(run).unwrap()).unwrap().flows.len());
    assert_eq!(flows.collect::<Vec<_>>(), [1, 2, 5]);
    assert_eq!(runs(&sweep)[1], "4 { cc = 'cubic' }");
}

#[test]
fn what_cannot_be_is_refused_before_anything_runs() {
    for (text, at, what, help) in [
        ("[axes]\nbottleneck.rate_mpbs = [1]", "1", "no key `rate_mpbs`", "did you mean `rate_mbps`"),
        ("[axes]\nflow.0.cc = ['reno', 'renno']", "'renno'", "cannot be 'renno': there is no controller \"renno\"", "did you mean `reno`"),
        ("[axes]\n'flow.*.cc' = ['renno']", "'renno'", "no controller", "did you mean `reno`"),
        ("[axes]\n'flow.+' = [[], { cc = 'renno' }]", "{ cc = 'renno' }", "no controller", "did you mean `reno`"),
        (
            "[axes]\nbottleneck.rate_mbps = { from = -5, to = 5, step = 5 }",
            "{ from = -5, to = 5, step = 5 }",
            "cannot be -5",
            "a number from",
        ),
        ("[axes]\nflow.1.cc = ['reno']", "'reno'", "no `flow.1`", "has one `[[flow]]`"),
        ("[axes]\nbottleneck.rate_mbps = 10", "10", "axis `bottleneck.rate_mbps` is 10", "a list of values"),
        (
            "[[zip]]\nduration_s = [1, 2]\nbottleneck.delay_ms = [1]",
            "1",
            "has 1 values, but `duration_s` beside it has 2",
            "as many values each",
        ),
        ("[axes]\nduration_s = [1]\n[[zip]]\nduration_s = [1]", "1", "`duration_s` is an axis twice", "once"),
        ("[axes]\nduration_s = [1]\n[[skip]]\nduration = 1", "duration", "`duration`, which is no axis", "did you mean `duration_s`"),
        ("[axes]\nduration_s = [1]\n[[skip]]\nduration_s = { over = 1 }", "over", "`over = 1`", "`above`"),
        ("[axes]\nduration_s = [1]\n[[skip]]\nduration_s = 1", "", "the filters leave no run", "only"),
        ("seeds = 0", "0", "`seeds` is 0", "from 1"),
        ("sedes = 3", "sedes", "no key `sedes`", "did you mean `seeds`"),
        ("set = 'a=b'", "'a=b'", "`set` is no list", "set = ["),
        ("seeds = 1000000\n[axes]\nduration_s = { from = 1, to = 2, points = 10000 }", "", "more than 1000000000 runs", "split"),
    ] {
        let error = parse(text).expect_err(text);
        assert!(error.what.contains(what), "{text}: {error}");
        assert!(error.help.as_ref().is_some_and(|found| found.contains(help)), "{text}: {:?}", error.help);
        assert_eq!(&error.text[error.at.clone().unwrap()], at, "{text}");
        assert_eq!(error.file, "test.toml");
    }
    let missing = Sweep::parse(&SIMULATOR, "scenario = 'nowhere.toml'", "test.toml", None, &Changes::default()).unwrap_err();
    assert!(missing.what.contains("nowhere.toml cannot be read"), "{missing}");
    let changes = Changes { sets: vec!["bottleneck.los=0".into()], ..Changes::default() };
    let slip = Sweep::parse(&SIMULATOR, SCENARIO, "test.toml", None, &changes).unwrap_err();
    assert!(slip.what.contains("no key `los`"), "{slip}");
}

#[test]
fn runs_that_are_not_possible_are_told_and_the_others_run() {
    // Of the two starts the second lies after the end of the shorter run.
    let sweep = sweep("[axes]\nduration_s = [0.1, 0.3]\nflow.0.start_s = [0, 0.2]");
    let folder = tempfile::tempdir().unwrap();
    let done = run_into(&folder.path().join("out"), &sweep, 2, Shard::WHOLE, false).unwrap();
    assert_eq!((done.runs, done.failed), (4, 1));
    assert!(done.files.contains(&"failures/runs-000000000.parquet".to_string()));
    let records = run_chunk(&sweep, 1, None, &AtomicBool::new(false)).unwrap().unwrap();
    assert!(records[0].found.as_ref().unwrap_err().contains("after the end of the run"), "{records:?}");
}

#[test]
fn bytes_are_those_of_the_sweep_whatever_runs_it() {
    let sweep = sweep(
        "seeds = 40\n[axes]\nduration_s = [0.05, 0.1]\nflow.0.start_s = [0, 0.06]\n'flow.*.cc' = ['reno', 'cubic', 'vegas', 'symbiosis']\n[[skip]]\n'flow.*.cc' = 'vegas'\nduration_s = 0.1",
    );
    assert!(chunk_length(sweep.size()) == 2 && sweep.runs() == 560);
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    run_into(&at("one"), &sweep, 1, Shard::WHOLE, false).unwrap();
    let one = files(&at("one"));
    assert!(one.keys().any(|path| path.starts_with("flows")) && !one.keys().any(|path| path.starts_with(".unfinished")));
    run_into(&at("two"), &sweep, 3, Shard::WHOLE, false).unwrap();
    assert!(files(&at("two")) == one, "threads");

    // Stopped after some chunks, one of them half written, and gone on with.
    let stop = AtomicBool::new(false);
    let store = Store::open(&at("stopped"), sweep.clone().into()).unwrap();
    let all = store.missing(0..chunks(&sweep));
    run_local(&sweep, &all, 2, None, &stop, |chunk, records| {
        stop.store(chunk >= 100, Ordering::Relaxed);
        store.keep(chunk, &records)
    })
    .unwrap();
    assert!(store.finish().unwrap().is_none());
    let left = store.missing(0..chunks(&sweep)).len();
    assert!(left > 100 && left < all.len(), "{left}");
    run_into(&at("stopped"), &sweep, 2, Shard::WHOLE, false).unwrap();
    assert!(files(&at("stopped")) == one, "gone on with");

    // In shards; what a shard did is done again by another.
    let shards: Vec<PathBuf> = (1..=3).map(|i| at(&format!("shard-{i}"))).collect();
    for (i, shard) in shards.iter().enumerate() {
        assert!(run_into(shard, &sweep, 2, format!("{}/3", i + 1).parse().unwrap(), false).is_none());
    }
    let missing = merge(&SIMULATOR, &shards[..2], &at("merged")).unwrap_err();
    assert!(format!("{missing:?}").contains("runs 426 to 639 are in no shard"), "{missing:?}");
    let done = merge(&SIMULATOR, &[&shards[..], &shards[1..2]].concat(), &at("merged")).unwrap();
    assert_eq!(done.runs, 560);
    assert!(files(&at("merged")) == one, "shards");
    assert_eq!(Store::done(&at("merged"), &sweep), Some(done));
}

#[test]
fn many_runs_are_partitioned_in_parts_and_shards_keep_their_bytes() {
    // 131 072 runs of which 260 are left, at both sides of the border between two parts and between two folders.
    let sweep = sweep(
        "seeds = 64\n[axes]\nbottleneck.rate_mbps = { from = 1, to = 2, points = 2 }\nduration_s = { from = 0.01, to = 0.02, points = 1024 }\n[[only]]\nbottleneck.rate_mbps = 1\nduration_s = { from = 0.01998 }\n[[only]]\nbottleneck.rate_mbps = 2\nduration_s = { to = 0.01002 }",
    );
    assert_eq!((sweep.size(), chunk_length(sweep.size())), (131_072, 64));
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let done = run_into(&at("one"), &sweep, 2, Shard::WHOLE, false).unwrap();
    let flows: Vec<_> = done.files.iter().filter(|file| file.starts_with("flows/")).collect();
    assert_eq!(flows, ["flows/bottleneck.rate_mbps=1/runs-000065344.parquet", "flows/bottleneck.rate_mbps=2/runs-000065536.parquet"]);
    let shards: Vec<PathBuf> = (1..=3).map(|i| at(&format!("shard-{i}"))).collect();
    for (i, shard) in shards.iter().enumerate() {
        run_into(shard, &sweep, 2, format!("{}/3", i + 1).parse().unwrap(), false);
    }
    merge(&SIMULATOR, &shards, &at("merged")).unwrap();
    assert!(files(&at("merged")) == files(&at("one")));
}

#[test]
fn records_come_back_from_their_bytes() {
    let sweep = sweep("[axes]\nduration_s = [0.1, 0.3]\nflow.0.start_s = [0, 0.2]");
    let all: Vec<Record> = (0..4).flat_map(|chunk| run_chunk(&sweep, chunk, None, &AtomicBool::new(false)).unwrap().unwrap()).collect();
    assert!(all.len() == 4 && all.iter().filter(|record| record.found.is_ok()).count() == 3);
    assert_eq!(decode(&encode(&all)), Some(all.clone()));
    assert_eq!(decode(&encode(&all)[..100]), None);
}

#[test]
fn a_folder_of_something_else_is_left_alone() {
    let (one, other) = (sweep("seeds = 2"), sweep("seeds = 3"));
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("thesis.tex"), "years").unwrap();
    assert!(matches!(Store::open(folder.path(), one.clone().into()), Err(StoreError::Unfit(_))));
    assert_eq!(files(folder.path()).len(), 1);
    let begun = folder.path().join("begun");
    Store::open(&begun, one.clone().into()).unwrap();
    assert!(matches!(Store::open(&begun, other.clone().into()), Err(StoreError::Unfit(_))));
    assert!(matches!(merge(&SIMULATOR, &[begun], &folder.path().join("merged")), Err(MergeError::Store(StoreError::Unfit(_)))));
}

#[test]
fn traces_are_written_for_each_run_and_go_with_their_shard() {
    let sweep = sweep("[axes]\nbottleneck.rate_mbps = [5, 10]");
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    run_into(&at("one"), &sweep, 1, Shard::WHOLE, true).unwrap();
    assert!(at("one/traces/run=000000001/flows.parquet").exists());
    for i in 1..=2 {
        run_into(&at(&format!("shard-{i}")), &sweep, 1, format!("{i}/2").parse().unwrap(), true);
    }
    merge(&SIMULATOR, &[at("shard-1"), at("shard-2")], &at("merged")).unwrap();
    assert!(files(&at("merged")) == files(&at("one")));
}

#[test]
fn a_sweep_of_its_own_text_is_the_same() {
    let one = sweep("set = ['duration_s=0.1']\nseeds = 2\n[axes]\nbottleneck.rate_mbps = [5, 10]");
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("sweep.toml"), one.text()).unwrap();
    fs::write(folder.path().join("scenario.toml"), one.scenario()).unwrap();
    let again = Sweep::load(&SIMULATOR, &folder.path().join("sweep.toml"), &Changes::default()).unwrap();
    assert_eq!((again.id(), again.size()), (one.id(), one.size()));
    let other = Sweep::load(&SIMULATOR, &folder.path().join("sweep.toml"), &Changes { seeds: Some(3), ..Changes::default() }).unwrap();
    assert_ne!(other.id(), one.id());
}
