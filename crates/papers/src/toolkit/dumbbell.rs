//! S Fig 6: a bottleneck that all share, and a link of its own before it for each flow.

/// The links. Unlike a scenario's `[bottleneck]`, a flow's own link has a queue that can overflow: where it is no faster than the
/// bottleneck, slow start would otherwise fill the host without end.
#[derive(Clone, Debug)]
pub struct Dumbbell {
    /// The bottleneck \[Mbit/s\].
    pub mbps: f64,
    /// One way over it \[ms\].
    pub delay_ms: f64,
    /// Its buffer, as a line.
    pub queue: String,
    /// Each flow's own link \[Mbit/s\], with a buffer of one bandwidth-delay product.
    pub access_mbps: f64,
    /// One way over each of a flow's two own links \[ms\]. The one at the receiver is no slower than what comes, and so only a delay.
    pub access_ms: f64,
}

impl Dumbbell {
    /// Base RTT \[ms\].
    pub fn rtt_ms(&self) -> f64 {
        2.0 * (self.delay_ms + 2.0 * self.access_ms)
    }

    /// The bottleneck, first, so that results speak of it first.
    pub fn bottleneck(&self) -> String {
        format!("[[link]]\nname = \"bottleneck\"\nrate_mbps = {}\ndelay_ms = {}\n{}\n", self.mbps, self.delay_ms, self.queue)
    }

    /// The flow of that number, of these lines, with its own link before it.
    pub fn flow(&self, number: usize, lines: &str) -> String {
        format!(
            "[[link]]\nname = \"access {number}\"\nrate_mbps = {}\ndelay_ms = {}\nqueue_bdp = 1.0\n\
             [[flow]]\n{lines}\nroute = [\"access {number}\", \"bottleneck\"]\n",
            self.access_mbps,
            2.0 * self.access_ms,
        )
    }

    /// UDP of this rate, a number or steps, over the bottleneck.
    pub fn udp(&self, udp: Udp, rate: &str) -> String {
        format!("[[cross]]\nkind = \"udp\"\n{}rate_mbps = {rate}\nroute = [\"bottleneck\"]\n", udp.lines())
    }
}

/// What UDP is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Udp {
    /// The Internet's sizes with exponential gaps (S §IV-A).
    Mix,
    /// iperf's: datagrams of 1470 bytes, 1498 on the wire, evenly spaced (B §3.1).
    Iperf,
}

impl Udp {
    /// Its name in figures.
    pub fn name(self) -> &'static str {
        match self {
            Udp::Mix => "mix",
            Udp::Iperf => "CBR",
        }
    }

    fn lines(self) -> &'static str {
        match self {
            Udp::Mix => "mix = \"internet\"\ngaps = \"exponential\"\n",
            Udp::Iperf => "packet_bytes = 1498\ngaps = \"constant\"\n",
        }
    }
}
