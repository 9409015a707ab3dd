//! Small plans of every kind: whatever a scenario may ask for, at random.

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use symbiosis_base::{Bytes, Instant, Rate, Span};
use symbiosis_control::params::Values;
use symbiosis_control::registry;
use symbiosis_path::{
    CakeSpec, CoDelSpec, Discipline, DualPi2Spec, FqCoDelSpec, FqPieSpec, Gaps, Impairment, LinkSpec, OnOff, PieSpec, QueueLimit, RateSpec,
    RedSpec, Sizes, Steps, Trace, TrafficSpec, Wifi,
};
use symbiosis_run::{CrossPlan, EcnMode, FlowPlan, Hosts, LinkId, Plan, PlannedLink, Recovery};

/// Four seconds and a bit: nothing that goes by whole milliseconds happens at the very end.
pub const DURATION: Span = Span(4_000_000_007);

fn ms(from: u64, to: u64) -> impl Strategy<Value = Span> {
    (from..to).prop_map(Span::from_millis)
}

/// Rates from 0.3 to 20 Mbit/s.
fn rate() -> impl Strategy<Value = Rate> {
    (0.3f64..20.0).prop_map(Rate::from_mbps)
}

/// Steps at random instants, some of them to nothing, the last perhaps for ever.
fn steps() -> impl Strategy<Value = Steps> {
    let step = (1..1500u64, prop_oneof![3 => rate(), 1 => Just(Rate::ZERO)]);
    (prop_oneof![5 => rate(), 1 => Just(Rate::ZERO)], vec(step, 0..5)).prop_map(|(first, more)| {
        let mut at = 0;
        let later = more.into_iter().map(|(after, rate)| {
            at += after;
            (Instant::from_millis(at), rate)
        });
        Steps::new(&[(Instant::START, first)].into_iter().chain(later).collect::<Vec<_>>())
    })
}

fn trace() -> impl Strategy<Value = Trace> {
    vec(0..20u64, 1..60).prop_map(|gaps| {
        let mut at = 0;
        let lines: Vec<String> = gaps
            .into_iter()
            .map(|gap| {
                // Half of the opportunities share their millisecond with the one before.
                at += gap.saturating_sub(10);
                at.to_string()
            })
            .collect();
        Trace::parse(&(lines.join("\n") + &format!("\n{}\n", at + 1))).unwrap()
    })
}

fn queue() -> impl Strategy<Value = QueueLimit> {
    prop_oneof![
        3 => (0..40u64).prop_map(QueueLimit::Packets),
        2 => (0..40_000u64).prop_map(|bytes| QueueLimit::Bytes(Bytes(bytes))),
        1 => Just(QueueLimit::Unlimited),
    ]
}

fn link() -> impl Strategy<Value = LinkSpec> {
    let wifi = (rate(), ms(0, 5), 1..20_000u64);
    let rate = prop_oneof![
        3 => rate().prop_map(RateSpec::Constant),
        1 => steps().prop_map(RateSpec::Steps),
        1 => trace().prop_map(RateSpec::Trace),
        1 => wifi.prop_map(|(phy, access, aggregate)| RateSpec::Wifi(Wifi { phy, access, aggregate: Bytes(aggregate) })),
    ];
    let loss = prop_oneof![1 => Just(0.0), 1 => 0.0..0.1];
    let jitter = prop_oneof![2 => Just(Span::ZERO), 1 => ms(1, 6)];
    (rate, ms(0, 40), queue(), discipline(), loss, jitter, impair()).prop_map(|(rate, delay, queue, discipline, loss, jitter, impair)| {
        LinkSpec { rate, delay, queue, discipline, loss, jitter, impair }
    })
}

/// Up to three stages of every kind; none on half of the links.
fn impair() -> impl Strategy<Value = Vec<Impairment>> {
    let (share, again) = (|| 0.0..0.2f64, || option::of(ms(300, 1000)));
    let stage = prop_oneof![
        (1.0..200.0f64, 1.0..10.0f64, share(), 0.0..1.0f64).prop_map(|(good_packets, bad_packets, good_loss, bad_loss)| {
            Impairment::GilbertElliott { good_packets, bad_packets, good_loss, bad_loss }
        }),
        (0.0..1e-5f64).prop_map(|per_bit| Impairment::Corruption { per_bit }),
        (share(), ms(0, 40)).prop_map(|(probability, by)| Impairment::Reordering { probability, by }),
        (share(), ms(0, 40)).prop_map(|(probability, by)| Impairment::Duplication { probability, by }),
        (rate(), 1500..30_000u64).prop_map(|(rate, burst)| Impairment::Policer { rate, burst: Bytes(burst) }),
        (ms(0, 2000), ms(0, 40), again()).prop_map(|(at, delay, every)| {
            Impairment::Delay { steps: vec![(Instant::START, delay), (Instant::after(at).saturating_add(Span(1)), Span::ZERO)], every }
        }),
        (ms(0, 2000), ms(0, 250), again()).prop_map(|(at, lasts, every)| Impairment::Outage { at: Instant::after(at), lasts, every }),
        ms(1, 20).prop_map(|every| Impairment::Aggregation { every }),
        (1..6u64, ms(1, 20)).prop_map(|(group, within)| Impairment::Thinning { group, within }),
    ];
    prop_oneof![1 => Just(Vec::new()), 1 => vec(stage, 1..4)]
}

/// What hosts may do beside: nothing in half of the cases.
fn hosts() -> impl Strategy<Value = Hosts> {
    let ecn = prop_oneof![Just(EcnMode::Off), Just(EcnMode::Classic), Just(EcnMode::Accurate), Just(EcnMode::L4s)];
    let some = (ecn, 0..20u64, 0..20u64, 0..20u64, ms(0, 3), option::of(1..50u32), option::of(ms(20, 1500)), any::<bool>()).prop_map(
        |(ecn, quick_acks, gso_packets, gro_packets, catch_up, growth_limit, every, keeps_idle_window)| Hosts {
            ecn,
            quick_acks,
            gso_packets,
            gro_packets,
            catch_up,
            growth_limit,
            every,
            keeps_idle_window,
            address: None,
        },
    );
    prop_oneof![1 => Just(Hosts::default()), 1 => some]
}

/// Half of the links are drop-tail; the others drop early, and some streams share a queue.
fn discipline() -> impl Strategy<Value = Discipline> {
    let codel = || (ms(0, 8), ms(1, 40)).prop_map(|(target, interval)| CoDelSpec { target, interval });
    let fair = (codel(), 1..8usize, 1..3000u64).prop_map(|(codel, flows, quantum)| FqCoDelSpec { codel, flows, quantum: Bytes(quantum) });
    let pie = || (ms(0, 20), ms(1, 20)).prop_map(|(target, update)| PieSpec { target, update });
    let fq_pie = (pie(), 1..8usize, 1..3000u64).prop_map(|(pie, flows, quantum)| FqPieSpec { pie, flows, quantum: Bytes(quantum) });
    let red = (0.0..10.0f64, 0.1..20.0f64, 0.01..1.0f64, 1e-3..1.0f64).prop_map(|(min, above, probability, weight)| RedSpec {
        min,
        max: min + above,
        probability,
        weight,
    });
    let dual = (ms(0, 20), ms(0, 3)).prop_map(|(target, step)| DualPi2Spec { target, step });
    let cake = (codel(), 1..3000u64).prop_map(|(codel, quantum)| CakeSpec { codel, quantum: Bytes(quantum) });
    prop_oneof![
        7 => Just(Discipline::DropTail),
        1 => codel().prop_map(Discipline::CoDel),
        1 => fair.prop_map(Discipline::FqCoDel),
        1 => pie().prop_map(Discipline::Pie),
        1 => fq_pie.prop_map(Discipline::FqPie),
        1 => red.prop_map(Discipline::Red),
        1 => dual.prop_map(Discipline::DualPi2),
        1 => cake.prop_map(Discipline::Cake),
    ]
}

/// A flow, its two links of its own (there and back), and which of the shared links its data and its ACKs cross.
#[derive(Clone, Debug)]
struct FlowDraw {
    flow: FlowPlan,
    own: [LinkSpec; 2],
    data: &'static [LinkId],
    acks: &'static [LinkId],
}

fn flow() -> impl Strategy<Value = FlowDraw> {
    let recovery =
        prop_oneof![Just(Recovery::Reno), Just(Recovery::NewReno), Just(Recovery::Sack), Just(Recovery::Rack), Just(Recovery::RateHalving)];
    // One bottleneck, the other, both in series, or none but the slow link that others' ACKs cross.
    let data = prop_oneof![Just(&[0usize][..]), Just(&[1][..]), Just(&[0, 1][..]), Just(&[2][..]), Just(&[][..])];
    let acks = prop_oneof![2 => Just(&[][..]), 2 => Just(&[2][..]), 1 => Just(&[1][..])];
    let times = (ms(0, 2000), option::of(ms(0, 4000)), option::of(1..300_000u64));
    let ends = (any::<bool>(), any::<bool>(), 1..12u64, prop_oneof![Just(1040u64), Just(1500)], prop_oneof![Just(200u64), Just(1000)]);
    let own = [ms(0, 30), ms(0, 30)].prop_map(|delays| delays.map(|delay| LinkSpec::ideal(Rate::from_mbps(50.0), delay)));
    let micros = |most: u64| prop_oneof![2 => Just(Span::ZERO), 1 => (1..most).prop_map(Span::from_micros)];
    let host = (micros(2000), micros(20_000), hosts());
    (0..registry::ALL.len(), recovery, times, ends, host, own, data, acks).prop_map(|(cc, recovery, times, ends, host, own, data, acks)| {
        let cc = &registry::ALL[cc];
        let flow = FlowPlan {
            id: cc.name.into(),
            cc,
            params: Values::resolve(cc.params, &[]).unwrap(),
            start: Instant::after(times.0),
            stop: times.1.map_or(Instant::NEVER, Instant::after),
            bytes: times.2.map(Bytes),
            packet: Bytes(ends.3),
            header: Bytes(40),
            ack: Bytes(40),
            initial_window: ends.2,
            recovery,
            delayed_ack: ends.0,
            ack_delay: Span::from_millis(40),
            min_rto: Span::from_millis(ends.4),
            receiver_times: ends.1,
            send_timer: host.0,
            coalesce: host.1,
            hosts: host.2,
            route: Vec::new(),
            ack_route: Vec::new(),
        };
        FlowDraw { flow, own, data, acks }
    })
}

fn cross() -> impl Strategy<Value = CrossPlan> {
    let sizes = prop_oneof![Just(Sizes::Internet), (40..1500u64).prop_map(|size| Sizes::Fixed(Bytes(size)))];
    let bursts = (ms(1, 300), ms(1, 300)).prop_map(|(on, off)| Gaps::ParetoOnOff(OnOff { on, off, shape: 1.5 }));
    let gaps = prop_oneof![Just(Gaps::Constant), Just(Gaps::Exponential), bursts];
    let route = prop_oneof![Just(vec![0]), Just(vec![1, 0]), Just(vec![2])];
    (sizes, gaps, steps(), route).prop_map(|(sizes, gaps, rate, route)| CrossPlan { traffic: TrafficSpec { sizes, gaps, rate }, route })
}

/// Three links that flows may share, and one to four flows.
pub fn plan() -> impl Strategy<Value = Plan> {
    let window = prop_oneof![2 => Just((Span::ZERO, DURATION)), 1 => (ms(0, 2000), ms(2000, 4000))];
    (any::<u64>(), window, [link(), link(), link()], vec(flow(), 1..5), vec(cross(), 0..3)).prop_map(
        |(seed, window, links, draws, cross)| {
            let listed = |(at, spec): (usize, LinkSpec)| PlannedLink { name: format!("link {at}"), listed: true, spec };
            let mut links: Vec<PlannedLink> = links.into_iter().enumerate().map(listed).collect();
            let mut own = |spec: LinkSpec| {
                links.push(PlannedLink { name: "own".into(), listed: false, spec });
                links.len() - 1
            };
            let flows = draws
                .into_iter()
                .map(|draw| {
                    let [there, back] = draw.own.map(&mut own);
                    let route = [there].into_iter().chain(draw.data.iter().copied()).collect();
                    let ack_route = draw.acks.iter().copied().chain([back]).collect();
                    FlowPlan { route, ack_route, ..draw.flow }
                })
                .collect();
            let (measure_from, measure_to) = (Instant::after(window.0), Instant::after(window.1));
            Plan { name: "any".into(), duration: DURATION, seed, measure_from, measure_to, sample_every: None, links, flows, cross }
        },
    )
}
