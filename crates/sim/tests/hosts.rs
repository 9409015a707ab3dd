//! Hosts as they are: timers with a granularity, network cards that spare their host interrupts.

mod common;

use common::{Dumbbell, set, told};
use symbiosis_base::{Bytes, Instant, Span};
use symbiosis_control::params::Value;
use symbiosis_path::Impairment;
use symbiosis_run::{Outcome, Plan, Recovery};
use symbiosis_sim::{Packet, Passing, Tap, run, run_tapped};

/// When data left, and when ACKs came.
#[derive(Default)]
struct Times {
    data: Vec<Instant>,
    acks: Vec<Instant>,
}

impl Tap for Times {
    fn passes(&mut self, passing: &Passing) {
        match passing.packet {
            Packet::Data { .. } => self.data.push(passing.at),
            Packet::Ack { .. } => self.acks.push(passing.at),
        }
    }
}

fn tapped(plan: &Plan) -> (Outcome, Times) {
    let mut times = Times::default();
    (run_tapped(plan, &mut times), times)
}

/// 20 Mbit/s, 40 ms, a flow that paces, and sends pairs and streams to measure by.
fn paced() -> Dumbbell {
    let mut dumbbell = Dumbbell::new(20.0, 10, 200, 30);
    set(dumbbell.flow("symbiosis", Recovery::Sack), "measurement", Value::Word("imtcp".into()));
    dumbbell
}

/// What was paced leaves when the timer expires, in one phase, the rest when its ACK comes: nothing leaves at any other time.
#[test]
fn paced_packets_leave_when_the_timer_expires() {
    for micros in [50, 250, 1000] {
        let timer = Span::from_micros(micros);
        let mut dumbbell = paced();
        dumbbell.plan.flows[0].send_timer = timer;
        let (outcome, times) = tapped(&dumbbell.plan);
        assert_eq!(outcome.summary.flows[0].timeouts, 0, "a timeout is a time of its own");
        let used = outcome.summary.links[0].utilization;
        println!(
            "{micros} µs: {} of {} leave at other times than an ACK's; {used:.3} of the link",
            apart(&times).count(),
            times.data.len()
        );
        // A packet takes 0.6 ms: by a timer of 1 ms it mostly leaves with an ACK, to make up for the tick that was late.
        let phase = apart(&times).last().unwrap().0 % timer.0;
        assert!(apart(&times).count() > if micros == 1000 { 20 } else { 1000 });
        assert!(apart(&times).filter(|at| at.0 > 0).all(|at| at.0 % timer.0 == phase));
        assert!(used > 0.97, "{used}");
    }
    let (_, exact) = tapped(&paced().plan);
    assert!(apart(&exact).filter(|at| at.0 % 50_000 != 0).count() > 1000, "a perfect timer knows no multiples");
}

/// Data that left when no ACK came.
fn apart(times: &Times) -> impl Iterator<Item = &Instant> {
    times.data.iter().filter(|at| times.acks.binary_search(at).is_err())
}

/// A flow that never asks for a time ahead does not know of the timer.
#[test]
fn a_flow_that_does_not_pace_needs_no_timer() {
    let summary = |timer| {
        let mut dumbbell = Dumbbell::new(20.0, 10, 50, 20);
        dumbbell.flow("cubic", Recovery::Sack).send_timer = timer;
        run(&dumbbell.plan).summary
    };
    assert_eq!(summary(Span::ZERO), summary(Span::from_millis(10)));
}

/// What a timer cannot do to departures it does not do to what is known of them: K is measured, and flows share as with exact timers. They were Reno, with its queue.
#[test]
fn flows_by_coarse_timers_share_as_by_exact_ones() {
    for micros in [250, 1000, 4000] {
        let mut dumbbell = Dumbbell::new(100.0, 10, 400, 15);
        for _ in 0..4 {
            let flow = dumbbell.flow("symbiosis", Recovery::Rack);
            (flow.initial_window, flow.packet, flow.send_timer) = (10, Bytes(1500), Span::from_micros(micros));
            set(flow, "measurement", Value::Word("imtcp".into()));
        }
        let summary = run(&dumbbell.measure_from(5)).summary;
        let shares: Vec<f64> = summary.flows.iter().map(|flow| flow.throughput_mbps).collect();
        let (sum, squares) = (shares.iter().sum::<f64>(), shares.iter().map(|share| share * share).sum::<f64>());
        let (used, queue) = (summary.links[0].utilization, summary.links[0].queue_packets.mean);
        println!("{micros} µs: {shares:.1?} Mbit/s, {used:.3} of the link, {queue:.0} packets in the queue");
        assert!(sum * sum / (4.0 * squares) > 0.99 && used > 0.97, "{shares:?}, {used}");
        // θ ln 4 is 11 ms, 92 packets of 120 µs.
        assert!(queue < 120.0, "{queue}");
    }
}

/// Interrupts come at least so long after one another, and every packet has its ACK all the same.
#[test]
fn packets_that_are_seen_together_are_acknowledged_together() {
    for millis in [1, 5, 20] {
        let least = Span::from_millis(millis);
        let mut dumbbell = Dumbbell::new(20.0, 10, 200, 20);
        dumbbell.flow("cubic", Recovery::Sack).coalesce = least;
        let (outcome, times) = tapped(&dumbbell.plan);
        // ACKs follow one another on a link of 20 Mbit/s, 16 µs each, and one interrupt's are through long before the next.
        let together = Span::from_micros(16);
        let batches: Vec<&[Instant]> = times.acks.chunk_by(|a, b| *b - *a <= together).collect();
        let apart = batches.windows(2).map(|two| two[1][0] - two[0][0]).min().unwrap();
        println!("{millis} ms: {} ACKs in {} batches, at least {apart} apart", times.acks.len(), batches.len());
        assert!(apart >= least, "{millis} ms: {apart}");
        assert!(outcome.ledger.delivered - times.acks.len() as u64 <= 200, "one ACK for each packet but those on the way");
        assert!(batches.iter().map(|batch| batch.len()).max().unwrap() as f64 > 0.9 * least.secs() * 20e6 / 8.0 / 1040.0);
    }
}

/// A path that holds packets back for as long as the law would let a queue stand for: the window is CUBIC's there, and was Reno's, at a twentieth of the link.
#[test]
fn where_round_trip_times_leap_the_link_is_used_all_the_same() {
    let used = |seed, competes: bool| {
        let mut dumbbell = Dumbbell::new(100.0, 15, 400, 20);
        dumbbell.plan.seed = seed;
        dumbbell.bottleneck().jitter = Span::from_millis(10);
        let flow = dumbbell.flow("symbiosis", Recovery::Rack);
        flow.initial_window = 10;
        let given = [("measurement".into(), Value::Word("imtcp".into())), ("compete".into(), Value::Flag(competes))];
        flow.params = told(flow.cc, &given);
        run(&dumbbell.measure_from(5)).summary.links[0].utilization
    };
    for seed in 1..=3 {
        let (by_losses, by_law) = (used(seed, true), used(seed, false));
        println!("seed {seed}: {by_losses:.3}, {by_law:.3} without");
        assert!(by_losses > 0.8 && by_law < 0.5, "{by_losses}, {by_law}");
    }
}

/// Four flows by a card that hands up what came in a turn, or by ACKs for eight packets: K is known, so that they share, and leave the law's queue, θ ln 4 = 8.3 ms, with 1.7 ms for what K is taken
/// higher. Reno, which they were, leaves 20 and more.
#[test]
fn where_arrivals_are_merged_flows_share_and_leave_the_laws_queue() {
    for (millis, group) in [(1, 1), (3, 1), (0, 8)] {
        let mut dumbbell = Dumbbell::new(100.0, 10, 480, 15);
        for i in 0..4 {
            let flow = dumbbell.flow("symbiosis", Recovery::Rack);
            set(flow, "measurement", Value::Word("imtcp".into()));
            (flow.initial_window, flow.start) = (10, Instant::from_millis(150 * i));
            flow.coalesce = Span::from_millis(millis);
            if group > 1 {
                let way_back = flow.ack_route[1];
                dumbbell.plan.links[way_back].spec.impair.push(Impairment::Thinning { group, within: Span::from_millis(40) });
            }
        }
        let summary = run(&dumbbell.measure_from(8)).summary;
        let queue = summary.links[0].queue_packets.mean * 8.32e-2;
        println!(
            "{millis} ms, an ACK for {group}: Jain {:.3}, queue {queue:.1} ms, {:.3} used",
            summary.jain, summary.links[0].utilization
        );
        assert!(summary.jain > 0.98 && summary.links[0].utilization > 0.97, "{summary:?}");
        assert!((7.0..13.0).contains(&queue), "{queue} ms");
    }
}
