//! How fast a link sends: a constant, steps in time, or a recorded trace.

use std::sync::Arc;

use symbiosis_base::{Bytes, Instant, Random, Rate, Span};

/// A rate that changes at given instants; zero before the first.
#[derive(Clone, Debug, PartialEq)]
pub struct Steps(Arc<[(Instant, Rate)]>);

impl Steps {
    /// From `(instant, rate from then on)`, instants ascending.
    ///
    /// # Panics
    /// When the instants do not ascend strictly: whoever reads them from a user checks first.
    pub fn new(steps: &[(Instant, Rate)]) -> Steps {
        assert!(steps.is_sorted_by(|a, b| a.0 < b.0), "steps must ascend");
        Steps(steps.into())
    }

    /// The same rate always.
    pub fn constant(rate: Rate) -> Steps {
        Steps::new(&[(Instant::START, rate)])
    }

    /// The rate at an instant.
    pub fn at(&self, now: Instant) -> Rate {
        match self.0.partition_point(|(from, _)| *from <= now) {
            0 => Rate::ZERO,
            next => self.0[next - 1].1,
        }
    }

    /// When `bytes` have moved if they start at `from`; [`Instant::NEVER`] if they never do.
    pub fn finish(&self, from: Instant, bytes: f64) -> Instant {
        self.finish_after(&mut 0, from, bytes)
    }

    /// The same, for who asks in the order of time: of the steps `passed` lie before.
    fn finish_after(&self, passed: &mut usize, from: Instant, mut bytes: f64) -> Instant {
        let mut now = from;
        *passed += self.0[*passed..].iter().take_while(|(at, _)| *at <= now).count();
        let mut next = *passed;
        loop {
            let rate = if next == 0 { Rate::ZERO } else { self.0[next - 1].1 };
            let until = self.0.get(next).map_or(Instant::NEVER, |(at, _)| *at);
            let room = if rate == Rate::ZERO { 0.0 } else { rate.times(until - now) };
            if room >= bytes && rate > Rate::ZERO {
                return now.saturating_add(Span::from_secs(bytes / rate.bytes_per_s()));
            }
            if until == Instant::NEVER {
                return Instant::NEVER;
            }
            bytes -= room;
            now = until;
            next += 1;
        }
    }

    /// What can move from one instant to another \[bytes\].
    pub fn volume(&self, from: Instant, to: Instant) -> f64 {
        let ends = self.0.iter().skip(1).map(|(at, _)| *at).chain([Instant::NEVER]);
        self.0.iter().zip(ends).map(|((at, rate), end)| rate.times(end.min(to) - (*at).max(from))).sum()
    }

    /// Every instant with the rate from then on.
    pub fn iter(&self) -> impl Iterator<Item = (Instant, Rate)> {
        self.0.iter().copied()
    }

    /// The greatest rate that ever holds.
    pub fn max(&self) -> Rate {
        self.0.iter().map(|(_, rate)| *rate).fold(Rate::ZERO, |a, b| if b > a { b } else { a })
    }
}

/// How fast a link sends.
#[derive(Clone, Debug, PartialEq)]
pub enum RateSpec {
    /// The same always.
    Constant(Rate),
    /// In steps.
    Steps(Steps),
    /// At the instants of a Mahimahi trace.
    Trace(Trace),
    /// In aggregates, each after the medium was won.
    Wifi(Wifi),
}

/// A station of a wireless LAN: it wins the medium, and sends what waits in one aggregate (IEEE 802.11's A-MPDU), up to a limit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Wifi {
    /// How fast an aggregate is sent.
    pub phy: Rate,
    /// Mean time until the medium is won: preamble, acknowledgement and the others' transmissions. Half of it is fixed, half exponential.
    pub access: Span,
    /// Most that an aggregate holds; at least one packet is sent.
    pub aggregate: Bytes,
}

impl Wifi {
    /// What a station that always has something to send gets.
    pub fn mean(&self) -> Rate {
        let span = self.access + self.phy.time_for(self.aggregate);
        Rate::of(self.aggregate, span)
    }
}

impl RateSpec {
    /// What the link can send from one instant to another \[bytes\].
    pub fn volume(&self, from: Instant, to: Instant) -> f64 {
        match self {
            RateSpec::Constant(rate) => rate.times(to - from),
            RateSpec::Steps(steps) => steps.volume(from, to),
            RateSpec::Trace(trace) => (trace.before(to) - trace.before(from)) as f64 * Trace::OPPORTUNITY.as_f64(),
            RateSpec::Wifi(wifi) => wifi.mean().times(to - from),
        }
    }

    /// The link's capacity as a controller would know it: the constant, the step that holds now, a trace's mean.
    pub fn nominal(&self, now: Instant) -> Rate {
        match self {
            RateSpec::Constant(rate) => *rate,
            RateSpec::Steps(steps) => steps.at(now),
            RateSpec::Trace(trace) => trace.mean(),
            RateSpec::Wifi(wifi) => wifi.mean(),
        }
    }
}

/// A Mahimahi trace: a line for each opportunity to send 1500 bytes, in milliseconds since the start, repeated when it ends.
#[derive(Clone, Debug, PartialEq)]
pub struct Trace(Arc<[u64]>);

/// Why a text is no Mahimahi trace.
#[derive(Clone, Debug, PartialEq)]
pub struct TraceError {
    /// The line, counted from 1; 0 for the whole file.
    pub line: usize,
    /// What is wrong.
    pub what: String,
}

impl std::fmt::Display for TraceError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.line {
            0 => write!(f, "{}", self.what),
            line => write!(f, "line {line}: {}", self.what),
        }
    }
}

impl std::error::Error for TraceError {}

impl Trace {
    /// What one opportunity carries: Mahimahi's packet, Ethernet's largest (Netravali et al., USENIX ATC 2015).
    pub const OPPORTUNITY: Bytes = Bytes(1500);

    /// Longest trace: a year, so that no instant of any repetition is beyond what nanoseconds count to in 64 bits (584 years).
    const LONGEST: u64 = 365 * 24 * 3600 * 1000;

    /// Reads a trace.
    ///
    /// # Errors
    /// A line that is no whole number, later than a year or smaller than the one before it; a trace without an opportunity after 0 ms.
    pub fn parse(text: &str) -> Result<Trace, TraceError> {
        let mut opportunities = Vec::new();
        for (at, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            let fault = |what| TraceError { line: at + 1, what };
            let ms: u64 = line.trim().parse().map_err(|_| fault(format!("`{}` is no whole number of milliseconds", line.trim())))?;
            if ms > Self::LONGEST {
                return Err(fault(format!("{ms} ms is later than a year ({} ms)", Self::LONGEST)));
            }
            if opportunities.last().is_some_and(|last| *last > ms) {
                return Err(fault(format!("{ms} ms comes after a later instant")));
            }
            opportunities.push(ms);
        }
        match opportunities.last() {
            Some(1..) => Ok(Trace(opportunities.into())),
            _ => Err(TraceError { line: 0, what: "a trace needs an opportunity after 0 ms".into() }),
        }
    }

    /// A cellular link: the base station grants transmissions each millisecond, as many as fading and the other users leave. The grants of a
    /// millisecond follow a log-normal that moves around `mean` and forgets itself within `coherence`; `spread` is the deviation of its
    /// logarithm. The trace lasts `lasts` and repeats.
    ///
    /// # Panics
    /// When it lasts less than a millisecond.
    pub fn cellular(mean: Rate, spread: f64, coherence: Span, lasts: Span, random: &mut Random) -> Trace {
        let period = (lasts.0 / 1_000_000).clamp(1, Self::LONGEST);
        let memory = libm::exp(-1e-3 / coherence.secs().max(1e-6));
        let noise = libm::sqrt(1.0 - memory * memory);
        let (mut level, mut granted) = (random.normal(), 0.0);
        let mut opportunities = Vec::new();
        for ms in 1..=period {
            level = memory * level + noise * random.normal();
            // The mean of exp(s·N) is exp(s²/2).
            granted += mean.bytes_per_s() * 1e-3 * libm::exp(spread * level - spread * spread / 2.0) / Self::OPPORTUNITY.as_f64();
            let whole = granted as u64;
            granted -= whole as f64;
            opportunities.extend((0..whole).map(|_| ms));
        }
        // The period ends with its last millisecond, and has an opportunity there.
        if opportunities.last() != Some(&period) {
            opportunities.push(period);
        }
        Trace(opportunities.into())
    }

    /// Mean rate over one repetition.
    pub fn mean(&self) -> Rate {
        Rate::from_bytes_per_s(self.0.len() as f64 * Self::OPPORTUNITY.as_f64() * 1e9 / self.period().0 as f64)
    }

    fn period(&self) -> Span {
        Span::from_millis(self.0[self.0.len() - 1])
    }

    /// The instant of the `n`-th opportunity since the start of time.
    fn opportunity(&self, n: u64) -> Instant {
        let len = self.0.len() as u64;
        Instant::after(self.period() * (n / len)) + Span::from_millis(self.0[(n % len) as usize])
    }

    /// How many opportunities come before `now`.
    fn before(&self, now: Instant) -> u64 {
        let whole = now.0 / self.period().0;
        let rest = Span(now.0 % self.period().0);
        // The last instant of a period is the first of the next: it belongs to the one it ends.
        let ended = if whole > 0 && rest == Span::ZERO { 1 } else { 0 };
        let within = self.0.partition_point(|ms| Span::from_millis(*ms) < rest) as u64;
        (whole * self.0.len() as u64 + within).saturating_sub(if ended == 1 { self.at_end() } else { 0 })
    }

    /// How many opportunities share the period's last instant.
    fn at_end(&self) -> u64 {
        let last = self.0[self.0.len() - 1];
        self.0.iter().rev().take_while(|ms| **ms == last).count() as u64
    }
}

/// The sending end of a link: takes packets one after another and tells when each is through.
#[derive(Debug)]
pub(crate) enum Server {
    /// Of so many whole nanoseconds for a byte, as 100 and 1000 Mbit/s are.
    Whole {
        nanos_per_byte: u64,
    },
    Constant {
        nanos_per_byte: f64,
        carry: f64,
    },
    Steps {
        steps: Steps,
        passed: usize,
    },
    Trace {
        trace: Trace,
        next: u64,
        left: Bytes,
    },
    Wifi {
        wifi: Wifi,
        random: Random,
        left: Bytes,
        end: Instant,
    },
}

/// So many nanoseconds, 146 years, are never.
const FOREVER: f64 = (1_u64 << 62) as f64;
/// With fewer nanoseconds for a byte, and packets of fewer bytes, a product of the two is below 2⁵³: in whole numbers and in `f64` it is the same.
const WHOLE: u64 = 1 << 31;
const WHOLE_BYTES: u64 = 1 << 22;

impl Server {
    pub(crate) fn new(spec: &RateSpec, random: &mut Random) -> Server {
        match spec {
            RateSpec::Constant(rate) => {
                let nanos_per_byte = 1e9 / rate.bytes_per_s();
                match nanos_per_byte as u64 {
                    whole @ 1..WHOLE if whole as f64 == nanos_per_byte => Server::Whole { nanos_per_byte: whole },
                    _ => Server::Constant { nanos_per_byte, carry: 0.0 },
                }
            }
            RateSpec::Steps(steps) => Server::Steps { steps: steps.clone(), passed: 0 },
            RateSpec::Trace(trace) => Server::Trace { trace: trace.clone(), next: 0, left: Bytes::ZERO },
            RateSpec::Wifi(wifi) => {
                Server::Wifi { wifi: *wifi, random: Random::new(random.seed(), 0), left: Bytes::ZERO, end: Instant::START }
            }
        }
    }

    /// When a packet is through whose turn comes at `start`. Nearly all links have a rate of whole nanoseconds for a byte: theirs is in line, the
    /// others' is not.
    #[inline]
    pub(crate) fn finish(&mut self, start: Instant, size: Bytes) -> Instant {
        match self {
            Server::Whole { nanos_per_byte } if size.0 < WHOLE_BYTES => Instant(start.0.saturating_add(size.0 * *nanos_per_byte)),
            _ => self.finish_varied(start, size),
        }
    }

    #[inline(never)]
    fn finish_varied(&mut self, start: Instant, size: Bytes) -> Instant {
        match self {
            Server::Whole { nanos_per_byte } => constant(start, size, *nanos_per_byte as f64, &mut 0.0),
            Server::Constant { nanos_per_byte, carry } => constant(start, size, *nanos_per_byte, carry),
            Server::Steps { steps, passed } => steps.finish_after(passed, start, size.as_f64()),
            Server::Trace { trace, next, left } => {
                // What an opportunity has left serves only packets that wait at its very instant.
                if *next == 0 || trace.opportunity(*next - 1) < start {
                    *left = Bytes::ZERO;
                    *next = (*next).max(trace.before(start));
                }
                let mut size = size;
                while *left < size {
                    size -= *left;
                    *left = Trace::OPPORTUNITY;
                    *next += 1;
                }
                *left -= size;
                trace.opportunity(*next - 1)
            }
            Server::Wifi { wifi, random, left, end } => {
                // What waits when its turn comes joins the aggregate, if there is room; else the medium must be won again.
                let mut begin = start;
                if start > *end || *left < size {
                    let access = wifi.access.scale(0.5 + 0.5 * random.exponential());
                    (begin, *left) = (start.saturating_add(access), wifi.aggregate);
                }
                *left = Bytes(left.0.saturating_sub(size.0));
                *end = begin.saturating_add(wifi.phy.time_for(size));
                *end
            }
        }
    }
}

/// When a packet is through at a constant rate. What is below a nanosecond goes to the next packet: rounding each would add up to another rate.
#[inline]
fn constant(start: Instant, size: Bytes, nanos_per_byte: f64, carry: &mut f64) -> Instant {
    let exact = size.0 as i64 as f64 * nanos_per_byte + *carry;
    if exact >= FOREVER {
        return Instant::NEVER;
    }
    // The processor converts signed integers in one step and unsigned ones in several.
    let whole = exact as i64;
    *carry = exact - whole as f64;
    Instant(start.0.saturating_add(whole as u64))
}

#[cfg(test)]
mod tests;
