//! A flow: its two ends and the packets between them.

use symbiosis_base::{Bytes, Instant, Span};
use symbiosis_path::Fate;
use symbiosis_run::tally::{Arrivals, Tally};
use symbiosis_run::{FlowPlan, FlowSample, FlowSummary, Ledger};

use crate::agenda::Slot;
use crate::conveyor::{Cargo, Carried, Conveyor, Fabric, Pipe};
use crate::interrupt_coalescing::InterruptCoalescing;
use crate::tap::Passing;
use crate::transport::{ReceivingEnd, SendingEnd, Transport, Visible};

/// A flow's slots on the agenda.
#[derive(Clone, Copy)]
pub(crate) struct Slots {
    pub(crate) inbox: Slot,
    pub(crate) timer: Slot,
    pub(crate) delayed_ack: Slot,
}

/// A flow.
pub(crate) struct Flow<T: Transport> {
    /// In the plan.
    index: usize,
    pub(crate) sender: T::Sender,
    tally: Tally,
    pub(crate) data: Conveyor<T::Data>,
    far: FarEnd<T>,
    timer: Slot,
    start: Instant,
    stop: Instant,
    samples: Vec<FlowSample>,
}

/// From where data arrives to where its ACKs do. What happens at the receiver follows from what has entered the network, so it is played
/// as soon as it is certain, which may be before its time: everything here goes by the instants it is told, not by the agenda's.
struct FarEnd<T: Transport> {
    receiver: T::Receiver,
    coalescing: InterruptCoalescing,
    acks: Conveyor<T::Ack>,
    /// ACKs that have crossed the network, until their time at the sender has come.
    inbox: Pipe<T::Ack>,
    delayed_ack: Slot,
    arrivals: Arrivals,
    header: Bytes,
    ledger: Ledger,
    end: Instant,
    delivered: Delivered,
}

/// Bytes that have arrived, sampled.
struct Delivered {
    bytes: u64,
    every: Span,
    next: Instant,
    samples: Vec<u64>,
}

impl Delivered {
    /// Takes the samples that are due before something arrives at `now`.
    #[inline]
    fn advance(&mut self, now: Instant) {
        while self.next < now {
            self.samples.push(self.bytes);
            self.next = self.next.saturating_add(self.every);
        }
    }
}

impl<T: Transport> Flow<T> {
    pub(crate) fn new(
        (index, plan): (usize, &FlowPlan),
        (sender, receiver): (T::Sender, T::Receiver),
        (tally, arrivals): (Tally, Arrivals),
        (data, acks): (Conveyor<T::Data>, Conveyor<T::Ack>),
        slots: Slots,
        end: Instant,
        sample_every: Option<Span>,
    ) -> Flow<T> {
        let every = sample_every.unwrap_or(Span::MAX);
        let next = if sample_every.is_some() { Instant::START } else { Instant::NEVER };
        Flow {
            index,
            sender,
            tally,
            data,
            far: FarEnd {
                receiver,
                coalescing: InterruptCoalescing::new(plan.coalesce),
                acks,
                inbox: Pipe::new(slots.inbox),
                delayed_ack: slots.delayed_ack,
                arrivals,
                header: plan.header,
                ledger: Ledger::default(),
                end,
                delivered: Delivered { bytes: 0, every, next, samples: Vec::new() },
            },
            timer: slots.timer,
            start: plan.start,
            stop: plan.stop,
            samples: Vec::new(),
        }
    }

    /// The timer's instant has come: the start, the stop, a departure or a timeout.
    pub(crate) fn wake(&mut self, net: &mut Fabric<'_>, now: Instant) {
        if now >= self.stop {
            self.stop = Instant::NEVER;
            self.sender.stop();
        }
        self.sender.wake(now, &mut self.tally);
        self.send(net, now);
    }

    /// An ACK reaches the sender.
    #[inline]
    pub(crate) fn acked(&mut self, net: &mut Fabric<'_>, now: Instant) {
        let ack = self.far.inbox.pop(&mut net.agenda);
        if let Some(tap) = &mut net.tap {
            tap.passes(&Passing { at: now, flow: self.index, packet: ack.packet() });
        }
        self.sender.acked(now, &ack, &mut self.tally);
        self.send(net, now);
    }

    /// A delayed ACK has waited long enough.
    pub(crate) fn ack_overdue(&mut self, net: &mut Fabric<'_>) {
        if let Some((at, ack)) = self.far.receiver.overdue() {
            self.far.answer(net, at, ack);
        }
        net.agenda.set(self.far.delayed_ack, self.far.receiver.deadline());
    }

    /// It is this flow's turn before a shared link on the data's way.
    #[inline]
    pub(crate) fn data_turn(&mut self, net: &mut Fabric<'_>, hop: usize, now: Instant) {
        let (carried, data) = self.data.turn(net, hop, now);
        self.far.carried(net, carried, &data);
    }

    /// It is this flow's turn before a shared link on the ACKs' way.
    pub(crate) fn ack_turn(&mut self, net: &mut Fabric<'_>, hop: usize, now: Instant) {
        if let (Carried::Arrives(at), ack) = self.far.acks.turn(net, hop, now) {
            self.far.inbox.push(&mut net.agenda, at, ack);
        }
    }

    /// A managed link on the data's way has decided on a packet.
    pub(crate) fn data_decided(&mut self, net: &mut Fabric<'_>, hop: usize, now: Instant, fate: Fate) {
        let (carried, data) = self.data.decided(net, hop, now, fate);
        self.far.carried(net, carried, &data);
    }

    /// A managed link on the ACKs' way has decided on one.
    pub(crate) fn ack_decided(&mut self, net: &mut Fabric<'_>, hop: usize, now: Instant, fate: Fate) {
        if let (Carried::Arrives(at), ack) = self.far.acks.decided(net, hop, now, fate) {
            self.far.inbox.push(&mut net.agenda, at, ack);
        }
    }

    #[inline]
    fn send(&mut self, net: &mut Fabric<'_>, now: Instant) {
        let (data, far, flow) = (&mut self.data, &mut self.far, self.index);
        self.sender.send(now, &mut self.tally, |packet| {
            far.ledger.sent += 1;
            if let Some(tap) = &mut net.tap {
                tap.passes(&Passing { at: now, flow, packet: packet.packet() });
            }
            let carried = data.enter(net, now, &packet);
            far.carried(net, carried, &packet);
        });
        let at = self.sender.wake_at().min(self.stop);
        if net.agenda.get(self.timer) != at {
            net.agenda.set(self.timer, at);
        }
    }

    /// Its timer's slot.
    pub(crate) fn timer(&self) -> Slot {
        self.timer
    }

    /// Whether the flow sends at that instant.
    pub(crate) fn runs_at(&self, now: Instant) -> bool {
        self.start <= now && now < self.stop
    }

    pub(crate) fn sample(&mut self, now: Instant) {
        self.samples.push(self.sender.sample(now, &self.tally));
    }

    /// Samples taken so far. What has arrived since the last one that the far end took is what had arrived then.
    pub(crate) fn samples(&self, from: usize) -> impl Iterator<Item = FlowSample> {
        let delivered = &self.far.delivered;
        let with = |(at, sample): (usize, &FlowSample)| FlowSample {
            delivered_bytes: delivered.samples.get(at).copied().unwrap_or(delivered.bytes),
            ..sample.clone()
        };
        self.samples.iter().enumerate().skip(from).map(with)
    }

    /// The end of the run.
    pub(crate) fn finish(mut self, plan: &FlowPlan) -> (FlowSummary, Vec<FlowSample>, Ledger) {
        self.far.delivered.advance(self.far.end.saturating_add(Span(1)));
        for (sample, delivered) in self.samples.iter_mut().zip(&self.far.delivered.samples) {
            sample.delivered_bytes = *delivered;
        }
        let mut ledger = self.far.ledger;
        ledger.in_flight += self.data.on_the_way();
        ledger.duplicated += self.data.copies();
        (self.tally.summary(plan, &self.far.arrivals), self.samples, ledger)
    }
}

impl<T: Transport> FarEnd<T> {
    #[inline]
    fn carried(&mut self, net: &mut Fabric<'_>, carried: Carried, data: &T::Data) {
        match carried {
            Carried::OnTheWay => {}
            Carried::TooLate => self.ledger.in_flight += 1,
            Carried::Arrives(at) => match self.coalescing.hands_up(at) {
                at if at > net.end => self.ledger.in_flight += 1,
                at => self.arrives(net, at, data),
            },
            Carried::Dropped(at) => {
                self.arrivals.dropped(at);
                self.ledger.dropped += 1;
            }
        }
    }

    #[inline]
    fn arrives(&mut self, net: &mut Fabric<'_>, at: Instant, data: &T::Data) {
        let (acks, inbox) = (&mut self.acks, &mut self.inbox);
        let delayed = self.receiver.deadline();
        let new = self.receiver.arrives(at, data, |at, ack| {
            if let Carried::Arrives(at) = acks.enter(net, at, &ack) {
                inbox.push(&mut net.agenda, at, ack);
            }
        });
        let deadline = self.receiver.deadline();
        if deadline != delayed {
            net.agenda.set(self.delayed_ack, deadline);
        }
        self.ledger.delivered += 1;
        let new = if new { data.size() - self.header } else { Bytes::ZERO };
        self.arrivals.arrived(at, data.size(), new);
        self.delivered.advance(at);
        self.delivered.bytes += data.size().0;
    }

    fn answer(&mut self, net: &mut Fabric<'_>, at: Instant, ack: T::Ack) {
        if let Carried::Arrives(at) = self.acks.enter(net, at, &ack) {
            self.inbox.push(&mut net.agenda, at, ack);
        }
    }
}
