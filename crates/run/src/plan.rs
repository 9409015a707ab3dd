//! What a run is: links, flows, cross traffic and times, every value resolved. Scenario files and experiments are turned into this.

use symbiosis_base::{Bytes, Instant, Span};
use symbiosis_control::params::Values;
use symbiosis_control::registry::{Entry, Recovery};
use symbiosis_path::{LinkSpec, TrafficSpec};

/// Index of a link in [`Plan::links`].
pub type LinkId = usize;

/// A whole run.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Name for the result.
    pub name: String,
    /// How long the run takes.
    pub duration: Span,
    /// Every source of randomness is seeded from this and its own place in the plan.
    pub seed: u64,
    /// Statistics count from here …
    pub measure_from: Instant,
    /// … to here.
    pub measure_to: Instant,
    /// Spacing of the samples of the traces; none are taken without it.
    pub sample_every: Option<Span>,
    /// All links. Routes name them by index.
    pub links: Vec<PlannedLink>,
    /// All flows.
    pub flows: Vec<FlowPlan>,
    /// All cross traffic.
    pub cross: Vec<CrossPlan>,
}

impl Plan {
    /// The run ends here.
    pub fn end(&self) -> Instant {
        Instant::after(self.duration)
    }
}

/// A link and whether results speak of it.
#[derive(Clone, Debug)]
pub struct PlannedLink {
    /// Name in results.
    pub name: String,
    /// Whether results list it. Access links that a shorthand made are not listed.
    pub listed: bool,
    /// What it is.
    pub spec: LinkSpec,
}

/// One flow: of TCP, or of XMTP if its controller goes by reports ([`Entry::feedback`]).
#[derive(Clone, Debug)]
pub struct FlowPlan {
    /// Name in results.
    pub id: String,
    /// Its controller.
    pub cc: &'static Entry,
    /// The controller's parameters.
    pub params: Values,
    /// When it starts.
    pub start: Instant,
    /// When it stops sending; what is in flight then is still acknowledged.
    pub stop: Instant,
    /// How much it has to send, as payload; endless without.
    pub bytes: Option<Bytes>,
    /// Size of a full packet on the wire.
    pub packet: Bytes,
    /// Of which header.
    pub header: Bytes,
    /// Size of an ACK on the wire.
    pub ack: Bytes,
    /// Window before the first ACK \[packets\].
    pub initial_window: u64,
    /// How TCP finds lost packets and sends them again; XMTP has a way of its own.
    pub recovery: Recovery,
    /// TCP: one ACK for two packets, or after [`FlowPlan::ack_delay`].
    pub delayed_ack: bool,
    /// How long a delayed ACK may wait.
    pub ack_delay: Span,
    /// What the retransmission timeout adds to the smoothed round-trip time at the least: 200 ms in Linux (RFC 6298 bounds the sum, by 1 s).
    pub min_rto: Span,
    /// ACKs carry the packet's arrival time.
    pub receiver_times: bool,
    /// The sending host's timer: a departure that lies ahead when the controller asks for it happens at the next multiple of this. Zero: exactly.
    pub send_timer: Span,
    /// Least time between two interrupts of the receiving host's network card: what arrives between is seen, and acknowledged, at the
    /// next. Zero: each packet at once.
    pub coalesce: Span,
    /// What the hosts at both ends do beside; nothing by default.
    pub hosts: Hosts,
    /// Links that data crosses, in order.
    pub route: Vec<LinkId>,
    /// Links that ACKs cross, in order.
    pub ack_route: Vec<LinkId>,
}

/// What applications and hosts do to a flow that has all its data from the start, between perfect hosts. The default is such a flow.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hosts {
    /// Whether and how they answer congestion marks.
    pub ecn: EcnMode,
    /// So many packets at the start are acknowledged one by one though ACKs are delayed, as Linux does so that slow start is not slowed.
    pub quick_acks: u64,
    /// Packets that leave together (GSO): a window or a pacer that lets one out waits until it lets out so many. Zero or one: each by itself.
    pub gso_packets: u64,
    /// Most packets handed up at one instant that share an ACK (GRO). Zero: each has its own.
    pub gro_packets: u64,
    /// A departure that the host's timer delayed does not delay those after it, by up to this much (Linux' fq). Zero: it does.
    pub catch_up: Span,
    /// For how many packets of one ACK a window grows (L of RFC 3465); 2 without.
    pub growth_limit: Option<u32>,
    /// The flow by whose index its host is known, where queues share between hosts; the flow itself without.
    pub address: Option<u64>,
    /// The application has [`FlowPlan::bytes`] anew after each such span, on the same connection; once without.
    pub every: Option<Span>,
    /// Who has been silent for longer than a retransmission timeout goes on with the window that was (Linux with
    /// `tcp_slow_start_after_idle=0`), and is not told to begin with less (RFC 5681 §4.1).
    pub keeps_idle_window: bool,
}

/// Whether and how the ends answer congestion marks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EcnMode {
    /// Packets are not capable of them: queues drop.
    #[default]
    Off,
    /// ECT(0), and the receiver says once that there was a mark, until the sender has answered (RFC 3168): the controller hears of a congestion
    /// event in a round trip.
    Classic,
    /// ECT(0), and the receiver counts (RFC 9768): the controller hears the counts with each ACK, and of a congestion event in a round trip.
    Accurate,
    /// ECT(1) for queues that mark early (RFC 9331), and the receiver counts: the controller hears the counts and nothing else.
    L4s,
}

/// Traffic that follows no ACK.
#[derive(Clone, Debug)]
pub struct CrossPlan {
    /// Sizes, gaps and rates.
    pub traffic: TrafficSpec,
    /// Links it crosses, in order.
    pub route: Vec<LinkId>,
}

/// Sources of randomness: each has a number of its own in the run. So the traffic of others is the same, packet by packet, wherever a plan
/// is carried out.
pub mod source {
    /// Of the first flow's controller; of the next the one after.
    pub const CONTROLLER: u64 = 1 << 32;
    /// Of the first source of cross traffic.
    pub const TRAFFIC: u64 = 2 << 32;
    /// Of the first link.
    pub const LINK: u64 = 3 << 32;
    /// Of the first flow's host, for its timer's phase.
    pub const TIMER: u64 = 4 << 32;
}
