//! Whom a node takes in, and for how long those stay who do nothing.

use std::net::{IpAddr, Ipv6Addr, SocketAddr};

use symbiosis_base::{Instant, Span};

/// What strangers may take of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Connections at a time: each may hold memory, and each is looked after in every turn of the loop.
    pub connections: usize,
    /// Of these, such that have not shown yet that they are where they say. Whoever calls beyond must first send back a token (RFC 9000 §8.1.2),
    /// of which the node need not remember anything.
    pub unvalidated: usize,
    /// Connections from one address; of IPv6, from one network of 64 bits, which is what one host has.
    pub per_address: usize,
    /// A handshake takes no longer: callers give up after as long.
    pub handshake: Span,
    /// Whoever is connected asks for something within this time: as long as a path may be gone ([`super::Settings::idle`]).
    pub no_request: Span,
    /// When all places are taken, within this time.
    pub no_request_when_full: Span,
    /// When all places are taken, of those who have not moved [`LEAST`] for this long the slowest has to go.
    pub stuck: Span,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            connections: 64,
            unvalidated: 8,
            per_address: 32,
            handshake: Span::from_millis(10_000),
            no_request: Span::from_millis(20_000),
            no_request_when_full: Span::from_millis(5_000),
            stuck: Span::from_millis(10_000),
        }
    }
}

/// Whoever moves less than this in [`Limits::stuck`] may have to make room \[bytes\]: 0.8 Mbit/s, so that who wants to hold all places, from whatever
/// addresses, must move 54 Mbit/s all the time.
pub const LEAST: u64 = 1 << 20;

/// What a session has to do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Activity {
    /// The peer wants something of it.
    pub asks: bool,
    /// What was done so far \[bytes\].
    pub moved: u64,
}

/// What a node knows of a caller's patience, and it of the caller's.
#[derive(Clone, Copy, Debug)]
pub(super) struct Caller {
    /// Where it is.
    host: IpAddr,
    /// It showed with a token that it is there.
    validated: bool,
    /// It began to call, to be connected, or to ask for nothing.
    since: Instant,
    /// When it had last moved [`LEAST`], and how much in all; and how much by now. What it asks for does not count: that costs it nothing.
    turn: Instant,
    before: u64,
    moved: u64,
    asks: bool,
}

/// What counts as one host.
pub(crate) fn host(address: SocketAddr) -> IpAddr {
    match address.ip().to_canonical() {
        IpAddr::V6(ip) => IpAddr::V6(Ipv6Addr::from_bits(ip.to_bits() & !u128::from(u64::MAX))),
        v4 => v4,
    }
}

impl Caller {
    pub(super) fn new(now: Instant, address: SocketAddr, validated: bool) -> Caller {
        Caller { host: host(address), validated, since: now, turn: now, before: 0, moved: 0, asks: false }
    }

    /// It is there: the handshake is done.
    pub(super) fn establishes(&mut self, now: Instant) {
        (self.validated, self.since, self.turn) = (true, now, now);
    }

    /// Takes note of what its session does.
    pub(super) fn looks(&mut self, now: Instant, activity: Activity) {
        self.moved = activity.moved;
        if self.moved.saturating_sub(self.before) >= LEAST {
            (self.turn, self.before) = (now, self.moved);
        }
        if !activity.asks && self.asks {
            self.since = now;
        }
        self.asks = activity.asks;
    }

    /// How fast it is, if it may have to make room for others \[bytes/s\].
    fn slow(&self, now: Instant, limits: &Limits) -> Option<f64> {
        let idle = !self.asks && now >= self.since + limits.no_request_when_full;
        let slow = now >= self.turn + limits.stuck;
        (idle || slow).then(|| self.moved.saturating_sub(self.before) as f64 / (now - self.turn).secs().max(1.0))
    }

    /// When it has to go, whoever else is there.
    pub(super) fn ends(&self, established: bool, limits: &Limits) -> Instant {
        match (established, self.asks) {
            (false, _) => self.since + limits.handshake,
            (true, false) => self.since + limits.no_request,
            (true, true) => Instant::NEVER,
        }
    }
}

/// What becomes of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict<Id> {
    Accept,
    /// It is to send back a token.
    Retry,
    Refuse,
    /// It is accepted, and that one has to go.
    Replace(Id),
}

/// Decides of a call, where those are there already.
pub(super) fn decide<Id>(
    (now, from, validated): (Instant, SocketAddr, bool),
    there: impl Iterator<Item = (Id, Caller)>,
    limits: &Limits,
) -> Verdict<Id> {
    let (mut all, mut unvalidated, mut same) = (0, 0, 0);
    let mut slowest: Option<(f64, Id)> = None;
    for (id, caller) in there {
        all += 1;
        unvalidated += usize::from(!caller.validated);
        same += usize::from(caller.host == host(from));
        if let Some(rate) = caller.slow(now, limits)
            && slowest.as_ref().is_none_or(|(least, _)| rate < *least)
        {
            slowest = Some((rate, id));
        }
    }
    match slowest {
        _ if !validated && unvalidated >= limits.unvalidated => Verdict::Retry,
        _ if same >= limits.per_address => Verdict::Refuse,
        Some((_, id)) if all >= limits.connections => Verdict::Replace(id),
        None if all >= limits.connections => Verdict::Refuse,
        _ => Verdict::Accept,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn caller(last: u8, since: u64, validated: bool) -> Caller {
        Caller::new(Instant::from_millis(since), SocketAddr::from(([10, 0, 0, last], 1)), validated)
    }

    fn verdict(now: u64, last: u8, validated: bool, there: &[Caller]) -> Verdict<usize> {
        let from = SocketAddr::from(([10, 0, 0, last], 9));
        decide((Instant::from_millis(now), from, validated), there.iter().copied().enumerate(), &Limits::default())
    }

    #[test]
    fn a_few_are_taken_on_trust_and_the_others_after_a_token() {
        let there: Vec<_> = (0..8).map(|last| caller(last, 0, false)).collect();
        assert_eq!(verdict(0, 99, false, &there[..7]), Verdict::Accept);
        assert_eq!(verdict(0, 99, false, &there), Verdict::Retry);
        assert_eq!(verdict(0, 99, true, &there), Verdict::Accept);
    }

    #[test]
    fn one_host_has_half_and_the_stuck_make_room() {
        let busy = |last, since: u64| {
            let mut caller = caller(last, since, true);
            caller.looks(Instant::from_millis(since), Activity { asks: true, moved: 0 });
            caller
        };
        let mut there: Vec<_> = (0..32).map(|_| busy(1, 0)).collect();
        assert_eq!(verdict(0, 1, true, &there), Verdict::Refuse);
        assert_eq!(verdict(0, 2, true, &there), Verdict::Accept);
        there.extend((0..32).map(|last| busy(100 + last, 1000)));
        assert_eq!(verdict(9_999, 2, true, &there), Verdict::Refuse, "all are busy");
        let mut quiet = there.clone();
        quiet[7] = caller(7, 1000, true);
        assert_eq!(verdict(5_999, 2, true, &quiet), Verdict::Refuse);
        assert_eq!(verdict(6_000, 2, true, &quiet), Verdict::Replace(7), "it asks for nothing");
    }

    #[test]
    fn the_slowest_makes_room_and_to_ask_again_and_again_helps_nobody() {
        let seconds = |s: u64| Instant::from_millis(1000 * s);
        // From as many addresses as there are places, each a little faster than the one before; the last as fast as keeps a place.
        let mut there: Vec<_> = (0..64).map(|last| caller(last, 0, true)).collect();
        for s in 1..=30 {
            for (at, caller) in there.iter_mut().enumerate() {
                let rate = if at == 63 { LEAST / 9 } else { 1000 + at as u64 };
                // All but the first have a new request every second.
                caller.looks(seconds(s), Activity { asks: at == 0, moved: s * rate });
                caller.looks(seconds(s), Activity { asks: true, moved: s * rate });
            }
        }
        assert_eq!(verdict(30_000, 99, true, &there), Verdict::Replace(0));
        assert_eq!(verdict(30_000, 99, true, &there[..63]), Verdict::Accept);
        for at in 0..63 {
            there[at] = there[63];
        }
        assert_eq!(verdict(30_000, 99, true, &there), Verdict::Refuse, "who moves that much has its place");
    }

    #[test]
    fn whoever_asks_for_nothing_has_to_go() {
        let limits = Limits::default();
        let mut caller = caller(1, 0, false);
        assert_eq!(caller.ends(false, &limits), Instant::after(limits.handshake));
        caller.establishes(Instant::from_millis(1));
        assert_eq!(caller.ends(true, &limits), Instant::from_millis(1) + limits.no_request);
        caller.looks(Instant::from_millis(2), Activity { asks: true, moved: 0 });
        assert_eq!(caller.ends(true, &limits), Instant::NEVER);
        caller.looks(Instant::from_millis(3), Activity { asks: false, moved: 0 });
        assert_eq!(caller.ends(true, &limits), Instant::from_millis(3) + limits.no_request);
    }

    #[test]
    fn a_network_of_sixty_four_bits_is_a_host() {
        let host = |ip: &str| host(SocketAddr::new(ip.parse().unwrap(), 1));
        assert_eq!(host("2001:db8:0:1::1"), host("2001:db8:0:1:ffff::2"));
        assert_ne!(host("2001:db8:0:1::1"), host("2001:db8:0:2::1"));
        assert_eq!(host("::ffff:10.0.0.1"), host("10.0.0.1"));
    }
}
