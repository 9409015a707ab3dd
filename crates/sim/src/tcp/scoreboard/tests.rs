use proptest::prelude::*;

use super::*;
use crate::runs::Run;

/// For what goes by counts.
const AT: Clock = Clock { now: Instant::START, srtt: Span::MAX };

fn ack(next: u32, sacks: &[Run]) -> Ack {
    let mut all = [(0, 0); 3];
    all[..sacks.len()].copy_from_slice(sacks);
    Ack {
        next,
        bytes: 40,
        echo: Instant::START,
        received_at: Instant::START.into(),
        duplicate: None,
        ece: false,
        seen: Default::default(),
        sacks: all,
    }
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
    assert!(!board.acked(&mut flight, &ack(2, &[(3, 5)]), AT, quiet).begins, "two above the gap are not enough");
    assert_eq!(board.in_flight(), 6);
    assert!(board.acked(&mut flight, &ack(2, &[(3, 6)]), AT, quiet).begins);
    assert_eq!(board.in_flight(), 4, "packet 2 is lost; 6 to 9 are on the way");
    assert_eq!(board.next(&mut flight, false), Some((2, true)), "the first of a recovery waits for no window");
    board.resent(&mut flight, 2, Instant(1));
    assert_eq!(board.next(&mut flight, false), None);
    assert!(!board.acked(&mut flight, &ack(2, &[(7, 10), (3, 6)]), AT, quiet).begins, "no second event in one recovery");
    assert_eq!(board.next(&mut flight, false), Some((6, false)));
    board.resent(&mut flight, 6, Instant(1));
    assert!(board.recovering());
    board.acked(&mut flight, &ack(10, &[]), AT, quiet);
    assert!(!board.recovering());
    assert_eq!(board.in_flight(), 0);
}

#[test]
fn with_nothing_new_to_send_any_gap_is_sent_again() {
    let (mut flight, mut board) = flight(8);
    board.acked(&mut flight, &ack(0, &[(1, 4), (5, 6)]), AT, |_, _, _, _| {});
    board.resent(&mut flight, 0, Instant(1));
    assert_eq!(board.next(&mut flight, false), None, "one packet above 4 does not make it lost");
    assert_eq!(board.next(&mut flight, true), Some((4, false)));
    board.resent(&mut flight, 4, Instant(1));
    assert_eq!(board.next(&mut flight, true), None, "nothing above 7 was reported");
}

#[test]
fn a_timeout_sends_everything_again_that_was_not_reported() {
    let (mut flight, mut board) = flight(6);
    board.acked(&mut flight, &ack(1, &[(3, 4)]), AT, |_, _, _, _| {});
    board.timed_out(&mut flight, AT, |_, _, _, _| {});
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
            board.acked(&mut flight, &ack(next, &sacks), AT, |fate, n, _, _| got[n as usize] += i32::from(fate == Fate::Acked));
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

/// Losses by time: a path of 100 ms on which packet `n` leaves at `n` ms.
mod by_time {
    use super::*;

    const RTT: u64 = 100;
    const SRTT: Span = Span::from_millis(RTT);

    fn flight(packets: u32) -> (Flight, Scoreboard) {
        let (mut flight, mut board) = (Flight::new(), Scoreboard::by_time());
        for number in 0..packets {
            flight.push(Instant::from_millis(number.into()), false);
            board.sent();
        }
        (flight, board)
    }

    /// An ACK at `ms` which answers the departure at `echo`.
    fn take(board: &mut Scoreboard, flight: &mut Flight, ms: u64, echo: u64, next: u32, sacks: &[Run]) -> (Found, Vec<u32>) {
        let answer = Ack { echo: Instant::from_millis(echo), ..ack(next, sacks) };
        let mut lost = Vec::new();
        let clock = Clock { now: Instant::from_millis(ms), srtt: SRTT };
        let found = board.acked(flight, &answer, clock, |fate, number, _, _| lost.extend((fate == Fate::Lost).then_some(number)));
        (found, lost)
    }

    #[test]
    fn below_three_packets_a_quarter_of_a_round_trip_decides() {
        let (mut flight, mut board) = flight(10);
        take(&mut board, &mut flight, RTT, 0, 1, &[]);
        let (found, lost) = take(&mut board, &mut flight, RTT + 2, 2, 1, &[(2, 3)]);
        assert_eq!((found, lost), (Found::default(), vec![]), "packet 2 has arrived and 1 not: it is doubted");
        let due = Instant::from_millis(1 + RTT + RTT / 4);
        assert_eq!(board.timer(), due);
        let mut lost = Vec::new();
        let clock = Clock { now: due, srtt: SRTT };
        assert!(board.expired(&mut flight, clock, |_, number, _, _| lost.push(number)));
        assert_eq!((lost, board.next(&mut flight, false)), (vec![1], Some((1, true))));
    }

    #[test]
    fn with_three_packets_above_a_gap_nothing_is_waited_for() {
        let (mut flight, mut board) = flight(10);
        take(&mut board, &mut flight, RTT, 0, 1, &[]);
        let (found, lost) = take(&mut board, &mut flight, RTT + 4, 4, 1, &[(2, 5)]);
        assert_eq!((found.begins, lost, board.in_flight()), (true, vec![1], 5));
    }

    #[test]
    fn a_lost_retransmission_is_found_by_what_left_after_it() {
        let (mut flight, mut board) = flight(10);
        take(&mut board, &mut flight, RTT, 0, 1, &[]);
        take(&mut board, &mut flight, RTT + 4, 4, 1, &[(2, 5)]);
        board.resent(&mut flight, 1, Instant::from_millis(104));
        flight.push(Instant::from_millis(105), false);
        board.sent();
        let (_, lost) = take(&mut board, &mut flight, RTT + 9, 9, 1, &[(2, 10)]);
        assert_eq!(lost, [], "what left before it tells nothing of it");
        let (found, lost) = take(&mut board, &mut flight, 205, 105, 1, &[(2, 11)]);
        assert_eq!((found.begins, lost, board.in_flight()), (false, vec![1], 0));
        assert_eq!(board.next(&mut flight, false), Some((1, false)), "in the same recovery: not urgent");
        board.resent(&mut flight, 1, Instant::from_millis(205));
        take(&mut board, &mut flight, 305, 205, 11, &[]);
        assert_eq!((board.in_flight(), board.recovering()), (0, false));
    }

    #[test]
    fn reordering_that_was_seen_is_allowed_for_and_duplicates_widen_the_window() {
        let (mut flight, mut board) = flight(20);
        take(&mut board, &mut flight, RTT, 0, 1, &[]);
        take(&mut board, &mut flight, RTT + 2, 2, 1, &[(2, 3)]);
        take(&mut board, &mut flight, RTT + 3, 1, 3, &[]);
        // 1 came after 2. Now three and more above a gap do not decide: a quarter of a round trip does.
        let (_, lost) = take(&mut board, &mut flight, RTT + 8, 8, 3, &[(4, 9)]);
        assert_eq!((lost, board.timer()), (vec![], Instant::from_millis(3 + 100 + 25)));
        let clock = Clock { now: board.timer(), srtt: SRTT };
        assert!(board.expired(&mut flight, clock, |_, _, _, _| {}));
        board.resent(&mut flight, 3, clock.now);
        take(&mut board, &mut flight, 130, 3, 9, &[]);
        // Its copy was one too many: half a round trip from now on. Packet 14 took 215 ms.
        let told = Ack { duplicate: Some(3), echo: clock.now, ..ack(9, &[]) };
        board.acked(&mut flight, &told, Clock { now: Instant::from_millis(228), srtt: SRTT }, |_, _, _, _| {});
        take(&mut board, &mut flight, 229, 14, 9, &[(10, 15)]);
        assert_eq!(board.timer(), Instant::from_millis(9 + 215 + 50));
    }

    #[test]
    fn a_timeout_writes_off_the_first_and_what_is_older_than_a_round_trip() {
        let (mut flight, mut board) = flight(10);
        take(&mut board, &mut flight, RTT, 0, 1, &[]);
        let mut lost = Vec::new();
        let clock = Clock { now: Instant::from_millis(105), srtt: SRTT };
        board.timed_out(&mut flight, clock, |_, number, _, _| lost.push(number));
        assert_eq!((lost, board.in_flight()), (vec![1, 2, 3, 4, 5], 4));
        assert_eq!(board.next(&mut flight, false), Some((1, true)));
    }

    #[test]
    fn an_original_that_arrives_after_a_timeout_tells_that_it_was_none() {
        let (mut flight, mut board) = flight(10);
        take(&mut board, &mut flight, RTT, 0, 1, &[]);
        let clock = Clock { now: Instant::from_millis(400), srtt: SRTT };
        board.timed_out(&mut flight, clock, |_, _, _, _| {});
        board.resent(&mut flight, 1, clock.now);
        let (found, _) = take(&mut board, &mut flight, 410, 2, 1, &[(2, 3)]);
        assert!(found.original);
        board.undo(&mut flight);
        assert_eq!((board.in_flight(), board.next(&mut flight, false)), (9, None), "1 twice and 3 to 9");
    }
}
