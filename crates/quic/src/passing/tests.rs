use super::*;
use crate::noq_controllers::estimator;

/// What a controller heard, by packet number.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Heard {
    Sent(u64),
    Acked(u64),
    InFlight(u64),
    Lost(u64),
    Congested,
}

/// Has a window of 5000 bytes, and writes down what it hears.
#[derive(Clone, Debug, Default)]
struct Recorder(Arc<std::sync::Mutex<Vec<Heard>>>);

impl Recorder {
    fn hears(&self, what: Heard) {
        self.0.lock().unwrap().push(what);
    }

    fn heard(&self) -> Vec<Heard> {
        std::mem::take(&mut self.0.lock().unwrap())
    }
}

impl Controller for Recorder {
    fn on_packet_sent(&mut self, _now: Instant, _bytes: u16, pn: u64) {
        self.hears(Heard::Sent(pn));
    }

    fn on_ack(&mut self, _now: Instant, _sent: Instant, _bytes: u64, pn: u64, _app_limited: bool, _rtt: &RttEstimator) {
        self.hears(Heard::Acked(pn));
    }

    fn on_end_acks(&mut self, _now: Instant, in_flight: u64, _app_limited: bool, _largest: Option<u64>) {
        self.hears(Heard::InFlight(in_flight));
    }

    fn on_packet_lost(&mut self, _bytes: u16, pn: u64, _now: Instant) {
        self.hears(Heard::Lost(pn));
    }

    fn on_congestion_event(&mut self, _: Instant, _: Instant, _: bool, _: bool, _: u64, _: u64) {
        self.hears(Heard::Congested);
    }

    fn on_mtu_update(&mut self, _new_mtu: u16) {}

    fn window(&self) -> u64 {
        5000
    }

    fn clone_box(&self) -> Box<dyn Controller> {
        Box::new(self.clone())
    }

    fn initial_window(&self) -> u64 {
        5000
    }

    fn into_any(self: Box<Self>) -> Box<dyn Any> {
        self
    }
}

fn passing() -> (Passing, Recorder, Pass) {
    let (recorder, pass) = (Recorder::default(), Pass::default());
    (Passing { inner: Box::new(recorder.clone()), pass: pass.clone(), passed: Passed::default() }, recorder, pass)
}

/// Packets of 100 bytes; `pass`: they have nothing but messages in them.
fn sends(passing: &mut Passing, pass: bool, numbers: std::ops::Range<u64>) {
    let state = passing.pass.clone();
    for pn in numbers {
        state.on_transmit_start(pass);
        passing.on_packet_sent(Instant::now(), 100, pn);
        state.on_transmit_end(true);
    }
    state.on_transmit_start(false);
}

#[test]
fn a_controller_does_not_hear_of_what_passes() {
    let (mut passing, recorder, pass) = passing();
    let (now, rtt) = (Instant::now(), estimator::of(Duration::from_millis(50)));
    sends(&mut passing, false, 0..2);
    sends(&mut passing, true, 2..5);
    assert_eq!(recorder.heard(), [Heard::Sent(0), Heard::Sent(1)]);
    assert_eq!(passing.window(), 5300, "its window is its own packets'");
    pass.on_transmit_start(true);
    assert_eq!(passing.window(), u64::MAX);
    pass.on_transmit_end(true);
    for pn in [0, 2] {
        passing.on_ack(now, now, 100, pn, false, &rtt);
    }
    passing.on_end_acks(now, 300, false, Some(2));
    assert_eq!(recorder.heard(), [Heard::Acked(0), Heard::InFlight(100)]);
    assert_eq!(pass.flight(), (100, 100, 1));
    passing.on_packet_lost(100, 3, now);
    passing.on_congestion_event(now, now, false, false, 100, 3);
    assert_eq!(recorder.heard(), [], "nothing of its own was lost");
    passing.on_packet_lost(100, 1, now);
    passing.on_packet_lost(100, 4, now);
    passing.on_congestion_event(now, now, false, false, 200, 4);
    assert_eq!(recorder.heard(), [Heard::Lost(1), Heard::Congested]);
    assert_eq!(passing.window(), 5000);
}

#[test]
fn whoever_has_data_sends_messages_along() {
    let (mut passing, recorder, pass) = passing();
    pass.on_transmit_start(true);
    assert_eq!(passing.window(), u64::MAX);
    pass.on_transmit_start(false);
    passing.on_cwnd_limited();
    pass.on_transmit_end(false);
    pass.on_transmit_start(true);
    assert_eq!(passing.window(), 5000, "it is held back with the data");
    passing.on_packet_sent(Instant::now(), 1000, 7);
    assert_eq!(recorder.heard(), [Heard::Sent(7)]);
}

#[test]
fn whoever_acknowledges_nothing_is_told_no_more() {
    let (mut passing, recorder, pass) = passing();
    sends(&mut passing, true, 0..MOST as u64 + 10);
    assert_eq!(passing.passed.packets.len(), MOST);
    assert_eq!(recorder.heard().len(), 10);
    pass.on_transmit_start(true);
    assert_eq!(passing.window(), 5000 + 100 * MOST as u64);
}
