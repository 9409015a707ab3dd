//! From ACKs to gaps: how far apart two neighbouring packets left, and how far apart they arrived.
//!
//! What counts is how far apart they came to the link that is measured. Before it there is an access link, which spreads packets that
//! left back to back: how long it takes for a packet is estimated elsewhere ([`super::capacity`]), and undone here.

mod repeated;

use crate::at_once::AtOnce;
use crate::delayed_ack::DelayedAcks;
use crate::{Acked, Bytes, Instant, ReceiverInstant, Sent, SignedSpan, Span};

use repeated::Repeated;

/// Two neighbours on the way: the earlier one, and what came after it up to the next ACK.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gap {
    /// Number of the first packet after the earlier one.
    pub first: u64,
    /// Number of the later packet: greater, where one ACK answered several.
    pub last: u64,
    /// Between the departures \[s\].
    pub sent: f64,
    /// Between their entering the path behind the access link \[s\].
    pub entered: f64,
    /// Between the arrivals \[s\].
    pub arrived: f64,
    /// What arrived in between, the later packet included \[bytes\].
    pub bytes: f64,
    /// The link was busy from the earlier packet's arrival at it to the later one's: each packet came before the one ahead of it can have
    /// left. This looks at what the earlier packet met only: choosing by the later one, or by a whole stream, prefers gaps in which
    /// competitors happened to send much.
    pub same_busy_period: bool,
    /// They arrived at one instant: something held the earlier one back, and handed both up together.
    pub together: bool,
}

/// Why acknowledged packets made no gap, counted.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Unused {
    /// A packet between the two is missing: lost, or repeated and thus late.
    pub apart: u64,
    /// Another packet left between the two: one that was repeated.
    pub repeated: u64,
    /// An ACK was for more packets than a receiver answers together: of these only the last one's arrival is known, from which and to which there is a gap.
    pub merged: u64,
    /// They arrived, or were acknowledged, in another order than they left.
    pub disordered: u64,
    /// The receiver may have delayed the answer.
    pub delayed: u64,
}

/// What is known of the links that packets cross.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Links {
    /// A full packet.
    pub packet: Bytes,
    /// How long the access link takes for one.
    pub access: Span,
    /// How long the measured link takes for one; zero before that is known.
    pub service: Span,
}

/// Packets that one ACK acknowledged, or that arrived at one instant.
#[derive(Clone, Copy, Debug)]
struct Group {
    first: u64,
    last: u64,
    bytes: u64,
    /// Of the last packet: when it left the host, and when the access link.
    sent_at: Instant,
    entered_at: Instant,
    arrived_at: ReceiverInstant,
    /// That was told by the receiver, on its clock; otherwise it is when the ACK came.
    by_receiver: bool,
    acked_at: Instant,
    /// From entering to arriving: by two clocks it may be anything, and only its changes tell.
    delay: SignedSpan,
    /// When the link can have sent all up to the last one, at the earliest, if it was busy all the time; as seen from where packets enter.
    busy_until: Instant,
    /// When it can have sent those that left at one instant with the last one, if nothing else came. The delay does not tell it where all delays are of bursts.
    burst_until: Instant,
    same_busy_period: bool,
    disordered: bool,
    /// A round-trip time was measured of one of them: they are not all repeated ones, which arrived long before their ACK came.
    timed: bool,
    /// The last one's own arrival is told.
    told: bool,
    /// The last one may have arrived sooner than that.
    delayed: bool,
    /// How many arrived at times of their own that nobody told: an ACK answered them with others. What left at one instant with the one after it has no time of
    /// its own: a burst of segmentation offload is one arrival, or one that a link has taken apart.
    hidden: u64,
    /// How many it does not hide for that.
    of_burst: u64,
    /// How many left at one instant with the one before, told or not.
    left_together: u64,
}

impl Group {
    /// With the packet that follows.
    fn joined(&self, own: &Group) -> Group {
        let left_together = self.sent_at == own.sent_at;
        let of_burst = !self.told && left_together;
        Group {
            first: self.first,
            bytes: self.bytes + own.bytes,
            same_busy_period: self.same_busy_period && own.same_busy_period,
            disordered: self.disordered || own.disordered,
            timed: self.timed || own.timed,
            hidden: self.hidden + own.hidden - u64::from(of_burst),
            of_burst: self.of_burst + u64::from(of_burst),
            left_together: self.left_together + u64::from(left_together),
            ..*own
        }
    }
}

/// A receiver answers at most so many packets with one ACK (RFC 9000 §13.2.2 and RFC 1122 say two; batches of a network card are larger).
const MOST_MERGED: u64 = 4;

/// Weight of a packet in the mean of those that it came with.
const WEIGHT: f64 = 1.0 / 64.0;
/// Packets that came together tell their arrivals no better than to the time that so many packets take. Where that is longer, no queue can be told from it: the
/// law rests where a queue is θ = 6 ms times a logarithm \[ns\].
const MOST_LATE: f64 = 4e6;

/// The least delay seen.
#[derive(Clone, Copy, Debug)]
struct Least {
    delay: SignedSpan,
    at: Instant,
}

impl Least {
    /// With as much added as two clocks may have drifted apart since; nothing where there is only one.
    fn now(&self, now: Instant, by_receiver: bool) -> SignedSpan {
        if by_receiver { self.delay + (now - self.at).scale(ReceiverInstant::DRIFT) } else { self.delay }
    }
}

/// Makes gaps of acknowledged packets.
///
/// Arrivals are the receiver's, where it tells them, and otherwise those of ACKs. The two are never mixed: a packet that is timed by another
/// clock than the one before makes no gap with it.
///
/// Packets that arrive at the same instant, as an ACK for two makes it seem, count as one: the bytes since the ACK before are one gap.
#[derive(Clone, Debug, Default)]
pub struct Gaps {
    earlier: Option<Group>,
    latest: Option<Group>,
    /// Of delays to the ACK, and of those to the receiver.
    least: [Option<Least>; 2],
    at_once: AtOnce,
    /// How many others a packet came with, on average.
    crowd: f64,
    repeated: Repeated,
    answers: Answers,
    unused: Unused,
    /// How many others of its burst a packet arrived with, on average.
    burst: f64,
    /// Bursts that passed whole, counted.
    whole: u64,
    delayed: DelayedAcks,
}

/// From one answer to the next, whatever the time between them.
///
/// Other than [`Group`]s answers that came at one instant count each: what holds packets back for a time T holds back the first of two as it does the second, so
/// that the mean distance of two is the path's, g, though each two arrive together or T apart. Without those together the mean is T.
#[derive(Clone, Debug, Default)]
struct Answers {
    earlier: Option<Answer>,
    latest: Option<Answer>,
}

/// Packets that one ACK answered: a round-trip time was measured of one of them.
#[derive(Clone, Copy, Debug)]
struct Answer {
    group: Group,
    /// It came at the same instant as the one before.
    together: bool,
    /// Something makes the distance to the one before worthless.
    broken: bool,
}

impl Answers {
    /// A packet; what is complete is known when the next answer begins.
    fn acked(&mut self, own: &Group, together: bool, repeated: bool) -> Option<Gap> {
        let broken =
            repeated || own.disordered || !own.same_busy_period || !self.latest.is_some_and(|latest| follows(latest.group.last, own.first));
        if let Some(Answer { group, broken: of_group, .. }) = &mut self.latest {
            // A receiver that tells arrivals answers each packet by itself.
            let same = own.arrived_at == group.arrived_at && !own.by_receiver && !(group.timed && own.timed);
            if same {
                *of_group |= broken;
                *group = group.joined(own);
                return None;
            }
        }
        let done = self.latest.replace(Answer { group: *own, together, broken })?;
        let earlier = core::mem::replace(&mut self.earlier, (!done.group.delayed).then_some(done))?;
        let (last, group) = (earlier.group, done.group);
        (!done.broken && !group.delayed && last.by_receiver == group.by_receiver && group.hidden < MOST_MERGED).then(|| Gap {
            first: group.first,
            last: group.last,
            sent: (group.sent_at - last.sent_at).secs(),
            entered: (group.entered_at - last.entered_at).secs(),
            arrived: (group.arrived_at - last.arrived_at).secs(),
            bytes: group.bytes as f64,
            same_busy_period: true,
            together: done.together,
        })
    }
}

impl Gaps {
    /// A packet left; `next` is the number of the first that has never left.
    pub fn sent(&mut self, packet: &Sent, next: u64) {
        self.repeated.set(next, packet.retransmission);
        self.delayed.sent(packet);
    }

    /// Takes in an acknowledged packet. The first gap is from the one before whose arrival is known; the second is from one instant to the next, and comes out
    /// one ACK late, when it is certain that no more belongs to it.
    pub fn acked(&mut self, ack: &Acked, links: &Links) -> [Option<Gap>; 2] {
        let packets = ack.bytes.packets(links.packet);
        let by_receiver = ack.received_at.is_some();
        let arrived_at = ack.received_at.unwrap_or(ack.now.into());
        // Packets that left before the latest one did not queue behind it.
        let ahead = self.latest.filter(|latest| latest.sent_at <= ack.sent_at);
        let free_at = ahead.map_or(Instant::START, |latest| latest.entered_at.saturating_add(links.access.scale(packets)));
        let entered_at = ack.sent_at.max(free_at).min(ack.now);
        let least = &mut self.least[usize::from(by_receiver)];
        if ack.rtt.is_some() || least.is_none() {
            // Only of packets that left once: of a repeated one nobody knows which copy arrived.
            // And with its wait for the access link: an estimate of that, once wrong, must not stay in it.
            let whole = arrived_at.delay_since(ack.sent_at);
            if least.is_none_or(|least| whole <= least.now(ack.now, by_receiver)) {
                *least = Some(Least { delay: whole, at: ack.now });
            }
        }
        let mut own = Group {
            first: ack.number,
            last: ack.number,
            bytes: ack.bytes.0,
            sent_at: ack.sent_at,
            entered_at,
            arrived_at,
            by_receiver,
            acked_at: ack.now,
            delay: arrived_at.delay_since(entered_at),
            busy_until: Instant::START,
            burst_until: entered_at,
            same_busy_period: true,
            disordered: false,
            timed: ack.rtt.is_some(),
            told: ack.rtt.is_some() || by_receiver,
            delayed: self.delayed.acked(ack),
            hidden: u64::from(ack.rtt.is_none() && !by_receiver),
            of_burst: 0,
            left_together: 0,
        };
        if self.latest.is_some_and(|latest| latest.by_receiver != by_receiver) {
            (self.earlier, self.latest, self.answers) = (None, Some(own), Answers::default());
            self.unused.apart += 1;
            return [None; 2];
        }
        let mut answer = None;
        if let Some(latest) = &mut self.latest {
            own.same_busy_period = entered_at <= latest.busy_until;
            own.disordered = ack.sent_at < latest.sent_at || arrived_at < latest.arrived_at;
            own.busy_until = latest.busy_until.max(entered_at).saturating_add(links.service.scale(packets));
            if own.sent_at == latest.sent_at {
                own.burst_until = latest.burst_until.max(entered_at);
            }
            own.burst_until = own.burst_until.saturating_add(links.service.scale(packets));
            let together = self.at_once.after(arrived_at - latest.arrived_at);
            if together && follows(latest.last, ack.number) {
                let answer = self.answers.acked(&own, together, self.repeated.any(own.first, own.last));
                *latest = latest.joined(&own);
                return [answer, None];
            }
            // The delay of the last packet tells when the link had sent all of its group.
            let by_delay = latest.entered_at.saturating_add(waited(latest, &self.least)).saturating_add(links.service);
            latest.busy_until = by_delay.max(latest.burst_until);
            own.same_busy_period = entered_at <= latest.busy_until;
            own.busy_until = latest.busy_until.max(entered_at).saturating_add(links.service.scale(packets));
            answer = self.answers.acked(&own, false, self.repeated.any(own.first, own.last));
        }
        [answer, self.grouped(own)]
    }

    /// A group is complete: the next one begins.
    fn grouped(&mut self, own: Group) -> Option<Gap> {
        let done = self.latest.replace(own)?;
        if done.timed {
            let packets = (done.last - done.first + 1) as f64;
            // Not held back: what left with another, and the one that a delayed ACK answers with it (RFC 1122 §4.2.3.2).
            let others = packets - 1.0 - (done.left_together + done.hidden.min(1)) as f64;
            self.crowd += (WEIGHT * packets).min(1.0) * (others - self.crowd);
            self.burst += (WEIGHT * packets).min(1.0) * (done.of_burst as f64 - self.burst);
            self.whole += u64::from(done.hidden < MOST_MERGED && done.hidden + done.of_burst >= MOST_MERGED);
        }
        // What arrived when, nobody knows: no gap begins with it either.
        let earlier = core::mem::replace(&mut self.earlier, (!done.delayed).then_some(done))?;
        let why_not = if done.disordered {
            Some(&mut self.unused.disordered)
        } else if !follows(earlier.last, done.first) {
            Some(&mut self.unused.apart)
        } else if self.repeated.any(done.first, done.last) {
            Some(&mut self.unused.repeated)
        } else if done.delayed {
            Some(&mut self.unused.delayed)
        } else {
            None
        };
        self.unused.merged += u64::from(done.hidden >= MOST_MERGED);
        if let Some(count) = why_not {
            *count += 1;
            return None;
        }
        Some(Gap {
            first: done.first,
            last: done.last,
            sent: (done.sent_at - earlier.sent_at).secs(),
            entered: (done.entered_at - earlier.entered_at).secs(),
            arrived: (done.arrived_at - earlier.arrived_at).secs(),
            bytes: done.bytes as f64,
            same_busy_period: done.same_busy_period,
            together: false,
        })
    }

    /// Another path: what is known of the receiver stays.
    pub fn forget(&mut self) {
        *self = Gaps { delayed: core::mem::take(&mut self.delayed), ..Gaps::default() };
    }

    /// How long the latest packet waited on its way, as its delay over the least tells.
    pub fn queued(&self) -> Span {
        self.latest.as_ref().map_or(Span::ZERO, |latest| waited(latest, &self.least))
    }

    /// Whether arrivals are merged beyond use.
    pub fn is_merged(&self) -> bool {
        self.crowd * self.at_once.distance() > MOST_LATE
    }

    /// Whether of most arrivals it is not known when they came.
    pub fn hides_arrivals(&self) -> bool {
        self.crowd >= (MOST_MERGED - 1) as f64
    }

    /// How many packets pass as one, on average.
    pub fn burst(&self) -> f64 {
        1.0 + self.burst
    }

    /// How many arrivals were of more packets than a receiver answers together, whether they made a gap or not.
    pub fn merged(&self) -> u64 {
        self.whole + self.unused.merged
    }

    /// What made no gap.
    pub fn unused(&self) -> Unused {
        self.unused
    }
}

/// How long the last packet of a group waited, as its delay over the least tells.
fn waited(group: &Group, least: &[Option<Least>; 2]) -> Span {
    let least = least[usize::from(group.by_receiver)].map_or(group.delay, |least| least.now(group.acked_at, group.by_receiver));
    (group.delay - least).max_zero()
}

fn follows(before: u64, number: u64) -> bool {
    before.checked_add(1) == Some(number)
}

#[cfg(test)]
mod tests;
