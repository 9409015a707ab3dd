//! What fuzz targets need of this crate's inside. It is there for them alone (`--cfg fuzzing`).

use symbiosis_base::{Bytes, Instant, ReceiverInstant, Span};
use symbiosis_quic_events::Arrived;

use crate::feedback::{Host, Listener, wire::Message};
use crate::transfer;

/// Reads bytes as whatever they may be; what is read says the same when it is written again.
///
/// # Panics
/// It does not.
pub fn reads(bytes: &[u8]) {
    transfer::reads(bytes);
    match Message::decode(bytes) {
        // Numbers of parameters are JSON, which is read to within a unit of the last place.
        Some(Message::Ask(ask)) => assert!(matches!(Message::decode(&Message::Ask(ask).encode()), Some(Message::Ask(_)))),
        Some(message) => assert_eq!(Message::decode(&message.encode()), Some(message)),
        None => {}
    }
}

/// A receiving end hears messages, each as long as a byte before it says, and full packets arrive between them.
///
/// # Panics
/// It remembers without end, or says what is no message.
pub fn listens(mut bytes: &[u8]) {
    let host = Host { overhead: Bytes(28), timer: Span::ZERO };
    let (mut listener, mut now) = (Listener::default(), Instant::START);
    while let [step, length, rest @ ..] = bytes {
        // Up to some 18 minutes later: shorter ones are the more likely the shorter they are.
        now += Span(u64::from(step & 0x0f) << ((step >> 4) * 2));
        let (message, after) = rest.split_at(rest.len().min((*length).into()));
        bytes = after;
        match Message::decode(message) {
            Some(Message::Ask(ask)) => listener.asked(ask, host),
            Some(Message::Left(left)) => {
                listener.arrived(Arrived { pn: left.pn, at: ReceiverInstant::from(now) }, Bytes(1480));
                listener.left(&left);
            }
            _ => {}
        }
        if let Some(said) = listener.says(now, Span::from_millis(20)) {
            assert!(Message::decode(&said.encode()).is_some(), "{said:?}");
        }
        assert!(listener.wake_at() >= Instant::START && listener.remembers() <= 96);
    }
}
