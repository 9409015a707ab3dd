//! An exchange keeps to its limit, and to the next one when the time for that has come.

use std::sync::Arc;

use symbiosis_base::{Bytes, Instant, Random, Rate, Span};
use symbiosis_path::{LinkSpec, NetworkLink, QueueLimit};
use symbiosis_quic::choice::Choice;
use symbiosis_quic::clock::Clock;
use symbiosis_quic::exchange::{BODY, COPIES, Exchange, Frame, Limit, Offer, Polled, WEEK, Work};
use symbiosis_quic::identity::{Identity, Trust};
use symbiosis_quic::impairments::Impairments;
use symbiosis_quic::node::{Node, Settings};
use symbiosis_quic::virtual_time::{Emulation, Route, address};

/// Gives frames without end, or takes them.
struct Endless(bool);

impl Work for Endless {
    fn has_room(&self) -> bool {
        true
    }

    fn feed(&mut self, _: Frame) {}

    fn poll(&mut self) -> Polled {
        if self.0 { Polled::Say(Frame { head: vec![1], body: vec![7; BODY] }) } else { Polled::Wait }
    }

    fn close(&mut self) {}
}

/// What is read at the other end in each of these seconds \[Mbit/s\], over 100 Mbit/s and 20 ms, with a buffer of 1 BDP.
fn rates(limit: Limit, seconds: u64) -> Vec<f64> {
    let settings = Settings { protocol: COPIES, asks_who: true, ..Settings::default() };
    let [here, there] = [(); 2].map(|()| Arc::new(Identity::generate().unwrap().0));
    let queue = QueueLimit::Bytes(Bytes(250_000));
    let spec = LinkSpec { queue, ..LinkSpec::ideal(Rate::from_mbps(100.0), Span::from_millis(10)) };
    let (from, to) = (Instant::START, Instant::NEVER);
    let link = |source| NetworkLink { spec: spec.clone(), random: Random::new(1, source), from, to, sample_every: None };
    let mut world: Emulation<Exchange> = Emulation::new(vec![link(100), link(101)], settings.overhead, 1);
    let (choice, clock) = (Choice::find("cubic", &[]).unwrap(), Clock::start());
    let offer = Offer::new(here.fingerprint(), Box::new(Endless(false)));
    let accept = Box::new(move |_| Exchange::answers(offer.clone(), Limit::default()));
    let server = world.add(Node::server(clock, settings, choice.clone(), 1, &there, accept).unwrap());
    let mut node = Node::client(clock, settings, choice, 2);
    node.show(here);
    let session = Exchange::opens(Box::new(Endless(true)), limit);
    node.connect(world.now(), address(0), None, &Trust::Pinned(there.fingerprint()), session).unwrap();
    let client = world.add(node);
    for (from, to, link) in [(client, 0, 0), (0, client, 1)] {
        world.route(from, to, Route { links: vec![link], impairments: Impairments::default() });
    }
    let mut read = vec![0];
    for second in 1..=seconds {
        world.run(Instant::from_millis(1000 * second), |_| true);
        let node = world.look(server);
        let id = node.peers()[0];
        read.push(node.session(id).unwrap().moved().read);
    }
    read.windows(2).map(|pair| 8e-6 * (pair[1] - pair[0]) as f64).collect()
}

#[test]
fn a_limit_that_changes_is_kept_from_its_time_on() {
    let second = |second: u64| Span::from_millis(1000 * second);
    let mbps = |mbps| Some(Rate::from_mbps(mbps));
    // The clock starts three seconds before the week ends.
    let begins = WEEK - second(3);
    let table = vec![(second(0), mbps(40.0)), (second(3), None), (second(6), mbps(5.0)), (begins, mbps(10.0))];
    let rates = rates(Limit::by_time(table, begins), 12);
    println!("{rates:.1?}");
    // The first second of each has the start of the connection, or what was under way.
    for (seconds, from, to) in [(1..3, 9.5, 10.5), (4..6, 38.5, 41.5), (7..9, 80.0, 100.0), (10..12, 4.5, 5.5)] {
        for second in seconds {
            assert!((from..to).contains(&rates[second]), "second {second}: {rates:.1?}");
        }
    }
}
