use proptest::prelude::*;

use super::*;
use crate::{CoDelSpec, Discipline, FqCoDelSpec, Gaps, QueueLimit, Sizes, Steps, TrafficSpec};
use symbiosis_base::Rate;

const FULL: Bytes = Bytes(1500);

fn ms(ms: u64) -> Span {
    Span::from_millis(ms)
}

fn at_ms(ms: u64) -> Instant {
    Instant::from_millis(ms)
}

fn link(mbps: f64, delay: u64, queue: QueueLimit, discipline: Discipline) -> NetworkLink {
    let spec = LinkSpec { queue, discipline, ..LinkSpec::ideal(Rate::from_mbps(mbps), ms(delay)) };
    NetworkLink { spec, random: Random::new(1, 1), from: Instant::START, to: at_ms(1000), sample_every: None }
}

/// 12 Mbit/s: a full packet takes 1 ms.
fn bottleneck(queue: u64) -> NetworkLink {
    link(12.0, 10, QueueLimit::Packets(queue), Discipline::DropTail)
}

fn access() -> NetworkLink {
    link(120.0, 2, QueueLimit::Unlimited, Discipline::DropTail)
}

fn all<C>(network: &mut Network<C>) -> Vec<Left<C>> {
    std::iter::from_fn(|| network.pop()).collect()
}

#[test]
fn a_dumbbell_carries_and_merges_in_order_of_time() {
    // Two streams with links of their own before and behind one bottleneck with room for one packet.
    let links = vec![bottleneck(1), access(), access(), access(), access()];
    let mut network = Network::new(links, vec![vec![1, 0, 2], vec![3, 0, 4]], vec![]);
    network.enter(at_ms(0), 0, FULL, "a");
    network.enter(at_ms(0), 1, FULL, "b");
    network.enter(at_ms(0), 1, FULL, "c");
    // At the bottleneck at 2.1, 2.1 and 2.2 ms; the third finds one in transmission and one that waits.
    assert_eq!(network.wake_at(), Instant::from_micros(2_100 + 12_000), "no sooner than over the bottleneck's and the last link's delay");
    network.advance(at_ms(5));
    assert_eq!(network.queue_packets(0), 0);
    let left = all(&mut network);
    assert_eq!((left[0].cargo, left[0].at, left[0].dropped), ("c", Instant::from_micros(2_200), Some(Drop::Queue)));
    assert_eq!(left.len(), 1, "nothing has come out yet");
    assert_eq!(network.wake_at(), Instant::from_micros(2_100 + 1_000 + 10_000 + 100 + 2_000));
    network.advance(at_ms(20));
    let out: Vec<_> = all(&mut network).into_iter().map(|left| (left.cargo, left.at.0 / 1000, left.stream)).collect();
    assert_eq!(out, [("a", 15_200, 0), ("b", 16_200, 1)]);
    let stats = network.finish(at_ms(1000));
    assert_eq!((stats[0].0.bytes_sent, stats[0].0.queue_drops), (3000.0, 1));
}

#[test]
fn the_traffic_of_others_takes_its_place_and_comes_out_nowhere() {
    // Full packets at 6 Mbit/s: one every 2 ms, on the wire for 1 ms.
    let spec = TrafficSpec { sizes: Sizes::Fixed(FULL), gaps: Gaps::Constant, rate: Steps::constant(Rate::from_mbps(6.0)) };
    let others = vec![(Traffic::new(spec, Random::new(1, 2)), vec![0])];
    let mut network = Network::new(vec![bottleneck(5)], vec![vec![0]], others);
    network.enter(Instant::from_micros(4_500), 0, FULL, ());
    network.advance(at_ms(100));
    let left = all(&mut network);
    assert_eq!(left.len(), 1);
    assert_eq!(left[0].at, at_ms(16), "behind the packet of 4 ms, which is on the wire until 5");
    let stats = network.finish(at_ms(1000));
    assert!((stats[0].0.bytes_sent / (6e6 / 8.0) - 1.0).abs() < 0.01, "{}", stats[0].0.bytes_sent);
}

#[test]
fn a_fair_queue_serves_the_sparse_stream_first() {
    let managed = link(12.0, 10, QueueLimit::Packets(100), Discipline::FqCoDel(FqCoDelSpec::default()));
    let mut network = Network::new(vec![managed], vec![vec![0], vec![0]], vec![]);
    (0..10).for_each(|n| network.enter(at_ms(0), 0, FULL, n));
    network.enter(Instant::from_micros(500), 1, FULL, 99);
    network.advance(at_ms(30));
    let order: Vec<_> = all(&mut network).into_iter().map(|left| left.cargo).collect();
    assert_eq!(order[..3], [0, 99, 1]);
    assert_eq!(order.len(), 11);
}

#[test]
fn codel_gives_packets_up_and_says_which() {
    let managed = link(12.0, 0, QueueLimit::Packets(1000), Discipline::CoDel(CoDelSpec::default()));
    let mut network = Network::new(vec![managed], vec![vec![0]], vec![]);
    (0..400).for_each(|n| network.enter(at_ms(0), 0, FULL, n));
    network.advance(at_ms(1000));
    let left = all(&mut network);
    let dropped: Vec<_> = left.iter().filter(|left| left.dropped.is_some()).map(|left| left.at).collect();
    // The first after an interval in which all waited longer than the target.
    assert!(dropped[0] >= at_ms(100) && dropped[0] <= at_ms(107), "{:?}", dropped[0]);
    let mut seen: Vec<_> = left.iter().map(|left| left.cargo).collect();
    seen.sort();
    assert_eq!(seen, (0..400).collect::<Vec<_>>());
}

proptest! {
    /// What a stream alone on a link meets is what the link says, however the driver looks.
    #[test]
    fn one_stream_over_one_link_is_that_link(
        gaps in proptest::collection::vec((0u64..3_000_000, 40u64..1501), 1..200),
        looks in 1u64..20_000_000,
        other in proptest::bool::ANY,
    ) {
        let mut link = Link::watched(&bottleneck(3).spec, Random::new(1, 1), Instant::START, at_ms(1000), None);
        // A second stream that never sends makes the link a shared one.
        let routes = if other { vec![vec![0], vec![0]] } else { vec![vec![0]] };
        let mut network = Network::new(vec![bottleneck(3)], routes, vec![]);
        let (mut now, mut look, mut wanted, mut got) = (Instant::START, Instant::START, Vec::new(), Vec::new());
        for (number, (gap, size)) in gaps.into_iter().enumerate() {
            now += Span(gap);
            while look + Span(looks) < now {
                look += Span(looks);
                network.advance(look);
                got.extend(all(&mut network));
            }
            wanted.push((number, link.offer(now, Bytes(size)).map_err(|drop| (now, drop))));
            network.enter(now, 0, Bytes(size), number);
        }
        while network.wake_at() < Instant::NEVER {
            let at = network.wake_at();
            network.advance(at);
            got.extend(all(&mut network));
        }
        got.sort_by_key(|left| left.cargo);
        let got: Vec<_> = got.into_iter().map(|left| (left.cargo, left.dropped.map_or(Ok(left.at), |drop| Err((left.at, drop))))).collect();
        prop_assert_eq!(got, wanted);
    }
}
