use super::*;

const PACKET: Bytes = Bytes(1500);
const SERVICE: Span = Span::from_micros(120);

fn sent(number: u64, now: Instant, packets_in_flight: u64) -> Sent {
    Sent {
        now,
        number,
        bytes: PACKET,
        in_flight: Bytes(1500 * packets_in_flight),
        ready_at: now,
        retransmission: false,
        app_limited: false,
    }
}

/// How far after the one before it each packet leaves, if it matters, as \[µs\].
fn distances(flight: u64, queued: Span) -> alloc::vec::Vec<Option<u64>> {
    distances_of(flight, queued, false, 160)
}

fn distances_of(flight: u64, queued: Span, merged: bool, packets: u64) -> alloc::vec::Vec<Option<u64>> {
    let mut trains = Trains::new(1);
    let mut now = Instant::START;
    (0..packets)
        .map(|number| {
            let departure = trains.departure(PACKET, Some(SERVICE), merged, || queued);
            let distance = match departure {
                Departure::IgnoreWindow(at) => Some((at - now).0 / 1000),
                _ => None,
            };
            now = distance.map_or(now + Span::from_millis(1), |us| now + Span::from_micros(us));
            trains.sent(&sent(number, now, flight), Some(SERVICE), 1.0);
            distance
        })
        .collect()
}

#[test]
fn every_thirty_third_packet_begins_a_train() {
    let got = distances(100, Span::from_millis(10));
    assert_eq!(got[67..71], [Some(16 * 120), Some(120), Some(0), Some(0)], "long: a queue of 10 ms covers 16 service times");
    assert_eq!(got[34..38], [Some(120), Some(120), Some(0), Some(0)], "short");
    for begin in [33, 66, 99, 132] {
        assert!((120..9 * 120).contains(&got[begin].unwrap()), "the random wait");
        assert!(got[begin + 5..(begin + 33).min(160)].iter().all(Option::is_none));
    }
    assert_ne!(got[33], got[66]);
    assert_eq!((got[100], got[133]), (Some(16 * 120), Some(120)), "two long, two short");
}

#[test]
fn a_wide_gap_is_no_wider_than_half_the_queue() {
    assert_eq!(distances(100, Span::from_micros(600))[67], Some(300));
    assert_eq!(distances(100, Span::ZERO)[67], Some(120), "a service time is covered by the packet before");
}

#[test]
fn a_small_window_sends_pairs_only() {
    let got = distances(8, Span::ZERO);
    let close: alloc::vec::Vec<_> = (0..160).filter(|number| got[*number].is_some()).collect();
    assert_eq!(close, [4, 37, 70, 103, 136]);
    assert_eq!(got[37], Some(0));
}

#[test]
fn a_gap_is_of_one_kind_or_of_none() {
    let gap = |first, last| Gap { first, last, sent: 0.0, entered: 0.0, arrived: 0.0, bytes: 0.0, same_busy_period: true, together: false };
    assert_eq!(Spacing::of_gap(&gap(34, 34)), Spacing::ServiceTime);
    assert_eq!(Spacing::of_gap(&gap(34, 35)), Spacing::ServiceTime);
    assert_eq!(Spacing::of_gap(&gap(36, 37)), Spacing::BackToBack);
    assert_eq!(Spacing::of_gap(&gap(35, 36)), Spacing::Any);
    assert_eq!(Spacing::of_gap(&gap(41, 42)), Spacing::Any);
}

#[test]
fn where_arrivals_are_merged_ten_leave_together_anywhere_in_each_turn() {
    let got = distances_of(100, Span::ZERO, true, 66 * 1_000);
    let mut begun = [0; 7];
    for turn in got.chunks(66) {
        let together: alloc::vec::Vec<usize> = (0..66).filter(|place| turn[*place] == Some(0)).collect();
        assert_eq!(together.len(), 9);
        assert!(together.windows(2).all(|pair| pair[1] == pair[0] + 1), "{together:?}");
        begun[(together[0] - 1) / 8] += 1;
    }
    // 56 places.
    assert!(begun.iter().all(|times| (100..190).contains(times)), "{begun:?}");
    assert_eq!(distances_of(19, Span::ZERO, true, 160), distances(19, Span::ZERO), "not where it would be half of what is in flight");
}
