//! How long a flow takes to fill what UDP leaves.

use symbiosis_base::{Bytes, Rate, Span};
use symbiosis_control::lotka_volterra::{Bandwidth, LotkaVolterra};
use symbiosis_control::symbiosis::{EPSILON, GAMMA};
use symbiosis_run::Outcome as Run;
use symbiosis_theory::facts::{Climb, convergence_time};

use super::dumbbell::{Dumbbell, Udp};
use super::kinds::{Kind, RENO};

/// What UDP takes, as a part of the bottleneck.
const UDP: f64 = 0.2;
/// The part of what UDP leaves that must be used (I §4, S §IV-B): the window must be as large as that takes, because what is used itself is
/// as noisy as UDP.
const USED: f64 = 0.99;
/// Slow start has such a window for a moment, too, and leaves the link empty after a timeout. So this part must then be used for so long \[s\],
/// and for so many base RTTs.
const KEPT: f64 = 0.9;
pub const KEPT_FOR: (f64, f64) = (10.0, 20.0);
/// Windows of the first packets (`initial_window`).
pub const FIRST: f64 = 2.0;

/// A path, one point of a figure.
#[derive(Clone, Copy, Debug)]
pub struct Path {
    pub mbps: f64,
    pub access_mbps: f64,
    /// One way over the bottleneck \[ms\]; the flow's own links take 5.
    pub delay_ms: f64,
    /// The bottleneck's buffer, in bandwidth-delay products.
    pub queue_bdp: f64,
}

impl Path {
    /// Base RTT \[s\].
    pub fn rtt(&self) -> f64 {
        2e-3 * (self.delay_ms + 10.0)
    }

    fn bandwidth(&self) -> Bandwidth {
        Bandwidth { capacity: Rate::from_mbps(self.mbps), available: Rate::from_mbps(self.mbps * (1.0 - UDP)) }
    }

    /// The window that uses 99 % of what UDP leaves \[bytes\].
    fn enough(&self) -> f64 {
        USED * self.bandwidth().available.times(Span::from_secs(self.rtt()))
    }

    /// S Eq 12 from the first window to the one that is enough \[s\].
    pub fn eq_12(&self) -> f64 {
        let model = LotkaVolterra { epsilon: EPSILON, gamma: GAMMA };
        let tau = Span::from_secs(self.rtt());
        let rho = self.enough() / model.equilibrium(&self.bandwidth(), tau);
        convergence_time(&model, &self.bandwidth(), tau, FIRST * 1500.0, rho).secs()
    }

    /// S Eq 13 \[s\]: a window that grows a packet in a round trip from the first.
    pub fn eq_13(&self) -> f64 {
        let rtt = Span::from_secs(self.rtt());
        Climb { from: FIRST * 1500.0, to: self.enough(), packet: Bytes(1500), rtt }.reno().secs()
    }

    /// As long as the oracle needs by S Eq 12, half as long again, and what must be kept \[s\].
    pub fn first_look(&self) -> f64 {
        (1.5 * self.eq_12() + KEPT_FOR.0.max(KEPT_FOR.1 * self.rtt())).ceil()
    }

    /// As long as Reno needs after a timeout, within reason; the others need far less.
    fn duration(&self, kind: &Kind, most: f64) -> f64 {
        let needed = if kind.name == RENO.name { 1.3 * self.eq_13() } else { 200.0 * self.rtt() };
        (30.0 + needed).min(most).round()
    }

    /// Its scenario; `source` is the figure, `id` its short name, `most` the longest run \[s\].
    pub fn text(&self, (id, source): (&str, &str), kind: &Kind, most: f64) -> String {
        let queue = format!("queue_bdp = {}", self.queue_bdp);
        let links = Dumbbell { mbps: self.mbps, delay_ms: self.delay_ms, queue, access_mbps: self.access_mbps, access_ms: 5.0 };
        format!(
            r#"# {source}: from nothing to 99 % of what UDP leaves. Base RTT {rtt} ms.
name = "{id}-{slug}-{mbps}-{delay}"
duration_s = {duration}
{bottleneck}{flow}{udp}[trace]
every_ms = 50
"#,
            rtt = links.rtt_ms(),
            slug = kind.slug(),
            mbps = self.mbps,
            delay = self.delay_ms,
            duration = self.duration(kind, most),
            bottleneck = links.bottleneck(),
            flow = links.flow(1, &kind.lines(self.mbps)),
            udp = links.udp(Udp::Mix, &(UDP * self.mbps).to_string()),
        )
    }

    /// When the window is enough, for good \[s\]; none if it never is.
    pub fn reached(&self, run: &Run) -> Option<f64> {
        let (link, flow) = (&run.link_traces[0], &run.flow_traces[0]);
        let spacing = link[1].at.secs() - link[0].at.secs();
        let samples = (KEPT_FOR.0.max(KEPT_FOR.1 * self.rtt()) / spacing).ceil() as usize;
        // What idles is missing from what UDP leaves.
        let least = (1.0 - (1.0 - KEPT) * (1.0 - UDP)) * self.mbps * 125e3 * samples as f64 * spacing;
        let keeps = |from: usize| (link[from + samples].bytes_begun - link[from].bytes_begun) as f64 >= least;
        let mut starts = 0..link.len().saturating_sub(samples);
        let found = starts.find(|from| flow[*from].cwnd_packets * 1500.0 >= self.enough() && keeps(*from));
        found.map(|from| link[from].at.secs())
    }
}
