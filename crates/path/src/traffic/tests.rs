use symbiosis_base::{Rate, Span};

use super::*;

fn volume(sizes: Sizes, gaps: Gaps, from: f64, to: f64) -> f64 {
    let rate = Steps::new(&[(Instant::START, Rate::from_mbps(20.0)), (Instant::from_secs(40.0), Rate::from_mbps(70.0))]);
    Traffic::new(TrafficSpec { sizes, gaps, rate }, Random::new(3, 0))
        .take_while(|(at, _)| at.secs() < to)
        .filter(|(at, _)| at.secs() >= from)
        .map(|(_, size)| size.as_f64())
        .sum()
}

#[test]
fn every_kind_keeps_its_mean_rate_through_a_step() {
    assert!((Sizes::Internet.mean() - 340.3333333333333).abs() < 1e-9);
    for sizes in [Sizes::Fixed(Bytes(1500)), Sizes::Internet] {
        for gaps in [Gaps::Constant, Gaps::Exponential] {
            let before = volume(sizes, gaps, 0.0, 40.0) * 8.0 / 40.0 / 1e6;
            let after = volume(sizes, gaps, 40.0, 80.0) * 8.0 / 40.0 / 1e6;
            assert!((before / 20.0 - 1.0).abs() < 0.01, "{sizes:?} {gaps:?}: {before} instead of 20");
            assert!((after / 70.0 - 1.0).abs() < 0.01, "{sizes:?} {gaps:?}: {after} instead of 70");
        }
    }
}

#[test]
fn a_stream_ends_with_its_rate() {
    let rate = Steps::new(&[(Instant::START, Rate::from_mbps(12.0)), (Instant::from_millis(10), Rate::ZERO)]);
    let spec = TrafficSpec { sizes: Sizes::Fixed(Bytes(1500)), gaps: Gaps::Constant, rate };
    let at: Vec<u64> = Traffic::new(spec, Random::new(0, 0)).map(|(at, _)| at.0 / 1_000_000).collect();
    assert_eq!(at, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
}

/// Mean and its standard error.
fn mean(values: &[f64]) -> (f64, f64) {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    (mean, (values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / (n * (n - 1.0))).sqrt())
}

fn bursts(on_ms: u64, off_ms: u64) -> Gaps {
    Gaps::ParetoOnOff(OnOff { on: Span::from_millis(on_ms), off: Span::from_millis(off_ms), shape: 1.5 })
}

/// A source that begins in the middle of its life has its mean rate from the start, and through a step of it.
#[test]
fn bursts_keep_their_mean_rate_through_a_step() {
    let rate = Steps::new(&[(Instant::from_secs(3.0), Rate::from_mbps(2.0)), (Instant::from_secs(13.0), Rate::from_mbps(7.0))]);
    for gaps in [bursts(100, 100), bursts(50, 200)] {
        let spec = TrafficSpec { sizes: Sizes::Fixed(Bytes(500)), gaps, rate: rate.clone() };
        let volume = |seed, from: f64, to: f64| {
            let packets = Traffic::new(spec.clone(), Random::new(seed, 0)).take_while(|(at, _)| at.secs() < to);
            packets.filter(|(at, _)| at.secs() >= from).map(|(_, size)| size.as_f64()).sum::<f64>() * 8.0 / (to - from) / 1e6
        };
        for (from, to, wanted) in [(0.0, 3.0, 0.0), (3.0, 13.0, 2.0), (13.0, 23.0, 7.0)] {
            let (mean, error) = mean(&(0..500).map(|seed| volume(seed, from, to)).collect::<Vec<_>>());
            println!("{gaps:?} from {from} s: {mean:.3} ± {error:.3} of {wanted} Mbit/s");
            assert!(error <= 0.04 * wanted && (mean - wanted).abs() <= 4.0 * error, "{mean} ± {error} instead of {wanted}");
        }
    }
}

/// Times on, read from the packets: as long as a Pareto distribution says, and at the peak rate.
#[test]
fn bursts_last_as_pareto_says() {
    let (on, off) = (Span::from_millis(60), Span::from_millis(240));
    let rate = Steps::constant(Rate::from_mbps(8.0));
    let spec = TrafficSpec { sizes: Sizes::Fixed(Bytes(100)), gaps: bursts(60, 240), rate };
    // 8 Mbit/s on a fifth of the time: a packet of 100 bytes each 20 µs. The least time off is 80 ms.
    let gap = Span::from_micros(20);
    let at: Vec<Instant> = Traffic::new(spec, Random::new(5, 0)).take(3_000_000).map(|(at, _)| at).collect();
    let bursts: Vec<&[Instant]> = at.chunk_by(|a, b| *b - *a <= gap + Span(1)).collect();
    let lasted: Vec<f64> = bursts[1..bursts.len() - 1].iter().map(|burst| (burst[burst.len() - 1] - burst[0] + gap).secs()).collect();
    let silent: Vec<f64> = bursts[1..].windows(2).map(|two| (two[1][0] - two[0][two[0].len() - 1]).secs()).collect();
    for (times, mean) in [(&lasted, on.secs()), (&silent, off.secs())] {
        let least = mean / 3.0;
        let slack = 2.0 * gap.secs();
        assert!(times.iter().all(|time| *time > least - slack), "{least}");
        for factor in [1.5_f64, 2.0, 4.0, 10.0] {
            let longer = times.iter().filter(|time| **time > factor * least).count() as f64 / times.len() as f64;
            let wanted = factor.powf(-1.5);
            let error = (wanted * (1.0 - wanted) / times.len() as f64).sqrt();
            println!("of {} times with mean {mean} s {longer:.4} are longer than {factor} × the least, wanted {wanted:.4}", times.len());
            assert!((longer - wanted).abs() < 4.0 * error, "{longer} instead of {wanted} ± {error}");
        }
    }
}

/// How the variance of the rate falls with the time over which it is taken tells the Hurst parameter: 0.5 for Poisson; for shape 1.5 it is 0.75.
#[test]
fn bursts_do_not_smooth_out() {
    let hurst = |gaps, seed| {
        let spec = TrafficSpec { sizes: Sizes::Fixed(Bytes(500)), gaps, rate: Steps::constant(Rate::from_mbps(1.0)) };
        let mut seconds = vec![0.0; 4096];
        for (at, _) in Traffic::new(spec, Random::new(seed, 1)) {
            match seconds.get_mut(at.secs() as usize) {
                Some(count) => *count += 1.0,
                None => break,
            }
        }
        let variance = |over: usize| {
            let sums: Vec<f64> = seconds.chunks(over).map(|chunk| chunk.iter().sum::<f64>() / over as f64).collect();
            mean(&sums).1.powi(2) * sums.len() as f64
        };
        // Over 1 and 32 s, ten times a burst and more.
        1.0 + (variance(32) / variance(1)).ln() / 32_f64.ln() / 2.0
    };
    for (gaps, wanted) in [(Gaps::Exponential, 0.5), (bursts(50, 50), 0.75)] {
        let (mean, error) = mean(&(0..20).map(|seed| hurst(gaps, seed)).collect::<Vec<_>>());
        println!("{gaps:?}: H = {mean:.3} ± {error:.3}, wanted {wanted}");
        assert!((mean - wanted).abs() < 0.05 && error < 0.02, "{gaps:?}: H = {mean} ± {error}, wanted {wanted}");
    }
}
