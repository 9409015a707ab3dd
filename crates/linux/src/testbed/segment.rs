//! What an emulated path must know of a packet: whose it is, and what of the stream it carries.

use std::net::Ipv4Addr;

use etherparse::{Ipv4HeaderSlice, TcpHeaderSlice};

/// A TCP segment over IPv4.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Segment {
    /// Sender of the packet.
    pub from: Ipv4Addr,
    /// Its receiver.
    pub to: Ipv4Addr,
    /// Number of its first byte, or of its SYN.
    pub sequence: u32,
    /// The next byte that its sender waits for; nothing in the first segment of all.
    pub ack: Option<u32>,
    /// Bytes of the stream.
    pub payload: u32,
    /// It opens the connection.
    pub syn: bool,
}

/// What a packet is; nothing for what is no whole TCP segment over IPv4: fragments, other protocols, noise.
pub fn segment(packet: &[u8]) -> Option<Segment> {
    let ip = Ipv4HeaderSlice::from_slice(packet).ok()?;
    if ip.protocol() != etherparse::IpNumber::TCP || ip.is_fragmenting_payload() || usize::from(ip.total_len()) != packet.len() {
        return None;
    }
    let tcp = TcpHeaderSlice::from_slice(&packet[ip.slice().len()..]).ok()?;
    let headers = ip.slice().len() + tcp.slice().len();
    Some(Segment {
        from: ip.source_addr(),
        to: ip.destination_addr(),
        sequence: tcp.sequence_number(),
        ack: tcp.ack().then(|| tcp.acknowledgment_number()),
        payload: (packet.len() - headers) as u32,
        syn: tcp.syn(),
    })
}

#[cfg(test)]
pub mod tests {
    use etherparse::PacketBuilder;

    use super::*;

    /// A whole packet.
    pub fn packet(from: [u8; 4], to: [u8; 4], sequence: u32, ack: Option<u32>, syn: bool, payload: usize) -> Vec<u8> {
        let builder = PacketBuilder::ipv4(from, to, 64).tcp(1000, 2000, sequence, 1000);
        let builder = if syn { builder.syn() } else { builder };
        let builder = if let Some(ack) = ack { builder.ack(ack) } else { builder };
        let mut out = Vec::new();
        builder.write(&mut out, &vec![0; payload]).unwrap();
        out
    }

    #[test]
    fn a_segment_is_read_and_nothing_else() {
        let data = packet([10, 0, 0, 1], [10, 0, 0, 2], 7, Some(9), false, 100);
        let seen = segment(&data).unwrap();
        assert_eq!((seen.from, seen.to), (Ipv4Addr::new(10, 0, 0, 1), Ipv4Addr::new(10, 0, 0, 2)));
        assert_eq!((seen.sequence, seen.ack, seen.payload, seen.syn), (7, Some(9), 100, false));
        let first = segment(&packet([10, 0, 0, 1], [10, 0, 0, 2], 7, None, true, 0)).unwrap();
        assert!(first.syn && first.ack.is_none() && first.payload == 0);

        for length in 0..data.len() {
            assert_eq!(segment(&data[..length]), None, "{length} bytes of {}", data.len());
        }
        let mut fragment = data.clone();
        fragment[6] |= 0x20;
        assert_eq!(segment(&fragment), None);
        let mut six = data.clone();
        six[0] = 0x60;
        assert_eq!(segment(&six), None);
        let mut udp = Vec::new();
        PacketBuilder::ipv4([10, 0, 0, 1], [10, 0, 0, 2], 64).udp(1, 2).write(&mut udp, &[0; 100]).unwrap();
        assert_eq!(segment(&udp), None);
    }
}
