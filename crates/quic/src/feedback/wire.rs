//! What the two ends of a connection say to each other about packets, each message in a DATAGRAM frame (RFC 9221) of its own. Frames that are
//! lost are not repeated: what they said is old by then.
//!
//! A message is a byte that tells which, and QUIC's variable-length integers. Times are nanoseconds of the clock of whoever tells them.

use bytes::{Buf, BufMut, Bytes, BytesMut};
use noq_proto::VarInt;
use noq_proto::coding::{Decodable, Encodable};
use serde::{Deserialize, Serialize};
use symbiosis_base::{Instant, ReceiverInstant, Span};
use symbiosis_control::observer::{Excess, Findings};
use symbiosis_control::params::{Value, Values};
use symbiosis_quic_events::{Arrived, Left};

/// Arrivals that fit a message: as many packets as are taken from a socket in one turn.
pub(crate) const MOST_ARRIVALS: usize = 32;

/// What one end says to the other.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Message {
    /// A sender wants to hear of its packets.
    Ask(Ask),
    /// These arrived, in that order.
    Arrivals(Vec<Arrived>),
    /// When a packet left.
    Left(Left),
    /// What the receiver's half of a controller found.
    Found(Findings),
}

/// What a sender wants to hear of its packets.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Ask {
    /// When they arrive.
    pub(crate) arrivals: bool,
    /// What a controller's other half makes of that.
    pub(crate) observer: Option<Observes>,
}

/// The receiver's half of a controller.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Observes {
    /// Of which controller.
    pub(crate) cc: String,
    /// Its parameters.
    pub(crate) params: Vec<(String, Said)>,
    /// UDP payload of a full packet \[bytes\].
    pub(crate) payload: u16,
}

impl Observes {
    pub(crate) fn new(cc: &str, params: &Values, payload: u16) -> Observes {
        Observes { cc: cc.into(), params: params.iter().map(|(name, value)| (name.into(), Said::from(value))).collect(), payload }
    }
}

/// A parameter's value.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub(crate) enum Said {
    Flag(bool),
    Number(f64),
    Word(String),
}

impl From<&Value> for Said {
    fn from(value: &Value) -> Said {
        match value {
            Value::Flag(flag) => Said::Flag(*flag),
            Value::Number(number) => Said::Number(*number),
            Value::Word(word) => Said::Word(word.clone()),
        }
    }
}

impl From<&Said> for Value {
    fn from(said: &Said) -> Value {
        match said {
            Said::Flag(flag) => Value::Flag(*flag),
            Said::Number(number) => Value::Number(*number),
            Said::Word(word) => Value::Word(word.clone()),
        }
    }
}

const ASK: u8 = 0;
const ARRIVALS: u8 = 1;
const LEFT: u8 = 2;
const PROBE: u8 = 3;
const FOUND: u8 = 4;
const EXCESS: u8 = 5;

impl Message {
    /// The message for a DATAGRAM frame.
    pub(crate) fn encode(&self) -> Bytes {
        let mut out = BytesMut::new();
        match self {
            Message::Ask(ask) => {
                out.put_u8(ASK);
                out.put_slice(&serde_json::to_vec(ask).expect("names, numbers and texts are JSON"));
            }
            Message::Arrivals(arrivals) => {
                out.put_u8(ARRIVALS);
                let mut before = Arrived { pn: 0, at: ReceiverInstant(0) };
                for arrived in arrivals {
                    put(&mut out, zigzag(arrived.pn.wrapping_sub(before.pn) as i64));
                    put(&mut out, (arrived.at - before.at).0);
                    before = *arrived;
                }
            }
            Message::Left(left) => {
                out.put_u8(if left.probe { PROBE } else { LEFT });
                [left.pn, left.serial, left.at.0].into_iter().for_each(|number| put(&mut out, number));
            }
            Message::Found(found) => {
                out.put_u8(if found.excess.is_some() { EXCESS } else { FOUND });
                [found.gap.0, found.left.0].into_iter().for_each(|number| put(&mut out, number));
                out.put_f64(found.weight);
                if let Some(excess) = found.excess {
                    [excess.sent_at.0, excess.jitter.0].into_iter().for_each(|number| put(&mut out, number));
                }
            }
        }
        out.freeze()
    }

    /// The message of a DATAGRAM frame; none if it is no message.
    pub(crate) fn decode(mut bytes: &[u8]) -> Option<Message> {
        if bytes.is_empty() {
            return None;
        }
        let kind = bytes.get_u8();
        if kind == ASK {
            return serde_json::from_slice(bytes).ok().map(Message::Ask);
        }
        let mut get = || VarInt::decode(&mut bytes).ok().map(VarInt::into_inner);
        let message = match kind {
            ARRIVALS => {
                let mut before = Arrived { pn: 0, at: ReceiverInstant(0) };
                let mut arrivals = Vec::new();
                while let Some(pn) = get() {
                    if arrivals.len() == MOST_ARRIVALS {
                        return None;
                    }
                    let at = before.at.saturating_add(Span(get()?));
                    before = Arrived { pn: before.pn.wrapping_add(unzigzag(pn) as u64), at };
                    arrivals.push(before);
                }
                Message::Arrivals(arrivals)
            }
            LEFT | PROBE => Message::Left(Left { pn: get()?, serial: get()?, at: Instant(get()?), probe: kind == PROBE }),
            FOUND | EXCESS => {
                let (gap, left) = (Span(get()?), Instant(get()?));
                let weight = bytes.try_get_f64().ok().filter(|weight| (0.0..=1.0).contains(weight))?;
                let mut get = || VarInt::decode(&mut bytes).ok().map(VarInt::into_inner);
                let excess = if kind == EXCESS { Some(Excess { sent_at: Instant(get()?), jitter: Span(get()?) }) } else { None };
                Message::Found(Findings { gap, weight, left, excess })
            }
            _ => return None,
        };
        bytes.is_empty().then_some(message)
    }
}

/// Writes a number; one that is too large for QUIC as the largest. Those here are times of 146 years, and never real.
fn put(out: &mut BytesMut, number: u64) {
    VarInt::from_u64(number).unwrap_or(VarInt::MAX).encode(out);
}

/// Small numbers of either sign as small ones.
fn zigzag(number: i64) -> u64 {
    ((number << 1) ^ (number >> 63)) as u64
}

fn unzigzag(number: u64) -> i64 {
    (number >> 1) as i64 ^ -((number & 1) as i64)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use proptest::prelude::*;

    fn nanos() -> impl Strategy<Value = u64> {
        0..1_u64 << 61
    }

    /// Any message.
    pub(crate) fn message() -> impl Strategy<Value = Message> {
        let arrived = (0..1_u64 << 60, nanos()).prop_map(|(pn, at)| Arrived { pn, at: ReceiverInstant(at) });
        let arrivals = proptest::collection::vec(arrived, 0..=MOST_ARRIVALS).prop_map(|mut all| {
            all.sort_by_key(|arrived| arrived.at);
            Message::Arrivals(all)
        });
        let left = (0..1_u64 << 61, 0..1_u64 << 61, nanos(), any::<bool>());
        let excess = proptest::option::of(
            (nanos(), nanos()).prop_map(|(sent_at, jitter)| Excess { sent_at: Instant(sent_at), jitter: Span(jitter) }),
        );
        let found = (nanos(), 0.0..=1.0, nanos(), excess);
        let observes = Observes { cc: "hcc".into(), params: vec![("alpha".into(), Said::Number(0.25))], payload: 1452 };
        prop_oneof![
            Just(Message::Ask(Ask { arrivals: true, observer: Some(observes) })),
            arrivals,
            left.prop_map(|(pn, serial, at, probe)| Message::Left(Left { pn, serial, at: Instant(at), probe })),
            found.prop_map(|(gap, weight, left, excess)| Message::Found(Findings { gap: Span(gap), weight, left: Instant(left), excess })),
        ]
    }

    proptest! {
        #[test]
        fn what_is_said_is_heard(message in message()) {
            prop_assert_eq!(Message::decode(&message.encode()), Some(message));
        }

        #[test]
        fn whatever_comes_is_read_or_refused(kind in 0_u8..8, rest in proptest::collection::vec(any::<u8>(), 0..1500)) {
            let bytes: Vec<u8> = std::iter::once(kind).chain(rest).collect();
            if let Some(Message::Arrivals(arrivals)) = Message::decode(&bytes) {
                prop_assert!(arrivals.len() <= MOST_ARRIVALS);
            }
        }
    }

    #[test]
    fn a_packet_more_takes_few_bytes() {
        let arrived = |n: u64| Arrived { pn: 1_000_000 + n, at: ReceiverInstant(60_000_000_000 + 120_000 * n) };
        let bytes = |n: u64| Message::Arrivals((0..n).map(arrived).collect()).encode().len();
        assert_eq!((bytes(1), bytes(32)), (13, 13 + 31 * 5));
    }
}
