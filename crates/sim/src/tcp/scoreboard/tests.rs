use proptest::prelude::*;

use super::*;
use crate::runs::Run;

fn ack(next: u32, sacks: &[Run]) -> Ack {
    let mut all = [(0, 0); 3];
    all[..sacks.len()].copy_from_slice(sacks);
    Ack { next, bytes: 40, echo: Instant::START, received_at: Instant::START.into(), sacks: all }
}

fn flight(packets: u32) -> (Flight, Scoreboard) {
    let (mut flight, mut board) = (Flight::new(), Scoreboard::default());
    for _ in 0..packets {
        flight.push(Instant::START, false);
        board.sent();
    }
    (flight, board)
}

#[test]
fn three_packets_above_a_gap_begin_a_recovery() {
    let (mut flight, mut board) = flight(10);
    let quiet = |_, _, _, _| {};
    assert!(!board.acked(&mut flight, &ack(2, &[(3, 5)]), quiet), "two above the gap are not enough");
    assert_eq!(board.in_flight(), 6);
    assert!(board.acked(&mut flight, &ack(2, &[(3, 6)]), quiet));
    assert_eq!(board.in_flight(), 4, "packet 2 is lost; 6 to 9 are on the way");
    assert_eq!(board.next(&mut flight, false), Some((2, true)), "the first of a recovery waits for no window");
    board.resent(&mut flight, 2, Instant(1));
    assert_eq!(board.next(&mut flight, false), None);
    assert!(!board.acked(&mut flight, &ack(2, &[(7, 10), (3, 6)]), quiet), "no second event in one recovery");
    assert_eq!(board.next(&mut flight, false), Some((6, false)));
    board.resent(&mut flight, 6, Instant(1));
    assert!(board.recovering());
    board.acked(&mut flight, &ack(10, &[]), quiet);
    assert!(!board.recovering());
    assert_eq!(board.in_flight(), 0);
}

/// An ACK whose time stamp names the copy that it answers.
fn answer(next: u32, sacks: &[Run], echo: u64) -> Ack {
    Ack { echo: Instant(echo), ..ack(next, sacks) }
}

#[test]
fn a_lost_retransmission_is_found_by_three_later_departures() {
    for found in [false, true] {
        let (mut flight, _) = flight(10);
        let mut board = if found { Scoreboard::by_departures() } else { Scoreboard::default() };
        (0..10).for_each(|_| board.sent());
        let quiet = |_, _, _, _| {};
        assert!(board.acked(&mut flight, &ack(2, &[(3, 6)]), quiet));
        board.resent(&mut flight, 2, Instant(10));
        // Four new packets leave after it; what left before it tells nothing of it.
        for _ in 0..4 {
            flight.push(Instant(20), false);
            board.sent();
        }
        board.acked(&mut flight, &ack(2, &[(3, 12)]), quiet);
        assert_eq!((board.next(&mut flight, false), board.in_flight()), (None, 3), "two later ones may have overtaken it");
        board.acked(&mut flight, &ack(2, &[(3, 14)]), quiet);
        assert_eq!(board.in_flight(), u32::from(!found), "{found}");
        assert_eq!(board.next(&mut flight, false), found.then_some((2, false)), "in the same recovery: not urgent");
        if found {
            board.resent(&mut flight, 2, Instant(30));
            assert_eq!((board.next(&mut flight, false), board.in_flight()), (None, 1));
            board.acked(&mut flight, &answer(14, &[], 30), quiet);
            assert_eq!((board.in_flight(), board.recovering()), (0, false));
        }
    }
}

#[test]
fn with_nothing_new_to_send_any_gap_is_sent_again() {
    let (mut flight, mut board) = flight(8);
    board.acked(&mut flight, &ack(0, &[(1, 4), (5, 6)]), |_, _, _, _| {});
    board.resent(&mut flight, 0, Instant(1));
    assert_eq!(board.next(&mut flight, false), None, "one packet above 4 does not make it lost");
    assert_eq!(board.next(&mut flight, true), Some((4, false)));
    board.resent(&mut flight, 4, Instant(1));
    assert_eq!(board.next(&mut flight, true), None, "nothing above 7 was reported");
}

#[test]
fn a_timeout_sends_everything_again_that_was_not_reported() {
    let (mut flight, mut board) = flight(6);
    board.acked(&mut flight, &ack(1, &[(3, 4)]), |_, _, _, _| {});
    board.timed_out(&mut flight, |_, _, _, _| {});
    let mut again = Vec::new();
    while let Some((number, _)) = board.next(&mut flight, false) {
        board.resent(&mut flight, number, Instant(1));
        again.push(number);
    }
    assert_eq!(again, [1, 2, 4, 5]);
    assert_eq!(board.in_flight(), 4);
    assert!(!board.recovering());
}

proptest! {
    /// Against a plain reading of the RFC over whole lists: each packet is reported once, `pipe` is SetPipe's sum, `next` is NextSeg 1.
    #[test]
    fn the_edges_agree_with_the_rfc_read_plainly(arrivals in proptest::collection::vec((0u32..40, any::<bool>()), 1..120)) {
        let (mut flight, mut board) = flight(40);
        let mut got = [0; 40];
        let mut resent = [false; 40];
        let mut lost = [false; 40];
        let mut here = [false; 40];
        for (number, retransmit) in arrivals {
            here[number as usize] = true;
            let next = here.iter().position(|h| !h).unwrap_or(40) as u32;
            let mut sacks = Vec::new();
            if number > next {
                let start = (0..=number).rev().take_while(|n| here[*n as usize]).last().unwrap();
                let end = (number..40).take_while(|n| here[*n as usize]).last().unwrap() + 1;
                sacks.push((start, end));
            }
            board.acked(&mut flight, &ack(next, &sacks), |fate, n, _, _| got[n as usize] += i32::from(fate == Fate::Acked));
            for n in 0..40 {
                prop_assert_eq!(got[n], i32::from(here[n]), "packet {}", n);
                lost[n] |= !here[n] && here[n..].iter().filter(|h| **h).count() >= 3;
            }
            let plain = |n: &usize| !here[*n] && lost[*n] && !resent[*n];
            let wanted = (0..40).find(plain).map(|n| n as u32);
            prop_assert_eq!(board.next(&mut flight, false).map(|(n, _)| n), wanted);
            if let Some(n) = wanted.filter(|_| retransmit) {
                board.resent(&mut flight, n, Instant(1));
                resent[n as usize] = true;
            }
            let pipe: u32 = (0..40).filter(|n| !here[*n]).map(|n| u32::from(!lost[n]) + u32::from(resent[n])).sum();
            prop_assert_eq!(board.in_flight(), pipe);
        }
    }
}
