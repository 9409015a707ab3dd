use std::cell::RefCell;

use super::super::layout::POINTS;
use super::*;
use symbiosis_control::registry::{Feedback, Recovery};
use symbiosis_control::{Departure, Permit, Unknown};

/// What a controller heard.
#[derive(Clone, Debug, PartialEq)]
enum Heard {
    /// Number, bytes, in flight, whether it repeats.
    Sent(u64, u64, u64, bool),
    /// Number, send time and round-trip time \[µs\], in flight, whether it recovers, whether the window grows, whether it was app-limited.
    Acked(u64, u64, Option<u64>, u64, bool, bool, bool),
    /// Number, and since when nothing but the host held it back \[µs\].
    HeldBack(u64, u64),
    Lost(LossKind, u64),
    Spurious(u64),
}

thread_local! {
    /// Controllers are built by plain functions, so what they hear goes here.
    static HEARD: RefCell<Vec<Heard>> = const { RefCell::new(Vec::new()) };
}

fn hear(heard: Heard) {
    HEARD.with_borrow_mut(|all| all.push(heard));
}

fn heard() -> Vec<Heard> {
    HEARD.take()
}

/// Writes down what it hears; lets packets 3 and 4 leave back to back and others a millisecond apart.
struct Recorder {
    next: u64,
    last: Instant,
    silent: bool,
}

impl Controller for Recorder {
    fn sent(&mut self, packet: &Sent) {
        (self.next, self.last) = (packet.number + 1, packet.now);
        if !self.silent {
            hear(Heard::Sent(packet.number, packet.bytes.0, packet.in_flight.0, packet.retransmission));
            if packet.ready_at < packet.now {
                hear(Heard::HeldBack(packet.number, packet.ready_at.0 / 1000));
            }
        }
    }

    fn acked(&mut self, ack: &Acked) {
        let us = |at: Instant| at.0 / 1000;
        if self.silent {
            return;
        }
        hear(Heard::Acked(
            ack.number,
            us(ack.sent_at),
            ack.rtt.map(|rtt| rtt.0 / 1000),
            ack.in_flight.0,
            ack.recovering,
            ack.grows,
            ack.app_limited,
        ));
    }

    fn lost(&mut self, loss: &Lost) {
        if !self.silent {
            hear(Heard::Lost(loss.kind, loss.in_flight.0));
        }
    }

    fn notice(&mut self, notice: &Notice) {
        if let Notice::Spurious { in_flight, .. } = notice {
            hear(Heard::Spurious(in_flight.0));
        }
    }

    fn permit(&self, _: &Ask) -> Permit {
        let departure = match self.next {
            3 | 4 => Departure::IgnoreWindow(self.last),
            7 => Departure::At(self.last + Span::from_millis(10)),
            _ => Departure::At(self.last + Span::from_millis(1)),
        };
        Permit::paced(Bytes(15_000), departure)
    }

    fn basis(&self, now: Instant) -> Basis {
        if now < Instant::from_millis(100) { Basis::Law } else { Basis::Reno(Unknown::Trains) }
    }
}

impl Clone for Recorder {
    /// Of a copy nobody writes down what it hears.
    fn clone(&self) -> Recorder {
        Recorder { next: self.next, last: self.last, silent: true }
    }
}

static ENTRY: Entry = Entry {
    name: "recorder",
    about: "for tests",
    params: &[],
    recovery: Recovery::Sack,
    feedback: Feedback::Acks,
    build: |setup, _| {
        assert_eq!((setup.packet, setup.initial_window), (Bytes(1500), Bytes(15_000)));
        Box::new(Recorder { next: 0, last: Instant::START, silent: false })
    },
};

/// A record of a socket that sends 1448 bytes of payload in 1500: at so many microseconds, with packets `una` to `nxt` on the way.
fn record(kind: u32, at_us: u64, una: u64, nxt: u64) -> Record {
    Record {
        at: at_us * 1000,
        sent_at: at_us * 1000,
        from: if kind == kind::SENT { una } else { nxt } * 1448,
        una: una * 1448,
        nxt: nxt * 1448,
        kind,
        rtt_us: -1,
        cwnd: 10,
        in_flight: (nxt - una) as u32,
        mss: 1448,
        overhead: 52,
        srtt_us: 20_000,
        ssthresh: INFINITE_SSTHRESH,
        ..Record::default()
    }
}

fn flow() -> Flow {
    heard();
    let first = record(kind::SENT, 0, 0, 3);
    let mut flow = Flow::new(&Start { entry: &ENTRY, params: Values::default(), seed: 1 }, &first);
    flow.take(&first);
    assert_eq!(heard(), [0, 1, 2].map(|number| Heard::Sent(number, 1500, 4500, false)));
    flow
}

/// An agent that is new to a connection that Reno has held at 64 packets: a round trip may bring one more, and not 64.
#[test]
fn a_connection_that_is_under_way_does_not_start_again() {
    let entry = symbiosis_control::registry::find("symbiosis").unwrap();
    let first = Record { cwnd: 64, ssthresh: 34, ..record(kind::ACKED, 0, 0, 64) };
    for (ssthresh, most) in [(34, 65.1), (INFINITE_SSTHRESH, 129.0)] {
        let mut flow =
            Flow::new(&Start { entry, params: Values::resolve(entry.params, &[]).unwrap(), seed: 1 }, &Record { ssthresh, ..first });
        flow.host_rules = false;
        // What left before nobody told of: its ACKs are a round trip, and move nothing.
        for i in 0..128 {
            let at = 40_000 + 600 * i;
            flow.take(&Record { from: (64 + i) * 1448, ..record(kind::SENT, at, i, 65 + i) });
            flow.take(&Record { rtt_us: 40_000, cwnd: 64, ..record(kind::ACKED, at, i + 1, 65 + i) });
        }
        let window = flow.controller.permit(&Ask::new(flow.now, Bytes(64 * 1500))).window.as_f64() / 1500.0;
        assert!(window <= most && window > 64.0, "{window} packets after slow start up to {ssthresh}");
    }
}

/// Where the controller knows nothing of the path the kernel's Reno rules, and has its own slow start: what the controller goes on from is that window.
#[test]
fn the_controller_goes_on_from_where_the_kernels_reno_is() {
    let entry = symbiosis_control::registry::find("symbiosis").unwrap();
    let first = record(kind::ACKED, 0, 0, 64);
    let mut flow = Flow::new(&Start { entry, params: Values::resolve(entry.params, &[]).unwrap(), seed: 1 }, &first);
    let window = |flow: &Flow| flow.controller.permit(&Ask::new(flow.now, Bytes::ZERO)).window.as_f64() / 1500.0;
    flow.take(&Record { cwnd: 7000, ssthresh: 96, ..record(kind::ACKED, 1000, 1, 64) });
    assert_eq!(window(&flow), 7000.0);
    flow.take(&Record { cwnd: 9, flags: flag::RECOVERING, ..record(kind::ACKED, 2000, 2, 64) });
    assert_eq!(window(&flow), 7000.0, "what leaves in recovery is no window");
    flow.host_rules = false;
    flow.take(&Record { cwnd: 9, ..record(kind::ACKED, 3000, 3, 64) });
    assert!(window(&flow) >= 7000.0, "a window that the controller rules");
}

#[test]
fn an_ack_is_told_packet_by_packet() {
    let mut flow = flow();
    flow.take(&Record { flags: flag::APP_LIMITED, from: 3 * 1448, ..record(kind::SENT, 5, 0, 4) });
    heard();
    flow.take(&Record { rtt_us: 20_000, ..record(kind::ACKED, 20_005, 4, 4) });
    let told = [
        Heard::Acked(0, 0, None, 4500, false, true, false),
        Heard::Acked(1, 0, None, 3000, false, true, false),
        Heard::Acked(2, 0, None, 1500, false, true, false),
        Heard::Acked(3, 5, Some(20_000), 0, false, true, true),
    ];
    assert_eq!(heard(), told, "all grow the window, as in the kernel, and the latest tells the round-trip time");
}

#[test]
fn losses_are_told_and_what_leaves_again_tells_no_time() {
    let mut flow = flow();
    flow.take(&Record { sacked: 1, rtt_us: 20_000, in_flight: 2, ..record(kind::ACKED, 20_000, 0, 3) });
    assert_eq!(heard(), [Heard::Acked(1, 0, Some(20_000), 3000, false, false, false)], "above a gap no window grows");
    flow.take(&Record { losses: 1, flags: flag::RECOVERING, ..record(kind::REDUCED, 20_001, 0, 3) });
    flow.take(&Record { count: 1, flags: flag::RECOVERING, ..record(kind::RESENT, 20_002, 0, 3) });
    flow.take(&Record { flags: flag::RECOVERING, ..record(kind::ACKED, 40_002, 3, 3) });
    let told = [
        Heard::Lost(LossKind::FastRetransmit, 4500),
        Heard::Sent(0, 1500, 4500, true),
        Heard::Acked(0, 20_002, None, 1500, true, false, false),
        Heard::Acked(2, 0, None, 0, true, false, false),
    ];
    assert_eq!(heard(), told);
    assert_eq!(flow.decision(Instant::START).losses, 1, "so the BPF program knows that this was heard");
    flow.take(&record(kind::UNDONE, 45_000, 3, 4));
    assert_eq!(heard(), [Heard::Spurious(1500)], "the kernel found that nothing was lost");
    for (kind, loss) in [(kind::TIMEOUT, LossKind::Timeout), (kind::MARKED, LossKind::Ecn)] {
        flow.take(&record(kind, 50_000, 3, 3));
        assert_eq!(heard(), [Heard::Lost(loss, 0)]);
    }
}

#[test]
fn a_departure_that_nobody_told_of_is_made_up_for() {
    let mut flow = flow();
    flow.take(&Record { rtt_us: 15_000, ..record(kind::ACKED, 20_000, 5, 6) });
    let told = heard();
    assert_eq!(told.iter().filter(|heard| matches!(heard, Heard::Sent(3..=5, ..))).count(), 3);
    assert!(told.contains(&Heard::Acked(4, 5_000, Some(15_000), 1500, false, true, false)), "{told:?}");
}

#[test]
fn who_was_silent_for_longer_than_a_flight_begins_anew() {
    let flow = flow();
    assert!(flow.continues(&record(kind::ACKED, 9, 3, 9)));
    assert!(!flow.continues(&record(kind::ACKED, 9, 4, 9)), "packet 3 left and came, and nobody told");
    assert!(!flow.continues(&Record { mss: 1000, ..record(kind::ACKED, 9, 3, 3) }));
}

/// A flight of two, as a min-RTT probe or a loss leaves it: one ACK answers both, and the program tells their departure with it. Nothing was missed, and
/// what is known of the path is true.
#[test]
fn a_flight_that_left_and_came_between_two_records_is_the_same_flows() {
    let mut flow = flow();
    flow.take(&Record { rtt_us: 20_000, ..record(kind::ACKED, 20_000, 3, 3) });
    heard();
    let both = Record { from: 3 * 1448, sent_at: 20_010_000, rtt_us: 20_000, ..record(kind::ACKED, 40_010, 5, 5) };
    assert!(flow.continues(&both));
    flow.take(&both);
    let told = [
        Heard::Sent(3, 1500, 3000, false),
        Heard::HeldBack(3, 20_000),
        Heard::Sent(4, 1500, 3000, false),
        Heard::Acked(3, 20_010, None, 1500, false, true, false),
        Heard::Acked(4, 20_010, Some(20_000), 0, false, true, false),
    ];
    assert_eq!(heard(), told);
}

#[test]
fn a_decision_has_windows_in_segments_and_departures_as_distances() {
    let mut flow = flow();
    flow.take(&Record { rtt_us: 500, ..record(kind::ACKED, 500, 1, 3) });
    heard();
    let decision = flow.decision(Instant::from_millis(7));
    let segments = |n: u64| n << WINDOW_BITS;
    assert_eq!((decision.window, decision.slow_start, decision.kept), ([segments(10); POINTS], 0, 65_536), "its window never moves");
    assert_eq!((decision.law, decision.at), (law::TABLE, 500_000));
    assert_eq!(decision.expires, 307_000_000, "300 ms are more than two round trips of 20");
    // Packets 3 and 4 back to back, whatever is in flight, but not before now; then one a millisecond, but for the seventh.
    let (ms, ignores_window) = (1_000_000, 1);
    assert_eq!(decision.first, 3 * 1448);
    assert_eq!(decision.gaps[..6], [500_000 | ignores_window, ignores_window, ms, ms, 10 * ms, ms]);
    assert_eq!((decision.gaps[PLAN - 1], decision.gap, decision.held_until), (ms, ms, 0));
    assert_eq!(heard(), [], "what is foreseen has not happened");
}

#[test]
fn a_long_wait_is_no_distance() {
    let mut flow = flow();
    flow.take(&Record { from: 3 * 1448, ..record(kind::SENT, 900, 0, 7) });
    let decision = flow.decision(Instant::START);
    // The tenth millisecond from the last departure; a quarter of the round-trip time would be five.
    assert_eq!((decision.first, decision.held_until), (7 * 1448, 10_900_000));
    assert_eq!(decision.gaps[..2], [1_000_000, 1_000_000], "pacing's timer must not keep it when the wait is over");
}

#[test]
fn no_plan_delays_a_packet_for_longer_than_a_round_trip() {
    let mut flow = flow();
    // A round trip of 2 ms, and the seventh packet would wait for 10.
    let short = |record: Record| Record { srtt_us: 2000, ..record };
    flow.take(&short(Record { from: 3 * 1448, ..record(kind::SENT, 900, 0, 6) }));
    let decision = flow.decision(Instant::START);
    assert!(decision.gaps.iter().all(|gap| *gap <= 2_000_001), "{:?}", decision.gaps);
    flow.take(&short(Record { from: 6 * 1448, ..record(kind::SENT, 901, 0, 7) }));
    assert_eq!(flow.decision(Instant::START).held_until, 2_901_000);
    // And no round trip counts for more than a decision holds: one of 9 s, and it would wait for 10 ms.
    flow.take(&Record { srtt_us: 9_000_000, ..record(kind::ACKED, 902, 0, 7) });
    assert!(flow.decision(Instant::START).held_until <= 902_000 + HOLDS);
}

#[test]
fn status_says_why() {
    let mut flow = flow();
    let mut after = |at_ms: u64, flags: u32| {
        flow.take(&Record { flags, ..record(kind::SENT, at_ms * 1000, 0, 3) });
        let shown = flow.show();
        (shown.phase, shown.why)
    };
    assert_eq!(after(1, 0).0, Phase::Law);
    assert_eq!(after(2, flag::RECOVERING).0, Phase::Recovery);
    assert_eq!(after(99, flag::UNDECIDED).0, Phase::Law, "before the next decision is due");
    assert_eq!(after(100, 0), (Phase::Reno, "waiting for trains".into()));
    (2..4).for_each(|i| drop(after(i * 100, flag::UNDECIDED)));
    assert_eq!(after(401, flag::UNDECIDED), (Phase::Reno, "agent late".into()));
    assert_eq!(after(402, 0).1, "waiting for trains");
    assert_eq!(after(10_000, flag::UNDECIDED).1, "waiting for trains", "after a pause the agent is not late");
}

#[test]
fn a_departure_is_told_with_the_ack_after_it() {
    let mut flow = flow();
    // Packet 3 left at 4 ms, and at 20 ms two are acknowledged.
    let ack = Record { rtt_us: 20_000, sent_at: 4_000_000, from: 3 * 1448, ..record(kind::ACKED, 20_000, 2, 4) };
    flow.take(&ack);
    let told = heard();
    assert_eq!(told[0], Heard::Sent(3, 1500, 6000, false), "in flight were four");
    assert!(matches!(told[1..], [Heard::Acked(0, ..), Heard::Acked(1, ..)]), "{told:?}");
    flow.take(&Record { rtt_us: 16_500, ..record(kind::ACKED, 20_500, 4, 4) });
    assert!(heard().contains(&Heard::Acked(3, 4_000, Some(16_500), 0, false, true, false)));
}

#[test]
fn who_is_not_reported_is_reno_and_begins_anew() {
    let mut flow = flow();
    let fast = Record { flags: flag::TOO_FAST, cwnd: 99, losses: 1, ..record(kind::ACKED, 30_000, 900, 1000) };
    assert!(flow.continues(&fast));
    flow.take(&fast);
    let (decision, shown) = (flow.decision(Instant::from_millis(31)), flow.show());
    assert_eq!((decision.law, decision.gap, decision.losses, decision.rests), (law::RENO, 0, 1, 0));
    assert_eq!((shown.phase, shown.why.as_str(), shown.cwnd_packets), (Phase::Reno, "timer too coarse", 99));
    assert_eq!(heard(), [], "its controller knows nothing of it");
    assert!(!flow.continues(&record(kind::ACKED, 130_000, 3, 3)));
}

#[test]
fn a_rest_is_told_to_the_kernel_and_shown() {
    let entry = symbiosis_control::registry::find("symbiosis").unwrap();
    let start = Start { entry, params: Values::resolve(entry.params, &[]).unwrap(), seed: 1 };
    let mut flow = Flow::new(&start, &record(kind::SENT, 0, 0, 0));
    // Eight packets arrive at once, every 10 ms.
    let (mut rests, mut i) = (0, 0);
    while rests == 0 && i < 200 {
        let (at, una) = (10_000 * (i + 2), 8 * (i + 1));
        flow.take(&Record { sent_at: (at - 20_000) * 1000, from: 8 * i * 1448, ..record(kind::SENT, at - 20_000, 8 * i, una) });
        flow.take(&Record { rtt_us: 20_000, ..record(kind::ACKED, at, una, una) });
        rests = flow.decision(Instant(at * 1000)).rests;
        i += 1;
    }
    let now = 10_000_000 * (i + 1);
    assert!(now < 1_500_000_000 && rests == now + 4_000_000_000, "{rests} at {now}");
    let sparse = record(kind::ACKED, now / 1000 + 100_000, 999, 1999);
    assert!(flow.continues(&sparse));
    flow.take(&sparse);
    assert_eq!((flow.show().phase, flow.show().why), (Phase::Reno, "arrivals are merged".into()));
    assert_eq!(flow.decision(Instant(sparse.at)).law, law::RENO);
    assert!(!flow.continues(&record(kind::ACKED, rests / 1000, 999, 1999)), "it listens again");
}

/// The host collects what it sends at once: the first packet of a burst might have left when the window had room for it.
#[test]
fn what_the_host_holds_back_is_told_with_the_first_packet_of_its_burst() {
    let mut flow = flow();
    let sent = |at_us, from, to, flags| Record { flags, ..record(kind::SENT, at_us, from, to) };
    let ack = |at_us, una, nxt, in_flight| Record { in_flight, rtt_us: at_us as i32, ..record(kind::ACKED, at_us, una, nxt) };
    flow.take(&sent(100, 3, 10, 0));
    flow.take(&ack(10_000, 2, 10, 8));
    flow.take(&ack(11_000, 4, 10, 6));
    heard();
    flow.take(&sent(11_500, 10, 14, 0));
    let held_back = || heard().into_iter().filter(|heard| matches!(heard, Heard::HeldBack(..))).collect::<Vec<_>>();
    assert_eq!(held_back(), [Heard::HeldBack(10, 10_000)]);
    flow.take(&ack(12_000, 6, 14, 10));
    flow.take(&sent(12_500, 14, 15, 0));
    assert_eq!(held_back(), [], "the window was full");
    flow.take(&ack(13_000, 8, 15, 7));
    flow.take(&sent(14_000, 15, 16, flag::APP_LIMITED));
    assert_eq!(held_back(), [], "the application had nothing");
}
