//! Applications that fall silent and resume on the same connection, against times calculated by hand.

mod common;

use common::Dumbbell;
use symbiosis_base::{Bytes, Instant, Span};
use symbiosis_run::{FlowPlan, FlowSummary, Outcome, Recovery};
use symbiosis_sim::run;

/// 20 packets of 1000 bytes of payload, the last of them half empty.
const BURST: Bytes = Bytes(19_500);
/// Bottleneck's time for a full packet at 10 Mbit/s \[ms\].
const PACKET: f64 = 0.832;
/// Propagation of 30 ms each way, 1040 bytes at 20, 10 and 20 Mbit/s, and 40 bytes back at the same \[ms\].
const RTT: f64 = 60.0 + 2.0 * 0.416 + PACKET + 2.0 * 0.016 + 0.032;
/// What the last packet, of 540 bytes, has less: it waits for nobody once it is at the bottleneck \[ms\].
const SHORTER: f64 = 500.0 / 1040.0 * (PACKET + 0.416);

/// Bursts each second for `seconds`, over 10 Mbit/s and 60 ms with room for 100 packets.
fn bursts(cc: &str, seconds: u64, change: impl Fn(&mut FlowPlan)) -> Outcome {
    let mut dumbbell = Dumbbell::new(10.0, 20, 100, seconds);
    let flow = dumbbell.flow(cc, Recovery::Rack);
    (flow.bytes, flow.hosts.every, flow.stop) = (Some(BURST), Some(Span::from_millis(1000)), Instant::from_millis(1000 * seconds));
    change(flow);
    run(&dumbbell.measure_from(0))
}

fn first(outcome: &Outcome) -> &FlowSummary {
    &outcome.summary.flows[0]
}

fn close(found: &[f64], expected_ms: &[f64]) {
    assert_eq!(found.len(), expected_ms.len(), "{found:?}");
    for (found, expected) in found.iter().zip(expected_ms) {
        assert!((found * 1e3 - expected).abs() < 1e-3, "{found} s instead of {expected} ms of {expected_ms:?}");
    }
}

#[test]
fn a_window_that_holds_a_burst_lets_each_take_a_round_trip() {
    let outcome = bursts("reno", 3, |flow| flow.initial_window = 20);
    // The last packet leaves the bottleneck 18 full packets and itself after the first began to.
    let each = RTT + 19.0 * PACKET - SHORTER;
    close(&first(&outcome).bursts_s, &[each; 3]);
    assert_eq!(first(&outcome).completion_s, Some(2.0 + first(&outcome).bursts_s[2]));
    assert_eq!(first(&outcome).packets_sent, 60);
}

#[test]
fn slow_start_begins_anew_after_silence() {
    // Rounds of 2, 4, 8 and 6 packets; in each they leave the bottleneck one after another.
    let anew = 4.0 * RTT + 5.0 * PACKET - SHORTER;
    close(&first(&bursts("reno", 4, |_| ())).bursts_s, &[anew; 4]);
    close(&first(&bursts("cubic", 4, |_| ())).bursts_s, &[anew; 4]);
}

#[test]
fn a_host_may_keep_the_window_which_then_grows_only_as_far_as_it_is_used() {
    let outcome = bursts("reno", 8, |flow| flow.hosts.keeps_idle_window = true);
    // The last packet alone is shorter on its first link too.
    let alone = 2.0 * RTT - SHORTER - 500.0 / 1040.0 * 0.416;
    // The first burst has left after nine ACKs, with a window of 11. So has the second after five more, the third after two, the fourth and
    // the fifth after one each; from then on 20 packets fit.
    let rest = |packets: f64| 2.0 * RTT + (packets - 1.0) * PACKET - SHORTER;
    let all = RTT + 19.0 * PACKET - SHORTER;
    let anew = 4.0 * RTT + 5.0 * PACKET - SHORTER;
    close(&first(&outcome).bursts_s, &[anew, rest(9.0), rest(4.0), rest(2.0), alone, all, all, all]);
    assert_eq!(first(&outcome).cwnd_packets.last, 20.0);
}

#[test]
fn silence_shorter_than_the_timeout_leaves_the_window_alone() {
    // The timeout is 200 ms and the smoothed round-trip time, and the last packets leave 190 ms after the first.
    let often = |every| bursts("reno", 2, |flow| flow.hosts.every = Some(Span::from_millis(every)));
    let second = |every| first(&often(every)).bursts_s[1] * 1e3;
    let kept = 2.0 * RTT + 8.0 * PACKET - SHORTER;
    assert!((second(440) - kept).abs() < 1e-3, "{}", second(440));
    // After one timeout half of 11 packets are left.
    assert!(second(480) > kept + 1.0 && second(480) < 3.0 * RTT + 8.0 * PACKET, "{}", second(480));
}

#[test]
fn bursts_that_come_too_fast_wait_for_each_other() {
    // 10 Mbit/s carry 20 packets in 16.4 ms; here they come every 10 ms.
    let outcome = bursts("reno", 20, |flow| {
        (flow.hosts.every, flow.stop, flow.initial_window) = (Some(Span::from_millis(10)), Instant::from_millis(100), 200);
    });
    let flow = first(&outcome);
    assert_eq!((flow.bursts_s.len(), flow.packets_lost), (10, 0));
    let ends: Vec<f64> = flow.bursts_s.iter().enumerate().map(|(k, took)| 0.01 * k as f64 + took).collect();
    assert!(ends.is_sorted(), "{ends:?}");
    assert_eq!(flow.completion_s, ends.last().copied());
    let payload = flow.goodput_mbps * 1e6 / 8.0 * 20.0;
    assert!((payload - 10.0 * BURST.as_f64()).abs() < 0.5, "{payload}");
}

#[test]
fn no_burst_comes_after_the_stop_and_what_has_not_left_by_then_never_does() {
    let outcome = bursts("reno", 4, |flow| flow.stop = Instant::from_millis(2001));
    assert_eq!((first(&outcome).bursts_s.len(), first(&outcome).packets_sent), (2, 42));
    assert_eq!(first(&outcome).completion_s, None);
}

#[test]
fn models_resume_at_the_rate_they_know() {
    let outcome = bursts("bbr3", 8, |flow| flow.bytes = Some(Bytes(200_000)));
    let bursts = &first(&outcome).bursts_s;
    // 200 kB are 166 ms of the link; the first takes slow start's rounds too.
    assert!(bursts[1..].iter().all(|took| *took < 0.9 * bursts[0] && *took > 0.22), "{bursts:?}");
}

#[test]
fn xmtp_carries_bursts() {
    let outcome = bursts("hcc", 5, |_| ());
    assert_eq!(first(&outcome).bursts_s.len(), 5);
    assert_eq!(outcome, bursts("hcc", 5, |_| ()));
}
