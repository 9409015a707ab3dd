use super::*;

fn at_ms(ms: u64) -> Instant {
    Instant::from_millis(ms)
}

#[test]
fn steps_carry_a_packet_across_a_change() {
    // 1 Mbit/s = 125 bytes/ms for 4 ms, nothing for 6 ms, then 125 bytes/ms again.
    let steps = Steps::new(&[(at_ms(0), Rate::from_mbps(1.0)), (at_ms(4), Rate::ZERO), (at_ms(10), Rate::from_mbps(1.0))]);
    assert_eq!(steps.finish(at_ms(0), 500.0), at_ms(4));
    assert_eq!(steps.finish(at_ms(0), 750.0), at_ms(12));
    assert_eq!(steps.finish(at_ms(5), 125.0), at_ms(11));
    assert_eq!(steps.volume(at_ms(2), at_ms(12)), 500.0);
    assert_eq!(steps.at(at_ms(9)), Rate::ZERO);
    assert_eq!(Steps::new(&[(at_ms(0), Rate::ZERO)]).finish(at_ms(0), 1.0), Instant::NEVER);
    assert_eq!(Steps::new(&[(at_ms(3), Rate::from_mbps(1.0))]).finish(at_ms(0), 125.0), at_ms(4));
}

#[test]
fn a_trace_sends_at_its_opportunities_and_wastes_what_nobody_takes() {
    let trace = Trace::parse("1\n2\n2\n5\n").unwrap();
    assert!((trace.mean().mbps() - 9.6).abs() < 1e-9);
    let mut server = Server::new(&RateSpec::Trace(trace.clone()), &mut Random::new(1, 1));
    let full = Bytes(1500);
    let mut through = |start, size| server.finish(start, size);
    assert_eq!(through(at_ms(0), full), at_ms(1));
    assert_eq!(through(at_ms(1), full), at_ms(2));
    assert_eq!(through(at_ms(2), Bytes(500)), at_ms(2));
    assert_eq!(through(at_ms(2), Bytes(500)), at_ms(2));
    // 500 bytes are left at 2 ms; the packet needs the next opportunity too.
    assert_eq!(through(at_ms(2), full), at_ms(5));
    // The trace repeats: 5 + 1.
    assert_eq!(through(at_ms(5), full), at_ms(6));
    assert_eq!(through(at_ms(20), full), at_ms(20), "an opportunity at the very instant serves");
    assert_eq!(trace.before(at_ms(5)), 3);
    assert_eq!(trace.before(at_ms(6)), 4);
    assert_eq!(trace.before(at_ms(7)), 5);
}

#[test]
fn a_cellular_trace_has_its_mean_and_varies_within_its_coherence() {
    let trace =
        |spread| Trace::cellular(Rate::from_mbps(20.0), spread, Span::from_millis(50), Span::from_millis(200_000), &mut Random::new(3, 1));
    assert!((trace(0.0).mean().mbps() - 20.0).abs() < 0.01);
    let fading = trace(0.5);
    assert!((fading.mean().mbps() - 20.0).abs() < 1.0, "{}", fading.mean());
    let counts: Vec<f64> = (0..2000).map(|n| (fading.before(at_ms(100 * n + 100)) - fading.before(at_ms(100 * n))) as f64).collect();
    let mean = counts.iter().sum::<f64>() / 2000.0;
    let deviation = (counts.iter().map(|n| (n - mean).powi(2)).sum::<f64>() / 2000.0).sqrt() / mean;
    assert!((0.3..0.55).contains(&deviation), "of 100 ms, twice the coherence: {deviation}");
}

#[test]
fn a_station_of_a_wireless_lan_sends_aggregates_after_it_won_the_medium() {
    let wifi = Wifi { phy: Rate::from_mbps(300.0), access: Span::from_micros(1000), aggregate: Bytes(30_000) };
    let mut server = Server::new(&RateSpec::Wifi(wifi), &mut Random::new(1, 1));
    let (mut at, mut gaps) = (Instant::START, Vec::new());
    for _ in 0..20_000 {
        let out = server.finish(at, Bytes(1500));
        gaps.push(out - at);
        at = out;
    }
    let long: Vec<_> = gaps.iter().filter(|gap| **gap > Span::from_micros(500)).collect();
    assert_eq!(long.len(), 1000, "one access for twenty packets");
    let rate = Rate::of(Bytes(20_000 * 1500), at - Instant::START);
    assert!((rate / wifi.mean() - 1.0).abs() < 0.03, "{rate} of {}", wifi.mean());
    let alone = server.finish(at + Span::from_millis(10), Bytes(1500)) - (at + Span::from_millis(10));
    assert!(alone > Span::from_micros(500), "who comes to an idle station waits for the medium: {alone}");
}

#[test]
fn a_link_that_never_sends_never_sends() {
    let nothing = [RateSpec::Constant(Rate::ZERO), RateSpec::Steps(Steps::constant(Rate::ZERO))];
    for mut server in nothing.iter().map(|spec| Server::new(spec, &mut Random::new(1, 1))) {
        assert_eq!(server.finish(at_ms(1), Bytes(1)), Instant::NEVER);
        assert_eq!(server.finish(Instant::NEVER, Bytes(1)), Instant::NEVER);
    }
}

#[test]
fn a_first_packet_that_comes_late_finds_no_opportunity_of_the_past() {
    let mut server = Server::new(&RateSpec::Trace(Trace::parse("1\n2\n2\n5\n").unwrap()), &mut Random::new(1, 1));
    assert_eq!(server.finish(at_ms(23), Bytes(1500)), at_ms(25));
}

#[test]
fn a_bad_trace_names_its_line() {
    assert_eq!(Trace::parse("1\nx\n").unwrap_err().line, 2);
    assert_eq!(Trace::parse("5\n4\n").unwrap_err().line, 2);
    // Nanoseconds would overflow, and the trace would be another one (60 Mbit/s).
    let beyond = Trace::parse("1\n18446744073709552\n").unwrap_err();
    assert!(beyond.line == 2 && beyond.what.starts_with("18446744073709552 ms is later than a year"), "{beyond}");
    let longest = Trace::parse("1\n31536000000\n").unwrap();
    let (twice, in_time) = (longest.opportunity(3), longest.before(Instant::NEVER));
    assert_eq!((twice, in_time > 1000), (Instant::after(Span(2 * 31_536_000_000 * 1_000_000)), true));
    assert_eq!(Trace::parse("0\n0\n").unwrap_err().line, 0);
    assert_eq!(Trace::parse("").unwrap_err().line, 0);
}

/// A rate of whole nanoseconds for a byte is served in whole numbers, to the same nanosecond as any other would be.
#[test]
fn whole_nanoseconds_are_what_fractions_would_be() {
    for mbps in [1.0, 2.0, 8.0, 10.0, 100.0, 1_000.0, 4_000.0] {
        let rate = Rate::from_mbps(mbps);
        let mut whole = Server::new(&RateSpec::Constant(rate), &mut Random::new(1, 1));
        assert!(matches!(whole, Server::Whole { .. }), "{mbps}");
        let mut fractions = Server::Constant { nanos_per_byte: 1e9 / rate.bytes_per_s(), carry: 0.0 };
        let sizes = [0, 1, 40, 576, 1500, WHOLE_BYTES - 1, WHOLE_BYTES, (1 << 53) + 1, 1 << 62, u64::MAX];
        for (size, start) in sizes.into_iter().flat_map(|size| [0, 12_345, u64::MAX - 5].map(|start| (Bytes(size), Instant(start)))) {
            assert_eq!(whole.finish(start, size), fractions.finish(start, size), "{mbps} Mbit/s, {size:?}");
        }
    }
    let odd = Server::new(&RateSpec::Constant(Rate::from_mbps(30.0)), &mut Random::new(1, 1));
    assert!(matches!(odd, Server::Constant { .. }), "266.67 ns for a byte");
}
