//! `symbiosis measure`: what a path to another machine carries.

use super::elsewhere::{Elsewhere, done, nothing_is_left, text};

fn measured(elsewhere: &Elsewhere, args: &[&str]) -> serde_json::Value {
    let output = elsewhere.run("measure", &[&["localhost", "--json", "-t", "1", "-i", "0.5"], args].concat());
    done(&output);
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn a_path_is_measured_in_both_directions() {
    let elsewhere = Elsewhere::new();
    for (args, forth, back) in [(&[][..], true, false), (&["--reverse"], false, true), (&["--both"], true, true)] {
        let told = measured(&elsewhere, args);
        let rate = |sum: &str| told["end"][sum]["bits_per_second"].as_f64().unwrap_or(0.0) / 1e6;
        assert!(rate("sum_sent") > 20.0, "{args:?}: {told:#}");
        assert_eq!(told["end"]["sum_sent"]["sender"], forth, "{args:?}");
        assert_eq!(rate("sum_sent_bidir_reverse") > 20.0, forth && back, "{args:?}");
        assert_eq!(told["intervals"].as_array().unwrap().len(), 2, "{args:?}");
        let path = &told["path"];
        assert!(path["idle_rtt_ms"]["median"].as_f64().unwrap() > 0.0 && path["loaded_rtt_ms"]["max"].as_f64().unwrap() > 0.0, "{path}");
        // What irtt's readers read.
        assert!(told["stats"]["rtt"]["mean"].as_u64().unwrap() > 0 && !told["round_trips"].as_array().unwrap().is_empty());
    }
    nothing_is_left(&elsewhere.here());
}

#[test]
fn a_rate_is_kept_and_streams_are_summed() {
    let elsewhere = Elsewhere::new();
    let told = measured(&elsewhere, &["--rate", "8", "-P", "2"]);
    let mbps = told["end"]["sum_sent"]["bits_per_second"].as_f64().unwrap() / 1e6;
    assert!((6.0..10.0).contains(&mbps), "{mbps}");
    assert_eq!(told["start"]["test_start"]["num_streams"], 2);
    let lines = elsewhere.run("measure", &["localhost:", "--rate", "4", "-t", "1", "-i", "0.5"]);
    done(&lines);
    for said in ["time [s]", "0.0-0.5", "0.5-1.0", "sent ", "capacity", "idle RTT", "loaded RTT"] {
        assert!(text(&lines).contains(said), "{said}: {}", text(&lines));
    }
}

#[test]
fn what_cannot_be_measured_is_said() {
    let elsewhere = Elsewhere::new();
    for (args, said) in [
        (&["localhost:file"][..], "a path is measured, and no file"),
        (&["a/b"], "this is no host"),
        (&["localhost", "-t", "0"], "it is no time to measure"),
        (&["localhost", "-t", "1", "-i", "2"], "it does not fit"),
        (&["localhost", "-P", "9"], "9 is not in 1..=8"),
        (&["localhost", "--both", "--reverse"], "cannot be used with"),
        (&["localhost", "--rate=-1"], "--rate"),
    ] {
        let output = elsewhere.run("measure", args);
        assert_eq!(output.status.code(), Some(2), "{args:?}: {}", text(&output));
        assert!(text(&output).contains(said), "{args:?}: {}", text(&output));
    }
}
