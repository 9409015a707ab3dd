use super::*;
use crate::lotka_volterra::Bandwidth;
use crate::measurement::oracle::{Errors, Oracle};
use crate::measurement::until::{Until, path};
use crate::{Instant, Rate, test_path};

fn ack(now: u64) -> Acked {
    Acked { now: Instant::from_millis(now), ..test_path::ack() }
}

#[test]
fn a_reading_stays_until_it_no_longer_holds_and_is_told_once() {
    let mut host = Host::new(Box::new(Until::new(Instant::from_millis(2), path(30.0))));
    assert_eq!(host.acked(&ack(1)), News::Reading(Reading::certain(path(30.0))));
    assert_eq!(host.reading(), Some(Reading::certain(path(30.0))));
    assert_eq!(host.acked(&ack(2)), News::Expired);
    assert_eq!((host.acked(&ack(3)), host.reading()), (News::Nothing, None));
    assert_eq!(host.last(), Some(Reading::certain(path(30.0))), "what was known last");
    host.forget();
    assert_eq!(host.last(), None);
}

#[test]
fn to_forget_is_not_to_expire() {
    let mut host = Host::new(Box::new(Oracle::new(Errors::default(), 1)));
    let report = Report::Path { now: Instant::START, capacity: Rate::from_mbps(100.0), available: Rate::from_mbps(30.0) };
    assert!(matches!(host.report(&report), News::Reading(_)));
    host.forget();
    assert_eq!((host.acked(&ack(1)), host.reading()), (News::Nothing, None));
}

/// Reads A with an interval as wide as K.
#[derive(Clone)]
struct Doubtful;

impl Measurement for Doubtful {
    fn sent(&mut self, _packet: &Sent) {}

    fn packet_lost(&mut self, _packet: &PacketLost) {}

    fn acked(&mut self, _ack: &Acked) -> Option<Reading> {
        let error = Bandwidth { capacity: Rate::ZERO, available: Rate::from_mbps(51.0) };
        Some(Reading { bandwidth: path(50.0), error, held_back: false })
    }

    fn report(&mut self, _report: &Report) -> Option<Reading> {
        None
    }

    fn departure(&self) -> Departure {
        Departure::Now
    }

    fn holds(&self) -> bool {
        true
    }

    fn unknown(&self) -> Unknown {
        Unknown::Measuring
    }

    fn wants_arrivals(&self) -> bool {
        false
    }

    fn is_held_back(&self) -> bool {
        false
    }

    fn forget(&mut self) {}

    fn copy(&self) -> Box<dyn Measurement> {
        Box::new(self.clone())
    }
}

#[test]
fn what_is_not_sure_is_no_reading() {
    let mut host = Host::new(Box::new(Doubtful));
    assert_eq!((host.acked(&ack(1)), host.reading()), (News::Nothing, None));
}
