//! Every key of the format: what it may be and what it is for. Checks, help texts and `--set` all read this one table.

/// A key of a table.
#[derive(Debug)]
pub(super) struct Key {
    pub name: &'static str,
    pub kind: Kind,
    pub required: bool,
    /// What it is, in a few words, with its unit and default.
    pub about: &'static str,
}

/// What a key's value may be.
#[derive(Debug)]
pub(super) enum Kind {
    Text,
    Words(&'static [&'static str]),
    Flag,
    /// Above zero, up to `most`.
    Positive {
        most: f64,
    },
    /// From zero up to `most`.
    Amount {
        most: f64,
    },
    /// From zero up to but not including one.
    Share,
    Whole {
        least: u64,
        most: u64,
    },
    /// From `least` up to `most`.
    Within {
        least: f64,
        most: f64,
    },
    /// A link's rate: above zero, or steps of which one is.
    Capacity,
    /// A stream's rate: zero or more, or steps.
    Load,
    /// Names of links.
    Route,
    /// Whatever the controller declares.
    Params,
    Table(&'static [Key]),
    Tables(&'static [Key]),
}

/// Longest time that a scenario may name \[s\]: beyond it is a slip of units.
pub(super) const MOST_SECONDS: f64 = 1e6;
/// Most flows in a run: so many take the simulator 1.5 GB and 4 s of processor time for a second of 1 Gbit/s.
pub(super) const MOST_FLOWS: u64 = 100_000;
/// Greatest rate \[Mbit/s\]: a header of 40 bytes takes 3.2 ns at it, and time counts whole nanoseconds.
pub(super) const MOST_MBPS: f64 = 1e5;
/// Least rate of a link that is not zero \[Mbit/s\]: a bit in a second. With less, one packet outlasts the clock.
pub(super) const LEAST_MBPS: f64 = 1e-6;

const SECONDS: Kind = Kind::Amount { most: MOST_SECONDS };
const MILLIS: Kind = Kind::Amount { most: MOST_SECONDS };
/// Of hosts' timers: a second is beyond all of them.
const MICROS: Kind = Kind::Amount { most: 1e6 };
const PACKET: Kind = Kind::Whole { least: 1, most: 65_535 };

/// Time between bursts, and mean time on or off \[s\]: bursts shorter than a millisecond are hardly more than packets.
const BURST: Kind = Kind::Within { least: 1e-3, most: MOST_SECONDS };

const fn key(name: &'static str, kind: Kind, about: &'static str) -> Key {
    Key { name, kind, required: false, about }
}

const fn required(name: &'static str, kind: Kind, about: &'static str) -> Key {
    Key { name, kind, required: true, about }
}

/// The document.
pub(super) const ROOT: &[Key] = &[
    key("name", Kind::Text, "the scenario's name; the file's without"),
    required("duration_s", Kind::Positive { most: MOST_SECONDS }, "how long the run is [s]"),
    key("seed", Kind::Whole { least: 0, most: i64::MAX as u64 }, "seed of everything random; 1 without"),
    key("bottleneck", Kind::Table(BOTTLENECK), "the one link that all flows share"),
    key("link", Kind::Tables(LINK), "links by name, for flows with a `route`"),
    key("flow", Kind::Tables(FLOW), "flows that yield: of TCP, or of XMTP for cc = \"hcc\""),
    key("cross", Kind::Tables(CROSS), "traffic that follows no ACK"),
    key("measure", Kind::Table(MEASURE), "window of the statistics; the whole run without"),
    key("trace", Kind::Table(TRACE), "spacing of the traces' samples"),
];

const RATE: Key = key("rate_mbps", Kind::Capacity, "how fast it sends [Mbit/s]; or `trace`, `wifi` or `cellular`");
const WIFI_KEY: Key = key("wifi", Kind::Table(WIFI), "a station of a wireless LAN, instead of `rate_mbps`");
const CELLULAR_KEY: Key = key("cellular", Kind::Table(CELLULAR), "a base station's fading grants, instead of `rate_mbps`");
const IMPAIR_KEY: Key = key("impair", Kind::Tables(IMPAIR), "what happens to packets behind it, stage after stage; nothing without");
const TRACE_FILE: Key = key("trace", Kind::Text, "file of a Mahimahi trace, relative to the scenario, instead of `rate_mbps`");
const DELAY: Key = required("delay_ms", MILLIS, "propagation one way [ms]");
const QUEUE_PACKETS: Key = key("queue_packets", Kind::Whole { least: 1, most: 1_000_000_000 }, "how many packets may wait");
const QUEUE_BYTES: Key = key("queue_bytes", Kind::Whole { least: 1, most: 1_000_000_000_000 }, "how many bytes may wait");
const QUEUE_BDP: Key =
    key("queue_bdp", Kind::Positive { most: 1e6 }, "how much may wait, in bytes as a multiple of rate × the largest base RTT");
const LOSS: Key = key("loss", Kind::Share, "probability that a packet is lost on the wire; 0 without");
const JITTER: Key = key("jitter_ms", MILLIS, "mean of an exponential delay added to every packet's [ms]; 0 without");

const QUEUE: Key = key(
    "queue",
    Kind::Words(&["drop-tail", "codel", "fq-codel", "pie", "fq-pie", "red", "dualpi2", "cake"]),
    "how the queue is managed; drop-tail without",
);
const CODEL_TARGET: Key = key("codel_target_ms", MILLIS, "wait that CoDel accepts [ms]; 5 without");
const CODEL_INTERVAL: Key = key(
    "codel_interval_ms",
    Kind::Positive { most: MOST_SECONDS },
    "how long CoDel lets a longer wait last before it drops [ms]; 100 without",
);
const FQ_FLOWS: Key =
    key("fq_flows", Kind::Whole { least: 1, most: 65_536 }, "queues that FQ-CoDel or FQ-PIE hashes streams to; 1024 without");
const FQ_QUANTUM: Key =
    key("fq_quantum_bytes", PACKET, "what a queue of FQ-CoDel or FQ-PIE, or a host of CAKE, sends in its turn [bytes]; 1500 without");
const PIE_TARGET: Key = key("pie_target_ms", MILLIS, "wait to which PIE leads [ms]; 15 without");
const PIE_UPDATE: Key =
    key("pie_update_ms", Kind::Within { least: 0.1, most: 1e3 }, "spacing of the updates of PIE's probability [ms]; 15 without");
const RED_MIN: Key = key("red_min_packets", Kind::Amount { most: 1e9 }, "mean queue from which on RED drops; 5 without");
const RED_MAX: Key = key(
    "red_max_packets",
    Kind::Positive { most: 1e9 },
    "mean queue at which RED's probability is `red_probability`; three times `red_min_packets` without",
);
const RED_PROBABILITY: Key = key("red_probability", Kind::Within { least: 1e-6, most: 1.0 }, "RED's probability there; 0.1 without");
const RED_WEIGHT: Key =
    key("red_weight", Kind::Within { least: 1e-6, most: 1.0 }, "weight of a packet's queue in RED's mean; 0.002 without");
const DUALPI2_TARGET: Key = key("dualpi2_target_ms", MILLIS, "wait to which DualPI2 leads classic packets [ms]; 15 without");
const DUALPI2_STEP: Key = key("dualpi2_step_ms", MILLIS, "wait from which on DualPI2 marks L4S packets [ms]; 1 without");

/// `[[link]]`: the name first, and then what `[bottleneck]` has too.
pub(super) const LINK: &[Key] = &[
    required("name", Kind::Text, "the name that routes use"),
    RATE,
    TRACE_FILE,
    WIFI_KEY,
    CELLULAR_KEY,
    DELAY,
    QUEUE_PACKETS,
    QUEUE_BYTES,
    QUEUE_BDP,
    QUEUE,
    CODEL_TARGET,
    CODEL_INTERVAL,
    FQ_FLOWS,
    FQ_QUANTUM,
    PIE_TARGET,
    PIE_UPDATE,
    RED_MIN,
    RED_MAX,
    RED_PROBABILITY,
    RED_WEIGHT,
    DUALPI2_TARGET,
    DUALPI2_STEP,
    LOSS,
    JITTER,
    IMPAIR_KEY,
];

/// `wifi`
pub(super) const WIFI: &[Key] = &[
    required("phy_mbps", Kind::Within { least: LEAST_MBPS, most: MOST_MBPS }, "how fast an aggregate is sent [Mbit/s]"),
    key("access_us", MICROS, "mean time until the medium is won, half of it fixed and half exponential [µs]; 200 without"),
    key("aggregate_bytes", Kind::Whole { least: 1, most: 10_000_000 }, "most that an aggregate holds [bytes]; 65535 without"),
];

/// `cellular`
pub(super) const CELLULAR: &[Key] = &[
    required("mean_mbps", Kind::Within { least: LEAST_MBPS, most: MOST_MBPS }, "mean of the grants [Mbit/s]"),
    key("spread", Kind::Within { least: 0.0, most: 3.0 }, "deviation of the logarithm of a millisecond's grants; 0.5 without"),
    key("coherence_ms", Kind::Within { least: 0.1, most: 1e6 }, "time within which fading forgets itself [ms]; 100 without"),
    key("seed", Kind::Whole { least: 0, most: i64::MAX as u64 }, "of the fading, whatever the scenario's; 1 without"),
];

/// `[[bottleneck.impair]]`, `[[link.impair]]`, `[[flow.ack_impair]]`
pub(super) const IMPAIR: &[Key] = &[
    Key {
        name: "kind",
        kind: Kind::Words(&["gilbert-elliott", "corrupt", "reorder", "duplicate", "police", "delay", "outage", "aggregate", "thin"]),
        required: true,
        about: "what happens",
    },
    key("good_packets", Kind::Within { least: 1.0, most: 1e12 }, "gilbert-elliott: mean packets in the good state; 995 without"),
    key("bad_packets", Kind::Within { least: 1.0, most: 1e12 }, "gilbert-elliott: mean packets in the bad state; 5 without"),
    key("good_loss", Kind::Within { least: 0.0, most: 1.0 }, "gilbert-elliott: probability of loss in the good state; 0 without"),
    key("bad_loss", Kind::Within { least: 0.0, most: 1.0 }, "gilbert-elliott: probability of loss in the bad state; 1 without"),
    key("bit_error", Kind::Share, "corrupt: probability that a bit flips; the receiver discards the packet"),
    key("probability", Kind::Share, "reorder, duplicate: of a packet to be held back, or to arrive twice"),
    key("by_ms", MILLIS, "reorder: for how long; duplicate: how much later the copy arrives, 0 without [ms]"),
    key("rate_mbps", Kind::Within { least: LEAST_MBPS, most: MOST_MBPS }, "police: how fast tokens come [Mbit/s]"),
    key("burst_bytes", Kind::Whole { least: 1, most: 1_000_000_000_000 }, "police: how many tokens there may be; those of 20 ms without"),
    key("delay_ms", Kind::Load, "delay: what is added to the link's own, over time [ms]; order is kept"),
    key("at_s", SECONDS, "outage: from when everything is lost [s]"),
    key("lasts_s", Kind::Positive { most: MOST_SECONDS }, "outage: for how long [s]"),
    key("every_s", Kind::Positive { most: MOST_SECONDS }, "delay, outage: after how long it begins again [s]; never without"),
    key("release_ms", Kind::Positive { most: MOST_SECONDS }, "aggregate: packets come out together at multiples of this [ms]"),
    key("group", Kind::Whole { least: 1, most: 1_000_000 }, "thin: of so many packets the last passes"),
    key("within_ms", MILLIS, "thin: a packet that comes later after the one before passes too [ms]; 10 without"),
];

/// `[bottleneck]`: a link whose name is known.
pub(super) const BOTTLENECK: &[Key] = LINK.split_at(1).1;

/// `[[flow]]`
pub(super) const FLOW: &[Key] = &[
    required("cc", Kind::Text, "the controller; `symbiosis controllers` lists them"),
    key("name", Kind::Text, "name in results; the controller's without"),
    key("count", Kind::Whole { least: 1, most: MOST_FLOWS }, "how many equal flows; 1 without"),
    key("start_s", SECONDS, "when it starts [s]; 0 without"),
    key("stop_s", SECONDS, "when it stops sending [s]; the end of the run without"),
    key("bytes", Kind::Whole { least: 1, most: 1_000_000_000_000_000 }, "payload it has to send; endless without"),
    key("every_s", BURST, "after how long it has `bytes` again, on the same connection [s]; once without"),
    key(
        "idle_restart",
        Kind::Flag,
        "a window is halved for each retransmission timeout of silence (RFC 5681 §4.1, as Linux does it); true without",
    ),
    key(
        "access_rate_mbps",
        Kind::Within { least: LEAST_MBPS, most: MOST_MBPS },
        "rate of its own links at both ends [Mbit/s]; 10 × the fastest of its route without",
    ),
    key("access_delay_ms", MILLIS, "propagation of each of its own links, one way [ms]; 0 without"),
    key("packet_bytes", PACKET, "a full packet on the wire, header included; 1500 without"),
    key("header_bytes", Kind::Whole { least: 0, most: 65_534 }, "header of a packet; 40 without"),
    key("ack_bytes", PACKET, "an ACK on the wire; 40 without"),
    key("initial_window", Kind::Whole { least: 1, most: 1_000_000 }, "window before the first ACK [packets]; 10 without (RFC 6928)"),
    key(
        "recovery",
        Kind::Words(&["reno", "newreno", "sack", "rack", "rate-halving"]),
        "how losses are found and repaired; rack without, newreno for cc = \"newreno\"",
    ),
    key("delayed_ack", Kind::Flag, "one ACK for two packets; false without"),
    key("ack_delay_ms", MILLIS, "how long a delayed ACK may wait [ms]; 40 without"),
    key(
        "min_rto_ms",
        Kind::Positive { most: MOST_SECONDS },
        "what the retransmission timeout adds to the smoothed RTT at the least [ms]; 200 without",
    ),
    key("receiver_times", Kind::Flag, "ACKs carry the packet's arrival time; false without"),
    key(
        "send_timer_us",
        MICROS,
        "granularity of the sending host's timer [µs]: paced packets leave when it expires, in a phase of its own; 0, exact, without",
    ),
    key(
        "coalesce_us",
        MICROS,
        "least time between interrupts of the receiving host's network card [µs]: packets between are seen together; 0 without",
    ),
    key(
        "ecn",
        Kind::Words(&["off", "classic", "accurate", "l4s"]),
        "whether queues may mark its packets, and how marks come back; off without",
    ),
    key("quick_acks", Kind::Whole { least: 0, most: 1_000_000 }, "with `delayed_ack`, packets at the start with an ACK each; 0 without"),
    key("gso_packets", Kind::Whole { least: 0, most: 1000 }, "packets that leave together (GSO); one by one without"),
    key(
        "gro_packets",
        Kind::Whole { least: 0, most: 1000 },
        "most packets seen at one instant that share an ACK (GRO); each its own without",
    ),
    key("catch_up_us", MICROS, "how much of its own lateness the sending host's timer makes up [µs], as Linux' fq; 0 without"),
    key(
        "growth_limit",
        Kind::Whole { least: 1, most: 1_000_000 },
        "packets of one ACK for which a window grows (L of RFC 3465); 2 without",
    ),
    key("host", Kind::Text, "flows of one host share what CAKE gives to it; a host of its own without"),
    key("ack_impair", Kind::Tables(IMPAIR), "what happens to its ACKs on a way of their own, stage after stage; nothing without"),
    key(
        "params",
        Kind::Params,
        "the controller's parameters; `symbiosis controllers` lists them, and says which apply only beside another one's value",
    ),
    key("route", Kind::Route, "links that data crosses, in order"),
    key("ack_route", Kind::Route, "links that ACKs cross, in order; a private mirror of the route without"),
];

/// `[[cross]]`
pub(super) const CROSS: &[Key] = &[
    key("kind", Kind::Words(&["udp"]), "what it is; udp without"),
    required("rate_mbps", Kind::Load, "mean rate on the wire [Mbit/s]"),
    key("mix", Kind::Words(&["internet"]), "a mix of packet sizes instead of `packet_bytes`"),
    key("packet_bytes", PACKET, "size of its packets on the wire; 1500 without"),
    key("gaps", Kind::Words(&["exponential", "constant", "pareto-on-off"]), "how its packets are spaced; exponential without"),
    key("on_s", BURST, "mean of its times on, with pareto-on-off [s]; 0.5 without"),
    key("off_s", BURST, "mean of its times off, with pareto-on-off [s]; 0.5 without"),
    key("shape", Kind::Within { least: 1.1, most: 100.0 }, "of both times' Pareto distributions; 1.5 without"),
    key("count", Kind::Whole { least: 1, most: MOST_FLOWS }, "how many sources share the rate, each with its own randomness; 1 without"),
    key("start_s", SECONDS, "when it starts [s]; 0 without"),
    key("stop_s", SECONDS, "when it stops [s]; never without"),
    key("route", Kind::Route, "links it crosses, in order"),
];

/// `[measure]`
pub(super) const MEASURE: &[Key] = &[
    key("from_s", SECONDS, "statistics count from here [s]; 0 without"),
    key("to_s", SECONDS, "statistics count to here [s]; the end of the run without"),
];

/// `[trace]`
pub(super) const TRACE: &[Key] =
    &[key("every_ms", Kind::Positive { most: MOST_SECONDS * 1e3 }, "spacing of samples [ms]; a thousandth of the run without")];

/// Keys of which one excludes the others; a table that has but one of them is not meant.
pub(super) const EITHER: &[&[&str]] =
    &[&["rate_mbps", "trace", "wifi", "cellular"], &["queue_packets", "queue_bytes", "queue_bdp"], &["mix", "packet_bytes"]];

/// The key of that name in a table.
pub(super) fn find(keys: &'static [Key], name: &str) -> Option<&'static Key> {
    keys.iter().find(|key| key.name == name)
}

impl Kind {
    /// What would be right, in words.
    pub fn wanted(&self) -> String {
        match self {
            Kind::Text => "a text in quotes, not empty, on one line".into(),
            Kind::Words([word]) => format!("\"{word}\""),
            Kind::Words(words) => format!("one of \"{}\"", words.join("\", \"")),
            Kind::Flag => "true or false".into(),
            Kind::Positive { most } => format!("a number above 0, up to {most}"),
            Kind::Amount { most } => format!("a number from 0 to {most}"),
            Kind::Share => "a number of at least 0 and below 1".into(),
            Kind::Whole { least, most } => format!("a whole number from {least} to {most}"),
            Kind::Within { least, most } => format!("a number from {least} to {most}"),
            Kind::Capacity => format!("a number from {LEAST_MBPS} to {MOST_MBPS}, or steps `[[at_s, rate], …]` from 0 s on"),
            Kind::Load => format!("a number from 0 to {MOST_MBPS}, or steps `[[at_s, rate], …]`"),
            Kind::Route => "a list of link names in quotes".into(),
            Kind::Params => "a table of parameters: `{ name = value, … }`".into(),
            Kind::Table(_) => "a table".into(),
            Kind::Tables(_) => "a list of tables, each under its own `[[…]]`".into(),
        }
    }
}

#[cfg(test)]
mod tests;

/// What the key under a dotted path may be, when it is one of some words: `bottleneck.queue`.
pub fn words(path: &str) -> Option<&'static [&'static str]> {
    let mut table = ROOT;
    let mut names = path.split('.').peekable();
    while let Some(name) = names.next() {
        match &table.iter().find(|key| key.name == name)?.kind {
            Kind::Table(keys) | Kind::Tables(keys) => table = keys,
            Kind::Words(words) if names.peek().is_none() => return Some(words),
            _ => return None,
        }
    }
    None
}
