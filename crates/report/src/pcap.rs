//! Captures of simulated runs, for Wireshark and its kin.
//!
//! One file for all flows, as seen at their senders' network interfaces: data that leaves, ACKs that arrive, with instants to the
//! nanosecond. Flow `i` runs from `10.0.x.y:50000` to `10.1.x.y:443` with `x.y = i`. Headers are complete (IPv4, TCP, selective ACKs) and
//! lengths are those on the wire; payload, which is nothing but zeros, is cut off. There is no handshake: the simulator has none.

use std::io::{self, Write};

use etherparse::{IpNumber, Ipv4Header, TcpHeader, TcpOptionElement};
use symbiosis_run::Plan;
use symbiosis_sim::{Packet, Passing, Tap};

/// pcap with nanoseconds: magic, version 2.4, no zone, no accuracy, whole packets, raw IP (LINKTYPE_RAW).
const FILE_HEADER: [u32; 6] = [0xa1b2_3c4d, 2 | 4 << 16, 0, 0, 65_535, 101];
const SENDER_PORT: u16 = 50_000;
const RECEIVER_PORT: u16 = 443;
/// Sequence number of the first byte, as if a SYN had come before.
const FIRST: u32 = 1;
/// Windows of the receiver and of a sender that receives nothing: the receiver's never limits.
const WINDOW: u16 = u16::MAX;

/// A capture that is written as the run goes on.
#[derive(Debug)]
pub struct Capture<W> {
    out: W,
    /// Payload of a full packet of each flow \[bytes\].
    payloads: Vec<u32>,
    headers: Vec<u32>,
    /// The first thing that went wrong; nothing is written after it.
    failed: Option<io::Error>,
}

impl<W: Write> Capture<W> {
    /// A capture of the flows of `plan`.
    ///
    /// # Errors
    /// Writing fails.
    pub fn new(mut out: W, plan: &Plan) -> io::Result<Capture<W>> {
        out.write_all(&FILE_HEADER.map(u32::to_le_bytes).concat())?;
        let payloads = plan.flows.iter().map(|flow| (flow.packet - flow.header).0 as u32).collect();
        let headers = plan.flows.iter().map(|flow| flow.header.0 as u32).collect();
        Ok(Capture { out, payloads, headers, failed: None })
    }

    /// Ends the capture and gives back what it was written to.
    ///
    /// # Errors
    /// Writing failed at any time.
    pub fn finish(mut self) -> io::Result<W> {
        match self.failed {
            Some(error) => Err(error),
            None => self.out.flush().map(|()| self.out),
        }
    }

    fn write(&mut self, passing: &Passing) -> io::Result<()> {
        let payload = self.payloads[passing.flow];
        // Sequence numbers wrap at 4 GiB, as TCP's do.
        let sequence = |number: u32| FIRST.wrapping_add(number.wrapping_mul(payload));
        let (tcp, carried, to_receiver) = match passing.packet {
            Packet::Data { number, bytes } => {
                let mut tcp = TcpHeader::new(SENDER_PORT, RECEIVER_PORT, sequence(number), WINDOW);
                (tcp.ack, tcp.acknowledgment_number) = (true, FIRST);
                (tcp, bytes.0 as u32 - self.headers[passing.flow], true)
            }
            Packet::Ack { next, sacks } => {
                let mut tcp = TcpHeader::new(RECEIVER_PORT, SENDER_PORT, FIRST, WINDOW);
                (tcp.ack, tcp.acknowledgment_number) = (true, sequence(next));
                let mut runs = sacks.iter().filter(|(start, end)| start < end).map(|(start, end)| (sequence(*start), sequence(*end)));
                if let Some(first) = runs.next() {
                    let option = TcpOptionElement::SelectiveAcknowledgement(first, [runs.next(), runs.next(), None]);
                    tcp.set_options(&[option]).map_err(io::Error::other)?;
                }
                (tcp, 0, false)
            }
        };
        let length = tcp.header_len() as u32 + carried;
        let length = u16::try_from(length).map_err(io::Error::other)?;
        let host = |network: u8| [10, network, (passing.flow >> 8) as u8, passing.flow as u8];
        let (source, destination) = if to_receiver { (host(0), host(1)) } else { (host(1), host(0)) };
        let ip = Ipv4Header::new(length, 64, IpNumber::TCP, source, destination).map_err(io::Error::other)?;
        let mut packet = Vec::with_capacity(80);
        ip.write(&mut packet)?;
        tcp.write(&mut packet)?;
        let (seconds, nanos) = ((passing.at.0 / 1_000_000_000) as u32, (passing.at.0 % 1_000_000_000) as u32);
        let record = [seconds, nanos, packet.len() as u32, packet.len() as u32 + carried];
        self.out.write_all(&record.map(u32::to_le_bytes).concat())?;
        self.out.write_all(&packet)
    }
}

impl<W: Write> Tap for Capture<W> {
    fn passes(&mut self, passing: &Passing) {
        if self.failed.is_none() {
            self.failed = self.write(passing).err();
        }
    }
}

#[cfg(test)]
mod tests {
    use etherparse::{LaxNetSlice, LaxSlicedPacket, TransportSlice};

    use super::*;
    use symbiosis_scenario::Scenario;

    /// Each record: its instant \[ns\], its bytes, its length on the wire.
    fn records(mut file: &[u8]) -> Vec<(u64, Vec<u8>, u32)> {
        let word = |bytes: &[u8]| u32::from_le_bytes(bytes[..4].try_into().unwrap());
        file = &file[24..];
        let mut records = Vec::new();
        while !file.is_empty() {
            let [seconds, nanos, kept, whole] = [0, 4, 8, 12].map(|at| word(&file[at..]));
            let kept = kept as usize;
            records.push((seconds as u64 * 1_000_000_000 + nanos as u64, file[16..16 + kept].to_vec(), whole));
            file = &file[16 + kept..];
        }
        records
    }

    #[test]
    fn a_capture_reads_back_as_what_the_simulator_sent() {
        let text = "duration_s = 3\n[bottleneck]\nrate_mbps = 10\ndelay_ms = 10\nqueue_packets = 20\n[[flow]]\ncc = \"reno\"\ncount = 2\n";
        let plan = Scenario::parse(text, "x.toml", None, &[]).unwrap().plan;
        let mut capture = Capture::new(Vec::new(), &plan).unwrap();
        let outcome = symbiosis_sim::run_tapped(&plan, &mut capture);
        let file = capture.finish().unwrap();
        assert_eq!(file[..4], 0xa1b2_3c4d_u32.to_le_bytes());
        let records = records(&file);
        assert!(records.is_sorted_by_key(|(at, _, _)| *at));
        let (mut data, mut sacks) = (0, 0);
        for (_, bytes, whole) in &records {
            // Lax: the payload is cut off.
            let packet = LaxSlicedPacket::from_ip(bytes).unwrap_or_else(|error| panic!("{error}"));
            let Some(LaxNetSlice::Ipv4(ip)) = packet.net else { panic!("no IPv4") };
            let Some(TransportSlice::Tcp(tcp)) = packet.transport else { panic!("no TCP") };
            if ip.header().source()[1] == 0 {
                data += 1;
                assert_eq!((*whole, ip.header().total_len(), tcp.sequence_number() % 1460), (1500, 1500, 1));
            } else {
                sacks +=
                    usize::from(tcp.options_iterator().any(|option| matches!(option, Ok(TcpOptionElement::SelectiveAcknowledgement(..)))));
                assert_eq!(tcp.acknowledgment_number() % 1460, 1);
            }
        }
        assert_eq!(data, outcome.ledger.sent);
        assert!(sacks > 10, "the queue overflows: {sacks}");
        assert_eq!(outcome.summary, symbiosis_sim::run(&plan).summary, "to be watched changes nothing");
    }
}
