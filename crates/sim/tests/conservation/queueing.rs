//! Identities of queueing theory, which hold for any queue and know nothing of how this one is computed.

use symbiosis_base::{Bytes, Instant, Random, Rate, Span};
use symbiosis_path::{Gaps, Link, LinkSpec, QueueLimit, Sizes, Steps, Traffic, TrafficSpec};
use symbiosis_run::Recovery;
use symbiosis_sim::run;

use crate::common::Dumbbell;

/// 12 Mbit/s: 1000 packets of 1500 bytes a second.
const MBPS: f64 = 12.0;
const PACKET: Bytes = Bytes(1500);

/// A link that UDP of constant size loads to `rho`; mean and maximum of the packets that wait.
fn udp_alone(gaps: Gaps, rho: f64, seed: u64, seconds: u64) -> (f64, f64) {
    let mut dumbbell = Dumbbell::new(MBPS, 10, u64::MAX, seconds);
    dumbbell.plan.seed = seed;
    dumbbell.udp(Sizes::Fixed(PACKET), gaps, &[(0, rho * MBPS)]);
    // A tenth is enough for the queue to forget that it began empty.
    let queue = run(&dumbbell.measure_from(seconds / 10)).summary.links.remove(0).queue_packets;
    (queue.mean, queue.max)
}

/// Pollaczek and Khinchine: in an M/D/1 queue ρ²/(2(1−ρ)) packets wait.
#[test]
fn poisson_packets_of_one_size_wait_as_in_m_d_1() {
    for (rho, seconds) in [(0.5, 50), (0.8, 200), (0.9, 500)] {
        let runs = 12;
        let means: Vec<f64> = (0..runs).map(|seed| udp_alone(Gaps::Exponential, rho, seed, seconds).0).collect();
        let mean = means.iter().sum::<f64>() / runs as f64;
        let error = (means.iter().map(|m| (m - mean).powi(2)).sum::<f64>() / (runs * (runs - 1)) as f64).sqrt();
        let wanted = rho * rho / (2.0 * (1.0 - rho));
        println!("ρ = {rho}: {mean:.4} ± {error:.4} wait, M/D/1 {wanted:.4}");
        assert!(error < 0.02 * wanted, "too few packets to tell");
        assert!((mean - wanted).abs() < 4.0 * error, "ρ = {rho}: {mean} ± {error} wait, M/D/1 {wanted}");
    }
}

#[test]
fn evenly_spaced_packets_never_wait() {
    for rho in [0.5, 0.9, 1.0] {
        assert_eq!(udp_alone(Gaps::Constant, rho, 1, 20), (0.0, 0.0), "ρ = {rho}");
    }
}

/// Little: the packets that wait, over time, are the rate of arrivals times the mean wait. Here to rounding, over a whole busy time.
#[test]
fn the_queue_is_the_throughput_times_the_wait() {
    let end = Instant::from_millis(100_000);
    let spec = LinkSpec { queue: QueueLimit::Packets(20), ..LinkSpec::ideal(Rate::from_mbps(MBPS), Span::from_millis(10)) };
    let mut link = Link::watched(&spec, Random::new(1, 1), Instant::START, end, None);
    let rate = Steps::new(&[(Instant::START, Rate::from_mbps(1.5 * MBPS)), (Instant::from_millis(90_000), Rate::ZERO)]);
    let load = TrafficSpec { sizes: Sizes::Internet, gaps: Gaps::Exponential, rate };
    let (mut waits, mut served) = (0.0, 0);
    for (at, size) in Traffic::new(load, Random::new(1, 2)) {
        if let Ok(out) = link.offer(at, size) {
            waits += ((out - spec.delay) - at).secs() - Rate::from_mbps(MBPS).time_for(size).secs();
            served += 1;
        }
    }
    let (stats, _) = link.finish(end);
    let (throughput, wait) = (served as f64 / end.secs(), waits / served as f64);
    assert!(stats.queue_drops > 1000 && stats.queue_mean > 5.0, "a saturated link: {stats:?}");
    assert!((stats.queue_mean - throughput * wait).abs() < 1e-3 * stats.queue_mean, "{stats:?}, but {}", throughput * wait);
}

/// A window in a standing queue is rate times round-trip time, the queue what the pipe does not hold, and the wait the queue's.
#[test]
fn in_a_standing_queue_window_rate_and_delay_agree() {
    for flows in [1, 3] {
        // FAST keeps a queue of its own choice, so nothing moves.
        let mut dumbbell = Dumbbell::new(MBPS, 30, u64::MAX, 120);
        dumbbell.plan.sample_every = Some(Span::from_millis(97));
        for _ in 0..flows {
            dumbbell.flow("fast", Recovery::Sack);
        }
        let outcome = run(&dumbbell.measure_from(60));
        let packet = 1040.0 * 8.0 / 1e6;
        let link = &outcome.summary.links[0];
        let mut in_flight = 0.0;
        for (flow, trace) in outcome.summary.flows.iter().zip(&outcome.flow_traces) {
            let late: Vec<_> = trace.iter().filter(|s| s.at.secs() > 60.0).collect();
            let mean = |value: fn(&symbiosis_run::FlowSample) -> f64| late.iter().map(|s| value(s)).sum::<f64>() / late.len() as f64;
            let (flight, rtt) = (mean(|s| s.in_flight_packets), mean(|s| s.srtt_ms) / 1e3);
            let product = flow.throughput_mbps / packet * rtt;
            assert!((flight / product - 1.0).abs() < 0.01, "{flight} in flight, rate times RTT is {product}");
            let wait = rtt - 0.080 - packet / MBPS - 2.0 * packet / (2.0 * MBPS);
            let queue = link.queue_packets.mean;
            // The packet in transmission is a wait too, but does not wait.
            assert!((queue - MBPS / packet * wait).abs() < 1.0, "{queue} wait, the delay says {}", MBPS / packet * wait);
            in_flight += flight;
        }
        assert!(link.utilization > 0.999 && link.queue_packets.mean > 10.0, "a standing queue: {link:?}");
        let pipe = MBPS / packet * 0.080;
        assert!((in_flight - pipe - link.queue_packets.mean).abs() < 4.0, "{in_flight} in flight, {pipe} fit, {link:?}");
    }
}
