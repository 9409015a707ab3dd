//! Losses by chance, results that expire while a flow starts, and outages.

use super::*;
use crate::PacketLost;
use crate::measurement::until::path;
use crate::symbiosis::law;

/// A flow after 24 pairs whose packets a host hands up, as often as not, together: K is measured, but not known. With the instant.
fn in_doubt(queue: Span) -> (Box<dyn Controller>, Instant) {
    after_losses(queue, &[])
}

/// The same with losses before those pairs.
fn after_losses(queue: Span, losses: &[u64]) -> (Box<dyn Controller>, Instant) {
    let setup = Setup::new(PACKET).with_seed(1);
    let mut flow = (OURS.build)(&setup, &Values::resolve(OURS.params, &[]).unwrap());
    let mut now = Instant::START;
    for pair in 0..24 {
        let (left, queue) = (Instant::after(Span::from_millis(10) * pair), if pair > 0 { queue } else { Span::ZERO });
        for i in 0..2 {
            flow.sent(&Sent::new(left, 2 * pair + i, PACKET, PACKET));
        }
        for i in 0..2 {
            now = left + TAU + queue + Span::from_micros(600) * (i * (pair % 2));
            flow.acked(&Acked::new(now, 2 * pair + i, PACKET, left).with_rtt(Some(now - left)));
        }
        if losses.contains(&pair) {
            flow.lost(&Lost::new(now, LossKind::FastRetransmit, Bytes::ZERO));
        }
    }
    assert_eq!(flow.basis(now), Basis::Reno(Unknown::Uncertain));
    (flow, now)
}

/// What a loss then leaves of the window, and by how much that grows with ten packets in recovery.
fn after_a_loss((mut flow, now): (Box<dyn Controller>, Instant), lost: u32) -> (f64, f64) {
    let window = |flow: &dyn Controller| flow.permit(&Ask { now, in_flight: Bytes::ZERO }).window.packets(PACKET);
    let before = window(&*flow);
    for number in 0..lost {
        flow.packet_lost(&PacketLost::new(now, 100 + u64::from(number), PACKET, now - TAU));
    }
    flow.lost(&Lost::new(now, LossKind::FastRetransmit, Bytes::ZERO));
    let after = window(&*flow);
    for number in 200..210 {
        flow.acked(&Acked::new(now, number, PACKET, now - TAU).with_rtt(Some(TAU)).with_recovering(true).with_grows(false));
    }
    (after / before, window(&*flow) - after)
}

#[test]
fn a_loss_by_chance_ends_no_slow_start_of_which_nothing_is_known() {
    let close = |(left, grown): (f64, f64), wanted: (f64, f64)| {
        assert!((left - wanted.0).abs() < 0.01 && (grown - wanted.1).abs() < 0.1, "{left}, {grown}")
    };
    close(after_a_loss(in_doubt(Span::ZERO), 1), (0.7, 10.0));
    // A queue stands, or more is lost than is borne: as Reno, which does not grow in recovery.
    close(after_a_loss(in_doubt(Span::from_millis(5)), 1), (0.5, 0.0));
    close(after_a_loss(in_doubt(Span::ZERO), 9), (0.5, 0.0));
    // An eighth is no overload: with the turn that ends two packets before these do slow start goes on.
    close(after_a_loss(in_doubt(Span::ZERO), 8), (0.5, 2.0));
}

/// A loss before there was any pair to tell, after which Reno would grow by a packet in as many as there are.
#[test]
fn slow_start_goes_on_where_k_turns_out_to_be_in_doubt() {
    let window = |(flow, now): (Box<dyn Controller>, Instant)| flow.permit(&Ask { now, in_flight: Bytes::ZERO }).window.packets(PACKET);
    let [none, one] = [&[][..], &[0]].map(|losses| window(after_losses(Span::ZERO, losses)));
    assert!(one > none - 10.0, "{one} packets, and {none} without the loss");
    assert!(window(after_losses(Span::from_millis(5), &[0])) < none / 2.0, "a queue stands");
}

/// A result that held for the first round trips only. Over 100 ms HyStart++ takes 12.5 ms for a path that is full.
#[test]
fn a_result_that_no_longer_holds_ends_no_slow_start_before_the_path_is_full() {
    let grown = |queue: Span| {
        let setup = Setup::new(PACKET).with_initial_window(Bytes(3000)).with_seed(1);
        let measurement = Host::new(Box::new(Until::new(Instant::from_millis(300), path(100.0))));
        let settings = Settings { slow_start_target: 0.8, ..Settings::default() };
        let mut flow = Symbiosis::new(&setup, measurement, Law::Logarithmic { theta: law::THETA, packet: PACKET }, settings);
        let window = |flow: &Symbiosis, now| flow.permit(&Ask { now, in_flight: Bytes::ZERO }).window.packets(PACKET);
        let mut before = 0.0;
        for number in 0..40 {
            let queue = if number > 0 { queue } else { Span::ZERO };
            let now = Instant::START + TAU + Span::from_millis(10) * number;
            flow.acked(&Acked::new(now, number, PACKET, now - TAU - queue).with_rtt(Some(TAU + queue)));
            before = if number == 29 { window(&flow, now) } else { before };
        }
        window(&flow, Instant::from_millis(600)) - before
    };
    for queue in [Span::ZERO, Span::from_millis(10)] {
        assert!((grown(queue) - 10.0).abs() < 0.01, "{}", grown(queue));
    }
    assert!(grown(Span::from_millis(15)) < 0.5, "{}", grown(Span::from_millis(15)));
}

/// What waited while the path was away comes back two seconds old, and is no queue to look behind: the window doubles to half of what it was.
#[test]
fn after_an_outage_the_window_comes_back() {
    let mut bench = Bench::new(&OURS, &[]);
    bench.ack(TAU, false, false);
    bench.oracle(100.0, 100.0);
    bench.run(Span::from_millis(9_000), Span::from_millis(1));
    let half = bench.window() / 2.0;
    bench.lose(LossKind::Timeout);
    (bench.now, bench.queue) = (bench.now + Span::from_millis(2_000), Span::from_millis(2_000));
    bench.run(Span::from_millis(50), Span::from_micros(120));
    assert_eq!(bench.flow.basis(bench.now), Basis::SlowStart);
    assert!((bench.window() / half - 1.0).abs() < 0.01, "{} of {half}", bench.window());
}
