//! The families: what is asked, where RFC 9743 asks it, and the goal.

use crate::cell::Family;

const fn family(id: &'static str, title: &'static str, asked: &'static str, goal: &'static str) -> Family {
    Family { id, title, asked, goal }
}

/// One flow alone.
pub const ONE_FLOW: Family = family(
    "one-flow",
    "one flow",
    "RFC 9743 §5.1.2, §6.1, §6.3",
    "at least 99 % after 3 s, 95th percentile of the queue at most 5 % of the base RTT or two packets, no loss after the start",
);
/// The start.
pub const START: Family = family(
    "start",
    "start",
    "RFC 9743 §5.1.2, §5.1.5, §7.5",
    "90 % of the rate not later than CUBIC's slow start, no more loss than that; no loss with a buffer of a BDP",
);
/// One more flow.
pub const JOINER: Family =
    family("joiner", "joiner", "RFC 9743 §5.1.4, §7.8", "within 20 % of the fair share in 3 s and within 10 % in 10 s, and stays");
/// Flows of one kind.
pub const OWN_KIND: Family = family(
    "own-kind",
    "own kind",
    "RFC 9743 §5.1.4",
    "Jain's index at least .97, the least share at least .8 of the mean, loss at most .1 %, queue at most θ ln n; in churn a mean Jain of 5 s of at least .9",
);
/// Beside CUBIC and Reno.
pub const LOSS_BASED: Family = family(
    "loss-based",
    "beside loss-based",
    "RFC 9743 §5.2.1",
    ".8 to 1.25 of an opponent's share; when opponents leave, back to the low queue within 10 s",
);
/// Beside everybody else.
pub const OTHERS: Family =
    family("others", "beside others", "RFC 9743 §5.2.1", "no one below .5 or above 2 of its fair share; LEDBAT++ may yield");
/// Beside what does not yield.
pub const INELASTIC: Family = family(
    "inelastic",
    "inelastic traffic",
    "RFC 9743 §5.2.2",
    "at least 97 % of what is left, queue at most 10 ms; 20 ms where the traffic comes in bursts",
);
/// Loss that is not congestion.
pub const RANDOM_LOSS: Family =
    family("random-loss", "random loss", "RFC 9743 §5.1.3, §6.4", "at least 95 % to 1 % of loss, 85 % at 2 %, 70 % at 5 %");
/// A path that changes.
pub const STEPS: Family = family("steps", "steps", "RFC 9743 §7.3, §7.8, §7.9", "90 % of the new rate within 3 s");
/// Little room.
pub const SHALLOW: Family =
    family("shallow", "shallow buffers", "RFC 9743 §5.1.3, §6.1", "at least 95 %, loss at most .5 %; several flows fair");
/// What hosts do to packets.
pub const HOSTS: Family = family("hosts", "hosts", "RFC 9743 §6.3, §6.4, §7.3, §7.4, §7.7", "at least 97 %, and as fair as without");
/// What happens to ACKs.
pub const ACK_PATH: Family = family("ack-path", "ACK path", "RFC 9743 §6.3, §7.3", "at least 90 % of what CUBIC gets there");
/// Managed queues.
pub const AQM: Family =
    family("aqm", "AQM", "RFC 9743 §7.1", "at least 98 % alone; beside CUBIC .8 to 1.25 of its share; several flows fair");
/// Several bottlenecks.
pub const ROUTES: Family = family("routes", "routes", "RFC 9743 §5.1.4, §6.3", "the long flow at least half of its max-min share");
/// Flows that end.
pub const APPLICATION: Family = family(
    "application",
    "application",
    "RFC 9743 §5.1.5, §5.2.3",
    "completion in at most 1.3 of the best alone; not later than CUBIC beside a long flow of either kind",
);
/// The ends of the range.
pub const EXTREMES: Family = family("extremes", "extremes", "RFC 9743 §5.1.1, §7.4, §7.5", "at least 90 %");
/// Delay that is not a queue.
pub const STARVATION: Family = family(
    "starvation",
    "starvation",
    "RFC 9743 §5.1.4, §7.3",
    "a flow with jitter beside one without: greatest over least throughput at most 4",
);

/// All of them, in the order of the scoreboard.
pub const FAMILIES: [&Family; 17] = [
    &ONE_FLOW,
    &START,
    &JOINER,
    &OWN_KIND,
    &LOSS_BASED,
    &OTHERS,
    &INELASTIC,
    &RANDOM_LOSS,
    &STEPS,
    &SHALLOW,
    &HOSTS,
    &ACK_PATH,
    &AQM,
    &ROUTES,
    &APPLICATION,
    &EXTREMES,
    &STARVATION,
];
