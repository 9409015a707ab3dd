//! The relay between real sockets. A machine that is busy with other things spoils the times; such a run is void and is repeated a few
//! times, and what it says is then judged by medians.

use std::net::UdpSocket;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use symbiosis_base::{Bytes, Rate, Span};
use symbiosis_path::{Gaps, LinkSpec, QueueLimit, RateSpec, Sizes, Steps, TrafficSpec};
use symbiosis_quic::impairments::Impairments;
use symbiosis_quic::relay::{Path, Relay, Relayed};

const OVERHEAD: Bytes = Bytes(28);

/// A rate of `mbps` and a queue of so many packets towards the server, `delay_ms` each way.
fn path(mbps: f64, delay_ms: u64, queue: u64) -> Path {
    let back = LinkSpec::ideal(Rate::from_mbps(1000.0), Span::from_millis(delay_ms));
    let forth = LinkSpec { rate: RateSpec::Constant(Rate::from_mbps(mbps)), queue: QueueLimit::Packets(queue), ..back.clone() };
    Path {
        forth,
        back,
        others: None,
        overhead: OVERHEAD,
        impairments: Impairments::default(),
        rebinds: Vec::new(),
        seed: 1,
        sample_every: Span::from_millis(10),
    }
}

/// Sends so many datagrams of 972 bytes, 1000 on the wire, `apart` one after another, and hears them echoed. The round-trip time of each
/// that came back \[ms\], and what the relay did.
fn echo(path: Path, count: usize, apart: Duration) -> (Vec<f64>, Relayed) {
    let server = UdpSocket::bind("127.0.0.1:0").unwrap();
    server.set_read_timeout(Some(Duration::from_millis(500))).unwrap();
    let to = server.local_addr().unwrap();
    let enough = Arc::new(AtomicBool::new(false));
    let (tell, told) = std::sync::mpsc::channel();
    std::thread::scope(|scope| {
        let relay = scope.spawn(|| {
            let relay = Relay::new(to, path).unwrap();
            tell.send(relay.address().unwrap()).unwrap();
            relay.run(&enough).unwrap()
        });
        let echo = scope.spawn(move || {
            let mut buffer = [0; 2000];
            while let Ok((bytes, from)) = server.recv_from(&mut buffer) {
                server.send_to(&buffer[..bytes], from).unwrap();
            }
        });
        let client = UdpSocket::bind("127.0.0.1:0").unwrap();
        client.connect(told.recv().unwrap()).unwrap();
        client.set_read_timeout(Some(Duration::from_millis(300))).unwrap();
        let heard = client.try_clone().unwrap();
        let start = std::time::Instant::now();
        let listener = scope.spawn(move || {
            let mut buffer = [0; 2000];
            let mut came = Vec::new();
            while let Ok(bytes) = heard.recv(&mut buffer) {
                assert_eq!(bytes, 972);
                let left = u64::from_le_bytes(buffer[..8].try_into().unwrap());
                came.push((start.elapsed().as_nanos() as u64 - left) as f64 / 1e6);
            }
            came
        });
        let mut datagram = [0; 972];
        for number in 0..count as u32 {
            while start.elapsed() < apart * number {
                std::thread::yield_now();
            }
            datagram[..8].copy_from_slice(&(start.elapsed().as_nanos() as u64).to_le_bytes());
            client.send(&datagram).unwrap();
        }
        let came = listener.join().unwrap();
        enough.store(true, Ordering::Relaxed);
        echo.join().unwrap();
        (came, relay.join().unwrap())
    })
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// A run in which the relay was on time, or the last of five.
fn on_time(run: impl Fn() -> (Vec<f64>, Relayed)) -> (Vec<f64>, Relayed) {
    let mut last = run();
    for _ in 0..4 {
        println!("{:?}", last.1.lateness);
        if last.1.lateness.part_late() < 0.1 {
            break;
        }
        last = run();
    }
    last
}

#[test]
fn a_datagram_takes_as_long_as_the_links_say() {
    // 1000 bytes at 10 Mbit/s take 0.8 ms; 2 · 15 ms there and back; nothing waits at 2 ms apart.
    let (rtts, relayed) = on_time(|| echo(path(10.0, 15, 10), 100, Duration::from_millis(2)));
    assert_eq!(rtts.len(), 100, "{relayed:?}");
    let rtt = median(rtts);
    assert!((30.8..32.0).contains(&rtt), "{rtt} ms instead of 30.8");
}

#[test]
fn a_full_queue_drops_and_a_rate_is_kept() {
    // 50 at once: one is sent, 10 wait, the rest is lost. The last that waited leaves after 11 · 0.8 ms.
    let (rtts, relayed) = on_time(|| echo(path(10.0, 15, 10), 50, Duration::ZERO));
    assert_eq!(relayed.forth.queue_drops, 50 - rtts.len() as u64);
    assert!((11..=14).contains(&rtts.len()), "{} came; the burst itself takes a packet's time or three", rtts.len());
    let most = rtts.iter().fold(0.0, |most: f64, rtt| most.max(*rtt));
    assert!((37.0..42.0).contains(&most), "{most} ms instead of 30 + 11 · 0.8");
}

#[test]
fn others_take_their_place_in_the_link() {
    // 8 Mbit/s of others and 4 of ours want to cross a link of 10.
    let rate = Steps::constant(Rate::from_mbps(8.0));
    let others = TrafficSpec { sizes: Sizes::Fixed(Bytes(500)), gaps: Gaps::Exponential, rate };
    let (rtts, _) = on_time(|| echo(Path { others: Some(others.clone()), ..path(10.0, 5, 10) }, 500, Duration::from_millis(2)));
    let part = rtts.len() as f64 / 500.0;
    // In a queue counted in packets small and large ones find room alike, so five sixths of each pass.
    assert!((0.7..0.95).contains(&part), "{part} instead of 0.83");
}
