use super::super::layout::flag;
use super::*;
use symbiosis_control::params::Values;
use symbiosis_control::registry;

fn table() -> Table {
    let entry = registry::find("symbiosis").unwrap();
    Table::new(Start { entry, params: Values::resolve(entry.params, &[]).unwrap(), seed: 1 })
}

fn record(id: u64, kind: u32, packet: u64) -> Record {
    let at = 1_000_000 * (id + packet);
    let (from, nxt) = (packet * 1448, (packet + 1) * 1448);
    let una = if kind == kind::ACKED { nxt } else { from };
    let base = Record { id, at, from, una, nxt, kind, rtt_us: 100, cwnd: 10, mss: 1448, overhead: 52, srtt_us: 100, ..Record::default() };
    if kind == kind::CLOSED { Record { mss: 0, ..base } } else { base }
}

/// A connection of some packets, but for its end.
fn lives(table: &mut Table, id: u64) {
    for packet in 0..20 {
        table.take(&record(id, kind::SENT, packet));
        table.take(&record(id, kind::ACKED, packet));
    }
}

#[test]
fn ten_thousand_connections_leave_nothing() {
    let mut table = table();
    let mut said = 0;
    for id in 0..10_000 {
        lives(&mut table, id);
        table.answer(Instant::START, |_, _| {
            said += 1;
            true
        });
        if id >= 10 {
            table.take(&record(id - 10, kind::CLOSED, 20));
        }
        assert!(table.flows.len() <= 11 && table.heard.is_empty());
    }
    assert_eq!(said, 10_000);
    (9_990..10_000).for_each(|id| table.take(&record(id, kind::CLOSED, 20)));
    assert!(table.flows.is_empty());
}

/// Not every record wakes the agent: what did not must be found soon, and where nothing happens nobody looks for it.
#[test]
fn the_agent_looks_often_while_something_happens() {
    let mut table = table();
    let mut looks = |at_ms, packet: Option<u64>| {
        packet.iter().for_each(|packet| table.take(&record(1, kind::SENT, *packet)));
        table.answer(Instant::from_millis(at_ms), |_, _| true);
        table.looks().millis()
    };
    assert_eq!(looks(1_000, None), 50.0);
    assert_eq!(looks(1_050, Some(0)), 5.0);
    assert_eq!(looks(1_300, None), 5.0);
    assert_eq!(looks(1_400, None), 50.0);
    assert_eq!(looks(1_450, Some(1)), 5.0);
}

#[test]
fn an_end_that_nobody_told_of_is_found() {
    let mut table = table();
    (0..3).for_each(|id| lives(&mut table, id));
    // Who cannot be told anything is gone.
    table.answer(Instant::START, |id, _| id != 1);
    assert_eq!(table.show().iter().map(|socket| socket.id).collect::<Vec<_>>(), [0, 2]);
    // 7 never says anything.
    let sweep = |table: &mut Table, minutes: u64| table.sweep(Instant::from_millis(60_000 * minutes), &[0, 2, 7].into());
    assert_eq!((sweep(&mut table, 1), table.flows.len()), (Vec::new(), 2), "none has been silent for long");
    lives(&mut table, 4);
    assert_eq!((sweep(&mut table, 2), table.flows.len()), (vec![], 2), "4 is there no more");
    assert_eq!((sweep(&mut table, 11), table.flows.len()), (vec![7], 0), "all have been for ten minutes, and 7 all the time");
    assert_eq!(sweep(&mut table, 20), Vec::<u64>::new());
    assert_eq!(sweep(&mut table, 21), [0, 2]);
}

#[test]
fn decisions_go_to_sockets_that_something_was_heard_of() {
    let mut table = table();
    (0..2).for_each(|id| lives(&mut table, id));
    let mut told = Vec::new();
    table.answer(Instant::START, |id, decision| {
        told.push((id, decision.serial));
        true
    });
    table.take(&record(1, kind::SENT, 20));
    table.answer(Instant::START, |id, decision| {
        told.push((id, decision.serial));
        true
    });
    assert_eq!(told, [(0, 1), (1, 1_000_001), (1, 1_000_002)]);
}

#[test]
fn the_log_says_what_lasts_and_says_it_once() {
    let mut table = table();
    let lives = |table: &mut Table, id: u64, flags: u32| {
        table.take(&Record { flags, local_port: 4000 + id as u32, remote_port: u32::from(5001_u16.to_be()), ..record(id, kind::ACKED, 0) });
    };
    (0..3).for_each(|id| lives(&mut table, id, 0));
    assert!(table.news().is_empty(), "it may not last");
    assert_eq!(table.news(), ["reno, waiting for trains: :4000 to :5001 and 2 more"]);
    assert!(table.news().is_empty());
    lives(&mut table, 1, flag::TOO_FAST);
    assert!(table.news().is_empty());
    lives(&mut table, 2, flag::RECOVERING);
    assert_eq!(table.news(), ["reno, timer too coarse: :4001 to :5001"]);
    assert!(table.news().is_empty(), "a recovery is no news");
}
