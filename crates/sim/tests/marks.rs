//! Congestion marks: they take the place of drops, come back, and are answered. And what the queues that make them promise.

mod common;

use common::Dumbbell;
use symbiosis_base::{Bytes, Span};
use symbiosis_control::params::Values;
use symbiosis_control::registry::{Entry, Feedback, Recovery};
use symbiosis_control::{AckProcessed, Acked, Ask, Controller, Lost, Permit};
use symbiosis_path::{CakeSpec, CoDelSpec, Discipline, DualPi2Spec, FqCoDelSpec, FqPieSpec, PieSpec, RedSpec};
use symbiosis_run::{EcnMode, Summary};
use symbiosis_sim::run;

/// 20 Mbit/s with a base RTT of 40 ms and far more room than anybody needs.
fn dumbbell(discipline: Discipline) -> Dumbbell {
    let mut dumbbell = Dumbbell::new(20.0, 10, 2000, 60);
    dumbbell.bottleneck().discipline = discipline;
    dumbbell
}

/// The mean wait at the bottleneck \[ms\], by Little.
fn wait(summary: &Summary) -> f64 {
    let link = &summary.links[0];
    link.queue_packets.mean / (link.utilization * 20e6 / 8.0 / 1040.0) * 1e3
}

fn all() -> [Discipline; 7] {
    [
        Discipline::CoDel(CoDelSpec::default()),
        Discipline::FqCoDel(FqCoDelSpec::default()),
        Discipline::Pie(PieSpec::default()),
        Discipline::FqPie(FqPieSpec::default()),
        Discipline::Red(RedSpec { min: 25.0, max: 75.0, ..RedSpec::default() }),
        Discipline::DualPi2(DualPi2Spec::default()),
        Discipline::Cake(CakeSpec::default()),
    ]
}

#[test]
fn what_can_be_marked_is_not_dropped() {
    for discipline in all() {
        for ecn in [EcnMode::Classic, EcnMode::Accurate] {
            let mut dumbbell = dumbbell(discipline);
            for cc in ["cubic", "reno"] {
                dumbbell.flow(cc, Recovery::Rack).hosts.ecn = ecn;
            }
            let outcome = run(&dumbbell.measure_from(20));
            let (link, flows) = (&outcome.summary.links[0], &outcome.summary.flows);
            println!(
                "{discipline:?}, {ecn:?}: {} marks, {} drops, {:.3} used, waits {:.1} ms",
                link.marks,
                link.drops,
                link.utilization,
                wait(&outcome.summary)
            );
            assert!(link.marks > 20 && link.drops == 0, "{discipline:?}: {link:?}");
            assert!(flows.iter().all(|flow| flow.loss_events > 5 && flow.retransmissions == 0), "{flows:?}");
            assert!(link.utilization > 0.85 && wait(&outcome.summary) < 30.0, "{discipline:?}: {link:?}");
            let ledger = outcome.ledger;
            assert_eq!(ledger.sent + ledger.duplicated, ledger.delivered + ledger.dropped + ledger.in_flight);
        }
        let mut deaf = dumbbell(discipline);
        deaf.flow("cubic", Recovery::Rack);
        let link = run(&deaf.measure_from(20)).summary.links[0].clone();
        assert!(link.marks == 0 && link.drops > 5, "{discipline:?}: {link:?}");
    }
}

/// RFC 8033 §4.2, RFC 9332 §2.5: the wait is held at 15 ms whatever the number of flows.
#[test]
fn pie_and_dualpi2_hold_their_target() {
    for discipline in [Discipline::Pie(PieSpec::default()), Discipline::DualPi2(DualPi2Spec::default())] {
        for flows in [5, 20] {
            let mut dumbbell = dumbbell(discipline);
            (0..flows).for_each(|_| _ = dumbbell.flow("reno", Recovery::Rack));
            let summary = run(&dumbbell.measure_from(20)).summary;
            println!("{discipline:?} {flows}: waits {:.2} ms, {:.4} used", wait(&summary), summary.links[0].utilization);
            assert!((10.0..20.0).contains(&wait(&summary)), "{flows} flows wait {} ms", wait(&summary));
            assert!(summary.links[0].utilization > 0.97);
        }
    }
}

/// A scalable law: a packet a round trip more, half a packet less for each mark (RFC 9330 §1.1; DCTCP in its equilibrium).
#[derive(Clone)]
struct Scalable {
    window: f64,
    packet: Bytes,
    slow_start: bool,
}

impl Controller for Scalable {
    fn acked(&mut self, ack: &Acked) {
        if ack.grows {
            self.window += if self.slow_start { 1.0 } else { 1.0 / self.window };
        }
    }

    fn lost(&mut self, _loss: &Lost) {
        (self.window, self.slow_start) = ((self.window / 2.0).max(2.0), false);
    }

    fn ack_processed(&mut self, ack: &AckProcessed) {
        let marks = ack.ecn.map_or(0, |counts| counts.ce);
        if marks > 0 {
            self.slow_start = false;
            self.window = (self.window - 0.5 * marks as f64).max(2.0);
        }
    }

    fn permit(&self, _ask: &Ask) -> Permit {
        Permit::window(Bytes::from_f64(self.window * self.packet.as_f64()))
    }
}

const SCALABLE: Entry = Entry {
    name: "scalable-law",
    about: "for this test",
    params: &[],
    recovery: Recovery::Rack,
    feedback: Feedback::Acks,
    build: |setup, _| Box::new(Scalable { window: 10.0, packet: setup.packet, slow_start: true }),
};

/// RFC 9332 §2.1: the coupling gives a scalable flow and Reno the same rate, while the scalable one's packets hardly wait.
#[test]
fn dualpi2_couples_scalable_flows_and_reno() {
    let mut dumbbell = dumbbell(Discipline::DualPi2(DualPi2Spec::default()));
    dumbbell.flow("reno", Recovery::Rack);
    let scalable = dumbbell.flow("reno", Recovery::Rack);
    (scalable.cc, scalable.params) = (&SCALABLE, Values::resolve(&[], &[]).unwrap());
    scalable.hosts.ecn = EcnMode::L4s;
    let summary = run(&dumbbell.measure_from(20)).summary;
    let [reno, l4s] = &summary.flows[..] else { unreachable!("two flows") };
    let ratio = l4s.throughput_mbps / reno.throughput_mbps;
    let rtt = |flow: &symbiosis_run::FlowSummary| flow.rtt_ms.clone().map_or(0.0, |rtt| rtt.p50);
    println!("ratio {ratio:.2}, RTT {:.1} and {:.1} ms, {:.3} used", rtt(l4s), rtt(reno), summary.links[0].utilization);
    assert!((0.5..2.0).contains(&ratio), "{ratio}");
    assert!(rtt(l4s) < 44.0 && rtt(reno) > 48.0, "{} and {}", rtt(l4s), rtt(reno));
    assert!(summary.links[0].utilization > 0.97);
}

/// One flow of one host beside four of another: CAKE gives each host its half, FQ-CoDel each flow its fifth.
#[test]
fn a_queue_like_cake_shares_between_hosts() {
    for (discipline, expected) in [(Discipline::Cake(CakeSpec::default()), 0.5), (Discipline::FqCoDel(FqCoDelSpec::default()), 0.2)] {
        let mut dumbbell = dumbbell(discipline);
        for index in 0..5 {
            dumbbell.flow("cubic", Recovery::Rack).hosts.address = Some(u64::from(index > 0));
        }
        let flows = run(&dumbbell.measure_from(20)).summary.flows;
        let share = flows[0].throughput_mbps / flows.iter().map(|flow| flow.throughput_mbps).sum::<f64>();
        assert!((share - expected).abs() < 0.05, "{discipline:?}: {share}");
    }
}

/// GRO: one ACK for what is seen together, so a window grows for two packets of each unless the host counts all of them.
#[test]
fn merged_arrivals_share_an_ack() {
    let done = |gro, limit| {
        let mut dumbbell = Dumbbell::new(100.0, 40, 4000, 20);
        let flow = dumbbell.flow("reno", Recovery::Rack);
        (flow.bytes, flow.coalesce) = (Some(Bytes(1_000_000)), Span::from_millis(2));
        (flow.hosts.gro_packets, flow.hosts.growth_limit) = (gro, limit);
        run(&dumbbell.measure_from(0)).summary.flows[0].completion_s.unwrap()
    };
    let (apart, together, counted) = (done(0, None), done(64, None), done(64, Some(64)));
    assert!(together > 1.2 * apart && counted < 1.05 * apart, "{apart}, {together}, {counted}");
}
