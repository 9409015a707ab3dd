//! Drives a node over a UDP socket: a loop of its own, because departures must be exact to microseconds.

mod call;
mod udp;

use std::io;
use std::time::Duration;

use nix::time::{ClockId, clock_gettime};
use symbiosis_base::{Instant, Span};

use crate::clock::Clock;
use crate::node::{Node, Session};
pub use call::{Call, CallError, Called, PORT, settings_for};
pub(crate) use udp::wait;
pub use udp::{Arrival, Udp};

/// Datagrams that are received, beside those that waited, or times that some are sent, before the other is looked after: at 4 µs each less
/// than [`symbiosis_run::LATE`].
pub(crate) const TURN: usize = 32;

/// What the host can tell apart. To seal a datagram and to hand it over takes it 4 µs, to fall asleep and to be woken some 10, and the kernel's
/// times of ACKs are those of arrival at the peer within 12 to 54 µs. So a gap of less is the host's own, and a link that takes less for a
/// packet (600 Mbit/s and more) cannot be measured by it.
pub(crate) const TIMER: Span = Span::from_micros(20);

/// So many datagrams that leave at one instant pass to the kernel in one call (UDP_SEGMENT): 23 kB, of 64 kB and 64 datagrams that it takes.
/// More would be a burst of over 2 ms at 100 Mbit/s.
pub(crate) const TOGETHER: usize = 16;

/// How late a loop was, and what it cost: what a measurement over sockets must be judged by.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Lateness {
    /// Times that it was to wake at an instant, and did.
    pub wakes: u64,
    /// How late in sum.
    pub sum: Span,
    /// How late at worst.
    pub max: Span,
    /// Times that it was late by more than [`symbiosis_run::LATE`].
    pub late: u64,
    /// Processor time that the loop took, the kernel's for it included.
    pub cpu: Span,
}

impl Lateness {
    pub(crate) fn woke(&mut self, wanted: Instant, now: Instant) {
        let late = now - wanted;
        self.wakes += 1;
        self.sum += late;
        self.max = self.max.max(late);
        self.late += u64::from(late > symbiosis_run::LATE);
    }

    /// The part of all wakes that was late.
    pub fn part_late(&self) -> f64 {
        self.late as f64 / self.wakes.max(1) as f64
    }

    /// Mean.
    pub fn mean(&self) -> Span {
        Span(self.sum.0 / self.wakes.max(1))
    }
}

/// What whoever watches a loop wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Watch {
    /// To look again at that instant, or before.
    At(Instant),
    /// To end the loop.
    End,
}

/// Runs a node until `watch` ends it. It is asked after everything that happened.
///
/// # Errors
/// The socket is broken, or nobody listens where it is connected to.
pub fn run<S: Session>(
    node: &mut Node<S>,
    udp: &mut Udp,
    clock: &Clock,
    mut watch: impl FnMut(&mut Node<S>, Instant) -> Watch,
) -> io::Result<Lateness> {
    let mut lateness = Lateness::default();
    let cpu = cpu();
    let mut buffer = Vec::new();
    // Datagrams for which the kernel had no room.
    let mut unsent = None;
    // The node must not see time go back, also where the kernel received something before the last datagram left.
    let mut last = Instant::START;
    // Nobody listens there any more. What the peer said before it left is still to be read: why it left, for one.
    let mut gone = None;
    loop {
        let was_gone = gone.is_some();
        let mut received = 0;
        let turn_began = clock.now();
        let mut waited = true;
        // What waited while the loop slept is all read: the node's time does not go back, so behind a datagram that leaves it would seem to
        // have arrived then, and its round-trip time would have the loop's lateness in it.
        while waited || received < TURN {
            match udp.receive() {
                Ok(None) => break,
                Ok(Some(arrival)) => {
                    waited = arrival.at < turn_began;
                    last = last.max(arrival.at);
                    node.receive(last, arrival.at, arrival.from, arrival.datagram);
                    received += 1;
                }
                Err(error) => gone = Some(only_gone(error)?),
            }
        }
        if received == 0
            && was_gone
            && let Some(error) = gone
        {
            return Err(error);
        }
        let mut busy = received >= TURN || gone.is_some();
        last = last.max(clock.now());
        node.wake(last);
        // What leaves at once leaves at one instant. That the host needs microseconds for each is the same as an access link: behind the
        // departure, and before the path.
        last = last.max(clock.now());
        for turn in 1..=TURN {
            let Some(leaving) = unsent.take().or_else(|| node.transmit(last, &mut buffer)) else { break };
            match udp.send(leaving, &buffer) {
                Ok(true) => busy |= turn == TURN,
                Ok(false) => {
                    unsent = Some(leaving);
                    break;
                }
                Err(error) => {
                    (gone, busy) = (Some(only_gone(error)?), true);
                    break;
                }
            }
        }
        let at = match watch(node, last) {
            Watch::End => return Ok(Lateness { cpu: self::cpu() - cpu, ..lateness }),
            Watch::At(at) => at,
        };
        if busy {
            continue;
        }
        let wake = node.wake_at();
        udp.wait(wake.min(at), unsent.is_some())?;
        let now = clock.now();
        if wake <= at && wake <= now && wake > last {
            lateness.woke(wake, now);
        }
    }
}

/// An error that says that nobody listens there any more; any other ends the loop.
fn only_gone(error: io::Error) -> io::Result<io::Error> {
    if error.kind() == io::ErrorKind::ConnectionRefused { Ok(error) } else { Err(error) }
}

/// Processor time of this thread.
fn cpu() -> Span {
    let spent = clock_gettime(ClockId::CLOCK_THREAD_CPUTIME_ID).map_or(Duration::ZERO, Duration::from);
    Span(spent.as_nanos() as u64)
}
