//! What active queue management promises: a short queue that is busy, equal shares, peace from those who do not yield.

mod common;

use common::Dumbbell;
use symbiosis_base::{Bytes, Instant, Span};
use symbiosis_path::{CoDelSpec, Discipline, FqCoDelSpec, Gaps, QueueLimit, Sizes};
use symbiosis_run::{Plan, Recovery, Summary};
use symbiosis_sim::run;

const CODEL: Discipline = Discipline::CoDel(CoDelSpec { target: Span::from_millis(5), interval: Span::from_millis(100) });
const FQ_CODEL: Discipline = Discipline::FqCoDel(FqCoDelSpec {
    codel: CoDelSpec { target: Span::from_millis(5), interval: Span::from_millis(100) },
    flows: 1024,
    quantum: Bytes(1500),
});

/// 20 Mbit/s with a base RTT of 40 ms and far more room than anybody needs.
fn dumbbell(discipline: Discipline) -> Dumbbell {
    let mut dumbbell = Dumbbell::new(20.0, 10, 2000, 60);
    dumbbell.bottleneck().discipline = discipline;
    dumbbell
}

/// The mean wait at the bottleneck \[ms\], by Little: packets of 1040 bytes.
fn wait(summary: &Summary) -> f64 {
    let link = &summary.links[0];
    link.queue_packets.mean / (link.utilization * 20e6 / 8.0 / 1040.0) * 1e3
}

/// Reno alone: its window `w` grows by a packet each round trip until packets have waited the target for an interval. The drop is noticed a
/// round trip later, and the window is halved, to less than the path holds: a short queue costs a single flow some of the link.
#[test]
fn one_reno_flow_under_codel_has_the_sawtooth_that_follows_from_both() {
    let mut dumbbell = dumbbell(CODEL);
    dumbbell.flow("reno", Recovery::Sack);
    dumbbell.plan.duration = Span::from_millis(200_000);
    dumbbell.plan.measure_to = dumbbell.plan.end();
    let summary = run(&dumbbell.measure_from(20)).summary;
    let per_second = 20e6 / 8.0 / 1040.0;
    // Propagation, and transmissions on links of 20 and of 40 Mbit/s, of the packet and its ACK.
    let base = 0.040 + 1.04 * (1.0 / per_second) * 2.0;
    let (holds, at_target) = (base * per_second, 0.005 * per_second);
    let most = holds + at_target + 0.100 / (base + 0.005) + 1.0;
    let (filling, waiting) = (holds - most / 2.0, most - holds);
    let spans = [filling * base, waiting * (base + waiting / 2.0 / per_second)];
    let used = (spans[0] * (most / 2.0 + holds) / 2.0 / holds + spans[1]) / (spans[0] + spans[1]);
    let link = &summary.links[0];
    println!("used {:.4}, theory {used:.4}; longest queue {}, theory {waiting:.1}", link.utilization, link.queue_packets.max);
    assert!((link.utilization / used - 1.0).abs() < 0.02, "{link:?}, theory {used}");
    assert!((link.queue_packets.max - waiting).abs() < 3.0, "{link:?}, theory {waiting}");
    let episodes = 180.0 / (spans[0] + spans[1]);
    println!("{} drops, theory {episodes:.1}", link.drops);
    assert!((link.drops as f64 / episodes - 1.0).abs() < 0.1, "{link:?}, theory {episodes}");
}

/// RFC 8289 §3: the wait is held about the target, whatever the room, and the link stays busy; more drops are needed, and the wait is
/// longer, the fewer packets a flow has in flight. Drop-tail fills the room: 2000 packets are 832 ms.
#[test]
fn codel_keeps_the_wait_about_its_target() {
    for flows in [4, 6, 8] {
        let mut runs = [CODEL, Discipline::DropTail].into_iter().map(|discipline| {
            let mut dumbbell = dumbbell(discipline);
            (0..flows).for_each(|_| _ = dumbbell.flow("reno", Recovery::Sack));
            run(&dumbbell.measure_from(20)).summary
        });
        let (codel, tail) = (runs.next().unwrap(), runs.next().unwrap());
        println!("{flows} flows: {:.2} ms at {:.4}, drop-tail {:.0} ms", wait(&codel), codel.links[0].utilization, wait(&tail));
        assert!((2.5..10.0).contains(&wait(&codel)), "{flows} flows wait {} ms", wait(&codel));
        assert!(codel.links[0].utilization > 0.95 && codel.links[0].drops > 0, "{:?}", codel.links[0]);
        assert!(wait(&tail) > 400.0);
    }
}

/// What the queue gives up is what the flows lose.
#[test]
fn drops_of_codel_are_counted_where_they_happen() {
    for discipline in [CODEL, FQ_CODEL] {
        let mut dumbbell = dumbbell(discipline);
        dumbbell.flow("reno", Recovery::Sack);
        dumbbell.flow("cubic", Recovery::Sack);
        let outcome = run(&dumbbell.plan);
        let lost: u64 = outcome.summary.flows.iter().map(|flow| flow.packets_lost).sum();
        assert_eq!(outcome.summary.links[0].drops, lost);
        assert_eq!(outcome.ledger.dropped, lost);
        assert!(lost > 20);
    }
}

/// Two flows whose base RTTs are 40 and 120 ms.
fn unequal(cc: &str, discipline: Discipline, seed: u64) -> Summary {
    let mut dumbbell = dumbbell(discipline);
    dumbbell.plan.seed = seed;
    dumbbell.flow(cc, Recovery::Sack);
    let second = dumbbell.flow(cc, Recovery::Sack);
    second.start = Instant::from_millis(137 * seed);
    let far = second.route[0];
    dumbbell.plan.links[far].spec.delay = Span::from_millis(85);
    run(&dumbbell.measure_from(20)).summary
}

/// FQ-CoDel shares by turns, so a short round trip buys nothing: the far flow has less only by what it cannot use of its half, because each
/// drop takes 30 % of a window that the path just holds. In one queue Reno's window grows as fast for three times less data a second:
/// the near flow has more, and more than a queue of its own would let it have.
#[test]
fn fq_codel_gives_equal_shares_to_unequal_round_trips() {
    for seed in 1..=10 {
        let fair = unequal("cubic", FQ_CODEL, seed);
        println!("seed {seed}: Jain {:.4}, {:.4} used, waits {:.2} ms", fair.jain, fair.links[0].utilization, wait(&fair));
        assert!(fair.jain > 0.99, "{:?}", fair.flows.iter().map(|flow| flow.throughput_mbps).collect::<Vec<_>>());
        assert!(fair.links[0].utilization > 0.95);
        let ratio = |discipline| {
            let flows = unequal("reno", discipline, seed).flows;
            flows[0].throughput_mbps / flows[1].throughput_mbps
        };
        let (turns, one_queue) = (ratio(FQ_CODEL), ratio(CODEL));
        println!("    Reno: {turns:.2} times as much for the near flow, in one queue {one_queue:.2}");
        assert!(turns < 1.5 && one_queue > 1.5, "{turns}, {one_queue}");
    }
}

/// A CUBIC flow beside UDP of 1.5 times the link's rate.
fn flooded(discipline: Discipline, seed: u64) -> Plan {
    let mut dumbbell = dumbbell(discipline);
    dumbbell.plan.seed = seed;
    dumbbell.flow("cubic", Recovery::Sack).start = Instant::from_millis(137 * seed);
    dumbbell.udp(Sizes::Fixed(Bytes(1040)), Gaps::Constant, &[(0, 30.0)]);
    dumbbell.measure_from(20)
}

/// Who does not yield has a queue of his own to fill: the other keeps nearly his half. Drop-tail leaves nothing of it.
#[test]
fn fq_codel_isolates_a_flood() {
    for seed in 1..=10 {
        let plan = flooded(FQ_CODEL, seed);
        let limit = plan.links[0].spec.queue;
        let summary = run(&plan).summary;
        let (flow, link) = (&summary.flows[0], &summary.links[0]);
        println!("seed {seed}: {:.2} of 20 Mbit/s, {} lost, queue {}", flow.throughput_mbps, flow.packets_lost, link.queue_packets.max);
        assert!(flow.throughput_mbps > 0.9 * 10.0 && flow.throughput_mbps < 1.01 * 10.0, "{flow:?}");
        assert!(link.utilization > 0.999);
        assert_eq!(limit, QueueLimit::Packets(link.queue_packets.max as u64), "the flood fills what room there is");
    }
    assert!(run(&flooded(Discipline::DropTail, 1)).summary.flows[0].throughput_mbps < 1.0);
}
