//! For tests: the smallest world a controller can live in. One flow, one bottleneck with an unlimited queue, no loss.

use std::collections::VecDeque;
use std::vec::Vec;

use crate::{AckProcessed, Acked, Ask, Bytes, Controller, Departure, Instant, Rate, Sent, Setup, Span};

/// On the wire: the default of ns-2's TCP, in which the papers' simulations ran.
pub const PACKET: Bytes = Bytes(1000);
/// IPv4 and TCP headers without options, as ns-2 counts an ACK.
const ACK: Bytes = Bytes(40);

/// A connection whose first window is `packets`.
pub fn setup(packets: u64) -> Setup {
    Setup::new(PACKET).with_initial_window(Bytes(PACKET.0 * packets)).with_seed(1)
}

/// An ACK of one full packet after 50 ms, at the start of the clock; tests change what matters to them.
pub fn ack() -> Acked {
    Acked {
        now: Instant::START,
        number: 0,
        bytes: PACKET,
        sent_at: Instant::START,
        received_at: None,
        rtt: Some(Span::from_millis(50)),
        answered_late: Span::ZERO,
        in_flight: Bytes(0),
        app_limited: false,
        recovering: false,
        grows: true,
    }
}

/// A dumbbell: access, bottleneck, access. The default is 200 Mbit/s and 5 ms, 100 Mbit/s and 25 ms, as in the published ns-2 runs.
pub struct Path {
    links: [(Rate, Span); 3],
}

impl Default for Path {
    fn default() -> Path {
        let access = (Rate::from_mbps(200.0), Span::from_millis(5));
        Path { links: [access, (Rate::from_mbps(100.0), Span::from_millis(25)), access] }
    }
}

/// What held at the end of a second.
#[derive(Debug)]
pub struct Second {
    /// Window \[packets\].
    pub cwnd: f64,
    /// Packets before the last one at the bottleneck.
    pub queue: f64,
}

struct Flying {
    number: u64,
    sent_at: Instant,
    back_at: Instant,
}

impl Path {
    /// Runs a controller that always has data, and samples it at every full second. As in ns-2, whole packets fit a window.
    pub fn run(&self, controller: &mut dyn Controller, setup: &Setup, until: Instant) -> Vec<Second> {
        self.run_sampled(controller, setup, until, Span::ZERO)
    }

    /// As `run`, every sample earlier by `lead`.
    pub fn run_sampled(&self, controller: &mut dyn Controller, setup: &Setup, until: Instant, lead: Span) -> Vec<Second> {
        let mut free_at = [Instant::START; 3];
        let mut flying = VecDeque::new();
        let (mut now, mut number, mut queue, mut trace) = (Instant::START, 0, 0.0, Vec::new());
        let mut next_sample = Instant::from_millis(1000) - lead;
        while now < until {
            let in_flight = |flying: &VecDeque<Flying>| Bytes(flying.len() as u64 * setup.packet.0);
            while in_flight(&flying) + setup.packet <= controller.permit(&Ask { now, in_flight: in_flight(&flying) }).window {
                let mut at = now;
                for (i, (rate, delay)) in self.links.iter().enumerate() {
                    let start = at.max(free_at[i]);
                    if i == 1 {
                        queue = (start - at).secs() / rate.time_for(setup.packet).secs();
                    }
                    free_at[i] = start + rate.time_for(setup.packet);
                    at = free_at[i] + *delay;
                }
                let back_at = self.links.iter().fold(at, |at, (rate, delay)| at + rate.time_for(ACK) + *delay);
                flying.push_back(Flying { number, sent_at: now, back_at });
                let sent = Sent {
                    now,
                    number,
                    bytes: setup.packet,
                    in_flight: in_flight(&flying),
                    ready_at: now,
                    retransmission: false,
                    app_limited: false,
                };
                controller.sent(&sent);
                number += 1;
            }
            let packet = flying.pop_front().expect("a window holds a packet");
            while next_sample < packet.back_at && next_sample < until {
                let cwnd = controller.permit(&Ask { now, in_flight: Bytes(0) }).window.packets(setup.packet);
                trace.push(Second { cwnd, queue });
                next_sample += Span::from_millis(1000);
            }
            now = packet.back_at;
            let rtt = Some(now - packet.sent_at);
            let (number, sent_at) = (packet.number, packet.sent_at);
            controller.acked(&Acked { now, number, sent_at, rtt, bytes: setup.packet, in_flight: in_flight(&flying), ..ack() });
        }
        trace
    }
}

/// A controller that says when packets leave, and always has data, over a path that delivers 1000 packets a second after 100 ms, until `until`;
/// `each` sees it at each ACK.
pub fn run_paced<C: Controller>(controller: &mut C, until: Instant, mut each: impl FnMut(&C, Instant)) {
    let service = Span::from_millis(1);
    let delay = Span::from_millis(99);
    let (mut now, mut number, mut free_at) = (Instant::START, 1, Instant::START);
    let mut flying = VecDeque::new();
    while now < until {
        let in_flight = |flying: &VecDeque<Flying>| Bytes(flying.len() as u64 * PACKET.0);
        let permit = controller.permit(&Ask { now, in_flight: in_flight(&flying) });
        let Departure::At(departure) = permit.departure else { unreachable!("it is paced") };
        let fits = in_flight(&flying) + PACKET <= permit.window;
        let back = flying.front().map_or(Instant::NEVER, |packet| packet.back_at);
        if fits && departure.max(now) < back {
            now = departure.max(now);
            free_at = free_at.max(now) + service;
            flying.push_back(Flying { number, sent_at: now, back_at: free_at + delay });
            controller.sent(&Sent::new(now, number, PACKET, in_flight(&flying)));
            number += 1;
            continue;
        }
        let packet = flying.pop_front().expect("a window holds a packet");
        now = packet.back_at;
        let in_flight = in_flight(&flying);
        let ack = Acked::new(now, packet.number, PACKET, packet.sent_at).with_rtt(Some(now - packet.sent_at));
        controller.acked(&ack.with_in_flight(in_flight));
        controller.ack_processed(&AckProcessed::new(now).with_in_flight(in_flight).with_cwnd_limited(!fits));
        each(controller, now);
    }
}
