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
            Gap { sent, arrived: (100.0 + 50.0 * packets) / 10_000.0, bytes: 100.0, queued: 1.0 }
        })
        .collect()
}

const K: Rate = Rate::from_bytes_per_s(10_000.0);

#[test]
fn a_comes_out_of_what_the_link_did() {
    for u in [1_000.0, 5_000.0, 9_000.0] {
        let mut rivals = Rivals::default();
        gaps(u, 20_000, 0.0, |random| 0.02 * random.uniform()).iter().for_each(|gap| rivals.add(gap));
        let available = rivals.available(K).unwrap().bytes_per_s();
        assert!((available - (10_000.0 - u)).abs() < 0.02 * 10_000.0, "{available} beside {u}");
    }
    assert!(Rivals::default().available(K).is_none());
}

#[test]
fn in_a_standing_queue_a_is_what_the_flow_gets_through_whatever_k_is_thought_to_be() {
    let mut rivals = Rivals::default();
    rivals.add(&Gap { sent: 0.02, arrived: 0.02, bytes: 100.0, queued: 1.0 });
    for k in [8_000.0, 10_000.0, 20_000.0] {
        let available = rivals.available(Rate::from_bytes_per_s(k)).unwrap();
        assert!((available.bytes_per_s() - 5_000.0).abs() < 1e-6);
    }
}

#[test]
fn k_reads_too_low_by_what_an_access_link_lets_in_between() {
    for (access, k) in [(0.0, 10_000.0), (0.005, 10_000.0 / 1.3), (0.01, 10_000.0 / 1.6)] {
        // U = 6000 bytes/s: a pair of 100 bytes on an access link of 20 000 bytes/s arrives 5 ms apart.
        let mut capacity = Capacity::default();
        gaps(6_000.0, 5_000, access, |_| 0.0).iter().for_each(|gap| capacity.add(gap));
        let (measured, error) = capacity.estimate().unwrap();
        assert!((measured.bytes_per_s() - k).abs() <= 2.0 * error.bytes_per_s() + 1e-6, "{measured:?} ± {error:?} instead of {k}");
        assert!(error.bytes_per_s() < 0.03 * k);
    }
}

#[test]
fn without_competitors_two_pairs_are_enough_and_exact() {
    let mut capacity = Capacity::default();
    let pair = Gap { sent: 0.0, arrived: 0.01, bytes: 100.0, queued: 0.0 };
    capacity.add(&pair);
    assert!(capacity.estimate().is_none());
    (0..2).for_each(|_| capacity.add(&pair));
    let (k, error) = capacity.estimate().unwrap();
    assert!((k.bytes_per_s() - 10_000.0).abs() < 1e-6 && error.bytes_per_s() < 1e-3);
}

#[test]
fn a_gap_is_joint_by_what_is_known_before_it() {
    let gap = |sent, queued| Gap { sent, arrived: 0.0, bytes: 1500.0, queued };
    assert!(is_joint(&gap(0.0099, 0.009), 0.001));
    assert!(!is_joint(&gap(0.0101, 0.009), 0.001));
    assert!(is_joint(&gap(0.0, 0.0), 0.0));
}

#[test]
fn the_past_fades() {
    let mut rivals = Rivals::default();
    rivals.add(&Gap { sent: 1.0, arrived: 1.0, bytes: 5_000.0, queued: 0.0 });
    rivals.fade(100.0, 1.0);
    assert!(rivals.covered() < 1e-40);
}
