use std::string::ToString;

use symbiosis_base::{Bytes, Instant, Rate, Span};
use symbiosis_control::params::{Value, Values};
use symbiosis_control::symbiosis::EPSILON;
use symbiosis_control::{Acked, Ask, Controller, Report, Setup, registry};

use super::*;

const RTT: Span = Span::from_millis(100);
const PACKET: Bytes = Bytes(1000);

fn setup(seed: u64) -> Setup {
    Setup::new(PACKET).with_initial_window(Bytes(10_000)).with_seed(seed)
}

fn packets(flow: &dyn Controller) -> f64 {
    flow.permit(&Ask::new(Instant::START, Bytes::ZERO)).window.packets(PACKET)
}

fn ack(now: Instant) -> Acked {
    Acked::new(now, 0, PACKET, now - RTT).with_rtt(Some(RTT))
}

#[test]
fn the_spread_is_that_of_t_figs_12_to_14() {
    let spread = |m| Stationary::of(1.95, 1.0, m).unwrap().spread();
    // m/√(2εc) is 0.152 and 0.253.
    assert!((spread(0.3) - 0.1537).abs() < 1e-4 && (spread(0.5) - 0.2617).abs() < 1e-4);
    assert!((Stationary::of(1.95, 1.0, 0.5).unwrap().mean - 0.9359).abs() < 1e-4);
    assert_eq!(Stationary::of(0.1, 1.0, 0.5), None);
}

#[test]
fn under_the_model_the_window_has_the_stationary_spread() {
    for (m, small_m) in [(0.1, 0.051), (0.3, 0.152), (0.5, 0.253)] {
        let (mut sum, mut squares, mut count) = (0.0, 0.0, 0.0);
        for seed in 0..10 {
            let given = [("measurement", Value::Word("oracle".into())), ("oscillation", Value::Number(m))];
            let entry = registry::find("symbiosis-paper").unwrap();
            let values = Values::resolve(entry.params, &given.map(|(name, value)| (name.to_string(), value))).unwrap();
            let mut flow = (entry.build)(&setup(seed), &values);
            let k = Rate::from_mbps(100.0);
            flow.acked(&ack(Instant::after(RTT)));
            flow.report(&Report::Path { now: Instant::after(RTT), capacity: k, available: k });
            for i in 0..200 * 420 {
                flow.acked(&ack(Instant::after(RTT) + Span::from_millis(5) * i));
                if i >= 200 * 20 {
                    let w = packets(flow.as_ref());
                    (sum, squares, count) = (sum + w, squares + w * w, count + 1.0);
                }
            }
        }
        let mean = sum / count;
        let spread = libm::sqrt(squares / count - mean * mean) / mean;
        let wanted = Stationary::of(EPSILON, 1.0, m).unwrap();
        // Of 10 · 400 s · 2εc independent samples; Euler's step of 5 ms adds ε·5 ms/2 = 0.5 % to the variance.
        assert!((spread / wanted.spread() - 1.0).abs() < 0.02, "m = {m}: spread {spread} instead of {}", wanted.spread());
        assert!((mean / (1250.0 * wanted.mean) - 1.0).abs() < 0.01, "m = {m}: mean {mean} instead of {}", 1250.0 * wanted.mean);
        assert!((spread / small_m - 1.0).abs() < 0.06, "m = {m}: {spread} against m/√(2εc) = {small_m}");
    }
}
