use symbiosis_control::observer::Findings;

use super::*;
use crate::runs::Run;
use symbiosis_base::Span;

/// A report of everything below `next` and of runs above, of which the transmission `serial` arrived last.
fn report(next: u32, serial: u32, runs: &[Run]) -> Report {
    let mut sacks = [(0, 0); 3];
    sacks[..runs.len()].copy_from_slice(runs);
    let (echo, received_at, held) = (Instant::START, Instant::START.into(), Span::ZERO);
    Report { next, sacks, serial, bytes: 40, echo, received_at, held, findings: Findings::default() }
}

/// So many packets, one each nanosecond.
fn sent(packets: u32) -> (Flight, Board) {
    let (mut flight, mut board) = (Flight::new(), Board::default());
    for number in 0..packets {
        let now = Instant(u64::from(number) + 1);
        flight.push(now, false);
        board.sent(&mut flight, number, now, false);
    }
    (flight, board)
}

fn told(flight: &mut Flight, board: &mut Board, report: &Report) -> (Vec<u32>, bool) {
    let mut got = Vec::new();
    let begins = board.reported(flight, report, |fate, number, _, _| {
        if fate == Fate::Acked {
            got.push(number);
        }
    });
    (got, begins)
}

#[test]
fn a_transmission_is_lost_when_three_later_ones_have_arrived() {
    let (mut flight, mut board) = sent(10);
    assert_eq!(told(&mut flight, &mut board, &report(1, 3, &[(2, 4)])), (vec![0, 2, 3], false));
    assert_eq!((board.in_flight(), board.next(&mut flight)), (7, None));
    assert_eq!(told(&mut flight, &mut board, &report(1, 4, &[(2, 5)])), (vec![4], true));
    assert_eq!((board.in_flight(), board.next(&mut flight)), (5, Some(1)));
    assert!(board.recovering(&flight));
}

#[test]
fn a_lost_retransmission_is_found_like_any_other_and_is_no_new_episode_of_old_packets() {
    let (mut flight, mut board) = sent(10);
    told(&mut flight, &mut board, &report(1, 4, &[(2, 5)]));
    board.sent(&mut flight, 1, Instant(20), true);
    assert_eq!((board.serial(), board.next(&mut flight)), (11, None));
    // What was under way when the episode began: 5 is lost, too, and that is no news.
    assert_eq!(told(&mut flight, &mut board, &report(1, 9, &[(6, 10), (2, 5)])), (vec![6, 7, 8, 9], false));
    assert_eq!(board.next(&mut flight), Some(5));
    board.sent(&mut flight, 5, Instant(21), true);
    for number in 10..13 {
        flight.push(Instant(u64::from(number) + 20), false);
        board.sent(&mut flight, number, Instant(u64::from(number) + 20), false);
    }
    // The second copy of 1 had the serial 10, 5 had 11, then 12, 13, 14. The copy was sent after the episode began.
    assert_eq!(told(&mut flight, &mut board, &report(1, 13, &[(2, 12)])), (vec![5, 10, 11], true));
    assert_eq!(board.next(&mut flight), Some(1));
}

#[test]
fn what_was_thought_lost_and_arrives_is_not_sent_again() {
    let (mut flight, mut board) = sent(10);
    told(&mut flight, &mut board, &report(1, 4, &[(2, 5)]));
    assert_eq!(told(&mut flight, &mut board, &report(5, 4, &[])).0, [1]);
    assert_eq!((board.in_flight(), board.next(&mut flight)), (5, None));
}

#[test]
fn after_a_timeout_all_that_was_not_reported_is_sent_again_in_order() {
    let (mut flight, mut board) = sent(6);
    told(&mut flight, &mut board, &report(1, 2, &[(2, 3)]));
    board.timed_out(&mut flight, |_, _, _, _| {});
    assert_eq!(board.in_flight(), 0);
    let mut again = Vec::new();
    while let Some(number) = board.next(&mut flight) {
        board.sent(&mut flight, number, Instant(50 + u64::from(number)), true);
        again.push(number);
    }
    assert_eq!((again, board.in_flight()), (vec![1, 3, 4, 5], 4));
    // The old copies arrive after all.
    assert_eq!(told(&mut flight, &mut board, &report(6, 5, &[])), (vec![1, 3, 4, 5], false));
    assert_eq!(board.in_flight(), 0);
}
