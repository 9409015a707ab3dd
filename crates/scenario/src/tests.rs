use std::collections::BTreeMap;
use std::path::Path;

use symbiosis_base::{Bytes, Instant, Span};
use symbiosis_control::params::Param;
use symbiosis_control::registry::{Entry, Feedback, Recovery};
use symbiosis_path::{CoDelSpec, Discipline, FqCoDelSpec, Gaps, OnOff, QueueLimit, RateSpec, Sizes};
use symbiosis_run::{LinkId, Plan};

use super::*;

fn parse(text: &str, sets: &[&str]) -> Scenario {
    let sets: Vec<String> = sets.iter().map(|set| set.to_string()).collect();
    Scenario::parse(text, "some/test.toml", None, &sets).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// Rate in Mbit/s and delay in ms of each link of a way.
fn way(plan: &Plan, route: &[LinkId]) -> Vec<(f64, f64)> {
    route.iter().map(|id| &plan.links[*id].spec).map(|link| (link.rate.nominal(Instant::START).mbps(), link.delay.millis())).collect()
}

const DUMBBELL: &str = r#"duration_s = 100
[bottleneck]
rate_mbps = 100 # of the radio
delay_ms = 25
queue_bdp = 0.5
[[flow]]
cc = "reno"
access_rate_mbps = 200
access_delay_ms = 5
[[flow]]
cc = "newreno"
count = 2
[[cross]]
rate_mbps = [[0, 20], [40, 70], [80, 50]]
start_s = 10
stop_s = 60
"#;

const LINKS: &str = r#"duration_s = 10
[[link]]
name = "west"
rate_mbps = [[0, 10], [5, 40]]
delay_ms = 3
queue_bdp = 1
loss = 0.01
jitter_ms = 2
[[link]]
name = "east"
rate_mbps = 20
delay_ms = 7
queue_packets = 100
[[flow]]
cc = "reno"
route = ["west", "east"]
[[flow]]
name = "other"
cc = "reno"
route = ["east"]
ack_route = ["west"]
access_delay_ms = 1
"#;

#[test]
fn a_dumbbell_is_a_link_between_private_links() {
    let scenario = parse(DUMBBELL, &[]);
    let plan = &scenario.plan;
    assert_eq!(scenario.name, "test");
    let ids: Vec<&str> = plan.flows.iter().map(|flow| flow.id.as_str()).collect();
    assert_eq!(ids, ["reno", "newreno-1", "newreno-2"]);
    let listed: Vec<&str> = plan.links.iter().filter(|link| link.listed).map(|link| link.name.as_str()).collect();
    assert_eq!(listed, ["bottleneck"]);
    // The bottleneck, and for every flow two access links and three links back.
    assert_eq!(plan.links.len(), 1 + 3 * 5);
    let reno = &plan.flows[0];
    assert_eq!(way(plan, &reno.route), [(200.0, 5.0), (100.0, 25.0), (200.0, 5.0)]);
    assert_eq!(way(plan, &reno.ack_route), way(plan, &reno.route));
    assert_eq!(reno.route[1], 0);
    assert!(reno.ack_route.iter().all(|id| !plan.links[*id].listed && plan.links[*id].spec.queue == QueueLimit::Unlimited));
    assert_eq!(way(plan, &plan.flows[2].route), [(1000.0, 0.0), (100.0, 25.0), (1000.0, 0.0)]);
    // Half of 100 Mbit/s × 70 ms, the base RTT of the flow with the longer access links.
    assert_eq!(plan.links[0].spec.queue, QueueLimit::Bytes(Bytes(437_500)));
}

#[test]
fn defaults_are_those_that_the_keys_promise() {
    let plan = parse(DUMBBELL, &[]).plan;
    let flow = &plan.flows[0];
    assert_eq!((flow.start, flow.stop, flow.bytes), (Instant::START, Instant::from_secs(100.0), None));
    assert_eq!((flow.packet, flow.header, flow.ack, flow.initial_window), (Bytes(1500), Bytes(40), Bytes(40), 10));
    assert_eq!((flow.delayed_ack, flow.ack_delay), (false, Span::from_millis(40)));
    assert_eq!((flow.min_rto, flow.receiver_times), (Span::from_millis(200), false));
    assert_eq!((flow.recovery, plan.flows[1].recovery), (Recovery::Rack, Recovery::NewReno));
    assert_eq!((plan.measure_from, plan.measure_to), (Instant::START, Instant::from_secs(100.0)));
    assert_eq!((plan.seed, plan.sample_every), (1, Some(Span::from_millis(100))));
    assert_eq!((plan.cross[0].traffic.sizes, plan.cross[0].traffic.gaps), (Sizes::Fixed(Bytes(1500)), Gaps::Exponential));
}

#[test]
fn cross_traffic_flows_from_its_start_to_its_stop() {
    let cross = &parse(DUMBBELL, &[]).plan.cross[0];
    let steps: Vec<(f64, f64)> = cross.traffic.rate.iter().map(|(at, rate)| (at.secs(), rate.mbps())).collect();
    assert_eq!(steps, [(10.0, 20.0), (40.0, 70.0), (60.0, 0.0)]);
    assert_eq!(cross.route, [0]);
}

#[test]
fn sources_share_a_rate() {
    let sets = ["cross.0.count=4", "cross.0.gaps=pareto-on-off", "cross.0.on_s=0.2"];
    let scenario = parse(DUMBBELL, &sets);
    let cross = &scenario.plan.cross;
    assert_eq!(cross.len(), 4);
    for source in cross {
        let steps: Vec<(f64, f64)> = source.traffic.rate.iter().map(|(at, rate)| (at.secs(), rate.mbps())).collect();
        assert_eq!(steps, [(10.0, 5.0), (40.0, 17.5), (60.0, 0.0)]);
        let bursts = OnOff { on: Span::from_millis(200), off: Span::from_millis(500), shape: 1.5 };
        assert_eq!(source.traffic.gaps, Gaps::ParetoOnOff(bursts));
    }
    let text = scenario.explain().to_string();
    insta::assert_snapshot!(&text[text.find("cross traffic").unwrap()..]);
    let error = Scenario::parse(DUMBBELL, "test.toml", None, &["cross.0.shape=1.5".into()]).unwrap_err();
    assert!(error.what.contains("`cross.0.shape` is given") && error.help.unwrap().contains("pareto-on-off"), "{}", error.what);
    let error = Scenario::parse(DUMBBELL, "test.toml", None, &["cross.0.count=100001".into()]).unwrap_err();
    assert!(error.what.contains("cross.0.count"), "{}", error.what);
}

#[test]
fn routes_cross_what_they_name() {
    let plan = parse(LINKS, &[]).plan;
    assert_eq!(plan.flows[0].route, [0, 1], "without access keys there are no access links");
    // The mirror runs backwards, at the greatest rate of steps, and neither loses nor disturbs.
    assert_eq!(way(&plan, &plan.flows[0].ack_route), [(20.0, 7.0), (40.0, 3.0)]);
    assert!(plan.flows[0].ack_route.iter().all(|id| plan.links[*id].spec.loss == 0.0 && plan.links[*id].spec.jitter == Span::ZERO));
    let other = &plan.flows[1];
    assert_eq!(way(&plan, &other.route), [(200.0, 1.0), (20.0, 7.0), (200.0, 1.0)]);
    assert_eq!(other.ack_route[1], 0, "ACKs cross the link that ack_route names");
    // 40 Mbit/s × 20 ms: only the first flow's data cross the link.
    assert_eq!(plan.links[0].spec.queue, QueueLimit::Bytes(Bytes(100_000)));
    assert!(matches!(plan.links[0].spec.rate, RateSpec::Steps(_)));
}

#[test]
fn a_queue_is_managed_as_its_keys_say() {
    let discipline = |sets: &[&str]| parse(DUMBBELL, sets).plan.links[0].spec.discipline;
    let codel = |target, interval| CoDelSpec { target: Span::from_millis(target), interval: Span::from_millis(interval) };
    assert_eq!(discipline(&[]), Discipline::DropTail);
    assert_eq!(discipline(&["bottleneck.queue=codel"]), Discipline::CoDel(codel(5, 100)));
    let fair = FqCoDelSpec { codel: codel(5, 100), flows: 1024, quantum: Bytes(1500) };
    assert_eq!(discipline(&["bottleneck.queue=fq-codel"]), Discipline::FqCoDel(fair));
    let all = ["queue=fq-codel", "codel_target_ms=20", "codel_interval_ms=300", "fq_flows=16", "fq_quantum_bytes=300"];
    let all: Vec<String> = all.iter().map(|set| format!("bottleneck.{set}")).collect();
    let all: Vec<&str> = all.iter().map(String::as_str).collect();
    assert_eq!(discipline(&all), Discipline::FqCoDel(FqCoDelSpec { codel: codel(20, 300), flows: 16, quantum: Bytes(300) }));
    insta::assert_snapshot!(parse(DUMBBELL, &all).explain().to_string().lines().find(|line| line.contains("queue")).unwrap());
    for sets in [["queue=drop-tail", "codel_target_ms=5"], ["queue=codel", "fq_flows=9"]] {
        let sets = sets.map(|set| format!("bottleneck.{set}"));
        let error = Scenario::parse(DUMBBELL, "test.toml", None, &sets).unwrap_err();
        let key = sets[1].split('=').next().unwrap();
        assert!(error.what.contains(&format!("`{key}` is given")) && error.help.unwrap().contains("fq-codel"), "{}", error.what);
        assert!(error.text[error.at.unwrap()].starts_with(sets[1].split('=').nth(1).unwrap()));
    }
}

#[test]
fn a_change_keeps_the_rest_of_the_text() {
    let changes =
        ["bottleneck.rate_mbps=50", "bottleneck.queue_packets=7", "flow.1.cc=reno", "flow.1.count=1", "measure.from_s=3", "name=a b"];
    let scenario = parse(DUMBBELL, &changes);
    assert!(scenario.text.contains("rate_mbps = 50 # of the radio"), "{}", scenario.text);
    assert_eq!(scenario.plan.links[0].spec.queue, QueueLimit::Packets(7), "one key of a queue's size replaces the other");
    assert_eq!((scenario.plan.measure_from, scenario.name.as_str()), (Instant::from_secs(3.0), "a b"));
    let ids: Vec<&str> = scenario.plan.flows.iter().map(|flow| flow.id.as_str()).collect();
    assert_eq!(ids, ["reno-1", "reno-2"]);
    let again = parse(&scenario.text, &[]);
    assert_eq!(format!("{:?}", again.plan), format!("{:?}", scenario.plan), "the changed text is a scenario of its own");
}

#[test]
fn an_inline_flow_can_be_changed_too() {
    let text = "duration_s = 1\nbottleneck = { rate_mbps = 1, delay_ms = 1, queue_packets = 9 }\nflow = [{ cc = \"reno\" }]\n";
    let plan = parse(text, &["flow.0.bytes=1000", "bottleneck.loss=0.5", "cross=[{rate_mbps=1}]"]).plan;
    assert_eq!((plan.flows[0].bytes, plan.links[0].spec.loss, plan.cross.len()), (Some(Bytes(1000)), 0.5, 1));
}

const TUNED: Entry = Entry {
    name: "tuned",
    about: "for this test",
    params: &[Param::number("epsilon", 1.95, 0.0, 3.0, "a gain"), Param::choice("measurement", &["imtcp", "oracle"], "who measures")],
    recovery: Recovery::Sack,
    feedback: Feedback::Acks,
    build: |_, _| unreachable!("nothing runs here"),
};

#[test]
fn a_change_can_be_of_all_flows_and_can_add_some() {
    let controllers = |sets: &[&str]| parse(DUMBBELL, sets).plan.flows.iter().map(|flow| flow.cc.name).collect::<Vec<_>>();
    let before = controllers(&[]);
    assert_eq!(controllers(&["flow.*.cc=vegas"]), vec!["vegas"; before.len()]);
    let added = |more: &[&'static str]| [&before[..], more].concat();
    assert_eq!(controllers(&["flow.+.cc=vegas"]), added(&["vegas"]));
    assert_eq!(controllers(&["flow.+={ cc = 'vegas', count = 2 }"]), added(&["vegas", "vegas"]));
    assert_eq!(controllers(&["flow.+=[{ cc = 'vegas' }, { cc = 'fast' }]"]), added(&["vegas", "fast"]));
    assert_eq!(controllers(&["flow.+=[]"]), before);
    assert_eq!(controllers(&["flow.+.cc=vegas", "flow.*.cc=fast"]), vec!["fast"; before.len() + 1]);
    // Also where the document writes its flows in one line, and where it has none.
    let inline = "duration_s = 1\nbottleneck = { rate_mbps = 1, delay_ms = 1, queue_packets = 9 }\nflow = [{ cc = 'reno' }]";
    assert_eq!(parse(inline, &["flow.+.cc=vegas"]).plan.flows.len(), 2);
    let none = inline.rsplit_once('\n').unwrap().0;
    assert_eq!(parse(none, &["flow.+.cc=vegas"]).plan.flows.len(), 1);
    for (set, said) in [("flow.*.cc=reno", "there is no `flow.0`"), ("flow.+=5", "`flow.+` is 5"), ("flow.+.c=5", "no key `c` in `flow.+`")]
    {
        let error = Scenario::parse(none, "t.toml", None, &[set.into()]).unwrap_err();
        assert!(error.what.contains(said), "{set}: {error}");
    }
}

#[test]
fn parameters_are_held_against_their_declaration() {
    static ENTRY: Entry = TUNED;
    let resolve = |name: &str, value: toml::Value| {
        let given = BTreeMap::from([(name.to_string(), value)]);
        flows::params(&SIMULATOR, "flow.0", &ENTRY, &given).map_err(|fault| format!("{} / {}", fault.what, fault.help.unwrap_or_default()))
    };
    let values = resolve("epsilon", toml::Value::Integer(1)).unwrap();
    assert_eq!((values.number("epsilon"), values.word("measurement")), (1.0, "imtcp"));
    let refused = [
        resolve("epsilom", toml::Value::Integer(1)),
        resolve("epsilon", toml::Value::Float(3.5)),
        resolve("epsilon", toml::Value::Float(f64::NAN)),
        resolve("measurement", toml::Value::String("oracel".into())),
    ];
    insta::assert_snapshot!(refused.map(Result::unwrap_err).join("\n"), @r#"
    controller "tuned" has no parameter `epsilom` / did you mean `epsilon`?
    `flow.0.params.epsilon` is 3.5 / it must be a number from 0 to 3 — a gain
    `flow.0.params.epsilon` is nan / a parameter is a finite number, a word in quotes, or true or false
    `flow.0.params.measurement` is oracel / it must be one of: imtcp, oracle — who measures
    "#);
}

#[test]
fn bursts_are_planned_and_must_be_possible() {
    let flow = parse(DUMBBELL, &["flow.0.bytes=1000", "flow.0.every_s=0.5", "flow.0.idle_restart=false"]).plan.flows[0].clone();
    assert_eq!((flow.bytes, flow.hosts.every, flow.hosts.keeps_idle_window), (Some(Bytes(1000)), Some(Span::from_millis(500)), true));
    let refused = |given: &[&str]| {
        let given: Vec<String> = given.iter().map(ToString::to_string).collect();
        Scenario::parse(DUMBBELL, "test.toml", None, &given).unwrap_err().what
    };
    assert_eq!(refused(&["flow.0.every_s=0.5"]), "`flow.0.every_s` is given, but not what comes so often");
    assert!(refused(&["flow.0.bytes=1000000000000", "flow.0.every_s=0.01"]).contains("packets to send, more than 4000000000"));
}

/// The table of keys and the structs of serde are two lists of the same names.
#[test]
fn keys_are_those_that_serde_knows() {
    fn alike<T: serde::de::DeserializeOwned>(keys: &[keys::Key]) {
        let error = toml::from_str::<T>("no_such_key = 1").err().expect("unknown keys are refused").to_string();
        let expected = error.split("expected").nth(1).unwrap_or_else(|| panic!("serde lists nothing: {error}"));
        let mut known: Vec<&str> = expected.split('`').skip(1).step_by(2).collect();
        let mut ours: Vec<&str> = keys.iter().map(|key| key.name).collect();
        known.sort_unstable();
        ours.sort_unstable();
        assert_eq!(ours, known);
    }
    alike::<file::File>(keys::ROOT);
    alike::<file::Link>(keys::LINK);
    alike::<file::Flow>(keys::FLOW);
    alike::<file::Cross>(keys::CROSS);
    alike::<file::Measure>(keys::MEASURE);
    alike::<file::Trace>(keys::TRACE);
}

#[test]
fn an_explanation_hides_nothing() {
    let text = parse(LINKS, &["flow.1.count=2", "duration_s=20"]).explain().to_string();
    insta::assert_snapshot!(text);
    let json = serde_json::to_string_pretty(&parse(DUMBBELL, &["flow.1.count=1"]).explain()).unwrap();
    insta::assert_snapshot!(json);
}

#[test]
fn what_carries_a_flow_is_told() {
    let explained = parse(DUMBBELL, &["flow.0.cc=hcc", "flow.0.delayed_ack=true"]).explain();
    let flow = &serde_json::to_value(&explained).unwrap()["flows"][0];
    assert_eq!((&flow["transport"], &flow["recovery"], &flow["delayed_ack"]), (&"xmtp".into(), &"reports".into(), &false.into()));
    let text = explained.to_string();
    assert!(text.contains("XMTP") && text.contains("three later ones"), "{text}");
}

#[test]
fn every_scenario_of_the_project_loads() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios");
    let mut seen = 0;
    for entry in std::fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|ending| ending != "toml") {
            continue;
        }
        let plan = Scenario::load(&path, &[]).unwrap_or_else(|error| panic!("{path:?}: {error}")).plan;
        assert!(!plan.flows.is_empty() && Some(plan.name.as_str()) == path.file_stem().and_then(|stem| stem.to_str()), "{path:?}");
        seen += 1;
    }
    assert!(seen >= 6, "only {seen} scenarios");
}

/// Whatever becomes of a text: it is read, or refused with a place that is in it.
#[test]
fn no_damage_to_a_text_is_worse_than_an_error() {
    let read = |text: &str| {
        if let Err(error) = Scenario::parse(text, "damaged.toml", None, &[]) {
            assert!(!error.what.is_empty() && !error.what.contains('\n'), "{error:?}");
            assert!(error.at.clone().is_some_and(|at| error.text.get(at).is_some()), "{error:?}");
        }
    };
    let values =
        ["-1", "0", "nan", "-inf", "1e308", "5e-324", "18446744073709551616", "0x10", "''", "[]", "[[]]", "{}", "1979-05-27", "\"\u{0}\""];
    for text in [DUMBBELL, LINKS] {
        for (at, damaged) in text.char_indices() {
            read(&text[..at]);
            read(&format!("{}{}", &text[..at], &text[at + damaged.len_utf8()..]));
        }
        for line in text.lines().filter(|line| line.contains('=')) {
            let key = line.split('=').next().unwrap();
            for value in values {
                read(&text.replace(line, &format!("{key}= {value}")));
                read(&text.replace(line, &format!("{line}\n{line}")));
            }
        }
    }
}

#[test]
fn files_may_be_given() {
    let text = "duration_s = 1\n[bottleneck]\ntrace = \"up.trace\"\ndelay_ms = 5\nqueue_packets = 9\n[[flow]]\ncc = \"reno\"\n";
    let given = BTreeMap::from([("up.trace".to_owned(), "1\n2\n".to_owned())]);
    let read = |files| Scenario::parse_for(&crate::SIMULATOR, text, "page", files, &[]);
    let rate = read(Files::Given(&given)).expect("the file is there").plan.links[0].spec.rate.clone();
    assert!(matches!(rate, symbiosis_path::RateSpec::Trace(_)));
    let missing = read(Files::Given(&Default::default())).expect_err("there is no such file");
    assert!(missing.what.contains("`bottleneck.trace` is \"up.trace\""), "{}", missing.what);
}

#[test]
fn words_of_a_key_can_be_listed() {
    assert!(words("bottleneck.queue").is_some_and(|words| words.contains(&"codel")));
    assert_eq!([words("bottleneck"), words("bottleneck.delay_ms"), words("bottleneck.queue.x"), words("nothing")], [None; 4]);
}
