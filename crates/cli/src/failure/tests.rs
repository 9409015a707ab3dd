//! Every bad input with the report that a user sees, one row each.

use miette::{GraphicalReportHandler, GraphicalTheme};
use symbiosis_scenario::Scenario;

use super::*;

const DUMBBELL: &str = r#"duration_s = 10
[bottleneck]
rate_mbps = 100
delay_ms = 25
queue_packets = 100
[[flow]]
cc = "reno"
[[cross]]
rate_mbps = 10
[measure]
to_s = 9
"#;

const LINKS: &str = r#"duration_s = 10
[[link]]
name = "west"
rate_mbps = 100
delay_ms = 25
queue_packets = 100
[[link]]
name = "east"
rate_mbps = 100
delay_ms = 25
queue_bdp = 1
[[flow]]
cc = "reno"
route = ["west", "east"]
"#;

/// What a user sees, without colour and in a fixed width.
fn rendered(text: &str, sets: &[&str]) -> String {
    let sets: Vec<String> = sets.iter().map(|set| set.to_string()).collect();
    let base = std::env::temp_dir();
    match Scenario::parse(text, "bad.toml", Some(&base), &sets) {
        Ok(_) => panic!("this is not refused: --set {sets:?}\n{text}"),
        Err(error) => {
            let mut out = String::new();
            let handler = GraphicalReportHandler::new_themed(GraphicalTheme::unicode_nocolor()).with_width(110);
            handler.render_report(&mut out, &Pointed::new(error)).unwrap();
            out
        }
    }
}

/// Each row replaces something in a good scenario by something bad.
fn report(good: &str, rows: &[(&str, &str)]) -> String {
    assert!(Scenario::parse(good, "good.toml", None, &[]).is_ok());
    let row = |(from, to): &(&str, &str)| {
        assert!(good.contains(from), "{from} is not in the scenario");
        format!("{} → {}\n{}\n", from.escape_debug(), to.escape_debug(), rendered(&good.replacen(from, to, 1), &[]))
    };
    rows.iter().map(row).collect()
}

#[test]
fn broken_toml_and_wrong_keys() {
    let seen = report(
        DUMBBELL,
        &[
            ("duration_s = 10", "duration_s = "),
            ("duration_s = 10", "duration_s = 10\nduration_s = 20"),
            ("[bottleneck]", "[bottleneck"),
            ("cc = \"reno\"", "cc = \"reno"),
            ("duration_s", "duration"),
            ("duration_s = 10", ""),
            ("delay_ms", "dealy_ms"),
            ("delay_ms = 25", ""),
            ("rate_mbps = 100", ""),
            ("queue_packets = 100", ""),
            ("cc = \"reno\"", ""),
            ("cc = \"reno\"", "cc = \"reno\"\npacket_size = 1000"),
            ("cc = \"reno\"", "cc = \"reno\"\nzzz = 1"),
            ("rate_mbps = 10\n", "mix = \"internet\"\n"),
            ("to_s", "until_s"),
            ("[measure]", "[messure]"),
            ("[measure]\nto_s = 9", "[trace]\nevery_s = 1"),
        ],
    );
    insta::assert_snapshot!(seen);
}

#[test]
fn values_that_cannot_be() {
    let seen = report(
        DUMBBELL,
        &[
            ("duration_s = 10", "duration_s = 0"),
            ("duration_s = 10", "duration_s = -5"),
            ("duration_s = 10", "duration_s = nan"),
            ("duration_s = 10", "duration_s = inf"),
            ("duration_s = 10", "duration_s = 1000001"),
            ("duration_s = 10", "duration_s = \"10\""),
            ("duration_s = 10", "duration_s = 10\nseed = -1"),
            ("duration_s = 10", "duration_s = 10\nname = \"a\\nb\""),
            ("rate_mbps = 100", "rate_mbps = 0"),
            ("rate_mbps = 100", "rate_mbps = -100"),
            ("rate_mbps = 100", "rate_mbps = 1e7"),
            ("rate_mbps = 100", "rate_mbps = \"fast\""),
            ("rate_mbps = 100", "rate_mbps = [[0, 10], [5, 20], [5, 30]]"),
            ("rate_mbps = 100", "rate_mbps = [[1, 10]]"),
            ("rate_mbps = 100", "rate_mbps = [[0, 0], [5, 0]]"),
            ("rate_mbps = 100", "rate_mbps = []"),
            ("rate_mbps = 100", "rate_mbps = [[0, 10, 20]]"),
            ("delay_ms = 25", "delay_ms = -1"),
            ("delay_ms = 25", "delay_ms = 25\nloss = 1"),
            ("delay_ms = 25", "delay_ms = 25\nloss = -0.1"),
            ("delay_ms = 25", "delay_ms = 25\njitter_ms = nan"),
            ("queue_packets = 100", "queue_packets = 0"),
            ("queue_packets = 100", "queue_packets = 1.5"),
            ("queue_packets = 100", "queue_bdp = 0"),
            ("cc = \"reno\"", "cc = 1"),
            ("cc = \"reno\"", "cc = \"reno\"\ncount = 0"),
            ("cc = \"reno\"", "cc = \"reno\"\ncount = 100001"),
            ("cc = \"reno\"", "cc = \"reno\"\nrecovery = \"sak\""),
            ("cc = \"reno\"", "cc = \"reno\"\ndelayed_ack = \"yes\""),
            ("cc = \"reno\"", "cc = \"reno\"\nparams = 3"),
            ("cc = \"reno\"", "cc = \"reno\"\nmin_rto_ms = 0"),
            ("rate_mbps = 10\n", "rate_mbps = [[0, 10], [5, -1]]\n"),
            ("rate_mbps = 10\n", "rate_mbps = 10\ngaps = \"normal\"\n"),
            ("[[cross]]", "[cross]"),
            ("[bottleneck]", "[[bottleneck]]"),
        ],
    );
    insta::assert_snapshot!(seen);
}

#[test]
fn values_that_contradict_each_other() {
    let seen = report(
        DUMBBELL,
        &[
            ("queue_packets = 100", "queue_packets = 100\nqueue_bdp = 1"),
            ("rate_mbps = 100", "rate_mbps = 100\ntrace = \"x\""),
            ("rate_mbps = 100", "trace = \"not-there.trace\""),
            ("queue_packets = 100", "queue_bytes = 1000"),
            ("queue_packets = 100", "queue_bdp = 0.001"),
            ("cc = \"reno\"", "cc = \"renno\""),
            ("cc = \"reno\"", "cc = \"reno\"\nparams = { epsilon = 1 }"),
            ("cc = \"reno\"", "cc = \"reno\"\nparams = { epsilon = [1] }"),
            ("cc = \"reno\"", "cc = \"reno\"\nbytes = 900_000_000_000_000"),
            ("cc = \"reno\"", "cc = \"reno\"\nevery_s = 1"),
            ("duration_s = 10", "duration_s = 1_000_000"),
            ("cc = \"reno\"", "cc = \"reno\"\nstart_s = 10"),
            ("cc = \"reno\"", "cc = \"reno\"\nstart_s = 5\nstop_s = 5"),
            ("cc = \"reno\"", "cc = \"reno\"\npacket_bytes = 40"),
            ("cc = \"reno\"", "cc = \"reno\"\nheader_bytes = 1500"),
            ("cc = \"reno\"", "cc = \"reno\"\ncount = 60000\n[[flow]]\ncc = \"reno\"\ncount = 60000"),
            ("cc = \"reno\"", "cc = \"reno\"\ncount = 2\n[[flow]]\ncc = \"reno\"\nname = \"reno-2\""),
            ("cc = \"reno\"", "cc = \"reno\"\nroute = [\"bottleneck\"]"),
            ("rate_mbps = 10\n", "rate_mbps = 10\nmix = \"internet\"\npacket_bytes = 100\n"),
            ("rate_mbps = 10\n", "rate_mbps = 10\nstart_s = 5\nstop_s = 4\n"),
            ("to_s = 9", "to_s = 11"),
            ("to_s = 9", "to_s = 0"),
            ("to_s = 9", "from_s = 9\nto_s = 9"),
            ("to_s = 9", "from_s = 10"),
            ("[measure]\nto_s = 9", "[trace]\nevery_ms = 0.0001"),
            ("[measure]\nto_s = 9", "[[link]]\nname = \"x\"\nrate_mbps = 1\ndelay_ms = 1\nqueue_packets = 1"),
            ("[bottleneck]\nrate_mbps = 100\ndelay_ms = 25\nqueue_packets = 100\n", ""),
            ("[[flow]]\ncc = \"reno\"\n[[cross]]\nrate_mbps = 10\n", ""),
        ],
    );
    insta::assert_snapshot!(seen);
}

#[test]
fn links_and_routes() {
    let seen = report(
        LINKS,
        &[
            ("name = \"east\"", "name = \"west\""),
            ("name = \"east\"\n", ""),
            ("rate_mbps = 100", ""),
            ("route = [\"west\", \"east\"]", ""),
            ("route = [\"west\", \"east\"]", "route = []"),
            ("route = [\"west\", \"east\"]", "route = \"west\""),
            ("route = [\"west\", \"east\"]", "route = [\"west\", \"eats\"]"),
            ("route = [\"west\", \"east\"]", "route = [\"west\", \"west\"]"),
            ("route = [\"west\", \"east\"]", "route = [\"west\"]"),
            ("route = [\"west\", \"east\"]", "route = [\"west\", \"east\"]\nack_route = [\"north\"]"),
            ("[[flow]]", "[[cross]]\nrate_mbps = 1\n[[flow]]"),
        ],
    );
    insta::assert_snapshot!(seen);
}

#[test]
fn changes_on_the_command_line() {
    let row = |set: &str| format!("--set {set}\n{}\n", rendered(DUMBBELL, &[set]));
    let rows = [
        "flow.0.cc",
        "flow.0.cc=ren0",
        "flow.0.cc=",
        "flow.1.cc=reno",
        "flow.reno.cc=reno",
        "flow.0=reno",
        "flow.0.ccc=reno",
        "flow.0.params.epsilon.x=1",
        "flow.0.params.epsilon=1",
        "link.0.delay_ms=3",
        "botleneck.rate_mbps=3",
        "bottleneck.rate_mbps.0=3",
        "bottleneck.rate_mbps=fast",
        "bottleneck.delay_ms=-3",
        "cross.0.rate_mbps=[[0,20],[40,70]",
        "measure.from_s=9",
        "=3",
        "",
    ];
    let seen: String = rows.iter().map(|set| row(set)).collect();
    insta::assert_snapshot!(seen);
}

#[test]
fn traces_that_are_none() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("words.trace"), "1\ntwo\n").unwrap();
    let text = DUMBBELL.replace("rate_mbps = 100\n", "trace = \"words.trace\"\n");
    let error = Scenario::parse(&text, "bad.toml", Some(folder.path()), &[]).unwrap_err();
    assert_eq!(
        error.what,
        "`bottleneck.trace` is \"words.trace\", which is no Mahimahi trace: line 2: `two` is no whole number of milliseconds"
    );
    assert_eq!(&error.text[error.at.unwrap()], "\"words.trace\"");
}
