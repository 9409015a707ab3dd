//! Two hosts that are one machine: their namespaces, their devices, and what is set there.

use std::fmt::Write;
use std::net::{Ipv4Addr, SocketAddrV4, TcpListener};

use symbiosis_run::Plan;

use super::error::TestbedError;
use super::namespace::{Namespace, ip, set};
use super::tun::Tun;

/// Most flows: each has an address of its own at both ends, and a route. A /16 at each end has room
/// for 65 534; more than a thousand are a slip, because each asks `ip` for a route.
pub const MOST_FLOWS: usize = 1000;
/// Where receivers listen.
const PORT: u16 = 5001;
/// Packets that a device holds for the emulator: more than a window of 1 Gbit/s and 250 ms, and the most that kernels since 6.12.111 take.
pub(super) const TUN_PACKETS: u32 = 32_767;
/// Largest buffer of a socket \[bytes\], at either end: a window of 1 Gbit/s and 250 ms, as the kernel counts (with what a packet takes in
/// memory). Windows must not end here.
const BUFFER: u32 = 67_108_864;
/// The window that a receiver grants at once \[packets\]: 1 Gbit/s and 240 ms, so that no flow waits for it to grow.
const GRANTED: u32 = 20_000;

/// One of the two.
#[derive(Debug)]
pub struct Host {
    /// Its network.
    pub namespace: Namespace,
    /// Its way out.
    pub tun: Tun,
}

/// The senders' host and the receivers'.
#[derive(Debug)]
pub struct Hosts {
    /// Where data comes from.
    pub sender: Host,
    /// Where it goes.
    pub receiver: Host,
    /// At the receivers' host.
    pub listener: TcpListener,
}

/// The sender's address of a flow.
pub fn sender(flow: usize) -> Ipv4Addr {
    Ipv4Addr::new(10, 64, (flow / 250) as u8, (flow % 250 + 1) as u8)
}

/// The receiver's address of a flow.
pub fn receiver(flow: usize) -> SocketAddrV4 {
    let [_, _, high, low] = sender(flow).octets();
    SocketAddrV4::new(Ipv4Addr::new(10, 65, high, low), PORT)
}

/// The flow of an address, at either end.
pub fn flow(address: Ipv4Addr) -> Option<usize> {
    let [10, 64 | 65, high, low] = address.octets() else { return None };
    Some(usize::from(high) * 250 + usize::from(low).checked_sub(1)?)
}

impl Hosts {
    /// Makes them for a plan.
    ///
    /// # Errors
    /// This process may not, or something that is needed is missing.
    pub fn new(plan: &Plan) -> Result<Hosts, TestbedError> {
        let sender = host("symt-send", |out| senders(plan, out))?;
        let receiver = host("symt-recv", |out| receivers(plan, out))?;
        let listener = receiver.namespace.within(|| {
            TcpListener::bind((Ipv4Addr::UNSPECIFIED, PORT)).map_err(TestbedError::system("nobody can listen in a namespace"))
        })?;
        Ok(Hosts { sender, receiver, listener })
    }
}

impl Hosts {
    /// Packets that the devices gave up, for want of room.
    ///
    /// # Errors
    /// The system does not tell.
    pub fn given_up(&self) -> Result<u64, TestbedError> {
        let of = |host: &Host| {
            host.namespace.within(|| {
                let table = std::fs::read_to_string("/proc/thread-self/net/dev");
                table.map(|table| dropped(&table)).map_err(TestbedError::system("/proc/thread-self/net/dev cannot be read"))
            })
        };
        Ok(of(&self.sender)? + of(&self.receiver)?)
    }
}

/// Packets that devices dropped, received ones and sent ones: the fourth and the twelfth number behind each name.
fn dropped(table: &str) -> u64 {
    let counts = |line: &str| -> Option<u64> {
        let numbers: Vec<u64> = line.split_once(':')?.1.split_whitespace().filter_map(|number| number.parse().ok()).collect();
        Some(numbers.get(3)? + numbers.get(11)?)
    };
    table.lines().filter_map(counts).sum()
}

fn host(name: &str, lines: impl FnOnce(&mut String)) -> Result<Host, TestbedError> {
    let mut batch = String::new();
    lines(&mut batch);
    let namespace = Namespace::new()?;
    let tun = namespace.within(|| {
        let tun = Tun::new(name)?;
        variables()?;
        ip(&batch)?;
        Ok(tun)
    })?;
    Ok(Host { namespace, tun })
}

/// Both hosts alike.
fn variables() -> Result<(), TestbedError> {
    // Nothing but the flows is to use the devices; a kernel without IPv6 has nothing to be told.
    let _ = set("ipv6/conf/all/disable_ipv6", "1");
    // A connection knows nothing of those before it.
    set("ipv4/tcp_no_metrics_save", "1")?;
    set("ipv4/tcp_ecn", "0")?;
    set("ipv4/tcp_sack", "1")?;
    set("ipv4/tcp_timestamps", "1")?;
    // An ACK for each packet that arrives out of order (RFC 5681 §4.2): Linux would merge them over a millisecond.
    set("ipv4/tcp_comp_sack_nr", "0")?;
    set("ipv4/tcp_rmem", &format!("4096 {} {BUFFER}", BUFFER / 2))?;
    set("ipv4/tcp_wmem", &format!("4096 262144 {BUFFER}"))
}

/// A device, and routes that say what a scenario says of each flow.
fn senders(plan: &Plan, out: &mut String) {
    let burst = plan.flows.first().map_or(1, |flow| flow.hosts.gso_packets.max(1));
    device("symt-send", "10.64.0.0/16", burst, plan, out);
    for (at, flow) in plan.flows.iter().enumerate() {
        let (here, there) = (sender(at), receiver(at).ip().to_owned());
        let (window, rto) = (flow.initial_window, flow.min_rto.millis().round().max(1.0));
        let _ = writeln!(out, "route add {there}/32 dev symt-send src {here} mtu {} initcwnd {window} rto_min {rto}ms", flow.packet.0);
    }
}

fn receivers(plan: &Plan, out: &mut String) {
    device("symt-recv", "10.65.0.0/16", 1, plan, out);
    for (at, flow) in plan.flows.iter().enumerate() {
        let quick = u8::from(!flow.delayed_ack);
        let _ = writeln!(out, "route add {}/32 dev symt-recv initrwnd {GRANTED} quickack {quick}", sender(at));
    }
}

/// A device that takes bursts of `burst` packets and hands them over one at a time, and a host that takes every address of its net for its own.
fn device(name: &str, own: &str, burst: u64, plan: &Plan, out: &mut String) {
    let mtu = mtu(plan);
    let _ = writeln!(out, "link set lo up");
    let _ = writeln!(out, "link set {name} mtu {mtu} txqueuelen {TUN_PACKETS} gso_max_segs {burst} up");
    let _ = writeln!(out, "route add local {own} dev lo");
}

/// The largest packet of any flow.
pub fn mtu(plan: &Plan) -> u64 {
    plan.flows.iter().map(|flow| flow.packet.0).max().unwrap_or(1500)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn devices_tell_what_they_dropped() {
        let table = "Inter-|   Receive                                                |  Transmit\n \
                     face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo colls carrier compressed\n \
                     lo: 1 2 0 0 0 0 0 0 1 2 0 0 0 0 0 0\n\
                     symt-send: 900 10 0 3 0 0 0 0 800 9 0 5 0 0 0 0\n";
        assert_eq!(dropped(table), 8);
    }

    #[test]
    fn addresses_are_those_of_one_flow() {
        for at in [0, 1, 249, 250, MOST_FLOWS - 1] {
            assert_eq!((flow(sender(at)), flow(*receiver(at).ip())), (Some(at), Some(at)));
            assert_ne!(sender(at), *receiver(at).ip());
        }
        assert_eq!((flow(Ipv4Addr::new(10, 64, 0, 0)), flow(Ipv4Addr::new(192, 168, 0, 1))), (None, None));
    }
}
