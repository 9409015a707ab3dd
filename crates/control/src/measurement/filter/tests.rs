use symbiosis_base::Random;

use super::*;
use crate::Instant;
use crate::measurement::oracle::{Errors, Oracle};
use crate::measurement::until::{Until, path};
use crate::measurement::{Host, News};
use crate::test_path;

fn mean(window: usize) -> Filter {
    Filter::Mean(Recent::new(window))
}

fn median(window: usize) -> Filter {
    Filter::Median(Recent::new(window))
}

fn kalman(window: usize) -> Filter {
    Filter::Kalman(Kalman::new(window))
}

fn last(filter: &mut Filter, results: &[f64]) -> f64 {
    results.iter().map(|result| filter.next(*result)).last().unwrap()
}

#[test]
fn the_mean_is_of_the_last_n_and_the_median_passes_no_outlier() {
    assert_eq!(last(&mut mean(4), &[100.0, 1.0, 2.0, 3.0, 6.0]), 3.0);
    assert_eq!(last(&mut mean(4), &[1.0, 2.0]), 1.5);
    assert_eq!(last(&mut median(5), &[5.0, 5.0, 900.0, 6.0, 4.0]), 5.0);
    assert_eq!(last(&mut median(4), &[1.0, 2.0, 3.0, 9.0]), 2.5);
}

#[test]
fn a_jump_is_followed_after_n_n_over_two_and_one_result() {
    let behind = |filter: &mut Filter| {
        let mut random = Random::new(1, 0);
        for _ in 0..40 {
            filter.next(80.0 + random.normal());
        }
        (1..).find(|_| (filter.next(30.0 + random.normal()) - 30.0).abs() < 5.0).unwrap()
    };
    assert_eq!((behind(&mut mean(8)), behind(&mut median(8)), behind(&mut kalman(8))), (8, 5, 1));
}

#[test]
fn a_constant_level_is_known_the_better_the_more_is_remembered() {
    let deviation = |filter: &mut Filter| {
        let mut random = Random::new(7, 0);
        let squares: Vec<f64> =
            (0..4_000).map(|_| filter.next(50.0 + random.normal())).skip(100).map(|x| (x - 50.0) * (x - 50.0)).collect();
        libm::sqrt(squares.iter().sum::<f64>() / squares.len() as f64)
    };
    // σ/√8; for the median √(π/2) times as much, less for few results. A gain of 1/8 makes a variance of 1/15; and a jump is seen where there is none in
    // 0.3 % of the results, which puts the level off by three deviations, and then by a half, a third … of that: 0.003·9·π²/6 = 0.045 more.
    assert!((deviation(&mut mean(8)) - 0.354).abs() < 0.02);
    assert!((deviation(&mut median(8)) - 0.42).abs() < 0.03);
    let level = deviation(&mut kalman(8));
    assert!((0.258..0.40).contains(&level), "{level}");
}

#[test]
fn the_kalman_filter_begins_as_the_mean_of_all() {
    let mut filter = kalman(8);
    // R is what the first two differ by, 2; the third comes with R = 2 + (4.5 − 2)/32 and a level of variance 1.
    assert_eq!((filter.next(10.0), filter.next(12.0)), (10.0, 11.0));
    let noise = 2.0 + (4.5 - 2.0) / 32.0;
    assert!((filter.next(9.0) - (11.0 - 2.0 / (1.0 + noise))).abs() < 1e-12);
    // Equal results have no variance, and nothing is divided by it.
    assert_eq!(last(&mut kalman(8), &[5.0, 5.0, 5.0, 5.0, 7.0]), 7.0);
}

#[test]
fn a_measurement_is_filtered_and_forgets() {
    let mut filtered = filtered(Smoothing::Mean, 4, Box::new(Oracle::new(Errors::default(), 1)));
    let mut read = |a: f64| {
        let report = Report::Path { now: Instant::START, capacity: Rate::from_mbps(100.0), available: Rate::from_mbps(a) };
        filtered.report(&report).unwrap().bandwidth.available.mbps()
    };
    assert!((read(80.0) - 80.0).abs() < 1e-9 && (read(40.0) - 60.0).abs() < 1e-9);
    filtered.forget();
    let report = Report::Path { now: Instant::START, capacity: Rate::from_mbps(100.0), available: Rate::from_mbps(20.0) };
    assert!((filtered.report(&report).unwrap().bandwidth.available.mbps() - 20.0).abs() < 1e-9);
}

#[test]
fn every_filter_passes_on_what_the_measurement_wants_and_what_no_longer_holds() {
    for smoothing in [Smoothing::Mean, Smoothing::Median, Smoothing::Kalman] {
        let mut host = Host::new(filtered(smoothing, 4, Box::new(Until::new(Instant::from_millis(3), path(10.0)))));
        assert!(host.wants_arrivals(), "{smoothing:?}: a QUIC receiver is asked for times");
        for now in 0..3 {
            assert!(matches!(host.acked(&Acked { now: Instant::from_millis(now), ..test_path::ack() }), News::Reading(_)));
        }
        assert!(host.reading().is_some());
        assert_eq!(host.acked(&Acked { now: Instant::from_millis(3), ..test_path::ack() }), News::Expired, "{smoothing:?}");
        assert_eq!(host.reading(), None);
    }
}

#[test]
fn what_no_longer_holds_has_no_part_in_the_mean_of_what_comes_after() {
    let mut filtered =
        filtered(Smoothing::Mean, 4, Box::new(Until::new(Instant::from_millis(3), path(10.0)).then(Instant::from_millis(5), path(90.0))));
    let mut read = |now| filtered.acked(&Acked { now: Instant::from_millis(now), ..test_path::ack() });
    assert!(read(0).is_some() && read(3).is_none());
    assert!((read(5).unwrap().bandwidth.available.mbps() - 90.0).abs() < 1e-9);
}
