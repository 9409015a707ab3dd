//! The receiving end: when packets arrived, and what a controller's half makes of it.

use std::collections::VecDeque;

use symbiosis_base::{Bytes, Instant, ReceiverInstant, Span};
use symbiosis_control::Setup;
use symbiosis_control::observer::{Arrival, Observer};
use symbiosis_control::params::{Value, Values};
use symbiosis_control::registry::{self, Feedback};

use super::wire::{Ask, MOST_ARRIVALS, Message, Observes};
use symbiosis_quic_events::{Arrived, Left};

/// Packets whose departure was not told yet that are remembered: it is told with the next packet, or not at all.
const MOST_UNTOLD: usize = 64;

/// What is known of the host, and of the way to it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Host {
    /// What UDP and IP add to a datagram.
    pub(crate) overhead: Bytes,
    /// Arrivals nearer than this tell of the host.
    pub(crate) timer: Span,
}

/// Watches what arrives, for whoever asked.
#[derive(Default)]
pub(crate) struct Listener {
    asked: Ask,
    arrivals: VecDeque<Arrived>,
    watch: Option<Watch>,
}

/// A controller's half, and what it must know of a packet before it hears of it.
struct Watch {
    observer: Box<dyn Observer>,
    /// Packets that arrived, with their sizes on the wire.
    untold: VecDeque<(Arrived, Bytes)>,
    heard: ReceiverInstant,
    /// When the next report may leave without a reason of its own.
    due: Instant,
    /// It heard of something since the last.
    waiting: bool,
}

impl Watch {
    /// The half that is wanted; none if there is no such controller here, or it has other parameters.
    fn new(wanted: &Observes, host: Host) -> Option<Watch> {
        let entry = registry::find(&wanted.cc)?;
        let Feedback::Reports(observer) = entry.feedback else { return None };
        let params: Vec<(String, Value)> = wanted.params.iter().map(|(name, said)| (name.clone(), said.into())).collect();
        let params = Values::resolve(entry.params, &params).ok()?;
        let packet = Bytes(wanted.payload.into()) + host.overhead;
        let setup = Setup::new(packet).with_initial_window(packet).with_clock(host.timer).with_seed(0);
        let observer = observer(&setup, &params);
        Some(Watch { observer, untold: VecDeque::new(), heard: ReceiverInstant(0), due: Instant::START, waiting: false })
    }

    fn left(&mut self, left: &Left) {
        let Some(at) = self.untold.iter().position(|(arrived, _)| arrived.pn == left.pn) else { return };
        let Some((arrived, bytes)) = self.untold.remove(at) else { return };
        // What is told late is not heard: an observer is promised that time never goes back.
        if arrived.at >= self.heard {
            self.heard = arrived.at;
            self.waiting = true;
            self.observer.arrived(&Arrival { now: arrived.at, serial: left.serial, bytes, sent_at: left.at, probe: left.probe });
        }
    }
}

impl Listener {
    /// The sender wants to hear something. Whoever asks again wants the same.
    pub(crate) fn asked(&mut self, ask: Ask, host: Host) {
        if ask != self.asked {
            self.watch = ask.observer.as_ref().and_then(|wanted| Watch::new(wanted, host));
            self.asked = ask;
        }
    }

    /// A full packet arrived.
    pub(crate) fn arrived(&mut self, arrived: Arrived, bytes: Bytes) {
        if self.asked.arrivals {
            keep(&mut self.arrivals, arrived, MOST_ARRIVALS);
        }
        if let Some(watch) = &mut self.watch {
            keep(&mut watch.untold, (arrived, bytes), MOST_UNTOLD);
        }
    }

    /// The sender says when a packet left.
    pub(crate) fn left(&mut self, left: &Left) {
        if let Some(watch) = &mut self.watch {
            watch.left(left);
        }
    }

    /// What is to be said now, on a path of that smoothed round-trip time.
    pub(crate) fn says(&mut self, now: Instant, rtt: Span) -> Option<Message> {
        if !self.arrivals.is_empty() {
            return Some(Message::Arrivals(self.arrivals.drain(..).collect()));
        }
        let watch = self.watch.as_mut().filter(|watch| watch.waiting && (now >= watch.due || watch.observer.urgent()))?;
        (watch.waiting, watch.due) = (false, now + watch.observer.patience(rtt));
        Some(Message::Found(watch.observer.take()))
    }

    /// When there will be something to say though nothing arrives.
    pub(crate) fn wake_at(&self) -> Instant {
        self.watch.as_ref().filter(|watch| watch.waiting).map_or(Instant::NEVER, |watch| watch.due)
    }
}

/// Appends; of too many the oldest is forgotten.
fn keep<T>(queue: &mut VecDeque<T>, one: T, most: usize) {
    if queue.len() >= most {
        queue.pop_front();
    }
    queue.push_back(one);
}

#[cfg(any(test, fuzzing))]
impl Listener {
    /// Packets that are remembered.
    pub(crate) fn remembers(&self) -> usize {
        self.arrivals.len() + self.watch.as_ref().map_or(0, |watch| watch.untold.len())
    }
}
