//! Situations that are made on purpose, in virtual time: each has one thing that holds a copy up, and that is what the sentence names.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use symbiosis_base::{Bytes, Instant, Random, Rate, Span};
use symbiosis_path::{Gaps, LinkSpec, NetworkLink, QueueLimit, Sizes, Steps, Traffic, TrafficSpec};
use symbiosis_quic::clock::Clock;
use symbiosis_quic::exchange::{Answering, COPIES, Calling, Exchange, Frame, Limit, Offer, Polled, Work, answer, call};
use symbiosis_quic::identity::{Identity, Trust};
use symbiosis_quic::impairments::Impairments;
use symbiosis_quic::node::{Node, Settings};
use symbiosis_quic::relay::{self, Relay};
use symbiosis_quic::socket::Udp;
use symbiosis_quic::virtual_time::{Emulation, Route, address};

use super::show::Done;
use super::why::{Cause, Seen};
use crate::net::choice;

/// A frame's body: small beside what moves, so that an end can be slow evenly.
const BODY: u64 = 100_000;
/// What an end in a thread of its own keeps of what came.
const QUEUE: u64 = 4 << 20;

/// So late that whoever is fast has done everything: an hour \[ns\].
const FAR: u64 = 3_600_000_000_000;

/// The time of the world \[ns\].
type Time = Arc<AtomicU64>;

/// What an end has done at a rate by now.
fn by_now(time: &Time, mbps: f64) -> u64 {
    Rate::from_mbps(mbps).times(Span(time.load(Ordering::Relaxed))) as u64
}

/// Has frames: as fast as it reads, and all at once or each when the last was answered.
struct Gives {
    time: Time,
    reads_mbps: f64,
    asks_each: bool,
    left: u64,
    said: u64,
    answers: u64,
}

impl Work for Gives {
    fn has_room(&self) -> bool {
        true
    }

    fn feed(&mut self, _: Frame) {
        self.answers += 1;
    }

    fn poll(&mut self) -> Polled {
        if self.left == 0 {
            return if self.answers < self.said { Polled::Wait } else { Polled::Over };
        }
        if self.asks_each && self.answers < self.said {
            return Polled::Wait;
        }
        if (self.said + 1) * BODY > by_now(&self.time, self.reads_mbps) {
            return Polled::Soon;
        }
        self.left -= 1;
        self.said += 1;
        Polled::Say(Frame { head: vec![1], body: vec![7; BODY as usize] })
    }

    fn close(&mut self) {}
}

/// Takes frames, as fast as it writes, and answers each.
struct Takes {
    time: Time,
    writes_mbps: f64,
    came: u64,
    written: u64,
    answered: u64,
    frames: u64,
}

impl Work for Takes {
    fn has_room(&self) -> bool {
        (self.came - self.written) * BODY < QUEUE
    }

    fn feed(&mut self, _: Frame) {
        self.came += 1;
    }

    fn poll(&mut self) -> Polled {
        self.written = self.came.min(by_now(&self.time, self.writes_mbps) / BODY);
        if self.answered < self.written {
            self.answered += 1;
            return Polled::Say(Frame { head: vec![1], body: Vec::new() });
        }
        match (self.answered == self.frames, self.written < self.came) {
            (true, _) => Polled::Over,
            (_, true) => Polled::Soon,
            _ => Polled::Wait,
        }
    }

    fn close(&mut self) {}
}

/// Nothing holds it up but a path of 100 Mbit/s and 20 ms, unless it says so.
#[derive(Clone)]
struct Situation {
    cc: &'static str,
    sets: Vec<String>,
    path_mbps: f64,
    rtt_ms: u64,
    loss: f64,
    others_mbps: f64,
    limit: Limit,
    reads_mbps: f64,
    writes_mbps: f64,
    asks_each: bool,
    megabytes: u64,
}

impl Default for Situation {
    fn default() -> Situation {
        Situation {
            cc: "symbiosis",
            sets: Vec::new(),
            path_mbps: 100.0,
            rtt_ms: 20,
            loss: 0.0,
            others_mbps: 0.0,
            limit: Limit::default(),
            reads_mbps: 10_000.0,
            writes_mbps: 10_000.0,
            asks_each: false,
            megabytes: 30,
        }
    }
}

impl Situation {
    /// What is seen of it by the end that has the files, when all is copied.
    fn seen(&self) -> Seen {
        let settings = Settings { protocol: COPIES, asks_who: true, ..Settings::default() };
        let [here, there] = [(); 2].map(|()| Arc::new(Identity::generate().unwrap().0));
        let (rate, rtt) = (Rate::from_mbps(self.path_mbps), Span::from_millis(self.rtt_ms));
        let queue = QueueLimit::Bytes(Bytes::from_f64(rate.times(rtt)).max(Bytes(100_000)));
        let back = LinkSpec::ideal(rate, Span(rtt.0 / 2));
        let forth = LinkSpec { queue, loss: self.loss, ..back.clone() };
        let (from, to) = (Instant::START, Instant::NEVER);
        let link = |spec, source| NetworkLink { spec, random: Random::new(1, source), from, to, sample_every: None };
        let mut world: Emulation<Exchange> = Emulation::new(vec![link(forth, 100), link(back, 101)], settings.overhead, 1);
        let (time, frames, clock) = (Time::default(), self.megabytes * 1_000_000 / BODY, Clock::start());
        let takes = Takes { time: time.clone(), writes_mbps: self.writes_mbps, came: 0, written: 0, answered: 0, frames };
        let (reads_mbps, asks_each) = (self.reads_mbps, self.asks_each);
        let gives = Gives { time: time.clone(), reads_mbps, asks_each, left: frames, said: 0, answers: 0 };
        let choice = choice(self.cc, &self.sets).unwrap();
        let offer = Offer::new(here.fingerprint(), Box::new(takes));
        let accept = Box::new(move |_| Exchange::answers(offer.clone(), Limit::default()));
        let server = world.add(Node::server(clock, settings, choice.clone(), 1, &there, accept).unwrap());
        let mut node = Node::client(clock, settings, choice.clone(), 2);
        node.show(here);
        let session = Exchange::opens(Box::new(gives), self.limit.clone());
        let id = node.connect(world.now(), address(server), None, &Trust::Pinned(there.fingerprint()), session).unwrap();
        let client = world.add(node);
        for (from, to, link) in [(client, server, 0), (server, client, 1)] {
            world.route(from, to, Route { links: vec![link], impairments: Impairments::default() });
        }
        if self.others_mbps > 0.0 {
            let rate = Steps::constant(Rate::from_mbps(self.others_mbps));
            let others = TrafficSpec { sizes: Sizes::Internet, gaps: Gaps::Exponential, rate };
            world.cross(Traffic::new(others, Random::new(1, 2)), vec![0]);
        }
        world.run(Instant::from_millis(120_000), |world| {
            time.store(world.now().0, Ordering::Relaxed);
            let moved = world.look(client).session(id).unwrap().moved();
            moved.finished.is_none() && moved.failed.is_none()
        });
        let moved = world.look(client).session(id).unwrap().moved().clone();
        let took = moved.finished.unwrap_or_else(|| panic!("{:?}", moved.failed)) - moved.began.unwrap();
        let view = world.look(client).view(id).unwrap();
        let done = Done { moved, view, late: 0.0, cc: choice.name(), gives: true };
        done.seen(took, Rate::of(Bytes(frames * BODY), took).mbps())
    }
}

/// It has that cause, and the sentence has these words.
fn is(situation: &Situation, cause: Cause, words: &str) -> Seen {
    let seen = situation.seen();
    let sentence = seen.sentence().unwrap_or_default();
    println!("{cause:?}: {sentence}");
    assert_eq!(seen.cause(), cause, "{sentence}\n{}", seen.details());
    assert!(sentence.contains(words), "{sentence}\n{}", seen.details());
    seen
}

/// A number is that of the world, but for so much of it.
fn near(is: f64, world: f64, part: f64) {
    assert!((is - world).abs() <= part * world, "{is}, and not {world}");
}

#[test]
fn a_limit_that_was_asked_for() {
    let seen = is(
        &Situation { limit: Limit::steady(Rate::from_mbps(20.0)), megabytes: 10, ..Situation::default() },
        Cause::Limit,
        "you limited it",
    );
    near(seen.mbps, 20.0, 0.05);
}

#[test]
fn a_disk_that_writes_slowly() {
    let seen = is(&Situation { writes_mbps: 30.0, ..Situation::default() }, Cause::Writing, "what is copied to writes 30 Mbit/s");
    near(seen.mbps, 30.0, 0.05);
}

#[test]
fn a_disk_that_reads_slowly() {
    let seen = is(&Situation { reads_mbps: 30.0, ..Situation::default() }, Cause::Reading, "what is copied from gives 30 Mbit/s");
    near(seen.mbps, 30.0, 0.05);
}

#[test]
fn an_end_that_asks_before_each_step() {
    let situation = Situation { asks_each: true, rtt_ms: 100, megabytes: 5, ..Situation::default() };
    let seen = is(&situation, Cause::RoundTrips, "waited for an answer of the other, 10");
    near(seen.rtt_ms, 100.0, 0.1);
}

#[test]
fn a_long_way_for_little() {
    is(&Situation { rtt_ms: 400, megabytes: 10, ..Situation::default() }, Cause::Start, "while the connection found its rate, over 4");
}

#[test]
fn a_path_that_loses_packets() {
    let seen = is(&Situation { cc: "cubic", loss: 0.01, ..Situation::default() }, Cause::Loss, "% of the packets are lost");
    near(seen.lost, 0.01, 0.25);
}

#[test]
fn others_on_the_path() {
    let seen = is(&Situation { others_mbps: 60.0, ..Situation::default() }, Cause::Others, "Mbit/s, others use ");
    let (capacity, free) = seen.path_mbps.unwrap();
    near(capacity, 100.0, 0.1);
    near(capacity - free, 60.0, 0.15);
}

#[test]
fn a_narrow_path_that_is_full() {
    let seen = is(
        &Situation { path_mbps: 20.0, megabytes: 15, ..Situation::default() },
        Cause::Path,
        "the path has 20 Mbit/s, others use 0; you have 1",
    );
    near(seen.mbps, 20.0, 0.1);
}

#[test]
fn a_controller_that_takes_less_than_there_is() {
    let sets = vec!["rate_mbps=20".to_string()];
    let seen = is(&Situation { cc: "probe", sets, ..Situation::default() }, Cause::Controller, "and the controller takes no more");
    near(seen.mbps, 20.0, 0.1);
}

#[test]
fn a_copy_that_is_over_at_once() {
    assert_eq!(Situation { megabytes: 1, ..Situation::default() }.seen().sentence(), None);
}

/// Over sockets: the loop of who has the files is kept from its work for 3 ms at each turn, as by a processor that others use.
#[test]
fn a_host_that_comes_too_late() {
    let [here, there] = [(); 2].map(|()| Identity::generate().unwrap().0);
    let (mine, theirs) = (here.fingerprint(), there.fingerprint());
    // 1.6 s at the path's rate: of a copy of less than a second nothing is said.
    let (time, frames) = (Time::new(AtomicU64::new(FAR)), 100);
    let clock = Clock::start();
    let udp = Udp::bind(([127, 0, 0, 1], 0).into(), clock).unwrap();
    let at = udp.address().unwrap();
    let takes = Takes { time: time.clone(), writes_mbps: 1e4, came: 0, written: 0, answered: 0, frames };
    let gives = Gives { time, reads_mbps: 1e4, asks_each: false, left: frames, said: 0, answers: 0 };
    let end = LinkSpec::ideal(Rate::from_mbps(50.0), Span::from_millis(5));
    // Room for what leaves at once after each pause: what is lost would be another cause.
    let forth = LinkSpec { queue: QueueLimit::Bytes(Bytes(1_000_000)), ..end.clone() };
    let (overhead, impairments, sample_every) = (Bytes(28), Impairments::default(), Span::from_millis(100));
    let path = relay::Path { forth, back: end, others: None, overhead, impairments, rebinds: Vec::new(), seed: 1, sample_every };
    let relay = Relay::new(at, path).unwrap();
    let (to, enough) = (relay.address().unwrap(), Arc::new(AtomicBool::new(false)));
    let choice = choice("symbiosis", &[]).unwrap();
    let answering = Answering { udp, clock, identity: there, choice: choice.clone(), seed: 1, limit: Limit::default() };
    let calling = Calling { to, peer: theirs, shows: Arc::new(here), choice: choice.clone(), seed: 2, limit: Limit::default() };
    let seen = thread::scope(|scope| {
        let ends = enough.clone();
        scope.spawn(move || relay.run(&ends));
        scope.spawn(|| answer(answering, &Offer::new(mine, Box::new(takes)), |_| !enough.load(Ordering::Relaxed)));
        let called = call(&calling, Box::new(gives), |_, _, _| {
            thread::sleep(Duration::from_millis(3));
            true
        });
        enough.store(true, Ordering::Relaxed);
        let (moved, view, lateness) = called.unwrap();
        let took = moved.finished.unwrap() - moved.began.unwrap();
        let done = Done { moved, view, late: lateness.part_late(), cc: choice.name(), gives: true };
        done.seen(took, Rate::of(Bytes(frames * BODY), took).mbps())
    });
    let sentence = seen.sentence().unwrap_or_default();
    println!("{sentence}\n{}", seen.details());
    assert_eq!(seen.cause(), Cause::Host, "{sentence}\n{}", seen.details());
    assert!(sentence.contains("this host is busy"), "{sentence}");
}
