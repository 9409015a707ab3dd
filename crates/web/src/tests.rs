use std::collections::BTreeMap;

use super::*;

const TEXT: &str = "\
duration_s = 5
[bottleneck]
rate_mbps = [[0, 20], [3, 5]]
delay_ms = 10
queue_packets = 50
[[flow]]
cc = \"symbiosis\"
[[flow]]
cc = \"cubic\"
start_s = 1
[[cross]]
rate_mbps = 2
";

fn run(samples: Option<u32>) -> Run {
    Run::new(TEXT, &BTreeMap::new(), samples).expect("it is a scenario")
}

#[test]
fn steps_and_looks_leave_the_result_alone() {
    let at_once = run(None).finish();
    let mut stepped = run(Some(100));
    let (mut flow, mut queue) = (Vec::new(), Vec::new());
    for step in 1..=50 {
        stepped.advance(f64::from(step) * 0.1);
        flow.extend(stepped.flow(1));
        queue.extend(stepped.link(0));
    }
    let width = stepped.flow_columns(1).len();
    assert!(width >= 7);
    let waiting = stepped.waiting();
    assert!(waiting.len() > 5 && waiting.iter().all(|owner| *owner < 3), "{waiting:?}");
    assert_eq!(stepped.finish(), at_once);
    assert!(queue.chunks(4).map(|row| row[1]).fold(0.0, f64::max) > 10.0, "the flows queue");
    assert!(queue.chunks(4).zip(queue.chunks(4).skip(1)).all(|(one, next)| one[0] < next[0] && one[3] <= next[3]));
    assert!(flow.len() > 7 * 90, "{} numbers", flow.len());
}

#[test]
fn a_description_says_what_a_page_draws_before_the_run() {
    let text: serde_json::Value = serde_json::from_str(&run(Some(100)).description()).expect("it is JSON");
    assert_eq!(text["every_s"], 0.05);
    assert_eq!(text["links"][0]["mbps"], serde_json::json!([[0.0, 20.0], [3.0, 5.0]]));
    assert_eq!(text["flows"][1]["start_s"], 1.0);
    assert_eq!(text["flows"][0]["propagation_ms"], 20.0);
    assert_eq!(text["cross"][0]["mbps"], serde_json::json!([[0.0, 2.0]]));
}

#[test]
fn a_problem_names_its_line() {
    let problem = Run::new(&TEXT.replace("cubic", "kubic"), &BTreeMap::new(), None).err().expect("there is no such controller");
    assert_eq!(problem.line, Some(9));
    assert!(problem.what.contains("kubic") && problem.help.is_some_and(|help| help.contains("cubic")), "{}", problem.what);
}

#[test]
fn every_controller_is_listed() {
    let all: serde_json::Value = serde_json::from_str(&controllers()).expect("it is JSON");
    assert_eq!(all.as_array().map(Vec::len), Some(symbiosis_control::registry::ALL.len()));
}

#[test]
fn queues_are_those_of_scenarios() {
    assert!(queues().starts_with("[\"drop-tail\""), "{}", queues());
}
