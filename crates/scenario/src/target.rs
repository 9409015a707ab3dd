//! What a scenario is made for: the controllers that there are, and what of the format can be carried out.

use symbiosis_base::Span;
use symbiosis_control::params::{ParamError, Values};
use symbiosis_control::registry::{self, Entry, Feedback};

use super::error::Fault;
use super::file::{Ecn, File, Flow, ImpairKind, Recovery};
use super::locate::suggestion;
use super::topology::millis;

/// What IPv4 and Linux' TCP put before the payload, time stamps included \[bytes\].
const KERNEL_HEADER: u64 = 52;
/// Packets that the kernel takes: IPv4's least that every host must (RFC 791), and Ethernet's jumbo frames \[bytes\].
const KERNEL_PACKETS: std::ops::RangeInclusive<u64> = 576..=9000;

/// The simulator with the registry's controllers.
pub const SIMULATOR: Target = Target { more: &[], elsewhere: &[], hosts: Hosts::Simulated };

/// What a scenario is made for.
///
/// A controller of one's own is one line: `Target { more: &[ENTRY], ..SIMULATOR }`.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// Controllers beside those of the registry.
    pub more: &'static [Entry],
    /// Controllers that only other hosts have: who asks for one is told where it is.
    pub elsewhere: &'static [Entry],
    /// What the hosts can do.
    pub hosts: Hosts,
}

/// Whose senders and receivers carry a scenario out.
#[derive(Clone, Copy, Debug)]
pub enum Hosts {
    /// Simulated ones, which do all that the format has.
    Simulated,
    /// Linux' TCP.
    Kernel {
        /// The greatest number of flows.
        most_flows: u64,
    },
}

impl Target {
    /// Its controllers.
    pub fn controllers(&self) -> Vec<&'static Entry> {
        let runs = |entry: &&Entry| match self.hosts {
            Hosts::Simulated => true,
            Hosts::Kernel { .. } => matches!(entry.feedback, Feedback::Acks),
        };
        registry::ALL.iter().filter(runs).chain(self.more).collect()
    }

    /// The controller of that name.
    pub(super) fn controller(&self, path: &str, name: &str) -> Result<&'static Entry, Fault> {
        let known = self.controllers();
        if let Some(entry) = known.iter().find(|entry| entry.name == name) {
            return Ok(entry);
        }
        let names: Vec<&str> = known.iter().map(|entry| entry.name).collect();
        let elsewhere = registry::ALL.iter().chain(self.elsewhere).any(|entry| entry.name == name);
        let help = match self.hosts {
            _ if !elsewhere => suggestion(name, names),
            Hosts::Simulated => "only the kernel has it: `symbiosis testbed` runs it".into(),
            Hosts::Kernel { .. } => format!("it runs in the simulator, not in the kernel, which has {}", names.join(", ")),
        };
        Err(Fault::at(format!("{path}.cc"), format!("there is no controller \"{name}\"")).help(help))
    }

    /// What these hosts can know of what a controller asks for.
    pub(super) fn values(&self, values: Values) -> Result<Values, ParamError> {
        match self.hosts {
            Hosts::Simulated => Ok(values),
            Hosts::Kernel { .. } => values.outside_a_simulator(),
        }
    }

    /// What the file asks for is what these hosts do.
    pub(super) fn check(&self, file: &File) -> Result<(), Fault> {
        match self.hosts {
            Hosts::Simulated => Ok(()),
            Hosts::Kernel { most_flows } => kernel(file, most_flows, self.more),
        }
    }
}

/// What a host of the simulator may be told to do, and the kernel may not.
fn kernel(file: &File, most_flows: u64, native: &[Entry]) -> Result<(), Fault> {
    let flows: u64 = file.flow.iter().map(|flow| flow.count).sum();
    if flows == 0 || flows > most_flows {
        let place = if file.flow.is_empty() { "" } else { "flow.0.count" };
        return Err(Fault::at(place, format!("the scenario has {flows} flows")).help(format!("kernel TCP carries 1 to {most_flows} here")));
    }
    let links = file.bottleneck.iter().map(|link| ("bottleneck".into(), link));
    let links = links.chain(file.link.iter().enumerate().map(|(at, link)| (format!("link.{at}"), link)));
    for (path, link) in links {
        if link.impair.iter().any(|stage| matches!(stage.kind, ImpairKind::Reorder | ImpairKind::Duplicate)) {
            let path = format!("{path}.impair");
            return Err(Fault::at(&path, format!("`{path}` breaks the order, which the emulated path keeps"))
                .help("leave \"reorder\" and \"duplicate\" to `symbiosis simulate`"));
        }
    }
    for (at, flow) in file.flow.iter().enumerate() {
        one_of_ours(file, at, native)?;
        one_device(file, at)?;
        for (key, given, why) in refusals(flow) {
            if given {
                let path = format!("flow.{at}.{key}");
                return Err(Fault::at(&path, format!("`{path}` is given, but kernel TCP does not do that")).help(why));
            }
        }
    }
    Ok(())
}

/// One agent runs one controller of ours, for all flows that want one.
fn one_of_ours(file: &File, at: usize, native: &[Entry]) -> Result<(), Fault> {
    let is_native = |flow: &&Flow| native.iter().any(|entry| entry.name == flow.cc);
    let flow = &file.flow[at];
    match file.flow[..at].iter().find(|flow| !is_native(flow)) {
        Some(first) if !is_native(&flow) && (&first.cc, &first.params) != (&flow.cc, &flow.params) => {
            let path = format!("flow.{at}.cc");
            let what = format!("`{path}` is \"{}\", and another flow has \"{}\", or other parameters", flow.cc, first.cc);
            let names: Vec<&str> = native.iter().map(|entry| entry.name).collect();
            Err(Fault::at(path, what).help(format!("the kernel runs one controller of ours at a time, beside {}", names.join(", "))))
        }
        _ => Ok(()),
    }
}

/// All senders share a device, which takes packets one by one, or bursts of so many.
fn one_device(file: &File, at: usize) -> Result<(), Fault> {
    let (first, given) = (file.flow[0].gso_packets, file.flow[at].gso_packets);
    if given.max(1) == first.max(1) {
        return Ok(());
    }
    let path = format!("flow.{at}.gso_packets");
    let what = format!("`{path}` is {given}, and the first flow has {first}");
    Err(Fault::at(path, what).help("all senders here share a device: give every flow the same"))
}

/// Keys of a flow that the kernel has no ear for: whether each asks for something else than the kernel does, and what the kernel does.
fn refusals(flow: &Flow) -> [(&'static str, bool, &'static str); 16] {
    let usual = [40, KERNEL_HEADER];
    [
        (
            "recovery",
            !matches!(flow.recovery, None | Some(Recovery::Sack | Recovery::Rack)),
            "it repairs losses by selective ACKs and RACK: leave it out",
        ),
        ("packet_bytes", !KERNEL_PACKETS.contains(&flow.packet_bytes), "a packet here has 576 to 9000 bytes"),
        ("header_bytes", !usual.contains(&flow.header_bytes), "its header has 52 bytes, time stamps included: leave it out"),
        ("ack_bytes", !usual.contains(&flow.ack_bytes), "its ACKs have 52 bytes, and more with selective ACKs: leave it out"),
        ("ack_delay_ms", millis(flow.ack_delay_ms) != Span::from_millis(40), "it adapts its delay, from 40 ms on: leave it out"),
        ("receiver_times", flow.receiver_times, "its time stamps have milliseconds, and are the sender's: leave it out"),
        ("send_timer_us", flow.send_timer_us > 0.0, "the host's timer is what it is: leave it out"),
        ("coalesce_us", flow.coalesce_us > 0.0, "its devices hand up each packet at once: leave it out"),
        ("ecn", flow.ecn != Ecn::Off, "the emulated path makes no marks: leave it out"),
        ("quick_acks", flow.quick_acks > 0, "it has a rule of its own: leave it out"),
        ("gro_packets", flow.gro_packets > 0, "its devices hand up packets one by one: leave it out"),
        ("catch_up_us", flow.catch_up_us > 0.0, "it paces as it does: leave it out"),
        ("growth_limit", flow.growth_limit.is_some(), "it counts all packets of an ACK: leave it out"),
        ("every_s", flow.every_s.is_some(), "its sender writes all it has from the start: leave it out"),
        ("idle_restart", flow.idle_restart == Some(false), "it begins anew after silence, as its system is set to: leave it out"),
        ("ack_impair", !flow.ack_impair.is_empty(), "its ACKs go over the emulated path: leave it out"),
    ]
}
