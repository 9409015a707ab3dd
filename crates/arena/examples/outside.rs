//! A controller of somebody else, tried in the arena.

use symbiosis_arena::{Contestant, Found, Known, Scoreboard, Trial, suite, try_out};
use symbiosis_control::registry::{Entry, Feedback, Recovery};
use symbiosis_control::window::{Window, may_grow};
use symbiosis_control::{Acked, Ask, Controller, Lost, Permit};
use symbiosis_scenario::{SIMULATOR, Target};
use symbiosis_sim::Simulator;

/// Adds a packet each RTT as Reno does, and keeps 7/8 of its window after a loss.
#[derive(Clone)]
struct Mine(Window);

const ENTRY: Entry = Entry {
    name: "mine",
    about: "Reno that keeps 7/8",
    params: &[],
    recovery: Recovery::Rack,
    feedback: Feedback::Acks,
    build: |setup, _| Box::new(Mine(Window::new(setup))),
};

impl Controller for Mine {
    fn acked(&mut self, ack: &Acked) {
        self.0.progress(ack);
        if may_grow(ack) {
            self.0.cwnd += self.0.packets(ack.bytes) / if self.0.in_slow_start() { 1.0 } else { self.0.cwnd };
        }
    }

    fn lost(&mut self, loss: &Lost) {
        if loss.kind.collapses() { self.0.lose_as_reno(loss.kind) } else { self.0.shrink_to(self.0.cwnd * 7.0 / 8.0) }
    }

    fn permit(&self, _ask: &Ask) -> Permit {
        Permit::window(self.0.bytes())
    }
}

fn main() {
    let target = Target { more: &[ENTRY], ..SIMULATOR };
    let names: Vec<&str> = target.controllers().iter().map(|entry| entry.name).collect();
    let cells = suite(&Known { names: &names, against: &["reno".into()] });
    let contestant = Contestant::named("mine");
    let beside_reno = cells.iter().filter(|cell| cell.quick && cell.family.id == "loss-based");
    let trial = |cell| Trial { cell, contestant: &contestant, target: &target, seeds: 2 };
    let found: Vec<Found> =
        beside_reno.map(|cell| try_out(&trial(cell), &Simulator, || ()).expect("the simulator does it all").found).collect();
    print!("{}", Scoreboard::of(&found.iter().collect::<Vec<_>>(), &["mine".into()]).text());
    let shares = found.iter().map(|found| found.goals[0].median.expect("a number"));
    assert!(shares.into_iter().all(|share| share > 1.25), "who gives less after a loss takes more than Reno");
}
