//! Every controller of the registry under events that no sane world sends, and what must hold all the same.

mod hostile {
    pub mod events;
    pub mod subject;
}

use hostile::events::{PACKET, bytes, events, number, places, sent_at};
use hostile::subject::{INITIAL, Subject, values};
use proptest::prelude::*;
use symbiosis_control::observer::{Arrival, Findings};
use symbiosis_control::params::Values;
use symbiosis_control::registry;
use symbiosis_control::{Ask, Bytes, Controller, Instant, Span};

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_events_are_borne_with_default_parameters(events in events(), seed in any::<u64>()) {
        for entry in registry::ALL {
            let mut subject = Subject::new(entry, values(entry, None), seed);
            subject.endure(&events);
            subject.recover();
        }
    }

    #[test]
    fn any_events_are_borne_with_any_parameters(events in events(), places in places(), seed in any::<u64>()) {
        for entry in registry::ALL {
            let mut subject = Subject::new(entry, values(entry, Some(&places)), seed);
            subject.endure(&events);
            subject.recover();
        }
    }

    #[test]
    fn a_receiver_that_measures_bears_any_arrivals(
        packets in prop::collection::vec((0..100_000_000u64, number(), bytes(), sent_at(), any::<bool>(), any::<bool>()), 0..300),
        places in places(),
    ) {
        for entry in registry::ALL {
            let mut subject = Subject::new(entry, values(entry, Some(&places)), 0);
            let Some(mut observer) = subject.observer.take() else { continue };
            let mut now = Instant::START;
            for (later, serial, bytes, sent, probe, asked) in &packets {
                now += Span(*later);
                observer.arrived(&Arrival { now: now.into(), serial: *serial, bytes: *bytes, sent_at: sent.at(now), probe: *probe });
                if *asked {
                    let (urgent, found) = (observer.urgent(), observer.take());
                    prop_assert!(urgent || found.excess.is_none());
                    prop_assert!((0.0..=1.0).contains(&found.weight) && (found.weight > 0.0 || found.gap == Span::ZERO), "{:?}", found);
                    prop_assert!(found.gap <= now.since_start() && found.excess.is_none_or(|excess| excess.jitter <= now.since_start()), "{:?}", found);
                    prop_assert_eq!((observer.take(), observer.urgent()), (Findings::default(), false));
                }
            }
        }
    }

    #[test]
    fn the_same_seed_and_events_give_the_same_permits(events in events(), places in places(), seed in any::<u64>()) {
        for entry in registry::ALL {
            let permits = || {
                let mut subject = Subject::new(entry, values(entry, Some(&places)), seed);
                let ask = |subject: &mut Subject| subject.controller.permit(&Ask::new(subject.now, Bytes(0)));
                let permits = events.iter().map(|event| (subject.tell(event), ask(&mut subject)).1);
                permits.collect::<Vec<_>>()
            };
            prop_assert_eq!(permits(), permits(), "{}", entry.name);
        }
    }

    #[test]
    fn a_copy_foresees_what_the_original_will_do_and_changes_nothing_of_it(
        before in events(), after in events(), places in places(), seed in any::<u64>(),
    ) {
        for entry in registry::ALL {
            let mut subject = Subject::new(entry, values(entry, Some(&places)), seed);
            before.iter().for_each(|event| subject.tell(event));
            let (now, permit) = (subject.now, subject.permit());
            let original = subject.controller;
            subject.controller = original.clone();
            prop_assert_eq!(subject.permit(), permit, "{}: a copy begins where the original is", entry.name);
            // What the receiver's half finds is told to whichever controller runs, so here there is none.
            subject.observer = None;
            let mut permits = |controller: Box<dyn Controller>| {
                (subject.now, subject.controller) = (now, controller);
                let permits = after.iter().map(|event| (subject.tell(event), subject.permit()).1);
                permits.collect::<Vec<_>>()
            };
            let foreseen = permits(original.clone());
            prop_assert_eq!(original.permit(&Ask::new(now, Bytes(0))), permit, "{}: the original has heard nothing", entry.name);
            prop_assert_eq!(permits(original), foreseen, "{}", entry.name);
        }
    }
}

#[test]
fn every_entry_builds_with_its_defaults() {
    for (i, entry) in registry::ALL.iter().enumerate() {
        // A default outside its own bounds would be refused when given; a parameter that is read but not declared panics.
        let defaults = values(entry, None);
        let given: Vec<_> = defaults.iter().map(|(name, value)| (name.to_string(), value.clone())).collect();
        assert_eq!(Values::resolve(entry.params, &given), Ok(defaults.clone()), "{}", entry.name);
        let mut subject = Subject::new(entry, defaults, 0);
        assert!(subject.window() >= PACKET && subject.window() <= INITIAL, "{}", entry.name);

        assert!(registry::ALL[..i].iter().all(|other| other.name != entry.name), "two are named {}", entry.name);
        assert!(!entry.about.is_empty() && entry.params.iter().all(|param| !param.about.is_empty()), "{}", entry.name);
        for (j, param) in entry.params.iter().enumerate() {
            assert!(entry.params[..j].iter().all(|other| other.name != param.name), "{} twice in {}", param.name, entry.name);
        }
    }
}
