//! A controller driven by hand: one flow on a path of 50 ms that loses a packet in the fifth round trip.

use symbiosis_control::params::Values;
use symbiosis_control::{AckProcessed, Acked, Ask, Bytes, Instant, LossKind, Lost, Sent, Setup, Span, registry};

const PACKET: Bytes = Bytes(1500);
const RTT: Span = Span::from_millis(50);

fn main() {
    let entry = registry::find("cubic").expect("it is in the registry");
    let values = Values::resolve(entry.params, &[]).expect("defaults are valid");
    let mut controller = (entry.build)(&Setup::new(PACKET), &values);
    let (mut now, mut number) = (Instant::START, 0);
    for round in 1..=8 {
        // All that the window allows leaves at once, and is acknowledged a round trip later.
        let first = number;
        let mut in_flight = Bytes::ZERO;
        while in_flight + PACKET <= controller.permit(&Ask::new(now, in_flight)).window {
            in_flight += PACKET;
            controller.sent(&Sent::new(now, number, PACKET, in_flight));
            number += 1;
        }
        let sent_at = now;
        now += RTT;
        if round == 5 {
            controller.lost(&Lost::new(now, LossKind::FastRetransmit, in_flight).with_bytes(PACKET));
        }
        for number in first..number {
            in_flight -= PACKET;
            controller.acked(&Acked::new(now, number, PACKET, sent_at).with_rtt(Some(RTT)).with_in_flight(in_flight));
        }
        controller.ack_processed(&AckProcessed::new(now));
        println!("round trip {round}: {} packets, then a window of {:.1}", number - first, window(&*controller, now));
    }
    assert!(number > 100, "the window grows");
}

fn window(controller: &dyn symbiosis_control::Controller, now: Instant) -> f64 {
    controller.permit(&Ask::new(now, Bytes::ZERO)).window.packets(PACKET)
}
