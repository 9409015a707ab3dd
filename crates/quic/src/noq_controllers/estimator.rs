//! An estimator of the round-trip time as noq hands it to controllers.
//!
//! Nobody but noq can make one: its constructor and its fields are its own. But it may be copied, and noq begins each with the
//! round-trip time that its transport is told to begin with. So one of any time is had by a connection that is told so and whose first packet
//! is acknowledged: a client and a server in memory exchange two datagrams, and a controller that only listens keeps the estimator that
//! comes with the ACK.
//!
//! That takes about a millisecond, so it is done once for each of a few hundred times, each 1/128 of an octave from the next. Of noq's
//! controllers only CUBIC looks at it all the time: where it says how fast Reno would grow, 0.3 % more or less.

use std::any::Any;
use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use bytes::BytesMut;
use noq_proto::congestion::{Controller, ControllerFactory};
use noq_proto::crypto::rustls::{QuicClientConfig, QuicServerConfig};
use noq_proto::{ClientConfig, DatagramEvent, Endpoint, EndpointConfig, FourTuple, RttEstimator, ServerConfig, TransportConfig};

use crate::identity::{FILES, Identity, SERVER_NAME, Seen, Trust};

/// Steps of an octave: half a step is 2^(1/256), 0.27 %.
const STEPS: u64 = 128;
/// Two addresses that tell the ends apart.
const ENDS: [([u8; 4], u16); 2] = [([127, 0, 0, 1], 1), ([127, 0, 0, 1], 2)];

/// An estimator whose estimate is `rtt`, within half a step.
pub(crate) fn of(rtt: Duration) -> RttEstimator {
    static KNOWN: Mutex<BTreeMap<u64, RttEstimator>> = Mutex::new(BTreeMap::new());
    let rtt = rounded(rtt.as_nanos() as u64);
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    *known.entry(rtt).or_insert_with(|| listen(Duration::from_nanos(rtt)))
}

/// The nearest step.
fn rounded(nanos: u64) -> u64 {
    let octave = 1 << nanos.max(STEPS).ilog2();
    let step = octave / STEPS;
    (nanos.max(STEPS) + step / 2) / step * step
}

/// Listens to what noq hands to a controller.
#[derive(Clone, Debug, Default)]
struct Ear(Arc<Mutex<Option<RttEstimator>>>);

impl ControllerFactory for Ear {
    fn build(self: Arc<Self>, _now: Instant, _mtu: u16) -> Box<dyn Controller> {
        Box::new(Ear::clone(&self))
    }
}

impl Controller for Ear {
    fn on_ack(&mut self, _now: Instant, _sent: Instant, _bytes: u64, _pn: u64, _app_limited: bool, rtt: &RttEstimator) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(*rtt);
    }

    fn on_congestion_event(&mut self, _: Instant, _: Instant, _: bool, _: bool, _: u64, _: u64) {}

    fn on_mtu_update(&mut self, _new_mtu: u16) {}

    fn window(&self) -> u64 {
        u64::MAX
    }

    fn clone_box(&self) -> Box<dyn Controller> {
        Box::new(self.clone())
    }

    fn initial_window(&self) -> u64 {
        u64::MAX
    }

    fn into_any(self: Box<Self>) -> Box<dyn Any> {
        self
    }
}

/// Makes a call that is answered once.
fn listen(rtt: Duration) -> RttEstimator {
    static SERVER: OnceLock<Arc<ServerConfig>> = OnceLock::new();
    let server = SERVER.get_or_init(|| {
        let (identity, _) = Identity::generate().expect("the system has randomness");
        let tls = QuicServerConfig::try_from(identity.tls(FILES, false).expect("a new identity serves"))
            .expect("TLS 1.3 has QUIC's first cipher suite");
        Arc::new(ServerConfig::with_crypto(Arc::new(tls)))
    });
    let tls = Trust::Nobody.tls(FILES, &Seen::default(), None).expect("nobody need be known");
    let mut config = ClientConfig::new(Arc::new(QuicClientConfig::try_from(tls).expect("TLS 1.3 has QUIC's first cipher suite")));
    let (ear, now) = (Ear::default(), Instant::now());
    let mut transport = TransportConfig::default();
    transport.initial_rtt(rtt).congestion_controller_factory(Arc::new(ear.clone()));
    config.transport_config(Arc::new(transport));
    let [here, there] = ENDS.map(SocketAddr::from);

    let mut caller = Endpoint::new(Arc::new(EndpointConfig::default()), None, false);
    let (_, mut call) = caller.connect(now, config, there, SERVER_NAME).expect("an address that can be called");
    let mut called = Endpoint::new(Arc::new(EndpointConfig::default()), Some(server.clone()), false);
    let mut datagram = Vec::new();
    let _ = call.poll_transmit(now, NonZeroUsize::MIN, &mut datagram).expect("a call begins with a datagram");
    let mut answer = Vec::new();
    let event = called.handle(now, FourTuple::from_remote(here), None, BytesMut::from(&datagram[..]), &mut answer);
    let Some(DatagramEvent::NewConnection(incoming)) = event else { unreachable!("noq understands noq") };
    let (_, mut answered) = called.accept(incoming, now, &mut answer, None).expect("a call as any other");
    answer.clear();
    let _ = answered.poll_transmit(now, NonZeroUsize::MIN, &mut answer).expect("the answer acknowledges");
    let event = caller.handle(now, FourTuple::from_remote(there), None, BytesMut::from(&answer[..]), &mut Vec::new());
    let Some(DatagramEvent::ConnectionEvent(_, event)) = event else { unreachable!("noq understands noq") };
    call.handle_event(event);
    let heard = *ear.0.lock().unwrap_or_else(PoisonError::into_inner);
    heard.expect("the call's first packet is acknowledged")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_estimates_what_was_asked_for() {
        for micros in [1, 50, 1_000, 33_333, 120_000, 333_000, 2_000_000] {
            let wanted = Duration::from_micros(micros);
            let estimate = of(wanted).get();
            let off = estimate.as_secs_f64() / wanted.as_secs_f64() - 1.0;
            assert!(off.abs() <= 0.5 / STEPS as f64, "{estimate:?} in place of {wanted:?}");
            assert_eq!(of(wanted).get(), estimate);
        }
        assert!(of(Duration::ZERO).get() > Duration::ZERO);
    }
}
