//! What an ACK costs each controller: the news of it, and the question how much may be in flight (divan's `item/s`).

use divan::Bencher;
use divan::counter::ItemsCount;
use symbiosis_control::params::Values;
use symbiosis_control::registry;
use symbiosis_control::{Acked, Ask, Bytes, LossKind, Lost, Nanos, Rate, Report, Sent, Setup};

const PACKET: Bytes = Bytes(1500);
/// Of 100 Mbit/s.
const GAP: Nanos = Nanos::from_micros(120);
const RTT: Nanos = Nanos::from_millis(60);
const ACKS: u64 = 100_000;

fn main() {
    divan::main();
}

/// A steady stream of ACKs after one loss, with a report of the path once a round trip for those that want one.
#[divan::bench(args = registry::ALL.iter().map(|entry| entry.name), sample_count = 20)]
fn ack(bencher: Bencher, name: &str) {
    let entry = registry::find(name).expect("names come from the registry");
    let values = Values::resolve(entry.params, &[]).expect("defaults are allowed");
    let setup = Setup { packet: PACKET, initial_window: Bytes(10 * PACKET.0), timer: Nanos::ZERO, seed: 1 };
    bencher.counter(ItemsCount::new(ACKS)).with_inputs(|| (entry.build)(&setup, &values)).bench_local_values(|mut controller| {
        let in_flight = Bytes(500 * PACKET.0);
        // Out of slow start: what costs is the law.
        controller.lost(&Lost { now: RTT, kind: LossKind::FastRetransmit, in_flight });
        for number in 0..ACKS {
            let now = RTT + GAP * number;
            if number % 500 == 0 {
                controller.report(&Report::Path { now, capacity: Rate::from_mbps(100.0), available: Rate::from_mbps(60.0) });
            }
            controller.acked(&Acked {
                now,
                number,
                bytes: PACKET,
                sent_at: now - RTT,
                received_at: None,
                rtt: Some(RTT),
                in_flight,
                app_limited: false,
                recovering: false,
                grows: true,
            });
            divan::black_box(controller.permit(&Ask { now, in_flight }));
            controller.sent(&Sent { now, number: number + 500, bytes: PACKET, in_flight, retransmission: false, app_limited: false });
        }
        controller
    });
}
