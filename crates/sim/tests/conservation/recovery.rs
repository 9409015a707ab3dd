//! What recovery owes, whatever its kind: a finite flow gets through, and a path that comes back is used again.

use symbiosis_base::{Bytes, Instant, Rate, Span};
use symbiosis_path::{Gaps, QueueLimit, RateSpec, Sizes, Steps};
use symbiosis_run::{FlowSummary, Outcome, Recovery};
use symbiosis_sim::run;

use crate::common::Dumbbell;

const ALL: [Recovery; 5] = [Recovery::Reno, Recovery::NewReno, Recovery::Sack, Recovery::Rack, Recovery::RateHalving];

/// 200 full packets and one of a single byte.
const BYTES: Bytes = Bytes(200 * 1000 + 1);

/// A finite Reno flow over 10 Mbit/s and 60 ms, the bottleneck changed, its outcome with samples every 100 ms.
fn finite(recovery: Recovery, seed: u64, change: impl Fn(&mut Dumbbell)) -> Outcome {
    let mut dumbbell = Dumbbell::new(10.0, 20, 100, 600);
    dumbbell.plan.seed = seed;
    dumbbell.plan.sample_every = Some(Span::from_millis(100));
    dumbbell.flow("reno", recovery).bytes = Some(BYTES);
    change(&mut dumbbell);
    run(&dumbbell.plan)
}

/// It is complete, and what arrived is exactly what was sent.
fn complete(outcome: &Outcome, start: Instant) -> (&FlowSummary, f64) {
    let flow = &outcome.summary.flows[0];
    let completion = flow.completion_s.unwrap_or_else(|| panic!("not complete: {flow:?}"));
    let payload = flow.goodput_mbps * 1e6 / 8.0 * (outcome.summary.duration_s - start.secs());
    assert!((payload - BYTES.as_f64()).abs() < 0.5, "{payload} bytes arrived: {flow:?}");
    assert_eq!(outcome.ledger.in_flight, 0);
    assert_eq!(flow.packets_sent - flow.retransmissions, 201);
    (flow, completion)
}

#[test]
fn a_finite_flow_gets_through_heavy_loss() {
    for recovery in ALL {
        for seed in 0..20 {
            let outcome = finite(recovery, seed, |dumbbell| dumbbell.bottleneck().loss = 0.2);
            let (flow, _) = complete(&outcome, Instant::START);
            assert!(flow.packets_lost > 15, "{recovery:?}: a fifth is lost");
        }
    }
}

/// ACKs get lost too, and an ACK stands for all before it.
#[test]
fn a_finite_flow_gets_through_when_acks_are_lost() {
    for recovery in ALL {
        for seed in 0..20 {
            let outcome = finite(recovery, seed, |dumbbell| {
                let back = dumbbell.plan.flows[0].ack_route[1];
                dumbbell.plan.links[back].spec.loss = 0.3;
            });
            let (flow, completion) = complete(&outcome, Instant::START);
            assert!(completion < 60.0, "{recovery:?}: {completion} s");
            assert!(flow.retransmissions < 60, "{recovery:?}: what arrived is hardly retransmitted: {flow:?}");
        }
    }
}

fn dead(from_ms: u64, to_ms: u64, queue: u64) -> impl Fn(&mut Dumbbell) {
    move |dumbbell| {
        let at = |ms, mbps| (Instant::from_millis(ms), Rate::from_mbps(mbps));
        dumbbell.bottleneck().rate = RateSpec::Steps(Steps::new(&[at(0, 10.0), at(from_ms, 0.0), at(to_ms, 10.0)]));
        dumbbell.bottleneck().queue = QueueLimit::Packets(queue);
    }
}

#[test]
fn a_link_that_was_dead_is_used_again() {
    for recovery in ALL {
        for queue in [0, 3, 100] {
            // The flow would take a third of a second or more.
            let outcome = finite(recovery, 1, dead(150, 5150, queue));
            let (flow, completion) = complete(&outcome, Instant::START);
            assert!(flow.timeouts >= 3, "{recovery:?}: the timer backs off: {flow:?}");
            // The timer doubles: from 0.2 s or more, it has run out before twice the dead time.
            assert!(5.15 < completion && completion < 12.0 + 0.4 * flow.packets_lost as f64, "{recovery:?}, {queue}: {completion} s");
        }
    }
}

/// Nothing arrives, nothing is acknowledged, and every packet is still on the way.
#[test]
fn a_link_that_stays_dead_holds_what_it_has() {
    for recovery in ALL {
        for delayed_ack in [false, true] {
            let outcome = finite(recovery, 1, |dumbbell| {
                let rate = &[(Instant::START, Rate::from_mbps(10.0)), (Instant::from_millis(150), Rate::ZERO)];
                dumbbell.bottleneck().rate = RateSpec::Steps(Steps::new(rate));
                dumbbell.plan.flows[0].delayed_ack = delayed_ack;
            });
            let (flow, ledger) = (&outcome.summary.flows[0], outcome.ledger);
            assert_eq!(flow.completion_s, None);
            // From 60 s on one timeout a minute.
            assert!((10..25).contains(&flow.timeouts), "{recovery:?}: {flow:?}");
            assert!(ledger.in_flight > 0 && ledger.sent == ledger.delivered + ledger.in_flight + ledger.dropped);
        }
    }
}

/// A flood fills the queue while the flow begins: its first packets are lost, with no round-trip time ever measured.
#[test]
fn a_flow_whose_first_packets_are_lost_recovers() {
    for recovery in ALL {
        for start_ms in [500, 1700] {
            let outcome = finite(recovery, 1, |dumbbell| {
                // Thirty times the link's rate.
                dumbbell.bottleneck().queue = QueueLimit::Packets(1);
                dumbbell.udp(Sizes::Fixed(Bytes(200)), Gaps::Constant, &[(0, 300.0), (2, 0.0)]);
                dumbbell.plan.flows[0].start = Instant::from_millis(start_ms);
            });
            let (flow, completion) = complete(&outcome, Instant::from_millis(start_ms));
            let before = outcome.flow_traces[0].iter().rev().find(|s| s.delivered_bytes == 0).unwrap();
            // RACK's probe leaves when the others' timer runs out, a second after the start.
            let timed_out = before.timeouts >= 1 || (recovery == Recovery::Rack && start_ms == 1700);
            assert!(before.at >= Instant::from_millis(1900) && timed_out, "{recovery:?}: {before:?}");
            assert!(flow.packets_lost >= 2 && completion < 30.0, "{recovery:?}: {completion} s, {flow:?}");
        }
    }
}

/// A flow that has sent its last packet before its stop is no flow cut short, also when that packet must be retransmitted after it.
#[test]
fn a_finite_flow_that_sent_all_before_its_stop_completes() {
    for recovery in ALL {
        let outcome = finite(recovery, 1, |dumbbell| {
            // Six packets leave at once, the last of one byte, and the queue has no room for the last.
            dumbbell.bottleneck().queue = QueueLimit::Packets(1);
            let flow = &mut dumbbell.plan.flows[0];
            (flow.bytes, flow.initial_window, flow.stop) = (Some(Bytes(5001)), 6, Instant::from_millis(30));
        });
        let flow = &outcome.summary.flows[0];
        let payload = flow.goodput_mbps * 1e6 / 8.0 * outcome.summary.duration_s;
        assert!(flow.packets_lost > 0 && (payload - 5001.0).abs() < 0.5, "{payload} bytes arrived: {flow:?}");
        assert!(flow.completion_s.is_some_and(|s| s > 0.03), "{flow:?}");
    }
}

/// After a retransmission one ACK may cover a whole window. It must not open the window as if each packet had had an ACK of its own.
#[test]
fn an_ack_opens_the_window_for_two_packets_at_most() {
    for recovery in [Recovery::Reno, Recovery::NewReno, Recovery::Sack] {
        let mut dumbbell = Dumbbell::new(10.0, 20, 100, 60);
        dumbbell.plan.links[0].spec.loss = 0.02;
        dumbbell.plan.sample_every = Some(Span::from_millis(1));
        dumbbell.flow("reno", recovery);
        let outcome = run(&dumbbell.measure_from(0));
        let trace = &outcome.flow_traces[0];
        assert!(trace.last().unwrap().timeouts > 0, "{recovery:?}: the case is one with timeouts");
        // A packet takes 0.8 ms: at most two ACKs come between two samples.
        for pair in trace.windows(2) {
            let growth = pair[1].cwnd_packets - pair[0].cwnd_packets;
            assert!(growth <= 4.0 + 1e-9, "{recovery:?}: {growth} packets within {} ms", pair[1].at.millis());
        }
    }
}

/// Fairness is among flows that are there: one that was done before the measurement ended is none of them.
#[test]
fn a_flow_that_has_ended_is_not_compared() {
    let mut dumbbell = Dumbbell::new(10.0, 20, 100, 30);
    dumbbell.flow("reno", Recovery::Sack);
    dumbbell.flow("reno", Recovery::Sack).bytes = Some(Bytes(1000));
    assert_eq!(run(&dumbbell.measure_from(10)).summary.jain, 1.0);
}
