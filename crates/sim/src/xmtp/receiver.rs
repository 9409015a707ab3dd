//! XMTP's receiver: what has arrived, and when to report it.

use symbiosis_base::Instant;
use symbiosis_control::observer::{Arrival, Observer};

use super::packets::{Data, Report};
use crate::arrived::Arrived;
use crate::conveyor::Cargo;
use crate::transport::ReceivingEnd;

/// The receiving end of a flow.
pub(crate) struct Receiver {
    observer: Box<dyn Observer>,
    arrived: Arrived,
    /// The latest transmission that arrived, and when.
    latest: Option<(Data, Instant)>,
    /// When the next report may leave without a reason of its own.
    due: Instant,
    /// Something arrived that was not reported.
    waiting: bool,
    report_bytes: u32,
}

impl Receiver {
    pub(crate) fn new(observer: Box<dyn Observer>, report_bytes: u32) -> Receiver {
        Receiver { observer, arrived: Arrived::new(), latest: None, due: Instant::START, waiting: false, report_bytes }
    }

    /// The report that leaves now.
    fn report(&mut self, now: Instant) -> Option<Report> {
        let (data, received_at) = self.latest?;
        self.waiting = false;
        self.due = now + self.observer.patience(data.rtt);
        Some(Report {
            next: self.arrived.next(),
            sacks: self.arrived.sacks(),
            serial: data.serial,
            bytes: self.report_bytes,
            echo: data.sent_at,
            received_at: received_at.into(),
            held: now - received_at,
            findings: self.observer.take(),
        })
    }
}

impl ReceivingEnd for Receiver {
    type Data = Data;
    type Ack = Report;

    fn deadline(&self) -> Instant {
        if self.waiting { self.due } else { Instant::NEVER }
    }

    fn overdue(&mut self) -> Option<(Instant, Report)> {
        let deadline = self.deadline();
        self.report(deadline).filter(|_| deadline < Instant::NEVER).map(|report| (deadline, report))
    }

    fn arrives(&mut self, now: Instant, data: &Data, mut answer: impl FnMut(Instant, Report)) -> bool {
        if self.deadline() < now
            && let Some((at, report)) = self.overdue()
        {
            answer(at, report);
        }
        let in_order = self.arrived.in_order(data.number);
        let new = self.arrived.take(data.number);
        let (serial, sent_at) = (u64::from(data.serial), data.sent_at);
        self.observer.arrived(&Arrival { now: now.into(), serial, bytes: data.size(), sent_at, probe: data.probe });
        self.latest = Some((*data, now));
        self.waiting = true;
        if !in_order || data.last || self.observer.urgent() || now >= self.due {
            answer(now, self.report(now).expect("something has arrived"));
        }
        new
    }
}
