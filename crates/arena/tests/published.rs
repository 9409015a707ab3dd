//! What independent publications report, by the arena's simulator and controllers.

use symbiosis_run::{FlowSummary, Summary};
use symbiosis_scenario::Scenario;

fn run(text: &str, seed: u64) -> Summary {
    let scenario = Scenario::parse(text, "published.toml", None, &[]).unwrap();
    symbiosis_sim::run(&symbiosis_run::Plan { seed, sample_every: None, ..scenario.plan }).summary
}

/// Mean window over a long run under random loss, in packets: what arrives in a round trip.
fn window(cc: &str, rtt_ms: f64, loss: f64, seeds: u64) -> f64 {
    // So fast that no queue forms: the response function is of loss alone.
    let text = format!(
        "duration_s = 300\n[bottleneck]\nrate_mbps = 1000\ndelay_ms = {}\nqueue_packets = 100000\nloss = {loss}\n\
         [[flow]]\ncc = \"{cc}\"\n[measure]\nfrom_s = 30",
        rtt_ms / 2.0
    );
    let rate = |seed| run(&text, seed).flows[0].throughput_mbps;
    (1..=seeds).map(rate).sum::<f64>() / seeds as f64 * 1e6 * rtt_ms / 1e3 / 12_000.0
}

/// Ott, Kemperman, Mathis, "The stationary behavior of ideal TCP congestion avoidance" (1996): a window that adds one in a round trip and is halved
/// by losses that are independent has a mean of 1.31/√p; of Mathis et al. (1997) the 1.22/√p is for losses at equal distances.
#[test]
fn reno_under_random_loss_follows_its_response_function() {
    for (loss, rtt_ms) in [(1e-3, 50.0), (1e-3, 100.0), (3e-4, 50.0)] {
        let (found, expected) = (window("reno", rtt_ms, loss, 4), 1.31 / f64::sqrt(loss));
        assert!((found / expected - 1.0).abs() < 0.12, "p {loss}, {rtt_ms} ms: {found} packets, published {expected}");
    }
}

/// RFC 9438 §5.1, Eq 6, for C = 0.4 and β = 0.7: 1.054·RTT^0.75/p^0.75, where that is more than Reno's window.
#[test]
fn cubic_under_random_loss_follows_its_response_function() {
    for (loss, rtt_ms) in [(1e-4, 100.0), (3e-4, 200.0)] {
        let expected = 1.054 * f64::powf(rtt_ms / 1e3, 0.75) / f64::powf(loss, 0.75);
        let found = window("cubic", rtt_ms, loss, 4);
        // The RFC's losses come at equal distances; where they are independent a concave law's mean is another, by a tenth or so.
        assert!((found / expected - 1.0).abs() < 0.2, "p {loss}, {rtt_ms} ms: {found} packets, published {expected}");
    }
}

/// The share of a flow over that of one of CUBIC, mean over seeds.
fn beside_cubic(cc: &str, buffer: f64, seeds: u64) -> f64 {
    let text = format!(
        "duration_s = 120\n[bottleneck]\nrate_mbps = 50\ndelay_ms = 25\nqueue_bdp = {buffer}\n\
         [[flow]]\ncc = \"{cc}\"\n[[flow]]\ncc = \"cubic\"\nstart_s = 0.5\n[measure]\nfrom_s = 20"
    );
    let shares = (1..=seeds).map(|seed| {
        let flows: Vec<FlowSummary> = run(&text, seed).flows;
        flows[0].goodput_mbps / flows[1].goodput_mbps
    });
    shares.sum::<f64>() / seeds as f64
}

/// Zeynali et al., "Promises and Potential of BBRv3" (PAM 2024): beside CUBIC it "struggles to achieve an equitable sharing" over a wide range of
/// buffers; draft-ietf-ccwg-bbr: substantially more than CUBIC where buffers are shallow, and lower queues where they are deep, of which CUBIC
/// takes the rest. So it is here: more up to a few BDP, the less the deeper from a BDP on, and less than CUBIC in the end. Their testbeds' numbers
/// are not comparable: other rates, several flows, and Linux' GSO.
#[test]
fn bbr3_beside_cubic_takes_more_in_shallow_buffers_and_less_in_deep_ones() {
    let shares = [0.1, 0.25, 1.0, 4.0, 16.0].map(|buffer| beside_cubic("bbr3", buffer, 1));
    let [tenth, quarter, one, four, sixteen] = shares;
    assert!(tenth > 1.25 && quarter > 1.25 && one > 1.25, "{shares:?}");
    assert!(one > four && four > sixteen && sixteen < 0.8, "{shares:?}");
}

/// RFC 9332 §1 and §2.1: under DualPI2 Prague and CUBIC get about the same rate over the same path, and Prague's packets wait for about a
/// millisecond while CUBIC's wait for the target of 15 ms.
#[test]
fn prague_and_cubic_share_a_dualpi2_queue_and_prague_does_not_wait() {
    for (rate, rtt_ms) in [(40.0, 20.0), (100.0, 20.0), (100.0, 40.0)] {
        let text = format!(
            "duration_s = 60\n[bottleneck]\nrate_mbps = {rate}\ndelay_ms = {}\nqueue_packets = 5000\nqueue = \"dualpi2\"\n\
             [[flow]]\ncc = \"prague\"\necn = \"l4s\"\n[[flow]]\ncc = \"cubic\"\nstart_s = 0.5\n[measure]\nfrom_s = 15",
            rtt_ms / 2.0
        );
        let summary = run(&text, 1);
        let [prague, cubic] = &summary.flows[..] else { panic!("two flows") };
        let ratio = prague.goodput_mbps / cubic.goodput_mbps;
        assert!((0.5..=2.0).contains(&ratio), "{rate} Mbit/s, {rtt_ms} ms: {ratio}");
        assert!(prague.goodput_mbps + cubic.goodput_mbps > 0.9 * rate, "{rate} Mbit/s, {rtt_ms} ms");
        let waits = |flow: &FlowSummary| flow.rtt_ms.as_ref().unwrap().p50 - rtt_ms;
        assert!(waits(prague) < 2.0, "{rate} Mbit/s, {rtt_ms} ms: {}", waits(prague));
        assert!((8.0..25.0).contains(&waits(cubic)), "{rate} Mbit/s, {rtt_ms} ms: {}", waits(cubic));
    }
}
