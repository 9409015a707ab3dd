use symbiosis_base::{Bytes, Nanos, Rate};
use symbiosis_path::{QueueLimit, RateSpec};
use symbiosis_sim::Recovery;

use super::*;

fn parse(text: &str) -> Scenario {
    Scenario::parse(text, "test.toml", None, &[]).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

const DUMBBELL: &str = r#"
    duration_s = 100
    [bottleneck]
    rate_mbps = 100
    delay_ms = 25
    queue_bdp = 0.5
    [[flow]]
    cc = "reno"
    access_rate_mbps = 200
    access_delay_ms = 5
    [[flow]]
    cc = "newreno"
    count = 2
"#;

#[test]
fn a_dumbbell_is_a_link_between_private_links() {
    let plan = parse(DUMBBELL).plan;
    let ids: Vec<&str> = plan.flows.iter().map(|flow| flow.id.as_str()).collect();
    assert_eq!(ids, ["reno", "newreno-1", "newreno-2"]);
    let listed: Vec<&str> = plan.links.iter().filter(|link| link.listed).map(|link| link.name.as_str()).collect();
    assert_eq!(listed, ["bottleneck"]);
    assert_eq!(plan.links.len(), 1 + 3 * 5);
    let way = |route: &[usize]| -> Vec<(f64, f64)> {
        route.iter().map(|id| &plan.links[*id].spec).map(|link| (link.rate.nominal(Nanos::ZERO).mbps(), link.delay.millis())).collect()
    };
    let reno = &plan.flows[0];
    assert_eq!(way(&reno.route), [(200.0, 5.0), (100.0, 25.0), (200.0, 5.0)]);
    assert_eq!(way(&reno.ack_route), way(&reno.route));
    assert_eq!(reno.route[1], 0);
    assert!(reno.ack_route.iter().all(|id| !plan.links[*id].listed && plan.links[*id].spec.queue == QueueLimit::Unlimited));
    assert_eq!(way(&plan.flows[2].route), [(1000.0, 0.0), (100.0, 25.0), (1000.0, 0.0)]);
    // Half of 100 Mbit/s × 70 ms, the base RTT of the flow with the longer access links.
    assert_eq!(plan.links[0].spec.queue, QueueLimit::Bytes(Bytes(437_500)));
    assert_eq!((reno.recovery, plan.flows[1].recovery), (Recovery::Sack, Recovery::NewReno));
    assert_eq!((plan.measure_from, plan.measure_to), (Nanos::ZERO, Nanos::from_secs(100.0)));
    assert_eq!(plan.sample_every, Some(Nanos::from_millis(100)));
}
