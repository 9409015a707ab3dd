//! A scenario of a few lines, run in the simulator.

use symbiosis_scenario::Scenario;

const TEXT: &str = r#"
duration_s = 20
[bottleneck]
rate_mbps = 50
delay_ms = 20
queue_bdp = 1.0
[[flow]]
cc = "symbiosis"
[measure]
from_s = 5
"#;

fn main() {
    let scenario = Scenario::parse(TEXT, "example.toml", None, &[]).expect("the scenario is valid");
    let summary = symbiosis_sim::run(&scenario.plan).summary;
    let (flow, link) = (&summary.flows[0], &summary.links[0]);
    println!("{}: {:.1} Mbit/s, {:.1} packets queued", flow.cc, flow.throughput_mbps, link.queue_packets.mean);
    assert!(flow.throughput_mbps > 49.0);
    // What is wrong is said with the key, the value and what would be right.
    let error = Scenario::parse(&TEXT.replace("symbiosis", "symbosis"), "example.toml", None, &[]).expect_err("no such controller");
    println!("{error}");
}
