use crate::controller::{Gate, QuicController};
use std::sync::{Arc, Mutex};
use symbiosis_base::{Bytes, Instant, ReceiverInstant, Span};
use symbiosis_control::{Acked, Ask, Controller, Departure, LossKind, Lost, Permit, Sent, Setup};

/// What a controller heard.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Heard {
    /// Number, bytes in flight.
    Sent(u64, u64),
    /// Number, bytes in flight, whether the window may grow, whether recovering, round-trip time \[ms\], app-limited.
    Acked(u64, u64, bool, bool, Option<u64>, bool),
    Lost(LossKind, u64),
}

/// Writes down what it hears, and answers what it is told to.
#[derive(Clone)]
struct Recorder {
    heard: Arc<Mutex<Vec<Heard>>>,
    permit: Arc<Mutex<Permit>>,
    /// When packets reached the receiver.
    times: Arc<Mutex<Vec<Option<ReceiverInstant>>>>,
}

impl Controller for Recorder {
    fn sent(&mut self, packet: &Sent) {
        self.heard.lock().unwrap().push(Heard::Sent(packet.number, packet.in_flight.0));
    }

    fn acked(&mut self, ack: &Acked) {
        self.times.lock().unwrap().push(ack.received_at);
        let rtt = ack.rtt.map(|rtt| rtt.0 / 1_000_000);
        self.heard.lock().unwrap().push(Heard::Acked(ack.number, ack.in_flight.0, ack.grows, ack.recovering, rtt, ack.app_limited));
    }

    fn lost(&mut self, loss: &Lost) {
        self.heard.lock().unwrap().push(Heard::Lost(loss.kind, loss.in_flight.0));
    }

    fn permit(&self, _ask: &Ask) -> Permit {
        *self.permit.lock().unwrap()
    }
}

struct Bench {
    core: QuicController,
    heard: Arc<Mutex<Vec<Heard>>>,
    permit: Arc<Mutex<Permit>>,
    times: Arc<Mutex<Vec<Option<ReceiverInstant>>>>,
}

fn at_ms(ms: u64) -> Instant {
    Instant::from_millis(ms)
}

fn setup(timer: Span) -> Setup {
    Setup::new(Bytes(1000)).with_initial_window(Bytes(5000)).with_timer(timer)
}

/// Packets of 1000 bytes, 900 of them UDP payload.
fn bench() -> Bench {
    let heard = Arc::new(Mutex::new(Vec::new()));
    let permit = Arc::new(Mutex::new(Permit::window(Bytes(10_000))));
    let times = Arc::new(Mutex::new(Vec::new()));
    let controller = Box::new(Recorder { heard: heard.clone(), permit: permit.clone(), times: times.clone() });
    let mut core = QuicController::new(controller, &setup(Span::ZERO), Bytes(100), at_ms(0));
    core.establish(at_ms(0));
    Bench { core, heard, permit, times }
}

impl Bench {
    /// Packets of these numbers leave, each at as many milliseconds.
    fn sends(&mut self, numbers: impl IntoIterator<Item = u64>) {
        numbers.into_iter().for_each(|pn| self.core.sent(at_ms(pn), 900, pn));
        self.heard.lock().unwrap().clear();
    }

    fn ack(&mut self, at: u64, numbers: &[u64]) -> Vec<Heard> {
        numbers.iter().for_each(|pn| self.core.acked(at_ms(at), at_ms(*pn), *pn));
        self.core.ack_ends();
        self.heard()
    }

    fn loses(&mut self, at: u64, numbers: &[u64], persistent: bool) -> Vec<Heard> {
        numbers.iter().for_each(|pn| self.core.gave_up(at_ms(at), *pn));
        self.core.congested(at_ms(at), at_ms(*numbers.last().unwrap()), persistent, false);
        self.heard()
    }

    fn heard(&mut self) -> Vec<Heard> {
        self.core.tell();
        std::mem::take(&mut self.heard.lock().unwrap())
    }
}

/// The client's last packet of the handshake has number 0, is discarded unacknowledged, and number 0 of the next space was skipped on purpose.
#[test]
fn what_nobody_will_hear_of_holds_up_no_window() {
    let mut bench = bench();
    bench.sends(0..6);
    let grows = |heard: Vec<Heard>| !heard.is_empty() && heard.iter().all(|heard| matches!(heard, Heard::Acked(_, _, true, ..)));
    assert!(!grows(bench.ack(50, &[1])) && !grows(bench.ack(51, &[2, 3, 4, 5])), "it may still be acknowledged");
    bench.sends(60..63);
    assert!(grows(bench.ack(110, &[60])), "a round trip later it is none");
    assert_eq!(bench.core.in_flight(), Bytes(2000));
    assert_eq!(bench.loses(112, &[61], false).len(), 1, "what left after the newest that is acknowledged may be lost");
}

#[test]
fn an_ack_is_told_packet_by_packet() {
    let mut bench = bench();
    bench.sends(0..6);
    assert_eq!(bench.ack(50, &[0]), [Heard::Acked(0, 5000, true, false, Some(50), false)]);
    // Of three in one ACK two may open the window, and the last one tells the round-trip time. They come in any order.
    let three = [
        Heard::Acked(1, 4000, true, false, None, false),
        Heard::Acked(2, 3000, true, false, None, false),
        Heard::Acked(3, 2000, false, false, Some(57), false),
    ];
    assert_eq!(bench.ack(60, &[3, 1, 2]), three);
    assert_eq!(bench.ack(60, &[5]), [Heard::Acked(5, 1000, false, false, Some(55), false)], "above a gap");
    assert_eq!(bench.ack(61, &[5]), [], "told once");
    assert_eq!(bench.ack(61, &[77]), [], "never sent");
}

#[test]
fn an_episode_of_loss_is_told_once() {
    let mut bench = bench();
    bench.sends(0..10);
    assert_eq!(bench.loses(50, &[0, 1], false), [Heard::Lost(LossKind::FastRetransmit, 10_000)]);
    assert_eq!(bench.loses(51, &[3], false), [], "left before the episode began");
    assert_eq!(bench.ack(52, &[2]), [Heard::Acked(2, 6000, false, true, Some(50), false)]);
    bench.core.sent(at_ms(53), 900, 53);
    bench.core.sent(at_ms(54), 900, 54);
    bench.heard();
    assert_eq!(bench.loses(100, &[53], false), [Heard::Lost(LossKind::FastRetransmit, 8000)]);
    assert_eq!(bench.loses(100, &[77], false), [], "never sent");
}

#[test]
fn persistent_congestion_ends_recovery() {
    let mut bench = bench();
    bench.sends(0..4);
    bench.loses(50, &[0], false);
    assert_eq!(bench.loses(900, &[1, 2], true), [Heard::Lost(LossKind::PersistentCongestion, 3000)]);
    assert_eq!(bench.ack(901, &[3]), [Heard::Acked(3, 0, true, false, Some(898), false)]);
    assert_eq!(bench.loses(902, &[3], false), []);
}

#[test]
fn a_mark_is_a_congestion_event_without_a_loss() {
    let mut bench = bench();
    bench.sends(0..2);
    bench.core.congested(at_ms(50), at_ms(1), false, true);
    bench.core.congested(at_ms(51), at_ms(1), false, true);
    assert_eq!(bench.heard(), [Heard::Lost(LossKind::Ecn, 2000)]);
}

#[test]
fn the_gate_opens_when_the_controller_says() {
    let mut bench = bench();
    // 10 packets of 1000 on the wire are 10 of 900 in noq's count.
    assert_eq!(bench.core.gate(), Gate::Window(9000));
    let mut answer = |departure, window| {
        *bench.permit.lock().unwrap() = Permit::paced(Bytes(window), departure);
        bench.core.on_transmit_start(at_ms(5));
        bench.core.gate()
    };
    assert_eq!(answer(Departure::At(at_ms(6)), 10_000), Gate::Until(at_ms(6)));
    assert_eq!(answer(Departure::At(at_ms(5)), 10_000), Gate::Window(9000));
    assert_eq!(answer(Departure::IgnoreWindow(at_ms(6)), 10_000), Gate::Until(at_ms(6)));
    assert_eq!(answer(Departure::IgnoreWindow(at_ms(5)), 10_000), Gate::Window(u64::MAX));
    assert_eq!(answer(Departure::Now, 10), Gate::Window(900), "one packet, whatever the window");
}

#[test]
fn what_is_nearer_than_the_host_can_tell_leaves_at_once() {
    let mut bench = bench();
    let controller = Box::new(Recorder { heard: bench.heard.clone(), permit: bench.permit.clone(), times: bench.times.clone() });
    bench.core = QuicController::new(controller, &setup(Span::from_micros(20)), Bytes(100), at_ms(0));
    bench.core.establish(at_ms(5));
    for (ahead_us, gate) in [(0, Gate::Window(9000)), (20, Gate::Window(9000)), (21, Gate::Until(Instant::from_micros(5021)))] {
        let departure = Departure::At(at_ms(5) + Span::from_micros(ahead_us));
        *bench.permit.lock().unwrap() = Permit::paced(Bytes(10_000), departure);
        assert_eq!(bench.core.gate(), gate, "{ahead_us} µs ahead");
    }
}

#[test]
fn whoever_found_nothing_to_send_was_not_held_back() {
    let mut bench = bench();
    *bench.permit.lock().unwrap() = Permit::paced(Bytes(10_000), Departure::At(at_ms(9)));
    bench.sends(0..2);
    bench.core.on_transmit_start(at_ms(5));
    assert_eq!(bench.core.on_transmit_end(), None, "nothing wanted to leave");
    assert!(matches!(bench.ack(50, &[0, 1])[..], [Heard::Acked(0, .., false), Heard::Acked(1, .., true)]));
    bench.core.sent(at_ms(51), 900, 51);
    bench.core.on_transmit_start(at_ms(51));
    *bench.permit.lock().unwrap() = Permit::paced(Bytes(10_000), Departure::At(at_ms(60)));
    bench.core.on_cwnd_limited();
    assert_eq!(bench.core.on_transmit_end(), Some(at_ms(60)));
    bench.heard();
    assert!(matches!(bench.ack(99, &[51])[..], [Heard::Acked(2, .., false)]));
}

#[test]
fn nothing_passes_before_the_handshake_is_complete() {
    let mut bench = bench();
    let controller = Box::new(Recorder { heard: bench.heard.clone(), permit: bench.permit.clone(), times: bench.times.clone() });
    bench.core = QuicController::new(controller, &setup(Span::ZERO), Bytes(100), at_ms(0));
    assert_eq!(bench.core.gate(), Gate::Window(4500));
    bench.core.sent(at_ms(0), 900, 0);
    assert_eq!(bench.ack(10, &[0]), []);
    assert_eq!(bench.loses(10, &[0], false), []);
    bench.core.establish(at_ms(11));
    bench.core.sent(at_ms(11), 900, 0);
    assert_eq!(bench.heard(), [Heard::Sent(0, 1000)]);
}

#[test]
fn time_never_goes_back() {
    let mut bench = bench();
    bench.core.sent(at_ms(5), 900, 0);
    bench.core.acked(at_ms(4), at_ms(5), 0);
    bench.core.ack_ends();
    assert_eq!(bench.core.now, at_ms(5));
}

#[test]
fn the_receivers_word_is_told_with_the_ack() {
    use crate::packets::Arrived;
    let mut bench = bench();
    bench.sends(0..4);
    let arrived = |pn, at| Arrived { pn, at: at_ms(at).into() };
    // Of packet 0 beside its ACK; of 1 before; of 2 the first word counts; 3 and what was never sent are not told of, or too late.
    bench.core.acked(at_ms(50), at_ms(0), 0);
    bench.core.ack_ends();
    bench.core.arrived(&[arrived(0, 7000), arrived(1, 7001), arrived(2, 7002), arrived(2, 9999), arrived(77, 1)]);
    bench.ack(51, &[1, 2]);
    bench.ack(52, &[3]);
    bench.core.arrived(&[arrived(3, 7003)]);
    bench.core.tell();
    let times = bench.times.lock().unwrap().clone();
    assert_eq!(times, [Some(at_ms(7000).into()), Some(at_ms(7001).into()), Some(at_ms(7002).into()), None]);
}

/// Writes down since when packets might have left.
#[derive(Clone)]
struct Ready(Arc<Mutex<Vec<Instant>>>, Arc<Mutex<Permit>>);

impl Controller for Ready {
    fn sent(&mut self, packet: &Sent) {
        self.0.lock().unwrap().push(packet.ready_at);
    }

    fn acked(&mut self, _ack: &Acked) {}

    fn lost(&mut self, _loss: &Lost) {}

    fn permit(&self, _ask: &Ask) -> Permit {
        *self.1.lock().unwrap()
    }
}

#[test]
fn a_packet_that_the_window_held_back_is_ready_when_an_ack_makes_room() {
    let (ready, permit) = (Arc::new(Mutex::new(Vec::new())), Arc::new(Mutex::new(Permit::window(Bytes(2000)))));
    let mut core = QuicController::new(Box::new(Ready(ready.clone(), permit.clone())), &setup(Span::from_micros(20)), Bytes(100), at_ms(0));
    core.establish(at_ms(0));
    let look = |core: &mut QuicController, ms: u64, leave: &[u64], limited: bool| {
        core.on_transmit_start(at_ms(ms));
        leave.iter().for_each(|pn| core.sent(at_ms(ms), 900, *pn));
        if limited {
            core.on_cwnd_limited();
        }
        core.on_transmit_end();
        std::mem::take(&mut *ready.lock().unwrap())
    };
    assert_eq!(look(&mut core, 0, &[0, 1], true), [at_ms(0); 2], "they leave as soon as they are there");
    core.acked(at_ms(10), at_ms(0), 0);
    core.ack_ends();
    core.tell();
    core.acked(at_ms(11), at_ms(0), 1);
    core.ack_ends();
    core.tell();
    *permit.lock().unwrap() = Permit::paced(Bytes(2000), Departure::At(at_ms(16)));
    assert_eq!(look(&mut core, 14, &[2], true), [at_ms(10)], "the host was away");
    assert_eq!(look(&mut core, 15, &[], true), []);
    assert_eq!(look(&mut core, 17, &[3], false), [at_ms(10)], "nothing but the plan held it back");
    *permit.lock().unwrap() = Permit::window(Bytes(9000));
    assert_eq!(look(&mut core, 90, &[4], false), [at_ms(90)], "there was nothing to be sent");
}
