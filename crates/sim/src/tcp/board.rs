//! How losses are found, whichever way a flow has.

use symbiosis_base::Instant;
use symbiosis_run::Recovery;

use super::duplicates::Duplicates;
use super::flight::{Fate, Flight, Record};
use super::packets::Ack;
use super::scoreboard::{Clock, Found, Scoreboard};

/// What ACKs say about the flight.
#[derive(Debug)]
pub(super) enum Board {
    Duplicates(Duplicates),
    Sack(Box<Scoreboard>),
}

impl Board {
    pub(super) fn new(recovery: Recovery) -> Board {
        match recovery {
            Recovery::Reno => Board::Duplicates(Duplicates::new(false)),
            Recovery::NewReno => Board::Duplicates(Duplicates::new(true)),
            Recovery::Sack | Recovery::RateHalving => Board::Sack(Box::default()),
            Recovery::Rack => Board::Sack(Box::new(Scoreboard::by_time())),
        }
    }

    #[inline]
    pub(super) fn in_flight(&self, flight: &Flight) -> u32 {
        match self {
            Board::Duplicates(duplicates) => duplicates.in_flight(flight),
            Board::Sack(scoreboard) => scoreboard.in_flight(),
        }
    }

    #[inline]
    pub(super) fn recovering(&self) -> bool {
        match self {
            Board::Duplicates(duplicates) => duplicates.recovering(),
            Board::Sack(scoreboard) => scoreboard.recovering(),
        }
    }

    #[inline]
    pub(super) fn acked(&mut self, flight: &mut Flight, ack: &Ack, clock: Clock, tell: impl FnMut(Fate, u32, Record, u32)) -> Found {
        match self {
            Board::Duplicates(duplicates) => Found { begins: duplicates.acked(flight, ack, tell), ..Found::default() },
            Board::Sack(scoreboard) => scoreboard.acked(flight, ack, clock, tell),
        }
    }

    /// Whether the ACK just taken in restarts the retransmission timer.
    #[inline]
    pub(super) fn restarts_timer(&self) -> bool {
        match self {
            Board::Duplicates(duplicates) => duplicates.restarts_timer(),
            Board::Sack(_) => true,
        }
    }

    pub(super) fn timed_out(&mut self, flight: &mut Flight, clock: Clock, tell: impl FnMut(Fate, u32, Record, u32)) {
        match self {
            Board::Duplicates(duplicates) => duplicates.timed_out(flight, tell),
            Board::Sack(scoreboard) => scoreboard.timed_out(flight, clock, tell),
        }
    }

    /// When losses are to be looked for though no ACK comes.
    #[inline]
    pub(super) fn timer(&self) -> Instant {
        match self {
            Board::Duplicates(_) => Instant::NEVER,
            Board::Sack(scoreboard) => scoreboard.timer(),
        }
    }

    /// Looks for losses though no ACK came; whether one begins a recovery.
    pub(super) fn expired(&mut self, flight: &mut Flight, clock: Clock, tell: impl FnMut(Fate, u32, Record, u32)) -> bool {
        match self {
            Board::Duplicates(_) => false,
            Board::Sack(scoreboard) => scoreboard.expired(flight, clock, tell),
        }
    }

    /// Whether a probe may find a loss at the tail that nothing else would.
    #[inline]
    pub(super) fn wants_probe(&self) -> bool {
        matches!(self, Board::Sack(scoreboard) if scoreboard.wants_probe())
    }

    /// What was presumed lost was late.
    pub(super) fn undo(&mut self, flight: &mut Flight) {
        if let Board::Sack(scoreboard) = self {
            scoreboard.undo(flight);
        }
    }

    /// The packet to retransmit next, and whether whatever the window says.
    #[inline]
    pub(super) fn next(&mut self, flight: &mut Flight, nothing_new: bool) -> Option<(u32, bool)> {
        match self {
            Board::Duplicates(duplicates) => duplicates.next(flight),
            Board::Sack(scoreboard) => scoreboard.next(flight, nothing_new),
        }
    }

    /// A packet was retransmitted.
    pub(super) fn resent(&mut self, flight: &mut Flight, number: u32, now: Instant) {
        match self {
            Board::Duplicates(duplicates) => duplicates.resent(flight, number, now),
            Board::Sack(scoreboard) => scoreboard.resent(flight, number, now),
        }
    }

    /// A new packet was sent.
    #[inline]
    pub(super) fn sent(&mut self) {
        match self {
            Board::Duplicates(duplicates) => duplicates.sent(),
            Board::Sack(scoreboard) => scoreboard.sent(),
        }
    }
}
