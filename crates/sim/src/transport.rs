//! What carries a flow: two ends and what passes between them. TCP is one, XMTP another; static dispatch, so neither pays for the other.

use symbiosis_base::Instant;
use symbiosis_control::Report;
use symbiosis_run::FlowSample;
use symbiosis_run::tally::Tally;

use crate::conveyor::Cargo;
use crate::tap::Packet;

/// A reliable transport.
pub(crate) trait Transport {
    type Data: Cargo + Visible;
    type Ack: Cargo + Visible;
    type Sender: SendingEnd<Data = Self::Data, Ack = Self::Ack>;
    type Receiver: ReceivingEnd<Data = Self::Data, Ack = Self::Ack>;
}

/// What a tap sees of a packet.
pub(crate) trait Visible {
    fn packet(&self) -> Packet;
}

/// The end that has data.
pub(crate) trait SendingEnd {
    type Data;
    type Ack;

    /// Sends what may be sent now.
    fn send(&mut self, now: Instant, tally: &mut Tally, out: impl FnMut(Self::Data));

    /// An ACK, or a report, arrives.
    fn acked(&mut self, now: Instant, ack: &Self::Ack, tally: &mut Tally);

    /// Looks at the timers.
    fn wake(&mut self, now: Instant, tally: &mut Tally);

    /// When it must be woken though nothing arrives.
    fn wake_at(&self) -> Instant;

    /// Nothing new is sent from now on; what is outstanding is still seen through.
    fn stop(&mut self);

    /// Somebody tells the controller something.
    fn report(&mut self, report: &Report);

    /// The flow now; what the receiver knows is filled in by whoever knows it.
    fn sample(&mut self, now: Instant, tally: &Tally) -> FlowSample;
}

/// The end that gets it.
///
/// It may be told of arrivals before their time has come, as long as it is told in their order and [`ReceivingEnd::overdue`] is called at
/// [`ReceivingEnd::deadline`]: an answer that a later arrival would have found overdue is then sent at its deadline first.
pub(crate) trait ReceivingEnd {
    type Data;
    type Ack;

    /// A packet arrives; `answer` takes each answer with the time at which it leaves. Tells whether the packet is new.
    fn arrives(&mut self, now: Instant, data: &Self::Data, answer: impl FnMut(Instant, Self::Ack)) -> bool;

    /// When an answer that waits must leave.
    fn deadline(&self) -> Instant;

    /// The answer that waits, whose deadline has come.
    fn overdue(&mut self) -> Option<(Instant, Self::Ack)>;
}
