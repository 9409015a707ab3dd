//! Which transmissions are outstanding, which packets must be retransmitted.

use std::collections::VecDeque;

use symbiosis_base::Instant;

use super::packets::Report;
use crate::runs::Runs;
use crate::tcp::{Fate, Flight, Record};

/// A transmission is lost when so many later ones have arrived (RFC 9002 kPacketThreshold).
const REORDERING: u32 = 3;

/// What reports say about the flight. Work per report does not grow with what is outstanding.
#[derive(Debug, Default)]
pub(crate) struct Board {
    /// Transmissions thought to be in the network.
    in_flight: u32,
    /// Transmissions not yet decided upon, in order: when each left, and which packet it carried. The first has the serial `first`.
    order: VecDeque<(Instant, u32)>,
    first: u32,
    /// Serials of arrived transmissions end here.
    latest: u32,
    /// Reported packets above `una`.
    arrived: Runs,
    /// Packets presumed lost, in the order in which that was found. Some may have arrived after all.
    lost: VecDeque<u32>,
    /// The loss of a transmission that left before this serial belongs to the last episode.
    episode: u32,
    /// Recovery lasts until all below this are acknowledged.
    point: u32,
}

impl Board {
    pub(crate) fn in_flight(&self) -> u32 {
        self.in_flight
    }

    /// The serial of the next transmission.
    pub(crate) fn serial(&self) -> u32 {
        self.first + self.order.len() as u32
    }

    pub(crate) fn recovering(&self, flight: &Flight) -> bool {
        flight.una() < self.point
    }

    /// A packet was sent, for the first time or again.
    pub(crate) fn sent(&mut self, flight: &mut Flight, number: u32, now: Instant, again: bool) {
        if again {
            let record = flight.at(number);
            (record.sent_at, record.lost, record.resent) = (now, false, true);
        }
        self.order.push_back((now, number));
        self.in_flight += 1;
    }

    /// Takes in a report; `tell` is called for each packet reported for the first time, and for each presumed lost, with what is then in
    /// flight. Tells whether an episode of loss begins.
    pub(crate) fn reported(&mut self, flight: &mut Flight, report: &Report, mut tell: impl FnMut(Fate, u32, Record, u32)) -> bool {
        if report.next > flight.una() {
            for number in flight.una()..report.next {
                if !flight.at(number).sacked {
                    take(flight, number, &mut self.in_flight, &mut tell);
                }
            }
            flight.advance(report.next);
            self.arrived.advance(report.next);
        }
        for (start, end) in report.sacks {
            let start = start.max(flight.una());
            if start < end {
                let in_flight = &mut self.in_flight;
                self.arrived.add((start, end), |numbers| numbers.for_each(|number| take(flight, number, in_flight, &mut tell)));
            }
        }
        self.latest = self.latest.max(report.serial + 1);
        self.decide(flight, &mut tell)
    }

    /// Presumes lost what left before three that have arrived. Tells whether an episode of loss begins.
    fn decide(&mut self, flight: &mut Flight, tell: &mut impl FnMut(Fate, u32, Record, u32)) -> bool {
        let mut begins = false;
        while self.first + REORDERING < self.latest
            && let Some((sent_at, number)) = self.order.pop_front()
        {
            let serial = self.first;
            self.first += 1;
            if number < flight.una() {
                continue;
            }
            let record = flight.at(number);
            // A later transmission of the same packet is decided upon when its turn comes.
            if !record.sacked && !record.lost && record.sent_at == sent_at {
                record.lost = true;
                self.in_flight -= 1;
                tell(Fate::Lost, number, *record, self.in_flight);
                self.lost.push_back(number);
                begins |= serial >= self.episode;
            }
        }
        if begins {
            (self.episode, self.point) = (self.serial(), flight.end());
        }
        begins
    }

    /// Nothing is heard: everything outstanding is presumed lost.
    pub(crate) fn timed_out(&mut self, flight: &mut Flight, mut tell: impl FnMut(Fate, u32, Record, u32)) {
        self.lost.clear();
        for number in flight.una()..flight.end() {
            let record = flight.at(number);
            if !record.sacked {
                if !record.lost {
                    self.in_flight -= 1;
                    tell(Fate::Lost, number, *record, self.in_flight);
                }
                record.lost = true;
                self.lost.push_back(number);
            }
        }
        self.first = self.serial();
        self.order.clear();
        self.in_flight = 0;
        (self.episode, self.point) = (self.first, flight.end());
    }

    /// The packet to retransmit next.
    pub(crate) fn next(&mut self, flight: &mut Flight) -> Option<u32> {
        while let Some(&number) = self.lost.front() {
            if number >= flight.una() && flight.at(number).lost && !flight.at(number).sacked {
                return Some(number);
            }
            self.lost.pop_front();
        }
        None
    }
}

/// A packet is reported for the first time.
fn take(flight: &mut Flight, number: u32, in_flight: &mut u32, tell: &mut impl FnMut(Fate, u32, Record, u32)) {
    let record = flight.at(number);
    record.sacked = true;
    *in_flight -= u32::from(!record.lost);
    let record = *record;
    tell(Fate::Acked, number, record, *in_flight);
}

#[cfg(test)]
mod tests;
