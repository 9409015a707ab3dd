use symbiosis_base::Random;

use super::*;

/// Gaps of packets of 100 bytes on a busy link of 10 000 bytes/s with competitors of rate `u` in Poisson packets of 50 bytes.
/// `sent` gives each gap as it was chosen; an access link makes none shorter than `access`.
fn gaps(u: f64, count: usize, access: f64, mut sent: impl FnMut(&mut Random) -> f64) -> alloc::vec::Vec<Gap> {
    let mut random = Random::new(1, 0);
    (0..count)
        .map(|_| {
            let sent = sent(&mut random);
            let (mut left, mut packets) = (sent.max(access) - random.exponential() * 50.0 / u, 0.0);
            while left > 0.0 {
                packets += 1.0;
                left -= random.exponential() * 50.0 / u;
            }
            Gap {
                first: 1,
                last: 1,
                sent,
                entered: sent,
                arrived: (100.0 + 50.0 * packets) / 10_000.0,
                bytes: 100.0,
                same_busy_period: true,
                together: false,
            }
        })
        .collect()
}

const K: Rate = Rate::from_bytes_per_s(10_000.0);

#[test]
fn a_comes_out_of_what_the_link_did() {
    for u in [1_000.0, 5_000.0, 9_000.0] {
        let mut cross_traffic = CrossTraffic::default();
        gaps(u, 20_000, 0.0, |random| 0.02 * random.uniform()).iter().for_each(|gap| cross_traffic.add(gap));
        let (available, error) = cross_traffic.available(K, Rate::ZERO, 0.0).unwrap();
        let off = available.abs_diff(K - Rate::from_bytes_per_s(u));
        assert!(off <= error * 1.5 && error.bytes_per_s() < 0.02 * 10_000.0, "{available:?} ± {error:?} beside {u}");
    }
    assert!(CrossTraffic::default().available(K, Rate::ZERO, 0.0).is_none());
}

#[test]
fn in_a_standing_queue_a_is_what_the_flow_gets_through_whatever_k_is_thought_to_be() {
    let mut cross_traffic = CrossTraffic::default();
    cross_traffic.add(&Gap {
        first: 1,
        last: 1,
        sent: 0.02,
        entered: 0.02,
        arrived: 0.02,
        bytes: 100.0,
        same_busy_period: true,
        together: false,
    });
    for k in [8_000.0, 10_000.0, 20_000.0] {
        let (available, error) = cross_traffic.available(Rate::from_bytes_per_s(k), Rate::from_bytes_per_s(0.1 * k), 0.0).unwrap();
        assert!((available.bytes_per_s() - 5_000.0).abs() < 1e-6);
        assert!(error.bytes_per_s() < 1e-3, "nor does an error of K matter: {error:?}");
    }
}

#[test]
fn the_interval_is_that_of_what_comes_in_between() {
    // Over a thousand sets of gaps the readings spread as their own intervals say.
    let mut random = Random::new(7, 0);
    let (mut readings, mut errors) = (alloc::vec::Vec::new(), 0.0);
    for _ in 0..1000 {
        let mut cross_traffic = CrossTraffic::default();
        for _ in 0..200 {
            let (sent, mut packets) = (0.02 * random.uniform(), 0.0);
            let mut left = sent - random.exponential() * 0.01;
            while left > 0.0 {
                packets += 1.0;
                left -= random.exponential() * 0.01;
            }
            cross_traffic.add(&Gap {
                first: 1,
                last: 1,
                sent,
                entered: sent,
                arrived: (100.0 + 50.0 * packets) / 10_000.0,
                bytes: 100.0,
                same_busy_period: true,
                together: false,
            });
        }
        let (available, error) = cross_traffic.available(K, Rate::ZERO, 0.0).unwrap();
        readings.push(available.bytes_per_s());
        errors += error.bytes_per_s() / 1.96 / 1000.0;
    }
    let mean = readings.iter().sum::<f64>() / 1000.0;
    let spread = libm::sqrt(readings.iter().map(|a| (a - mean) * (a - mean)).sum::<f64>() / 1000.0);
    assert!((spread / errors - 1.0).abs() < 0.1, "spread {spread}, said {errors}");
}

#[test]
fn the_past_fades() {
    let mut cross_traffic = CrossTraffic::default();
    cross_traffic.add(&Gap {
        first: 1,
        last: 1,
        sent: 1.0,
        entered: 1.0,
        arrived: 1.0,
        bytes: 5_000.0,
        same_busy_period: true,
        together: false,
    });
    cross_traffic.fade(100.0, 1.0);
    assert!(cross_traffic.covered() < 1e-40);
}
