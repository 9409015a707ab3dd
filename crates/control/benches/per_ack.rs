//! What an ACK costs each controller: the news of it, and the question how much may be in flight (divan's `item/s`).

use divan::counter::ItemsCount;
use divan::{AllocProfiler, Bencher};
use symbiosis_control::measurement::imtcp_published::{choice, fit, trend};
use symbiosis_control::params::{Value, Values};
use symbiosis_control::registry;
use symbiosis_control::{Acked, Ask, Bytes, Departure, Instant, LossKind, Lost, Rate, Report, Sent, Setup, Span};

/// Shows what is allocated between a connection's start and its end: nothing, but for what is built in a bench's own loop.
#[global_allocator]
static ALLOCATIONS: AllocProfiler = AllocProfiler::system();

const PACKET: Bytes = Bytes(1500);
/// Of 100 Mbit/s.
const GAP: Span = Span::from_micros(120);
const RTT: Span = Span::from_millis(60);
const ACKS: u64 = 100_000;

fn main() {
    divan::main();
}

/// A steady stream of ACKs after one loss, with a report of the path once a round trip for those that want one.
#[divan::bench(args = registry::ALL.iter().map(|entry| entry.name), sample_count = 20)]
fn ack(bencher: Bencher, name: &str) {
    let entry = registry::find(name).expect("names come from the registry");
    let values = Values::resolve(entry.params, &[]).expect("defaults are allowed");
    let setup = Setup::new(PACKET).with_initial_window(Bytes(10 * PACKET.0)).with_seed(1);
    bencher.counter(ItemsCount::new(ACKS)).with_inputs(|| (entry.build)(&setup, &values)).bench_local_values(|mut controller| {
        let in_flight = Bytes(500 * PACKET.0);
        // Out of slow start: what costs is the law.
        controller.lost(&Lost::new(Instant::after(RTT), LossKind::FastRetransmit, in_flight));
        for number in 0..ACKS {
            let now = Instant::after(RTT) + GAP * number;
            if number % 500 == 0 {
                controller.report(&Report::Path { now, capacity: Rate::from_mbps(100.0), available: Rate::from_mbps(60.0) });
            }
            controller.acked(&Acked::new(now, number, PACKET, now - RTT).with_rtt(Some(RTT)).with_in_flight(in_flight));
            divan::black_box(controller.permit(&Ask::new(now, in_flight)));
            controller.sent(&Sent::new(now, number + 500, PACKET, in_flight));
        }
        controller
    });
}

/// A flow of half the link's rate that measures with the data packets, which leave when they are wanted and arrive no closer than the link
/// sends them.
#[divan::bench(args = ["imtcp", "imtcp-published"], sample_count = 20)]
fn measured_ack(bencher: Bencher, measurement: &str) {
    let entry = registry::find("probe").expect("an entry of the registry");
    let given = [("measurement".to_string(), Value::Word(measurement.to_string())), ("rate_mbps".to_string(), Value::Number(50.0))];
    let values = Values::resolve(entry.params, &given).expect("allowed");
    let setup = Setup::new(PACKET).with_initial_window(Bytes(10 * PACKET.0)).with_seed(1);
    bencher.counter(ItemsCount::new(ACKS)).with_inputs(|| (entry.build)(&setup, &values)).bench_local_values(|mut controller| {
        let in_flight = Bytes(500 * PACKET.0);
        let (mut now, mut left, mut back) = (Instant::START, std::collections::VecDeque::new(), Instant::START);
        let (mut sent, mut acked) = (0, 0);
        while acked < ACKS {
            let at = match controller.permit(&Ask::new(now, in_flight)).departure {
                Departure::Now => now,
                Departure::At(at) | Departure::IgnoreWindow(at) => at.max(now),
            };
            match left.front().copied().filter(|(_, back)| *back <= at) {
                Some((sent_at, back)) => {
                    left.pop_front();
                    now = back;
                    controller.acked(&Acked::new(now, acked, PACKET, sent_at).with_rtt(Some(now - sent_at)).with_in_flight(in_flight));
                    acked += 1;
                }
                None => {
                    now = at;
                    back = (back + GAP).max(now + RTT);
                    left.push_back((now, back));
                    controller.sent(&Sent::new(now, sent, PACKET, in_flight));
                    sent += 1;
                }
            }
        }
        controller
    });
}

/// What the published ImTCP computes for one result beside the ACKs: ten verdicts on twenty packets, the choice, and the two lines.
#[divan::bench]
fn published_result(bencher: Bencher) {
    let noise = |i: usize| (i * 37 % 19) as f64;
    let points: Vec<_> = (0..19).map(|i| (60.0 + i as f64, 60.0 + 0.7 * i as f64 + 0.1 * noise(i))).collect();
    bencher.bench_local(|| {
        let stream = |place: usize| {
            let delays: Vec<f64> = (0..20).map(|i| noise(i + place) + (place as f64 - 14.0) * i as f64).collect();
            trend::Trend::Pathload.verdict(&delays)
        };
        let verdicts: [_; 10] = std::array::from_fn(|place| stream(divan::black_box(place)));
        (choice::choose(verdicts.into_iter()), fit::parting(divan::black_box(&points)))
    });
}
