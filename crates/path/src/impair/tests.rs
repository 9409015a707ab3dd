use super::*;

fn ms(ms: u64) -> Instant {
    Instant::from_millis(ms)
}

/// What comes out of one stage when packets of 1000 bytes come at these milliseconds.
fn out(what: Impairment, arrivals: impl IntoIterator<Item = u64>) -> Vec<Option<(f64, Option<f64>)>> {
    let mut stages = Impairments::new(&[what], Random::new(7, 1));
    let pass = |at| stages.pass(ms(at), Bytes(1000)).map(|(at, copy)| (at.millis(), copy.map(Instant::millis)));
    arrivals.into_iter().map(pass).collect()
}

fn times(what: Impairment, arrivals: impl IntoIterator<Item = u64>) -> Vec<Option<f64>> {
    out(what, arrivals).into_iter().map(|passed| passed.map(|(at, _)| at)).collect()
}

/// Mean loss is the bad state's share; losses come in runs as long as it lasts.
#[test]
fn losses_come_in_bursts_of_their_mean_length() {
    let what = Impairment::GilbertElliott { good_packets: 95.0, bad_packets: 5.0, good_loss: 0.0, bad_loss: 1.0 };
    let passed = times(what, 0..400_000);
    let lost = passed.iter().filter(|at| at.is_none()).count() as f64;
    assert!((lost / 400_000.0 - 0.05).abs() < 0.003, "{lost}");
    let bursts = passed.windows(2).filter(|two| two[0].is_some() && two[1].is_none()).count() as f64;
    assert!((lost / bursts - 5.0).abs() < 0.25, "{}", lost / bursts);
}

#[test]
fn large_packets_are_corrupted_more_often() {
    let mut stages = Impairments::new(&[Impairment::Corruption { per_bit: 1e-5 }], Random::new(7, 1));
    for (size, share) in [(100, 0.00797), (1500, 0.1131)] {
        let lost = (0..200_000).filter(|at| stages.pass(ms(*at), Bytes(size)).is_none()).count() as f64 / 200_000.0;
        assert!((lost / share - 1.0).abs() < 0.1, "{size}: {lost}");
    }
}

#[test]
fn what_is_held_back_is_overtaken_and_the_others_keep_their_order() {
    let by = Span::from_millis(10);
    let passed = times(Impairment::Reordering { probability: 0.2, by }, 0..1000);
    let held = passed.iter().zip(0..).filter(|(at, came)| **at == Some((came + 10) as f64)).count();
    assert!((150..250).contains(&held), "{held}");
    assert!(passed.iter().zip(0..).all(|(at, came)| *at == Some(came as f64) || *at == Some((came + 10) as f64)));
}

#[test]
fn some_arrive_twice() {
    let passed = out(Impairment::Duplication { probability: 0.1, by: Span::from_millis(3) }, 0..1000);
    let copies = passed.iter().zip(0..).filter(|(passed, came)| passed.unwrap().1 == Some((came + 3) as f64)).count();
    assert!((70..130).contains(&copies) && passed.iter().filter(|passed| passed.unwrap().1.is_some()).count() == copies);
}

/// 1 Mbit/s are 125 bytes in a millisecond: a packet of 1000 bytes each 8 ms, after a burst of three.
#[test]
fn a_policer_lets_its_burst_and_its_rate_through() {
    let what = Impairment::Policer { rate: Rate::from_mbps(1.0), burst: Bytes(3000) };
    let passed: Vec<u64> = times(what, 0..100).iter().zip(0..).filter(|(at, _)| at.is_some()).map(|(_, came)| came).collect();
    assert_eq!(passed[..6], [0, 1, 2, 8, 16, 24]);
    assert_eq!(passed.len(), 3 + 12);
}

#[test]
fn a_route_may_get_longer_and_shorter_and_keeps_its_order() {
    let steps = vec![(ms(10), Span::from_millis(20)), (ms(20), Span::ZERO)];
    let what = Impairment::Delay { steps: steps.clone(), every: None };
    assert_eq!(
        times(what, [9, 10, 19, 20, 38, 40]),
        [9, 30, 39, 39, 39, 40].map(|at| Some(at as f64)),
        "who is faster waits for the slower"
    );
    let again = Impairment::Delay { steps, every: Some(Span::from_millis(30)) };
    assert_eq!(times(again, [9, 39, 40]), [9, 39, 60].map(|at| Some(at as f64)));
}

#[test]
fn an_outage_loses_everything_and_may_come_again() {
    let lasts = Span::from_millis(5);
    let lost = |every| {
        let passed = times(Impairment::Outage { at: ms(10), lasts, every }, 0..40);
        passed.iter().zip(0..).filter(|(at, _)| at.is_none()).map(|(_, came)| came).collect::<Vec<u64>>()
    };
    assert_eq!(lost(None), [10, 11, 12, 13, 14]);
    assert_eq!(lost(Some(Span::from_millis(20))), [10, 11, 12, 13, 14, 30, 31, 32, 33, 34]);
}

#[test]
fn what_is_aggregated_comes_together() {
    let passed = times(Impairment::Aggregation { every: Span::from_millis(5) }, 1..=10);
    assert_eq!(passed, [5, 5, 5, 5, 5, 10, 10, 10, 10, 10].map(|at| Some(at as f64)));
}

#[test]
fn of_a_group_the_last_passes_and_of_those_far_apart_each() {
    let what = Impairment::Thinning { group: 3, within: Span::from_millis(10) };
    let passed: Vec<u64> = times(what, [0, 1, 2, 3, 4, 5, 100, 101, 102, 103])
        .iter()
        .zip([0, 1, 2, 3, 4, 5, 100, 101, 102, 103])
        .filter(|(at, _)| at.is_some())
        .map(|(_, came)| came)
        .collect();
    assert_eq!(passed, [2, 5, 100, 103]);
}

#[test]
fn stages_follow_one_another() {
    let stages = [
        Impairment::Duplication { probability: 1.0, by: Span::from_millis(2) },
        Impairment::Delay { steps: vec![(Instant::START, Span::from_millis(7))], every: None },
    ];
    let mut both = Impairments::new(&stages, Random::new(1, 1));
    assert_eq!(both.pass(ms(1), Bytes(1000)), Some((ms(8), Some(ms(10)))));
}
