use symbiosis_control::Setup;
use symbiosis_control::params::{Value, Values};
use symbiosis_control::registry;

use super::*;
use symbiosis_base::{Instant, Span};

const PACKET: Bytes = Bytes(1500);
/// Ten packets, one a millisecond, are a full flight.
const SRTT: Span = Span::from_millis(10);

/// A controller of the registry with ten packets in flight, one a millisecond, of which the first has just been acknowledged.
struct Bench {
    controller: Box<dyn Controller>,
    cells: Cells,
    now: Instant,
}

fn ms(ms: u64) -> Span {
    Span::from_millis(ms)
}

impl Bench {
    fn new(name: &str, given: &[(String, Value)]) -> Bench {
        let entry = registry::find(name).unwrap();
        let setup = Setup::new(PACKET).with_initial_window(Bytes(15_000)).with_seed(1);
        let mut controller = (entry.build)(&setup, &Values::resolve(entry.params, given).unwrap());
        let mut cells = Cells::new(1448, Bytes(52), 0);
        for number in 0..10 {
            let (now, from, to) = (Instant::from_millis(number), number * 1448, (number + 1) * 1448);
            assert_eq!(cells.sent(from, to, now, false).count(), 1);
            let in_flight = Bytes((number + 1) * 1500);
            controller.sent(&Sent::new(now, number, PACKET, in_flight));
        }
        let mut bench = Bench { controller, cells, now: Instant::after(SRTT) };
        bench.ack();
        bench
    }

    /// The oldest packet is acknowledged, a round trip after it left.
    fn ack(&mut self) {
        let cell = *self.cells.in_flight().next().unwrap();
        self.now = cell.sent_at + SRTT;
        let una = (cell.number + 1) * 1448;
        self.cells.acked(una, 0, None, &mut Vec::new());
        let ack = Acked::new(self.now, cell.number, PACKET, cell.sent_at).with_rtt(Some(SRTT)).with_in_flight(self.in_flight());
        self.controller.acked(&ack);
        self.controller.ack_processed(&AckProcessed::new(self.now).with_in_flight(self.in_flight()));
    }

    fn in_flight(&self) -> Bytes {
        Bytes(self.cells.in_flight().count() as u64 * 1500)
    }

    fn window(&self) -> f64 {
        self.controller.permit(&Ask::new(self.now, self.in_flight())).window.packets(PACKET)
    }

    fn foreseen(&self) -> Foreseen {
        let ask = Ask::new(self.now, self.in_flight());
        let known = Known { cells: &self.cells, packet: PACKET, ask, srtt: SRTT, last_sent: Instant::from_millis(9), last_ack: self.now };
        rehearse(&*self.controller, &known)
    }
}

/// The window that samples foretell so long after the last ACK.
fn on_the_line(points: &[(Span, Bytes); POINTS], after: Span) -> f64 {
    let end = points.iter().position(|(at, _)| *at >= after).unwrap_or(POINTS - 1).max(1);
    let ((from, low), (to, high)) = (points[end - 1], points[end]);
    let share = if to > from { ((after - from).secs() / (to - from).secs()).min(1.0) } else { 1.0 };
    low.packets(PACKET) + (high.packets(PACKET) - low.packets(PACKET)) * share
}

#[test]
fn what_any_controller_will_do_is_foreseen() {
    for entry in registry::ALL.iter().filter(|entry| matches!(entry.feedback, registry::Feedback::Acks)) {
        let mut bench = Bench::new(entry.name, &[]);
        let before = bench.window();
        let foreseen = bench.foreseen();
        assert_eq!(bench.window(), before, "{}: the original has heard nothing", entry.name);
        assert_eq!(foreseen.window[0], (Span::ZERO, Bytes::from_f64(before * 1500.0)));
        let begun = bench.now;
        for _ in 0..9 {
            bench.ack();
            let wanted = on_the_line(&foreseen.window, bench.now - begun);
            // Nine in flight are foreseen a ninth of a round trip apart, and come a tenth apart: an ACK less in nine, and a packet between samples.
            assert!((bench.window() - wanted).abs() <= 1.5, "{}: {} instead of {wanted}", entry.name, bench.window());
        }
    }
}

#[test]
fn slow_start_and_its_end_are_seen() {
    let bench = Bench::new("reno", &[]);
    assert_eq!(bench.foreseen().slow_start, Bytes(2 * 11 * 1500), "twice the window, in the round trip to come");
    assert_eq!(bench.foreseen().kept, 0.5);
    let mut bench = Bench::new("reno", &[]);
    bench.controller.lost(&Lost::new(bench.now, LossKind::FastRetransmit, Bytes(0)));
    assert_eq!(bench.foreseen().slow_start, Bytes::ZERO);
    let ends = bench.foreseen().window[POINTS - 1].1.packets(PACKET);
    // Nine ACKs to a window of 5.5: one packet, and two thirds of the next.
    assert!((1.0..1.8).contains(&(ends - 5.5)), "congestion avoidance adds a packet a round trip, not {}", ends - 5.5);
}

#[test]
fn an_unpaced_controller_has_no_distances_and_a_paced_one_has() {
    let unpaced = Bench::new("reno", &[]).foreseen();
    assert!(unpaced.plan.iter().all(|planned| *planned == Planned::default()) && unpaced.gap == Span::ZERO, "{unpaced:?}");
    let paced = Bench::new("probe", &[("rate_mbps".into(), Value::Number(12.0))]).foreseen();
    assert_eq!(paced.gap, ms(1), "1500 bytes at 12 Mbit/s");
    assert!(paced.plan.len() >= LEAST_PLANNED);
}

#[test]
fn without_anything_in_flight_the_window_stands() {
    let mut bench = Bench::new("reno", &[]);
    (0..9).for_each(|_| bench.ack());
    let foreseen = bench.foreseen();
    assert_eq!(foreseen.window[0].1, Bytes::from_f64(bench.window() * 1500.0));
    assert!(foreseen.plan.len() >= LEAST_PLANNED);
}
