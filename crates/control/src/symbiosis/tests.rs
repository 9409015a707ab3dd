mod chance;

use alloc::boxed::Box;
use alloc::string::ToString;
use alloc::vec::Vec;

use super::gamma::Gamma;
use super::law::corrected;
use super::*;
use crate::entry::Entry;
use crate::lotka_volterra::{Bandwidth, LotkaVolterra};
use crate::measurement::until::Until;
use crate::params::{Value, Values};
use crate::{Rate, Unknown, test_path};

const PACKET: Bytes = Bytes(1500);
const TAU: Span = Span::from_millis(100);

/// One flow against a path with the queue that a test wants, none at first: every ACK comes that much more than τ after its packet, as fast as
/// the window lets them.
struct Bench {
    flow: Box<dyn Controller>,
    now: Instant,
    queue: Span,
}

impl Bench {
    fn new(entry: &Entry, given: &[(&str, Value)]) -> Bench {
        let setup = Setup::new(PACKET).with_initial_window(Bytes(3000)).with_seed(1);
        // Of the measurement, only the oracle's word reaches the bench's flow.
        let told = ("measurement", Value::Word("oracle".into()));
        let given: Vec<_> = given.iter().chain([&told]).map(|(name, value)| (name.to_string(), value.clone())).collect();
        let values = Values::resolve(entry.params, &given).unwrap();
        Bench { flow: (entry.build)(&setup, &values), now: Instant::START, queue: Span::ZERO }
    }

    fn window(&mut self) -> f64 {
        self.flow.permit(&Ask { now: self.now, in_flight: Bytes::ZERO }).window.packets(PACKET)
    }

    fn ack(&mut self, after: Span, recovering: bool, app_limited: bool) {
        self.now += after;
        self.flow.acked(&Acked {
            now: self.now,
            number: 0,
            bytes: PACKET,
            sent_at: self.now - TAU - self.queue,
            received_at: None,
            rtt: Some(TAU + self.queue),
            answered_late: Span::ZERO,
            in_flight: Bytes::ZERO,
            app_limited,
            recovering,
            grows: !recovering,
        });
    }

    fn oracle(&mut self, capacity: f64, available: f64) {
        let (capacity, available) = (Rate::from_mbps(capacity), Rate::from_mbps(available));
        self.flow.report(&Report::Path { now: self.now, capacity, available });
    }

    /// ACKs at an even pace for some time.
    fn run(&mut self, span: Span, every: Span) {
        for _ in 0..span.0 / every.0 {
            self.ack(every, false, false);
        }
    }

    fn lose(&mut self, kind: LossKind) {
        self.flow.lost(&Lost::new(self.now, kind, Bytes::ZERO));
    }
}

#[test]
fn between_acks_the_paper_window_is_the_models_closed_form() {
    let mut bench = Bench::new(&PAPER, &[]);
    bench.ack(TAU, false, false);
    bench.oracle(100.0, 60.0);
    let model = LotkaVolterra { epsilon: EPSILON, gamma: GAMMA };
    let b = Bandwidth { capacity: Rate::from_mbps(100.0), available: Rate::from_mbps(60.0) };
    let w0 = bench.window();
    bench.run(Span::from_millis(3000), Span::from_millis(1));
    let wanted = model.step(w0 * 1500.0, &b, TAU, Span::from_millis(3000)) / 1500.0;
    // The window that a permit shows is rounded down to a byte; the state is not.
    assert!((bench.window() / wanted - 1.0).abs() < 1e-5, "{} instead of {wanted}", bench.window());
    bench.run(Span::from_millis(60_000), Span::from_millis(1));
    // w* = (0.1·100 + 0.9·60) Mbit/s · 100 ms = 533.3 packets.
    assert!((bench.window() - 533.333).abs() < 0.01);
}

#[test]
fn nothing_measured_means_reno() {
    for entry in [&PAPER, &OURS] {
        let mut bench = Bench::new(entry, &[]);
        bench.ack(Span::from_millis(10), false, false);
        // With a queue: without one a loss may be chance.
        bench.queue = Span::from_millis(5);
        bench.run(Span::from_millis(90), Span::from_millis(10));
        assert_eq!(bench.window(), 12.0, "slow start: two packets, ten more acknowledged");
        bench.lose(LossKind::FastRetransmit);
        assert_eq!(bench.window(), 6.0);
        bench.run(Span::from_millis(60), Span::from_millis(10));
        assert!((bench.window() - 7.0).abs() < 0.1, "one packet a round trip");
        bench.lose(LossKind::Timeout);
        assert_eq!(bench.window(), 1.0);
    }
}

#[test]
fn the_law_steps_in_recovery_too_and_slow_start_does_not() {
    let mut bench = Bench::new(&OURS, &[("probe_rtt_interval_s", Value::Number(0.0))]);
    bench.ack(TAU, false, false);
    bench.oracle(100.0, 100.0);
    bench.run(Span::from_millis(200), Span::from_millis(10));
    // 22 packets. Doubling in slow start would take a hundred ACKs to 122.
    bench.lose(LossKind::FastRetransmit);
    let before = bench.window();
    for _ in 0..100 {
        bench.ack(Span::from_millis(1), true, false);
    }
    // ε·100 ms = 0.8, below 833 packets.
    let wanted = 833.3 / (1.0 + (833.3 / before - 1.0) * libm::exp(-0.8));
    assert!((bench.window() / wanted - 1.0).abs() < 0.02, "{before} to {}", bench.window());
    for _ in 0..4000 {
        bench.ack(Span::from_millis(1), true, false);
    }
    assert!((bench.window() - 833.3).abs() < 1.0, "{}", bench.window());
}

#[test]
fn what_losses_take_from_theta_comes_back() {
    let setup = Setup::new(PACKET).with_initial_window(Bytes(3000)).with_seed(1);
    let law = Law::Logarithmic { theta: law::THETA, packet: PACKET };
    let known = Bandwidth { capacity: Rate::from_mbps(10.0), available: Rate::from_mbps(10.0) };
    let host = Host::new(Box::new(Until::new(Instant(u64::MAX), known)));
    let mut flow = Symbiosis::new(&setup, host, law, Settings { loss_floor: true, ..Settings::default() });
    let at = Instant::from_millis;
    let ack = |flow: &mut Symbiosis, ms: u64| {
        flow.acked(&Acked::new(at(ms), ms, PACKET, at(ms) - TAU).with_rtt(Some(TAU)).with_grows(true));
    };
    let lose = |flow: &mut Symbiosis, ms: u64| flow.lost(&Lost::new(at(ms), LossKind::FastRetransmit, Bytes::ZERO));
    (100..200).for_each(|ms| ack(&mut flow, ms));
    (0..4).for_each(|_| lose(&mut flow, 200));
    // 0.875⁴, and after 4 s a third of the rest is back: 1 − 0.414·e^(−0.4).
    assert!((flow.eased.part() - 0.586).abs() < 0.001, "{}", flow.eased.part());
    (200..4_200).for_each(|ms| ack(&mut flow, ms));
    assert!((flow.eased.part() - 0.7224).abs() < 0.001, "{}", flow.eased.part());
    (0..100).for_each(|_| lose(&mut flow, 4_200));
    assert_eq!(flow.eased.part(), 0.0625);
}

#[test]
fn a_timeout_without_a_queue_forgets_nothing_but_a_second_one_does() {
    let mut bench = Bench::new(&OURS, &[]);
    bench.ack(TAU, false, false);
    bench.oracle(100.0, 100.0);
    bench.run(Span::from_millis(9_000), Span::from_millis(1));
    bench.lose(LossKind::Timeout);
    assert_eq!(bench.window(), 1.0);
    for _ in 0..800 {
        bench.ack(Span(1), false, false);
    }
    assert!(bench.window() > 600.0, "slow start up to where it was, not {}", bench.window());
    bench.lose(LossKind::Timeout);
    bench.lose(LossKind::Timeout);
    bench.run(Span::from_millis(2_000), Span::from_millis(1));
    assert!((375.0..405.0).contains(&bench.window()), "half of what it was, and a few packets as Reno: not {}", bench.window());
}

#[test]
fn a_timeout_discards_what_was_measured() {
    for entry in [&PAPER, &OURS] {
        let mut bench = Bench::new(entry, &[]);
        bench.ack(TAU, false, false);
        bench.oracle(100.0, 100.0);
        bench.run(Span::from_millis(9_000), Span::from_millis(1));
        assert!(bench.window() > 800.0);
        // Ours believes a second one.
        bench.lose(LossKind::Timeout);
        bench.lose(LossKind::Timeout);
        bench.run(Span::from_millis(100), Span::from_millis(10));
        assert_eq!(bench.window(), 11.0, "slow start again, though ACKs would let the model jump");
        bench.oracle(100.0, 100.0);
        bench.run(Span::from_millis(9_000), Span::from_millis(1));
        assert!(bench.window() > 800.0);
    }
}

#[test]
fn time_in_recovery_and_idle_time_are_not_the_models() {
    for entry in [&PAPER, &OURS] {
        let papers = [("probe_rtt_interval_s", Value::Number(0.0)), ("loss_floor", Value::Flag(false))];
        let mut bench = Bench::new(entry, &papers[..if entry.name == "symbiosis" { 2 } else { 0 }]);
        bench.ack(TAU, false, false);
        bench.oracle(100.0, 100.0);
        bench.run(Span::from_millis(500), Span::from_millis(10));
        let before = bench.window();
        for _ in 0..100 {
            bench.ack(Span::from_millis(10), true, false);
        }
        assert_eq!(bench.window(), before, "recovery");
        bench.ack(Span::from_millis(5_000), false, true);
        assert_eq!(bench.window(), before, "the ACK that ends an idle period");
    }
}

#[test]
fn a_loss_takes_no_more_than_is_over_what_is_free() {
    for (floor, wanted) in [(true, 500.0), (false, 416.7)] {
        let mut bench = Bench::new(&OURS, &[("loss_floor", Value::Flag(floor)), ("law", Value::Word("lotka-volterra".into()))]);
        bench.ack(TAU, false, false);
        bench.oracle(100.0, 100.0);
        bench.run(Span::from_millis(9_000), Span::from_millis(1));
        assert!((bench.window() - 833.3).abs() < 5.0, "{}", bench.window());
        // 60 of 100 Mbit/s are free: 500 packets. The window has no time to follow.
        bench.oracle(100.0, 60.0);
        bench.lose(LossKind::FastRetransmit);
        assert!((bench.window() / wanted - 1.0).abs() < 0.01, "{} instead of {wanted}", bench.window());
        bench.lose(LossKind::Timeout);
        assert_eq!(bench.window(), 1.0, "a timeout discards all");
    }
}

#[test]
fn a_flow_that_starts_late_has_no_past() {
    let mut bench = Bench::new(&PAPER, &[]);
    bench.oracle(100.0, 0.0);
    bench.ack(Span::from_millis(50_000), false, false);
    assert_eq!(bench.window(), 2.0);
}

#[test]
fn the_start_is_slow_start_to_a_part_of_the_equilibrium() {
    let mut bench = Bench::new(&OURS, &[("probe_rtt_interval_s", Value::Number(0.0))]);
    bench.ack(TAU, false, false);
    bench.oracle(100.0, 100.0);
    // w* = 833 packets and the queue for what the window is so far, w·θ/τ·ln(833/w) with θ = 6 ms + 16·120 µs: slow start ends at 0.9 of that.
    for _ in 0..800 {
        bench.ack(Span(1), false, false);
    }
    let w = bench.window();
    let rest = 833.333 + w * 0.0792 * libm::log(833.333 / w);
    assert!((w - 0.9 * rest).abs() < 0.5, "{w} of {rest}");
    bench.run(Span::from_millis(2_000), Span::from_millis(1));
    assert!(bench.window() > 0.98 * 833.333);
}

#[test]
fn in_a_queue_that_never_ends_half_of_a_flight_without_it_is_left_every_ten_seconds() {
    let mut bench = Bench::new(&OURS, &[("compete", Value::Flag(false))]);
    bench.ack(TAU, false, false);
    bench.oracle(100.0, 50.0);
    bench.queue = Span::from_millis(6);
    bench.run(Span::from_millis(700), Span::from_millis(1));
    let mut low = 0;
    let full = bench.window();
    for _ in 0..92_200 {
        bench.ack(Span::from_millis(1), false, false);
        let probes = bench.window() < 0.6 * full;
        low += u32::from(probes);
        // Others' windows keep the queue when it does not probe.
        bench.queue = if probes { Span::ZERO } else { Span::from_millis(6) };
    }
    // After .8, 1.6, 3.2, 6.4 s and then every 10 s, each for two round trips of 106 ms, and one or two more while the queue falls.
    assert!((2_200..=4_400).contains(&low), "{low} ms of probes");
}

/// A policer lets 10 of 100 Mbit/s through and keeps no queue, so that all of K seems free.
#[test]
fn where_much_is_lost_no_more_is_sent_than_twice_what_arrives_whatever_was_measured() {
    let mut bench = Bench::new(&OURS, &[]);
    bench.ack(TAU, false, false);
    bench.oracle(100.0, 100.0);
    bench.run(Span::from_millis(9_000), Span::from_millis(1));
    assert!(bench.window() > 800.0);
    // 833 packets each second arrive: 83 in a round trip.
    for round in 0..40 {
        let lost = (bench.window() - 83.0).max(0.0) as u64;
        for number in 0..lost {
            bench.flow.packet_lost(&PacketLost::new(bench.now, number, PACKET, bench.now - TAU));
        }
        if lost > 0 {
            bench.lose(LossKind::FastRetransmit);
        }
        bench.oracle(100.0, 100.0);
        bench.run(TAU, Span::from_secs(1.0 / 833.0));
        assert!(round < 2 || bench.window() < 2.0 * 83.0, "{} packets in round {round}", bench.window());
    }
    assert!(bench.window() > 0.8 * 83.0, "{}", bench.window());
}

#[test]
fn a_flow_that_is_alone_does_not_probe() {
    let mut bench = Bench::new(&OURS, &[]);
    bench.ack(TAU, false, false);
    bench.oracle(100.0, 100.0);
    bench.run(Span::from_millis(5_000), Span::from_millis(1));
    let full = bench.window();
    for _ in 0..40_000 {
        bench.ack(Span::from_millis(1), false, false);
        assert!(bench.window() > 0.9 * full);
    }
}

#[test]
fn the_correction_is_the_queue_seen_in_the_round_trip_time_and_bounded() {
    let b = Bandwidth { capacity: Rate::from_mbps(100.0), available: Rate::from_mbps(50.0) };
    let fed = |smoothed| corrected(&b, Span::from_millis(smoothed), TAU).available.mbps();
    assert!((fed(105) - 47.5).abs() < 1e-9);
    assert_eq!(fed(90), 50.0);
    assert!(fed(500) < 1e-9);
}

#[test]
fn what_no_longer_holds_no_longer_holds_the_window() {
    let setup = Setup::new(PACKET).with_initial_window(Bytes(3000)).with_seed(1);
    let known = Bandwidth { capacity: Rate::from_mbps(10.0), available: Rate::from_mbps(10.0) };
    let flow = Symbiosis::new(
        &setup,
        Host::new(Box::new(Until::new(Instant::from_millis(20_000), known))),
        Law::LotkaVolterra { epsilon: EPSILON, gamma: Gamma::Fixed(GAMMA), correction: false },
        Settings::default(),
    );
    let mut bench = Bench { flow: Box::new(flow), now: Instant::START, queue: Span::ZERO };
    bench.run(Span::from_millis(19_990), Span::from_millis(10));
    assert!((bench.window() - 83.333).abs() < 0.01, "Kτ, not {}", bench.window());
    bench.run(Span::from_millis(8_330), Span::from_millis(10));
    assert!((92.5..93.5).contains(&bench.window()), "833 ACKs are ten windows, each a packet more, not {}", bench.window());
}

/// A queue that does not yield stands until K is no longer known. The window is CUBIC's from then on as before, and probes go on.
#[test]
fn who_competes_goes_by_what_was_known_last() {
    let setup = Setup::new(PACKET).with_initial_window(Bytes(3000)).with_seed(1);
    let (known, end) = (Bandwidth { capacity: Rate::from_mbps(10.0), available: Rate::ZERO }, Instant::from_millis(30_000));
    let settings = Settings { loss_floor: true, competes: true, probe_rtt_interval: Some(PROBE_RTT_INTERVAL), ..Settings::default() };
    let law = Law::Logarithmic { theta: law::THETA, packet: PACKET };
    let mut flow = Symbiosis::new(&setup, Host::new(Box::new(Until::new(end, known))), law, settings);
    let mut seen = [[0; 2]; 2];
    for ms in (110..60_000).step_by(10) {
        // Without a queue at first, so that τ is known.
        let (now, queue) = (Instant::from_millis(ms), Span::from_millis(if ms < 1_000 { 0 } else { 200 }));
        flow.acked(&Acked::new(now, ms, PACKET, now - TAU - queue).with_rtt(Some(TAU + queue)).with_grows(true));
        if ms % 1_000 == 0 {
            flow.lost(&Lost::new(now, LossKind::FastRetransmit, Bytes::ZERO));
        }
        assert!(flow.rivalry.competes() || now < end, "{ms} ms");
        let probes = flow.basis(now) == Basis::ProbeRtt;
        assert!(flow.rivalry.competes() <= matches!(flow.basis(now), Basis::Law | Basis::ProbeRtt), "{ms} ms: {:?}", flow.basis(now));
        seen[usize::from(now >= end)][usize::from(probes)] += 1;
    }
    assert!(seen[1][0] > 1_000 && seen[1][1] > 100, "{seen:?}");
}

#[test]
fn the_basis_is_what_moves_the_window() {
    let mut bench = Bench::new(&OURS, &[("probe_rtt_interval_s", Value::Number(1.0))]);
    bench.ack(TAU, false, false);
    assert_eq!(bench.flow.basis(bench.now), Basis::Reno(Unknown::Trains), "nothing is known");
    bench.oracle(100.0, 60.0);
    bench.queue = Span::from_millis(2);
    assert_eq!(bench.flow.basis(bench.now), Basis::SlowStart);
    let mut seen = Vec::new();
    for _ in 0..3000 {
        let (before, basis) = (bench.window(), bench.flow.basis(bench.now));
        bench.ack(Span::from_millis(1), false, false);
        let grown = bench.window() - before;
        match bench.flow.basis(bench.now) {
            // The last step ends where the law takes over.
            Basis::SlowStart => assert!((0.0..=1.0 + 1e-9).contains(&grown), "a packet for an acknowledged packet, not {grown}"),
            Basis::ProbeRtt if basis == Basis::ProbeRtt => assert_eq!(grown, 0.0, "the window stands still"),
            _ => {}
        }
        seen.push(bench.flow.basis(bench.now));
    }
    assert!([Basis::SlowStart, Basis::Law, Basis::ProbeRtt].iter().all(|basis| seen.contains(basis)));
}

#[test]
fn a_builder_makes_what_the_registry_makes_by_default() {
    for (builder, entry) in [(Symbiosis::builder(), &OURS), (Symbiosis::published(), &PAPER)] {
        let setup = test_path::setup(10);
        let run = |flow: &mut dyn Controller| test_path::Path::default().run(flow, &setup, Instant::from_millis(3_000));
        let built = run(&mut builder.build(&setup));
        let registered = run((entry.build)(&setup, &Values::resolve(entry.params, &[]).unwrap()).as_mut());
        assert_eq!(std::format!("{built:?}"), std::format!("{registered:?}"), "{}", entry.name);
    }
}
