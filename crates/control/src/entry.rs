//! What a controller tells the registry of itself.

use alloc::boxed::Box;

use crate::observer::Observer;
use crate::params::{Param, Values};
use crate::{Controller, Setup};

/// A controller as the registry knows it.
#[derive(Debug)]
pub struct Entry {
    /// Its name in a scenario (`cc = "name"`).
    pub name: &'static str,
    /// One line: what it is and where it is published.
    pub about: &'static str,
    /// Its parameters.
    pub params: &'static [Param],
    /// How TCP finds lost packets and sends them again, unless a plan says otherwise.
    pub recovery: Recovery,
    /// What it goes by, and so which transport carries it.
    pub feedback: Feedback,
    /// Makes one for a connection, from values that were resolved against `params`.
    pub build: fn(&Setup, &Values) -> Box<dyn Controller>,
}

/// What a controller goes by.
#[derive(Clone, Copy, Debug)]
pub enum Feedback {
    /// ACKs, packet by packet: any transport.
    Acks,
    /// Reports of a receiver that measures, whose half of the controller this makes: a transport that keeps a rate and reports.
    Reports(fn(&Setup, &Values) -> Box<dyn Observer>),
}

/// How lost packets are found and sent again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recovery {
    /// RFC 5681: out of recovery with the first new ACK; several losses in a window end in timeouts.
    Reno,
    /// RFC 6582: partial ACKs, one retransmission a round trip.
    NewReno,
    /// RFC 6675: selective ACKs, the pipe kept full.
    Sack,
    /// As today's hosts: selective ACKs, losses found by time, lost retransmissions among them, and a probe for the tail (RACK-TLP, RFC 8985);
    /// proportional rate reduction (RFC 6937bis); and what turns out to have been late is undone (RFC 3522, RFC 3708, RFC 5682).
    Rack,
    /// RFC 6675's scoreboard with the rate halving of Linux 2.6, which ns-2's `TCP/Linux` agents have.
    RateHalving,
}
