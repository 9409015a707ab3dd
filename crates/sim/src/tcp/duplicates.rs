//! Loss recovery by duplicate ACKs: Reno (RFC 5681 §3.2) and NewReno (RFC 6582).
//!
//! Each duplicate ACK means that a packet has left the network. Instead of inflating the window by it as the RFCs word it, it is taken
//! off the flight: the same arithmetic, and the window stays the controller's. Before the third duplicate this is limited transmit
//! (RFC 3042).

use symbiosis_base::Instant;

use super::flight::{DUP_THRESH, Fate, Flight, Record};
use super::packets::Ack;

/// What duplicate ACKs say about the flight.
#[derive(Debug)]
pub(crate) struct Duplicates {
    /// Partial ACKs keep the recovery going.
    newreno: bool,
    /// Packets known to have left the network since `una` last moved.
    left: u32,
    /// Next to send: below the flight's end after a timeout, when everything is retransmitted.
    next: u32,
    /// To be retransmitted before anything else.
    resend: Option<u32>,
    phase: Phase,
    /// Duplicates mean nothing until this packet too is acknowledged: they may answer what was sent twice. RFC 6582 calls it `recover`;
    /// ns-2 heeds it in Reno as well (`bugFix_`), which is why there several losses in one window end in a timeout.
    recover: Option<u32>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Phase {
    Open,
    /// Until all below is acknowledged.
    Recovery {
        point: u32,
        partial_acks: u32,
    },
}

impl Duplicates {
    pub(crate) fn new(newreno: bool) -> Duplicates {
        Duplicates { newreno, left: 0, next: 0, resend: None, phase: Phase::Open, recover: None }
    }

    #[inline]
    pub(crate) fn in_flight(&self, flight: &Flight) -> u32 {
        (self.next - flight.una()).saturating_sub(self.left)
    }

    pub(crate) fn recovering(&self) -> bool {
        matches!(self.phase, Phase::Recovery { .. })
    }

    /// Whether the ACK just taken in restarts the retransmission timer: in NewReno's recovery only the first partial one does.
    pub(crate) fn restarts_timer(&self) -> bool {
        !matches!(self.phase, Phase::Recovery { partial_acks, .. } if partial_acks > 1)
    }

    /// Takes in an ACK; `tell` is called for each packet acknowledged for the first time, and for each presumed lost, with what is then in
    /// flight. Tells whether a recovery begins.
    #[inline]
    pub(crate) fn acked(&mut self, flight: &mut Flight, ack: &Ack, mut tell: impl FnMut(Fate, u32, Record, u32)) -> bool {
        if ack.next > flight.una() {
            let acked = ack.next - flight.una();
            self.next = self.next.max(ack.next);
            self.moved(ack.next, acked);
            for number in flight.una()..ack.next {
                let record = *flight.at(number);
                let in_flight = (self.next - number - 1).saturating_sub(self.left);
                tell(Fate::Acked, number, record, in_flight);
            }
            flight.advance(ack.next);
            if let Some(number) = self.resend {
                tell(Fate::Lost, number, *flight.at(number), self.in_flight(flight));
            }
            return false;
        }
        let meaningless = self.phase == Phase::Open && self.recover.is_some_and(|recover| flight.una() <= recover);
        if meaningless || flight.una() == flight.end() {
            return false;
        }
        self.left += 1;
        if self.phase == Phase::Open && self.left == DUP_THRESH {
            self.phase = Phase::Recovery { point: flight.end(), partial_acks: 0 };
            self.recover = Some(flight.end());
            self.resend = Some(flight.una());
            tell(Fate::Lost, flight.una(), *flight.at(flight.una()), self.in_flight(flight));
            return true;
        }
        false
    }

    /// `una` moved up to `next`.
    fn moved(&mut self, next: u32, acked: u32) {
        match self.phase {
            Phase::Recovery { point, partial_acks } if self.newreno && next < point => {
                // A partial ACK: the next packet is missing too. Deflate by what is acknowledged, less the one retransmitted.
                self.resend = Some(next);
                self.left = self.left.saturating_sub(acked) + 1;
                self.phase = Phase::Recovery { point, partial_acks: partial_acks + 1 };
            }
            _ => {
                self.left = 0;
                self.resend = None;
                self.phase = Phase::Open;
            }
        }
    }

    /// Everything outstanding is retransmitted.
    pub(crate) fn timed_out(&mut self, flight: &mut Flight, mut tell: impl FnMut(Fate, u32, Record, u32)) {
        for number in flight.una()..self.next {
            tell(Fate::Lost, number, *flight.at(number), (self.next - number - 1).saturating_sub(self.left));
        }
        self.left = 0;
        self.next = flight.una();
        self.resend = None;
        self.phase = Phase::Open;
        self.recover = Some(flight.end());
    }

    /// The packet to retransmit next, and whether whatever the window says.
    #[inline]
    pub(crate) fn next(&self, flight: &Flight) -> Option<(u32, bool)> {
        match self.resend {
            Some(number) => Some((number, true)),
            None => (self.next < flight.end()).then_some((self.next, false)),
        }
    }

    /// A packet was retransmitted.
    pub(crate) fn resent(&mut self, flight: &mut Flight, number: u32, now: Instant) {
        flight.at(number).sent_at = now;
        flight.at(number).resent = true;
        match self.resend {
            Some(_) => self.resend = None,
            None => self.next = number + 1,
        }
    }

    /// A new packet was sent.
    #[inline]
    pub(crate) fn sent(&mut self) {
        self.next += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ack(next: u32) -> Ack {
        Ack {
            next,
            bytes: 40,
            echo: Instant::START,
            received_at: Instant::START.into(),
            duplicate: None,
            ece: false,
            seen: Default::default(),
            sacks: [(0, 0); 3],
        }
    }

    /// Twenty packets are out; 5 and 9 are lost, so 5 is acknowledged again and again.
    fn third_duplicate(newreno: bool) -> (Flight, Duplicates) {
        let (mut flight, mut duplicates) = (Flight::new(), Duplicates::new(newreno));
        for _ in 0..20 {
            flight.push(Instant::START, false);
            duplicates.sent();
        }
        let begins: Vec<bool> = [5, 5, 5, 5].map(|next| duplicates.acked(&mut flight, &ack(next), |_, _, _, _| {})).to_vec();
        assert_eq!(begins, [false, false, false, true]);
        assert_eq!(duplicates.in_flight(&flight), 12, "fifteen outstanding, three have left");
        assert_eq!(duplicates.next(&flight), Some((5, true)));
        duplicates.resent(&mut flight, 5, Instant(1));
        assert_eq!(duplicates.next(&flight), None);
        (flight, duplicates)
    }

    #[test]
    fn reno_ends_recovery_with_the_first_new_ack() {
        let (mut flight, mut duplicates) = third_duplicate(false);
        duplicates.acked(&mut flight, &ack(9), |_, _, _, _| {});
        assert!(!duplicates.recovering());
        assert_eq!((duplicates.in_flight(&flight), duplicates.next(&flight)), (11, None));
    }

    #[test]
    fn newreno_sends_again_what_a_partial_ack_shows_missing() {
        let (mut flight, mut duplicates) = third_duplicate(true);
        for _ in 0..9 {
            duplicates.acked(&mut flight, &ack(5), |_, _, _, _| {});
        }
        assert_eq!(duplicates.in_flight(&flight), 3);
        duplicates.acked(&mut flight, &ack(9), |_, _, _, _| {});
        assert!(duplicates.recovering() && duplicates.restarts_timer());
        assert_eq!(duplicates.next(&flight), Some((9, true)));
        // 11 outstanding; 12 had left of which 4 are acknowledged, and one is added for the packet retransmitted.
        assert_eq!(duplicates.in_flight(&flight), 2);
        duplicates.resent(&mut flight, 9, Instant(2));
        duplicates.acked(&mut flight, &ack(20), |_, _, _, _| {});
        assert!(!duplicates.recovering());
        assert_eq!(duplicates.in_flight(&flight), 0);
    }

    #[test]
    fn after_a_timeout_all_is_sent_again_and_old_duplicates_mean_nothing() {
        let (mut flight, mut duplicates) = third_duplicate(false);
        duplicates.timed_out(&mut flight, |_, _, _, _| {});
        assert_eq!((duplicates.in_flight(&flight), duplicates.next(&flight)), (0, Some((5, false))));
        duplicates.resent(&mut flight, 5, Instant(1));
        for _ in 0..10 {
            assert!(!duplicates.acked(&mut flight, &ack(5), |_, _, _, _| {}));
        }
        assert_eq!(duplicates.in_flight(&flight), 1);
        duplicates.acked(&mut flight, &ack(9), |_, _, _, _| {});
        assert_eq!(duplicates.next(&flight), Some((9, false)), "what had arrived is skipped");
    }
}
