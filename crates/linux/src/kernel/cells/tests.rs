use super::*;

const MSS: u64 = 1000;

fn at_ms(ms: u64) -> Instant {
    Instant::from_millis(ms)
}

/// So many full packets left, one a millisecond.
fn cells(count: u64) -> Cells {
    let mut cells = Cells::new(MSS, Bytes(40), 0);
    for i in 0..count {
        assert_eq!(cells.sent(i * MSS, (i + 1) * MSS, at_ms(i), false).count(), 1);
    }
    cells
}

/// Numbers that an ACK is told of, and how many of them are in order.
fn ack(cells: &mut Cells, una: u64, sacked: u32, left: Option<Instant>) -> (Vec<u64>, usize) {
    let mut told = Vec::new();
    let in_order = cells.acked(una * MSS, sacked, left, &mut told);
    (told.iter().map(|cell| cell.number).collect(), in_order)
}

#[test]
fn packets_are_told_once_in_order() {
    let mut cells = cells(5);
    assert_eq!(ack(&mut cells, 2, 0, Some(at_ms(1))), (vec![0, 1], 2));
    assert_eq!(ack(&mut cells, 2, 0, None), (vec![], 0));
    assert_eq!(ack(&mut cells, 5, 0, Some(at_ms(4))), (vec![2, 3, 4], 3));
    assert_eq!(cells.next(), 5);
}

#[test]
fn selective_acks_name_packets_by_their_departure() {
    let mut cells = cells(10);
    // Packet 0 is missing; 1 and 2 come, then 5: 3 and 4 are missing too.
    assert_eq!(ack(&mut cells, 0, 1, Some(at_ms(1))), (vec![1], 0));
    assert_eq!(ack(&mut cells, 0, 2, Some(at_ms(2))), (vec![2], 0));
    assert_eq!(ack(&mut cells, 0, 3, Some(at_ms(5))), (vec![5], 0));
    assert_eq!(ack(&mut cells, 0, 5, None), (vec![6, 7], 0), "in order where nothing tells");
    // 0 is there again: 0 to 2 are acknowledged, of which one is news.
    assert_eq!(ack(&mut cells, 3, 3, None), (vec![0], 1));
    assert_eq!(ack(&mut cells, 10, 0, None), (vec![3, 4, 8, 9], 4));
}

#[test]
fn what_leaves_again_is_the_oldest_that_is_missing() {
    let mut cells = cells(6);
    ack(&mut cells, 0, 2, Some(at_ms(4)));
    assert_eq!(cells.resent(2, at_ms(50)), [0, 1], "0 to 2 are missing below 3");
    assert_eq!(cells.resent(5, at_ms(51)), [2], "what is above the latest that came is not");
    assert_eq!(cells.resent(1, at_ms(52)), [0], "all left twice: from the front");
    let mut told = Vec::new();
    cells.acked(3 * MSS, 2, Some(at_ms(3)), &mut told);
    assert_eq!(
        told.iter().map(|cell| (cell.resent, cell.sent_at)).collect::<Vec<_>>(),
        [(true, at_ms(52)), (true, at_ms(50)), (true, at_ms(51))]
    );
    cells.timed_out();
    assert_eq!(cells.resent(1, at_ms(60)), [5], "after a timeout everything is missing that has not come: 3 and 4 have");
}

/// How many bytes the packets have that leave with bytes `from` to `to`.
fn sizes(cells: &mut Cells, from: u64, to: u64) -> Vec<u64> {
    cells.sent(from, to, at_ms(0), true).map(|cell| cell.bytes.0).collect()
}

#[test]
fn each_write_that_leaves_is_a_packet_and_what_follows_it_is_whole() {
    let mut cells = Cells::new(MSS, Bytes(40), 0);
    assert_eq!(sizes(&mut cells, 0, 300), [340]);
    assert_eq!(sizes(&mut cells, 300, 900), [640]);
    assert_eq!(sizes(&mut cells, 900, 2500), [1040, 640]);
    assert_eq!(sizes(&mut cells, 2500, 4500), [1040, 1040]);
    let mut told = Vec::new();
    assert_eq!(cells.acked(1200, 0, None, &mut told), 2, "the third is not complete");
    assert_eq!(cells.acked(1900, 0, None, &mut told), 1);
    assert_eq!(cells.acked(4500, 0, None, &mut told), 3);
    assert_eq!(told.iter().map(|cell| cell.number).collect::<Vec<_>>(), [3, 4, 5]);
}

#[test]
fn packets_that_nobody_told_of_are_there_between_those_that_somebody_did() {
    let mut cells = Cells::new(MSS, Bytes(40), 500);
    assert_eq!(sizes(&mut cells, 2700, 4700), [1040, 1040, 240, 1040, 1040]);
    assert_eq!(sizes(&mut cells, 0, 4700), [] as [u64; 0], "none leaves for the first time twice");
    assert_eq!((cells.end(), cells.next()), (4700, 5));
}

#[test]
fn the_kernels_stamp_is_believed_where_the_departure_was_not_seen() {
    let mut cells = Cells::new(MSS, Bytes(40), 0);
    cells.sent(0, 3 * MSS, at_ms(9), false).count();
    let mut told = Vec::new();
    cells.acked(MSS, 0, Some(Instant(9_001_000)), &mut told);
    assert_eq!(told[0].sent_at, at_ms(9), "within the clock's microseconds they agree");
    cells.acked(2 * MSS, 0, Some(at_ms(7)), &mut told);
    assert_eq!(told[0].sent_at, at_ms(7));
}

#[test]
fn nothing_is_remembered_that_is_acknowledged() {
    let mut cells = Cells::new(MSS, Bytes(40), 0);
    for i in 0..100_000 {
        cells.sent(i * MSS, (i + 1) * MSS, at_ms(i), false).count();
        if i >= 50 {
            ack(&mut cells, i - 50, 0, None);
        }
    }
    assert!(cells.cells.len() <= 52 && cells.cells.capacity() < 200, "{}", cells.cells.capacity());
}
