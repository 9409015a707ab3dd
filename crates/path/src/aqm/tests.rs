use proptest::prelude::*;
use symbiosis_base::{Bytes, Instant, Random, Rate, Span};

use super::*;
use crate::{Drop, Link, LinkSpec, QueueLimit};

const FULL: Bytes = Bytes(1500);

fn ms(ms: u64) -> Span {
    Span::from_millis(ms)
}

fn at_ms(ms: u64) -> Instant {
    Instant::from_millis(ms)
}

/// 12 Mbit/s, so that a full packet takes 1 ms; no delay.
fn link(discipline: Discipline, limit: QueueLimit) -> ManagedLink {
    let spec = LinkSpec { discipline, queue: limit, ..LinkSpec::ideal(Rate::from_mbps(12.0), Span::ZERO) };
    ManagedLink::new(&spec, Random::new(1, 1), (Instant::START, at_ms(1_000_000)), Some(ms(1)))
}

fn fates(link: &mut ManagedLink) -> Vec<Fate> {
    std::iter::from_fn(|| link.fate()).collect()
}

/// A queue into which `every` ms a packet comes and out of which one goes each ms, and when it dropped one [ms].
fn drops(every: f64, from: u64, to: u64, link: &mut ManagedLink) -> Vec<f64> {
    let mut drops = Vec::new();
    let mut next = from as f64;
    while next < to as f64 {
        let at = Instant::from_secs(next / 1e3);
        while link.turn_at() <= at {
            let turn = link.turn_at();
            link.advance(turn);
            drops.extend(fates(link).iter().filter(|fate| fate.offered == Err(Drop::Queue)).map(|_| turn.millis()));
        }
        link.arrive(at, 0, FULL).unwrap();
        next += every;
    }
    drops
}

/// RFC 8289 §5: an interval after the wait rose above the target, then after interval/√count.
#[test]
fn codel_drops_an_interval_after_the_target_and_then_faster() {
    let mut link = link(Discipline::CoDel(CoDelSpec::default()), QueueLimit::Unlimited);
    // One packet too many in ten: the wait rises by 1 ms in 10 ms, and is 5 ms at 50 to 56 ms.
    let drops = drops(0.9, 0, 1000, &mut link);
    assert!((150.0..160.0).contains(&drops[0]), "{drops:?}");
    let mut due = drops[0];
    for (count, at) in drops.iter().enumerate().skip(1) {
        due += 100.0 / (count as f64).sqrt();
        // A drop happens when the link is free, which it is each ms.
        assert!(*at >= due - 1e-6 && *at < due + 1.001, "drop {count} at {at}, due at {due}");
    }
    assert!(drops.len() > 10);
}

/// A burst that drains within an interval is what a queue is for.
#[test]
fn codel_lets_a_burst_pass() {
    let mut link = link(Discipline::CoDel(CoDelSpec::default()), QueueLimit::Unlimited);
    (0..100).for_each(|_| link.arrive(at_ms(0), 0, FULL).unwrap());
    link.advance(at_ms(200));
    assert!(fates(&mut link).iter().all(|fate| fate.offered.is_ok()));
    // One that takes longer loses a packet.
    (0..150).for_each(|_| link.arrive(at_ms(300), 0, FULL).unwrap());
    link.advance(at_ms(600));
    assert!(fates(&mut link).iter().any(|fate| fate.offered.is_err()));
}

/// RFC 8289 §5: who returns to the dropping state soon goes on near the rate where it left; who returns late begins anew.
#[test]
fn codel_remembers_the_rate_of_drops_for_a_while() {
    for (pause, anew) in [(300, false), (4000, true)] {
        let mut link = link(Discipline::CoDel(CoDelSpec::default()), QueueLimit::Unlimited);
        let first = drops(0.9, 0, 1500, &mut link);
        link.advance(at_ms(1500 + pause));
        fates(&mut link);
        assert_eq!(link.queue_packets(), 0);
        let again = drops(0.9, 1500 + pause, 3000 + pause, &mut link);
        let (before, after) = (first[1] - first[0], again[1] - again[0]);
        println!("first gap {before} ms, after a pause of {pause} ms {after} ms");
        assert!((before - 100.0).abs() < 1.001);
        if anew {
            assert!((after - 100.0).abs() < 1.001, "{after}");
        } else {
            // `count` begins with the drops of the first episode but one.
            let count = first.len() - 1;
            assert!((after - 100.0 / (count as f64).sqrt()).abs() < 1.5, "{after} for {count}");
        }
    }
}

fn fq(flows: usize, quantum: u64) -> Discipline {
    Discipline::FqCoDel(FqCoDelSpec { flows, quantum: Bytes(quantum), ..FqCoDelSpec::default() })
}

/// The streams of `n` packets in the order in which they were served.
fn served(link: &mut ManagedLink, n: usize) -> Vec<usize> {
    link.advance(at_ms(100));
    fates(link).into_iter().filter(|fate| fate.offered.is_ok()).map(|fate| fate.stream).take(n).collect()
}

/// Two streams and their queues: with 65536 queues they have one each unless the hash is bad.
#[test]
fn fq_codel_serves_in_turns_and_new_streams_first() {
    let mut link = link(fq(65_536, 1500), QueueLimit::Unlimited);
    for _ in 0..5 {
        link.arrive(at_ms(0), 0, FULL).unwrap();
    }
    for _ in 0..5 {
        link.arrive(at_ms(0), 1, FULL).unwrap();
    }
    // When the first three are through, stream 2 has one packet: it goes next, though it came last.
    link.advance(Instant::from_micros(2500));
    link.arrive(Instant::from_micros(2500), 2, FULL).unwrap();
    assert_eq!(served(&mut link, 11), [0, 1, 0, 2, 1, 0, 1, 0, 1, 0, 1]);
}

/// A round gives a quantum of bytes, not a packet: small packets go several at a time.
#[test]
fn fq_codel_shares_bytes() {
    let mut link = link(fq(65_536, 1500), QueueLimit::Unlimited);
    for _ in 0..100 {
        link.arrive(at_ms(0), 0, FULL).unwrap();
        link.arrive(at_ms(0), 1, Bytes(300)).unwrap();
    }
    let served = served(&mut link, 60);
    let bytes = |stream: usize, size: u64| served.iter().filter(|s| **s == stream).count() as u64 * size;
    assert!(bytes(0, 1500).abs_diff(bytes(1, 300)) <= 3000, "{served:?}");
}

/// A stream that sends a packet now and then must not go before the others for ever (RFC 8290 §4.2).
#[test]
fn an_empty_new_queue_waits_a_round_among_the_old() {
    let mut link = link(fq(65_536, 1500), QueueLimit::Unlimited);
    for _ in 0..20 {
        link.arrive(at_ms(0), 0, FULL).unwrap();
    }
    // As soon as a packet of stream 1 has begun, its next one comes.
    let mut order = Vec::new();
    link.arrive(at_ms(0), 1, FULL).unwrap();
    for turn in 1..20 {
        link.advance(at_ms(turn));
        for fate in fates(&mut link) {
            order.push(fate.stream);
            if fate.stream == 1 {
                link.arrive(at_ms(turn), 1, FULL).unwrap();
            }
        }
    }
    let ones = order.iter().filter(|stream| **stream == 1).count();
    assert!(ones.abs_diff(order.len() / 2) <= 1, "half each: {order:?}");
}

/// RFC 8290 §4.1: beyond the limit the head of the fattest queue goes.
#[test]
fn the_fattest_queue_pays_for_the_overflow() {
    let mut link = link(fq(65_536, 1500), QueueLimit::Packets(10));
    link.arrive(at_ms(0), 0, FULL).unwrap();
    fates(&mut link);
    (0..9).for_each(|_| link.arrive(at_ms(0), 0, FULL).unwrap());
    (0..4).for_each(|_| link.arrive(at_ms(0), 1, FULL).unwrap());
    let gone: Vec<usize> = fates(&mut link).iter().map(|fate| fate.stream).collect();
    assert_eq!(gone, [0, 0, 0]);
    assert_eq!(link.queue_packets(), 10);
    let (stats, _) = link.finish(at_ms(1_000_000));
    assert_eq!((stats.queue_drops, stats.queue_max, stats.bytes_sent), (3, 10, 11.0 * 1500.0));
}

fn plain_spec(limit: u64, jitter: u64, loss: f64) -> LinkSpec {
    let queue = QueueLimit::Packets(limit);
    LinkSpec { queue, loss, jitter: ms(jitter), ..LinkSpec::ideal(Rate::from_mbps(12.0), ms(10)) }
}

proptest! {
    /// With a target that is never reached CoDel is a drop-tail queue: packet by packet, sample by sample what Lindley's recursion says.
    #[test]
    fn without_drops_a_managed_link_is_a_plain_one(
        arrivals in proptest::collection::vec((0u64..2_500_000, 40u64..1501, 0usize..3), 1..200),
        limit in 1u64..6,
    ) {
        let spec = plain_spec(limit, 0, 0.0);
        let never = Discipline::CoDel(CoDelSpec { target: Span::MAX, interval: Span::MAX });
        let window = (at_ms(3), at_ms(150));
        let mut plain = Link::watched(&spec, Random::new(1, 1), window.0, window.1, Some(ms(1)));
        let managed = LinkSpec { discipline: never, ..spec };
        let mut managed = ManagedLink::new(&managed, Random::new(1, 1), window, Some(ms(1)));
        let mut now = Instant::START;
        let (mut wanted, mut got) = (Vec::new(), Vec::new());
        for (gap, size, stream) in arrivals {
            now += Span(gap);
            let fate = plain.offer(now, Bytes(size));
            let refused = managed.arrive(now, stream, Bytes(size)).is_err();
            prop_assert_eq!(refused, fate.is_err());
            wanted.extend(fate.is_ok().then_some((stream, fate)));
            got.extend(fates(&mut managed).iter().map(|fate| (fate.stream, fate.offered)));
        }
        managed.advance(now + ms(20));
        got.extend(fates(&mut managed).iter().map(|fate| (fate.stream, fate.offered)));
        prop_assert_eq!(got, wanted);
        prop_assert_eq!(managed.finish(at_ms(700)), plain.finish(at_ms(700)));
    }

    /// Whatever comes: every packet that joined has one fate, the link never idles while one waits, streams keep their order.
    #[test]
    fn every_packet_has_one_fate(
        arrivals in proptest::collection::vec((0u64..900_000, 40u64..1501, 0usize..4), 1..400),
        limit in 1u64..60,
        flows in 1usize..5,
        target in 1u64..6,
        kind in any::<bool>(),
    ) {
        let codel = CoDelSpec { target: ms(target), interval: ms(10) };
        let discipline = match kind {
            true => Discipline::CoDel(codel),
            false => Discipline::FqCoDel(FqCoDelSpec { codel, flows, quantum: Bytes(500) }),
        };
        let mut link = link(discipline, QueueLimit::Packets(limit));
        let (mut joined, mut got, mut sent) = ([0; 4], [0; 4], Bytes::ZERO);
        let mut now = Instant::START;
        let mut last = Instant::START;
        for (gap, size, stream) in arrivals {
            now += Span(gap);
            joined[stream] += usize::from(link.arrive(now, stream, Bytes(size)).is_ok());
            sent += Bytes(size);
            prop_assert!(link.queue_packets() <= limit);
            for fate in fates(&mut link) {
                got[fate.stream] += 1;
                if let Ok(out) = fate.offered {
                    prop_assert!(out >= last);
                    last = out;
                }
            }
        }
        link.advance(now + ms(1000));
        fates(&mut link).iter().for_each(|fate| got[fate.stream] += 1);
        prop_assert_eq!(got, joined);
        prop_assert_eq!((link.queue_packets(), link.turn_at()), (0, Instant::NEVER));
    }
}
