use super::*;
use symbiosis_control::params::Values;

const PACKET: Bytes = Bytes(1000);

fn packets(count: u64) -> Bytes {
    Bytes(count * PACKET.0)
}

fn ms(ms: u64) -> Span {
    Span::from_millis(ms)
}

fn at_ms(ms: u64) -> Instant {
    Instant::from_millis(ms)
}

fn opponent(name: &str) -> Box<dyn Controller> {
    let entry = ALL.iter().find(|entry| entry.name == name).unwrap();
    (entry.build)(&Setup::new(PACKET).with_initial_window(packets(10)).with_seed(1), &Values::default())
}

fn acked(now: Instant, number: u64, sent_at: Instant) -> Acked {
    Acked::new(now, number, PACKET, sent_at).with_rtt(Some(now - sent_at))
}

fn window(opponent: &dyn Controller, now: Instant) -> f64 {
    opponent.permit(&Ask::new(now, Bytes::ZERO)).window.packets(PACKET)
}

/// As many round trips of 100 ms, each a window of packets that leave together.
fn round_trips(opponent: &mut dyn Controller, from: Instant, count: u64) -> Instant {
    let mut now = from;
    for _ in 0..count {
        let count = window(opponent, now) as u64;
        (0..count).for_each(|number| opponent.acked(&acked(now + ms(100), number, now)));
        now += ms(100);
    }
    now
}

#[test]
fn new_reno_doubles_and_halves_and_adds_one() {
    let mut reno = opponent("quic-newreno");
    let now = round_trips(&mut *reno, Instant::START, 3);
    assert_eq!(window(&*reno, now), 80.0, "also what left at the first instant counts");
    reno.lost(&Lost::new(now, LossKind::FastRetransmit, packets(80)));
    assert_eq!(window(&*reno, now), 40.0);
    let now = round_trips(&mut *reno, now + ms(1), 5);
    assert_eq!(window(&*reno, now), 45.0);
    reno.lost(&Lost::new(now, LossKind::Timeout, packets(45)));
    assert_eq!(window(&*reno, now), 2.0);
}

#[test]
fn cubic_takes_seven_tenths_and_is_back_when_its_law_says() {
    let mut cubic = opponent("quic-cubic");
    let now = round_trips(&mut *cubic, Instant::START, 6);
    assert_eq!(window(&*cubic, now), 640.0);
    cubic.lost(&Lost::new(now, LossKind::FastRetransmit, packets(640)));
    assert_eq!(window(&*cubic, now), 448.0);
    // RFC 9438 Eq 2: K = ∛(640·0.3/0.4) = 7.83 s.
    let now = round_trips(&mut *cubic, now + ms(1), 78);
    let back = window(&*cubic, now);
    assert!((630.0..=642.0).contains(&back), "{back}");
}

#[test]
fn packets_leave_as_noq_paces_them() {
    let mut bucket = Bucket::new(PACKET);
    // A window of 100 packets in 100 ms: one a millisecond, so 2 ms are 2 packets, ten are more, and those are 10 ms.
    let (window, rtt) = (100_000, ms(100));
    let mut left = 0;
    while bucket.departure(at_ms(5), window, rtt) == Departure::Now {
        bucket.takes(at_ms(5), PACKET, window, rtt);
        left += 1;
    }
    assert_eq!(left, 10);
    // Full again at 5/4 of the rate: after 8 ms. Whoever asks before finds what has come.
    assert_eq!(bucket.departure(at_ms(5), window, rtt), Departure::At(at_ms(13)));
    assert_eq!(bucket.departure(at_ms(6), window, rtt), Departure::Now);
}
