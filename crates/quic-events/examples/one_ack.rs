//! Ten packets leave, the third is lost, and an ACK of the others comes: what a QUIC stack would tell, and what the window becomes.

use symbiosis_base::{Bytes, Instant};
use symbiosis_control::params::Values;
use symbiosis_control::{Setup, registry};
use symbiosis_quic_events::{Gate, QuicController};

const PAYLOAD: u64 = 1200;
const OVERHEAD: Bytes = Bytes(28);

fn main() {
    let entry = registry::find("newreno").expect("it is in the registry");
    let setup = Setup::new(Bytes(PAYLOAD) + OVERHEAD);
    let controller = (entry.build)(&setup, &Values::resolve(entry.params, &[]).expect("defaults are valid"));
    let mut quic = QuicController::new(controller, &setup, OVERHEAD, Instant::START);
    quic.establish(Instant::START);
    assert_eq!(quic.gate(), Gate::Window(10 * PAYLOAD));
    for number in 0..10 {
        quic.sent(Instant::START, PAYLOAD, number);
    }
    let now = Instant::from_millis(50);
    for number in (0..10).filter(|number| *number != 2) {
        quic.acked(now, Instant::START, number);
    }
    quic.ack_ends();
    quic.gave_up(now, 2);
    quic.congested(now, Instant::START, false, false);
    quic.tell();
    let Gate::Window(window) = quic.gate() else { panic!("Reno does not pace") };
    println!("{} packets of 10 after a loss", window / PAYLOAD);
    assert!(window < 10 * PAYLOAD);
}
