use super::*;
use crate::Bytes;
use alloc::vec::Vec;

const LINKS: Links = Links { packet: Bytes(1500), access: Span::ZERO, service: Span::from_millis(1) };

fn take(gaps: &mut Gaps, ack: &Acked) -> Option<Gap> {
    gaps.acked(ack, &LINKS)[1]
}

fn ack(number: u64, sent_ms: u64, arrived_ms: u64) -> Acked {
    Acked {
        now: Instant::from_millis(arrived_ms),
        number,
        bytes: Bytes(1500),
        sent_at: Instant::from_millis(sent_ms),
        received_at: None,
        rtt: Some(Span::from_millis(arrived_ms - sent_ms)),
        answered_late: Span::ZERO,
        in_flight: Bytes::ZERO,
        app_limited: false,
        recovering: false,
        grows: true,
    }
}

#[test]
fn a_gap_is_two_neighbours_and_what_the_earlier_one_waited() {
    let mut gaps = Gaps::default();
    assert_eq!(take(&mut gaps, &ack(0, 0, 100)), None);
    assert_eq!(take(&mut gaps, &ack(1, 10, 115)), None, "its group may not be complete");
    let gap = take(&mut gaps, &ack(2, 12, 120)).unwrap();
    assert!((gap.sent - 0.010).abs() < 1e-12 && (gap.arrived - 0.015).abs() < 1e-12);
    assert_eq!((gap.bytes, gap.same_busy_period), (1500.0, false), "packet 0 did not wait: the link was free after a millisecond");
    let gap = take(&mut gaps, &ack(3, 13, 130)).unwrap();
    assert!(gap.same_busy_period, "packet 1 took 105 ms and the least is 100: it left the link after 16 ms, and packet 2 came at 12");
}

#[test]
fn an_ack_for_two_packets_is_one_gap() {
    let mut gaps = Gaps::default();
    for (number, sent, arrived) in [(0, 0, 100), (1, 10, 115), (2, 12, 115)] {
        assert_eq!(take(&mut gaps, &ack(number, sent, arrived)), None);
    }
    let gap = take(&mut gaps, &ack(3, 20, 130)).unwrap();
    assert_eq!((gap.sent, gap.bytes), (0.012, 3000.0));
}

#[test]
fn what_is_not_neighbouring_is_counted_and_not_measured() {
    let mut gaps = Gaps::default();
    for (number, arrived) in [(0, 100), (2, 102), (3, 103)] {
        assert_eq!(take(&mut gaps, &ack(number, 0, arrived)), None);
    }
    assert_eq!(gaps.unused().apart, 1);
    // Packet 1 comes late, repeated: neither it nor what follows has a neighbour.
    for (number, arrived) in [(1, 104), (4, 105), (5, 106)] {
        take(&mut gaps, &ack(number, 0, arrived));
    }
    assert_eq!(gaps.unused().apart, 3);
    assert!(take(&mut gaps, &ack(6, 0, 107)).is_some());
}

#[test]
fn what_an_ack_for_many_hides_is_counted() {
    let mut gaps = Gaps::default();
    take(&mut gaps, &ack(0, 0, 100));
    // One round-trip time for the five: those of the others nobody knows.
    let hidden = |number: u64| Acked { rtt: Some(Span::from_millis(105)).filter(|_| number == 5), ..ack(number, number, 110) };
    (1..6).for_each(|number| assert_eq!(take(&mut gaps, &hidden(number)), None));
    // The last one's arrival is known.
    let gap = take(&mut gaps, &ack(6, 7, 111)).unwrap();
    assert_eq!((gap.first, gap.last, gap.bytes, (gap.arrived * 1e3).round()), (1, 5, 5.0 * LINKS.packet.as_f64(), 10.0));
    assert_eq!(gaps.unused(), Unused { merged: 1, ..Unused::default() });
    assert!(take(&mut gaps, &ack(7, 8, 112)).is_some());
}

/// Bursts of eight, each of which left at once and passed whole, 8 ms of the link apart: two are a gap as two packets are.
#[test]
fn a_burst_that_passes_whole_hides_nothing() {
    let mut gaps = Gaps::default();
    let of_burst = |number: u64| {
        let (burst, last) = (number / 8, number % 8 == 7);
        Acked { rtt: Some(Span::from_millis(100 + burst)).filter(|_| last), ..ack(number, 7 * burst, 100 + 8 * burst) }
    };
    let found: alloc::vec::Vec<_> = (0..41).map(|number| gaps.acked(&of_burst(number), &LINKS)).collect();
    let [answers, grouped] = [0, 1].map(|i| found.iter().filter_map(|gap| gap[i]).collect::<alloc::vec::Vec<_>>());
    assert_eq!((answers.len(), grouped.len(), gaps.unused()), (4, 4, Unused::default()));
    for gap in answers.iter().chain(&grouped) {
        assert_eq!((gap.bytes, (gap.sent * 1e3).round(), (gap.arrived * 1e3).round()), (12_000.0, 7.0, 8.0));
    }
}

#[test]
fn packets_with_a_repeated_one_between_them_are_not_measured() {
    let mut gaps = Gaps::default();
    let sent = |retransmission| Sent {
        now: Instant::START,
        number: 0,
        bytes: Bytes(1500),
        in_flight: Bytes(1500),
        ready_at: Instant::START,
        retransmission,
        app_limited: false,
    };
    for (next, retransmission) in [(1, false), (2, false), (2, true), (3, false), (4, false)] {
        gaps.sent(&sent(retransmission), next);
    }
    let got: alloc::vec::Vec<bool> = (0..5).map(|number| take(&mut gaps, &ack(number, number, 100 + number)).is_some()).collect();
    assert_eq!(got, [false, false, true, false, true], "none from 1 to 2");
    assert_eq!(gaps.unused(), Unused { repeated: 1, ..Unused::default() });
}

#[test]
fn another_order_is_not_measured() {
    let mut gaps = Gaps::default();
    for (number, sent) in [(0, 0), (1, 5), (2, 3), (3, 6)] {
        take(&mut gaps, &ack(number, sent, 100 + number));
    }
    assert_eq!(gaps.unused(), Unused { disordered: 1, ..Unused::default() });
}

#[test]
fn packets_of_one_ack_are_joint_if_each_of_them_is() {
    // The link takes 1 ms. Packet 0 did not wait; 1 came while it was sent, 2 came 1.2 ms after 1: while 1 was sent, or not.
    for (second_us, same_busy_period) in [(1_900, true), (2_100, false)] {
        let mut gaps = Gaps::default();
        take(&mut gaps, &ack(0, 0, 100));
        take(&mut gaps, &Acked { sent_at: Instant::from_micros(900), ..ack(1, 0, 102) });
        take(&mut gaps, &Acked { sent_at: Instant::from_micros(second_us), ..ack(2, 0, 102) });
        assert_eq!(take(&mut gaps, &ack(3, 5, 110)).unwrap().same_busy_period, same_busy_period);
    }
}

#[test]
fn a_receivers_clock_may_be_any() {
    // The receiver's clock is an hour ahead and 50 millionths fast; ACKs come when they like.
    let told = |ack: Acked| {
        let arrived = ReceiverInstant(ack.now.since_start().scale(1.00005).0);
        Acked {
            received_at: Some(arrived.saturating_add(Span::from_millis(3_600_000))),
            now: ack.now + Span(ack.number * ack.number % 7 * 900_000),
            ..ack
        }
    };
    let (mut plain, mut by_receiver) = (Gaps::default(), Gaps::default());
    let mut made = 0;
    for number in 0..2000 {
        // A queue builds up and drains: 15 of 20 ms the link is busy.
        let (burst, place) = (number / 15, number % 15);
        let ack = ack(number, burst * 20, burst * 20 + 100 + place);
        let (one, other) = (take(&mut plain, &ack), take(&mut by_receiver, &told(ack)));
        assert_eq!(one.map(|gap| (gap.first, gap.same_busy_period)), other.map(|gap| (gap.first, gap.same_busy_period)), "{number}");
        if let (Some(one), Some(other)) = (one, other) {
            assert!((one.arrived - other.arrived).abs() < 2e-6, "{one:?} {other:?}");
            made += 1;
        }
    }
    assert!(made > 1900, "{made}");
}

#[test]
fn two_clocks_are_never_mixed() {
    let mut gaps = Gaps::default();
    let hour = ReceiverInstant::from(Instant::from_millis(3_600_000));
    for number in 0..4 {
        take(&mut gaps, &ack(number, number, 100 + number));
    }
    let told =
        |number: u64| Acked { received_at: Some(hour.saturating_add(Span::from_millis(number))), ..ack(number, number, 100 + number) };
    let got: alloc::vec::Vec<Option<Gap>> = (4..8).map(|number| take(&mut gaps, &told(number))).collect();
    assert!(got[..2].iter().all(Option::is_none), "{got:?}");
    assert!(got[2..].iter().all(|gap| gap.is_some_and(|gap| (gap.arrived - 0.001).abs() < 1e-9)), "{got:?}");
    assert_eq!(take(&mut gaps, &ack(8, 8, 108)), None);
    assert_eq!(take(&mut gaps, &ack(9, 9, 109)), None);
    assert!(take(&mut gaps, &ack(10, 10, 110)).is_some());
}

#[test]
fn packets_that_left_back_to_back_enter_one_by_one() {
    let mut gaps = Gaps::default();
    let mut entered = alloc::vec::Vec::new();
    for number in 0..6 {
        // Three at once at 0 ms, then 1 ms apart; the access link takes 0.5 ms.
        let sent_ms = [0, 0, 0, 1, 2, 3][number as usize];
        if let [_, Some(gap)] = gaps.acked(&ack(number, sent_ms, 100 + number), &Links { access: Span::from_micros(500), ..LINKS }) {
            entered.push((gap.sent, gap.entered));
        }
    }
    let expected = [(0.0, 0.0005), (0.0, 0.0005), (0.001, 0.0005), (0.001, 0.0005)];
    for ((sent, entered), (left, came)) in entered.iter().zip(expected) {
        assert!((sent - left).abs() < 1e-12 && (entered - came).abs() < 1e-12, "{entered} instead of {came}");
    }
    assert_eq!(entered.len(), 4);
}

#[test]
fn a_flow_with_a_small_part_of_the_link_sees_its_service_time() {
    // Two packets every 64 ms on a link that takes 1 ms for each: 1/32 of it. Whatever the mean distance, two arrivals are two.
    let mut gaps = Gaps::default();
    let pairs = (0..200).flat_map(|pair| [(2 * pair, 64 * pair, 64 * pair + 100), (2 * pair + 1, 64 * pair, 64 * pair + 101)]);
    let within: alloc::vec::Vec<f64> = pairs
        .filter_map(|(number, sent, arrived)| take(&mut gaps, &ack(number, sent, arrived)))
        .filter(|gap| gap.sent == 0.0)
        .map(|gap| gap.arrived)
        .collect();
    assert_eq!(within.len(), 199, "one of each pair but the last, which may not be complete");
    assert!(within.iter().all(|arrived| (arrived - 0.001).abs() < 1e-9), "{within:?}");
}

#[test]
fn what_a_card_hands_up_together_is_one_arrival() {
    let handed_up = |number: u64, arrived_us: u64| Acked { now: Instant::from_micros(arrived_us), ..ack(number, number, number + 100) };
    let mut gaps = Gaps::default();
    let arrivals = (0..100).flat_map(|pair| [(2 * pair, 2_000 * pair + 300_000), (2 * pair + 1, 2_000 * pair + 300_004)]);
    let last = arrivals.filter_map(|(number, arrived)| take(&mut gaps, &handed_up(number, arrived))).last().unwrap();
    assert_eq!((last.bytes, last.first % 2, last.last % 2), (3000.0, 0, 1), "4 µs apart, 1 ms on the mean");
}

/// Pairs a millisecond apart, at any phase of a card that hands up what came in 8 ms, among packets 9 ms apart.
#[test]
fn the_mean_distance_of_pairs_is_the_paths_however_long_a_card_holds_them() {
    let mut gaps = Gaps::default();
    let (mut random, mut close) = (symbiosis_base::Random::new(1, 0), alloc::vec::Vec::new());
    let mut left = 0.0;
    for number in 0..30_000 {
        let (pair, next) = (number % 10 == 9, number % 10 == 0);
        left += if pair { 0.0 } else { 9.0 + random.uniform() };
        let at_card = 100.0 + left + if pair { 1.0 } else { 0.0 };
        let [sent, arrived] = [left, 8.0 * libm::ceil(at_card / 8.0)].map(|ms| Instant::START + Span::from_secs(ms / 1e3));
        let acked = Acked { now: arrived, sent_at: sent, rtt: Some(arrived - sent), ..ack(number, 0, 0) };
        // A link that takes so long for a packet that it is never idle.
        let [answer, _] = gaps.acked(&acked, &Links { service: Span::from_millis(100), ..LINKS });
        // It comes out with the next.
        close.extend(answer.filter(|_| next).map(|gap| gap.arrived * 1e3));
    }
    let mean = close.iter().sum::<f64>() / close.len() as f64;
    assert!(close.len() > 2_900 && (mean - 1.0).abs() < 0.15, "{mean} ms, of {}", close.len());
}

/// On 1 Mbit/s a packet takes 12 ms. An ACK for every second one tells when that arrived, and a burst that left at once is one arrival; a receiver that hands up five at
/// a time holds four of them back.
#[test]
fn what_is_answered_with_another_is_not_held_back() {
    let merged = |together: u64, burst: bool| {
        let mut gaps = Gaps::default();
        for number in 0..600 {
            let (turn, place) = (number / together, number % together);
            let sent = if burst { turn * together } else { number } * 12;
            let at = 12 * together * (turn + 1) + 100;
            take(&mut gaps, &Acked { rtt: Some(Span::from_millis(at - sent)).filter(|_| place + 1 == together), ..ack(number, sent, at) });
        }
        gaps.is_merged()
    };
    assert_eq!(
        [(2, false), (2, true), (8, true), (5, false)].map(|(together, burst)| merged(together, burst)),
        [false, false, false, true]
    );
}

/// Packets that left, and were answered, at such milliseconds, the first two by one ACK if `pairs`. The gaps' last packets and lengths \[ms\], and how many were delayed.
fn answers(pairs: bool, packets: &[(u64, u64, u64)]) -> (Vec<(u64, f64)>, u64) {
    let mut gaps = Gaps::default();
    let mut found = Vec::new();
    for (number, sent, _) in packets {
        gaps.sent(&Sent::new(Instant::from_millis(*sent), *number, LINKS.packet, LINKS.packet), *number);
    }
    for (number, sent, arrived) in packets {
        let own = Acked { rtt: (*number != 0 || !pairs).then(|| Span::from_millis(arrived - sent)), ..ack(*number, *sent, *arrived) };
        found.extend(gaps.acked(&own, &LINKS).into_iter().flatten().map(|gap| (gap.last, (gap.arrived * 1e3).round())));
    }
    (found, gaps.unused().delayed)
}

#[test]
fn an_answer_that_a_receiver_delays_tells_no_arrival() {
    // Two packets leave together every 200 ms. The receiver answers the first two with one ACK; of the next it answers one with what came before, and the other 40 ms later.
    let packets = |second| [(0, 0, 100), (1, 0, second), (2, 200, 300), (3, 200, 340), (4, 400, 500), (5, 400, 501), (6, 410, 600)];
    let (found, delayed) = answers(true, &packets(100));
    assert!(delayed == 1 && found.iter().all(|(last, _)| ![3, 4].contains(last)), "{found:?}");
    assert!(found.contains(&(5, 1.0)), "{found:?}");
    let (found, delayed) = answers(false, &packets(101));
    assert!(delayed == 0 && found.contains(&(3, 40.0)), "a receiver that answers each packet delays none: {found:?}");
}

#[test]
fn no_gap_begins_with_a_delayed_answer_whatever_came_before_it() {
    // Single packets, each answered 40 ms late, up to two that are answered at once.
    let packets = [(0, 0, 100), (1, 0, 100), (2, 200, 340), (3, 250, 390), (4, 300, 440), (5, 345, 445), (6, 346, 446), (7, 350, 450)];
    let (found, _) = answers(true, &packets);
    assert!(found.iter().all(|(last, _)| !(2..=5).contains(last)), "{found:?}");
    assert!(found.contains(&(6, 1.0)), "{found:?}");
    // And a lost one before it.
    let packets = [(0, 0, 100), (1, 0, 100), (3, 200, 340), (4, 250, 350), (5, 251, 351), (6, 252, 352)];
    let (found, _) = answers(true, &packets);
    assert!(found.iter().all(|(last, _)| *last != 4), "{found:?}");
}
