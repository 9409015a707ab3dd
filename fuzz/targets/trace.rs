//! A trace of Mahimahi's is read or refused; what is read delivers what its lines say, and the same however time is cut.
#![no_main]

use libfuzzer_sys::fuzz_target;
use symbiosis_base::{Instant, Span};
use symbiosis_path::{RateSpec, Trace};

fuzz_target!(|text: &str| {
    let Ok(trace) = Trace::parse(text) else { return };
    let lines: Vec<u64> =
        text.lines().filter(|line| !line.trim().is_empty()).map(|line| line.trim().parse().expect("it was read")).collect();
    let (period, bytes) = (Span::from_millis(lines[lines.len() - 1]), lines.len() as f64 * 1500.0);
    let mean = trace.mean().bytes_per_s();
    assert!((mean * period.secs() / bytes - 1.0).abs() < 1e-9, "{mean} bytes/s");
    let rate = RateSpec::Trace(trace);
    let volume = |from: u64, to: u64| rate.volume(Instant(from), Instant(to));
    // Of two repetitions each moves as much.
    let (one, two) = (period.0, period.0 * 2);
    assert_eq!(volume(one, two), bytes);
    let mut before = 0;
    for at in [1, one / 3, one / 2, one, one + 1, two, 1 << 50] {
        let (least, most) = (before.min(at), before.max(at));
        assert_eq!(volume(0, least) + volume(least, most), volume(0, most), "cut at {least} of {most}");
        before = at;
    }
});
