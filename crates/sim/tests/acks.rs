//! ACKs that share a link with the data of others: they wait, bunch, get lost, and take their part of the link.

mod common;

use common::{Dumbbell, set};
use symbiosis_base::{Bytes, Instant, Rate, Span};
use symbiosis_control::params::Value;
use symbiosis_path::{Discipline, FqCoDelSpec, Gaps, LinkSpec, QueueLimit, Sizes};
use symbiosis_run::{LinkId, Outcome, Plan, PlannedLink, Recovery};
use symbiosis_sim::{Packet, Passing, Tap, run, run_tapped};

/// The dumbbell's bottleneck eastwards, and a link of `mbps` westwards with room for `queue` packets, which the ACKs of every flow so far cross.
fn with_west(mut dumbbell: Dumbbell, mbps: f64, queue: u64) -> (Dumbbell, LinkId) {
    let limit = QueueLimit::Packets(queue);
    let spec = LinkSpec { queue: limit, ..LinkSpec::ideal(Rate::from_mbps(mbps), Span::from_millis(10)) };
    dumbbell.plan.links.push(PlannedLink { name: "west".into(), listed: true, spec });
    let west = dumbbell.plan.links.len() - 1;
    dumbbell.plan.flows.iter_mut().for_each(|flow| flow.ack_route[1] = west);
    (dumbbell, west)
}

/// A flow each way over 20 Mbit/s, whose ACKs cross the link of the other's data.
fn both_ways(cc: &str, queue: u64) -> (Dumbbell, LinkId) {
    let mut dumbbell = Dumbbell::new(20.0, 10, queue, 60);
    dumbbell.flow(cc, Recovery::Sack);
    let (mut dumbbell, west) = with_west(dumbbell, 20.0, queue);
    let back = dumbbell.flow(cc, Recovery::Sack);
    (back.route[1], back.ack_route[1]) = (west, 0);
    (dumbbell, west)
}

/// A link that carries so many ACKs a second lets so many packets a second through, or twice as many if an ACK answers two.
#[test]
fn the_rate_of_acks_is_the_rate_of_data() {
    for (delayed_ack, each) in [(false, 1.0), (true, 2.0)] {
        let mut dumbbell = Dumbbell::new(20.0, 10, 1000, 100);
        // FAST has a bounded window: Reno would grow for ever, and send two packets for each ACK.
        dumbbell.flow("fast", Recovery::Sack).delayed_ack = delayed_ack;
        // 0.1 Mbit/s: 312.5 ACKs a second, of which none is lost.
        let (dumbbell, _) = with_west(dumbbell, 0.1, 1_000_000);
        let outcome = run(&dumbbell.measure_from(50));
        let flow = &outcome.summary.flows[0];
        let wanted = each * 312.5 * 1040.0 * 8.0 / 1e6;
        println!("{each} packets an ACK: {:.4} Mbit/s, by the ACKs {wanted:.4}", flow.throughput_mbps);
        assert!((flow.throughput_mbps / wanted - 1.0).abs() < 0.01, "{flow:?}, wanted {wanted}");
        assert_eq!(outcome.summary.links[0].drops, 0, "the way of the data is idle");
        assert!(outcome.summary.links[1].utilization > 0.999);
    }
}

/// On a slow link two packets that one ACK answers arrive milliseconds apart, as kernels answer them. K is found all the same, and the queue is a few packets of
/// the hundred that the buffer holds.
#[test]
fn an_ack_for_two_packets_of_a_slow_link_hides_no_capacity() {
    for mbps in [1.0, 2.0, 3.0, 10.0] {
        let mut dumbbell = Dumbbell::new(mbps, 10, 100, 30);
        let flow = dumbbell.flow("symbiosis", Recovery::Sack);
        flow.delayed_ack = true;
        set(flow, "measurement", Value::Word("imtcp".into()));
        let outcome = run(&dumbbell.measure_from(10));
        let (used, rtt) = (outcome.summary.links[0].utilization, outcome.summary.flows[0].rtt_ms.as_ref().unwrap());
        let packets = (rtt.p50 - rtt.min) * mbps / (1040.0 * 8.0 / 1e3);
        println!("{mbps} Mbit/s: {packets:.1} packets, {used:.3} of the link");
        // Without the packet more that a window needs where each ACK answers two it would be .86 with 1 Mbit/s.
        assert!(packets < 8.0 && used > 0.99, "{packets} packets, {used}");
    }
}

/// An ACK stands for all before it, so lost ones cost little: with room for ten the queue drops ACKs, and the data go faster than with room
/// for all, where every ACK waits for all before it.
#[test]
fn lost_acks_are_made_up_for_by_later_ones() {
    let rate = |queue| {
        let mut dumbbell = Dumbbell::new(20.0, 10, 1000, 100);
        dumbbell.flow("reno", Recovery::Sack);
        let (dumbbell, _) = with_west(dumbbell, 0.1, queue);
        let outcome = run(&dumbbell.measure_from(50));
        (outcome.summary.flows[0].throughput_mbps, outcome.summary.links[1].drops)
    };
    let (all, few) = (rate(1_000_000), rate(10));
    println!("room for all: {all:?}, for ten: {few:?}");
    assert!(few.1 > 1000 && few.0 > 2.0 * all.0);
}

/// Bytes that a link sent are the data and the ACKs that crossed it, and what is dropped is one or the other.
#[test]
fn data_and_acks_share_a_link_byte_by_byte() {
    for discipline in [Discipline::DropTail, Discipline::FqCoDel(FqCoDelSpec::default())] {
        for queue in [20, 100] {
            let (mut dumbbell, west) = both_ways("reno", queue);
            [0, west].into_iter().for_each(|link| dumbbell.plan.links[link].spec.discipline = discipline);
            let mut counts = Counts::default();
            let outcome = run_tapped(&dumbbell.plan, &mut counts);
            let ledger = outcome.ledger;
            assert_eq!(ledger.sent, ledger.delivered + ledger.dropped + ledger.in_flight);
            let flows = &outcome.summary.flows;
            for (link, (here, other)) in outcome.summary.links.iter().zip([(0, 1), (1, 0)]) {
                let sent = link.utilization * 20e6 / 8.0 * outcome.summary.duration_s;
                let data = (flows[here].packets_sent - flows[here].packets_lost) as f64 * 1040.0;
                let wanted = data + counts.acks[other] as f64 * 40.0;
                // Before or behind the link at the end: at most a path and a queue full.
                assert!((sent - wanted).abs() < 400.0 * 1040.0, "{discipline:?}: {sent} bytes sent, {wanted} arrived");
                assert!(link.drops >= flows[here].packets_lost, "{link:?}");
            }
            assert!(flows.iter().all(|flow| flow.throughput_mbps > 4.0), "{flows:?}");
        }
    }
}

/// How many ACKs reached each sender, and how many of them less than half a packet's transmission after the one before.
#[derive(Default)]
struct Counts {
    acks: [u64; 2],
    bunched: [u64; 2],
    last: [Instant; 2],
}

impl Tap for Counts {
    fn passes(&mut self, passing: &Passing) {
        if let Packet::Ack { .. } = passing.packet {
            self.acks[passing.flow] += 1;
            self.bunched[passing.flow] += u64::from(passing.at - self.last[passing.flow] < Span::from_micros(208));
            self.last[passing.flow] = passing.at;
        }
    }
}

fn counted(plan: &Plan) -> (Outcome, Counts) {
    let mut counts = Counts::default();
    (run_tapped(plan, &mut counts), counts)
}

/// ACKs that wait behind data leave one after another, closer than the packets that they answer (Zhang, Shenker, Clark 1991); a queue for each stream does not bunch them.
#[test]
fn acks_behind_data_bunch_in_one_queue_and_not_in_several() {
    let share = |discipline| {
        let (mut dumbbell, west) = both_ways("reno", 100);
        [0, west].into_iter().for_each(|link| dumbbell.plan.links[link].spec.discipline = discipline);
        let (outcome, counts) = counted(&dumbbell.measure_from(20));
        let rtt = outcome.summary.flows[0].rtt_ms.clone().unwrap();
        (counts.bunched[0] as f64 / counts.acks[0] as f64, rtt.p95)
    };
    let (one, several) = (share(Discipline::DropTail), share(Discipline::FqCoDel(FqCoDelSpec::default())));
    println!("one queue: {:.3} of the ACKs bunch, RTT {:.1} ms; several: {:.3}, {:.1} ms", one.0, one.1, several.0, several.1);
    assert!(one.0 > 10.0 * several.0 && one.0 > 0.1);
    assert!(one.1 > several.1 + 10.0);
}

/// UDP keeps the queue on the way back full: an ACK that is not lost waits for all of it.
#[test]
fn a_round_trip_takes_in_the_queue_on_the_way_back() {
    let mut dumbbell = Dumbbell::new(20.0, 10, 100, 60);
    dumbbell.flow("vegas", Recovery::Sack);
    let (mut dumbbell, west) = with_west(dumbbell, 20.0, 100);
    dumbbell.udp(Sizes::Fixed(Bytes(1040)), Gaps::Constant, &[(0, 22.0)]);
    dumbbell.plan.cross[0].route = vec![west];
    let (outcome, counts) = counted(&dumbbell.measure_from(20));
    let rtt = outcome.summary.flows[0].rtt_ms.clone().unwrap();
    // Propagation; a packet on links of 40, 20 and 40 Mbit/s, and an ACK at 20 Mbit/s behind 100 packets, one in transmission.
    let full = 40.0 + 0.208 + 0.416 + 0.208 + 100.0 * 0.416;
    println!("RTT {rtt:?}, with a full queue {full:.2} ms; {} ACKs", counts.acks[0]);
    // An ACK among those that wait is shorter by 0.4 ms; a packet behind another of its flow waits for it.
    assert!((rtt.p50 - full).abs() < 1.0, "{rtt:?}");
    assert!(outcome.ledger.delivered > counts.acks[0], "ACKs are lost");
}

/// Receivers that delay ACKs keep the answer to a single packet for 40 ms. In the round-trip times of a flow with a small share that would be a queue, and beside CUBIC it
/// would keep that share: with 20 ms and four BDPs of buffer .04 or .05 of CUBIC's in three of these six starts.
#[test]
fn beside_cubic_a_delayed_ack_is_no_queue() {
    let mut shares: Vec<f64> = (1..=6)
        .map(|seed| {
            let mut dumbbell = Dumbbell::new(50.0, 0, 480, 80);
            for (cc, start) in [("cubic", 0), ("symbiosis", 300 + 37 * seed)] {
                let flow = dumbbell.flow(cc, Recovery::Sack);
                (flow.start, flow.delayed_ack) = (Instant::from_millis(start), true);
                if cc == "symbiosis" {
                    set(flow, "measurement", Value::Word("imtcp".into()));
                }
            }
            let flows = run(&dumbbell.measure_from(20)).summary.flows;
            flows[1].throughput_mbps / flows[0].throughput_mbps
        })
        .collect();
    shares.sort_by(f64::total_cmp);
    println!("share over CUBIC's: {shares:.2?}");
    assert!(shares[0] > 0.3, "{shares:?}");
}
