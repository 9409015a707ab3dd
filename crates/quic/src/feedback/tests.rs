use proptest::prelude::*;
use symbiosis_base::{Bytes, Instant, ReceiverInstant, Span};
use symbiosis_control::observer::Findings;
use symbiosis_control::params::Values;
use symbiosis_control::registry;

use super::listener::{Host, Listener};
use super::wire::{Ask, MOST_ARRIVALS, Message, Observes, tests::message};
use symbiosis_quic_events::{Arrived, Left};

fn ms(ms: u64) -> Span {
    Span::from_millis(ms)
}

fn at_ms(ms: u64) -> Instant {
    Instant::from_millis(ms)
}

/// Packets of 1000 bytes on the wire.
const PACKET: Bytes = Bytes(1000);
const HOST: Host = Host { overhead: Bytes::ZERO, timer: Span::ZERO };

fn asked(arrivals: bool, cc: &str) -> Listener {
    let observer = registry::find(cc).map(|entry| Observes::new(cc, &Values::resolve(entry.params, &[]).unwrap(), 1000));
    let mut listener = Listener::default();
    listener.asked(Ask { arrivals, observer }, HOST);
    listener
}

#[test]
fn arrivals_are_told_together_and_once() {
    let mut listener = asked(true, "");
    let arrived = |pn| Arrived { pn, at: at_ms(pn).into() };
    (3..6).for_each(|pn| listener.arrived(arrived(pn), PACKET));
    assert_eq!(listener.says(at_ms(6), ms(40)), Some(Message::Arrivals((3..6).map(arrived).collect())));
    assert_eq!(listener.says(at_ms(6), ms(40)), None);
    let mut silent = Listener::default();
    silent.arrived(arrived(1), PACKET);
    assert_eq!(silent.says(at_ms(6), ms(40)), None, "nobody asked");
}

#[test]
fn an_observer_hears_of_packets_whose_departure_was_told() {
    let mut listener = asked(false, "hcc");
    let mut packet = |pn: u64, at: Instant, left: Instant, probe| {
        listener.arrived(Arrived { pn, at: at.into() }, PACKET);
        listener.left(&Left { pn, serial: pn, at: left, probe });
    };
    // A pair that left at once and arrived 2 ms apart.
    packet(1, at_ms(20), at_ms(0), false);
    packet(2, at_ms(22), at_ms(0), true);
    let Some(Message::Found(Findings { gap, weight, .. })) = listener.says(at_ms(22), ms(40)) else { panic!("nothing was found") };
    assert_eq!((gap, weight), (ms(2), 0.1));
    // A quarter of a round trip later, or when there is something urgent.
    listener.arrived(Arrived { pn: 3, at: at_ms(24).into() }, PACKET);
    assert_eq!((listener.says(at_ms(24), ms(40)), listener.wake_at()), (None, Instant::NEVER), "its departure was not told");
    listener.left(&Left { pn: 3, serial: 3, at: at_ms(4), probe: false });
    assert_eq!((listener.says(at_ms(24), ms(40)), listener.wake_at()), (None, at_ms(32)));
    assert!(listener.says(at_ms(32), ms(40)).is_some());
}

#[test]
fn what_is_asked_of_a_controller_without_such_a_half_is_not_answered() {
    for cc in ["reno", "none"] {
        let mut listener = asked(false, cc);
        listener.arrived(Arrived { pn: 1, at: at_ms(1).into() }, PACKET);
        listener.left(&Left { pn: 1, serial: 1, at: at_ms(0), probe: false });
        assert_eq!((listener.says(at_ms(2), ms(40)), listener.wake_at()), (None, Instant::NEVER));
    }
}

proptest! {
    #[test]
    fn nothing_that_is_said_makes_a_listener_grow(said in proptest::collection::vec((message(), any::<u32>()), 1..300)) {
        let mut listener = asked(true, "hcc");
        for (pn, (message, at)) in (0..).zip(said) {
            match message {
                Message::Ask(ask) => listener.asked(ask, HOST),
                Message::Left(left) => listener.left(&Left { pn: left.pn % 300, ..left }),
                Message::Arrivals(_) | Message::Found(_) => listener.arrived(Arrived { pn, at: ReceiverInstant(at.into()) }, PACKET),
            }
            prop_assert!(listener.remembers() <= MOST_ARRIVALS + 64);
            if at % 50 == 0 {
                listener.says(Instant(at.into()), ms(1));
            }
        }
    }
}
