//! A UDP socket that tells when the kernel received what it gives.
//!
//! noq-udp 1.4 has a place for that time and does not ask Linux for it (its issue 774), and datagrams that GRO merges share one; measuring needs each packet's.

use std::io::{self, IoSlice, IoSliceMut};
use std::net::{SocketAddr, UdpSocket};
use std::os::fd::{AsFd, AsRawFd};

use bytes::BytesMut;
use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, ppoll};
use nix::sys::socket::sockopt::{RcvBuf, ReceiveTimestampns, SndBuf};
use nix::sys::socket::{ControlMessage, ControlMessageOwned, MsgFlags, SockaddrStorage, recvmsg, sendmsg, setsockopt};
use nix::sys::time::TimeSpec;
use nix::time::{ClockId, clock_gettime};
use symbiosis_base::{Instant, Span};

use crate::clock::Clock;
use crate::node::Leaving;

/// Kernel buffers \[bytes\]: 20 ms at 1 Gbit/s, in which a process that was put aside is back.
const BUFFER: usize = 2_500_000;
/// Largest datagram that is taken: the power of two above Ethernet's 1500 bytes.
const LARGEST: usize = 2048;
/// The kernel's time of arrival counts if it lies this far back at most: the clock that it reads can be set. A full buffer of `BUFFER` bytes is
/// emptied within a second also at 20 Mbit/s.
const MOST_AGE: Span = Span::from_millis(1000);

/// How long a timer may be late so that the kernel can save energy: not at all. One is the least that `prctl(2)` takes; zero asks for the usual
/// 50 µs.
const TIMER_SLACK_NS: u64 = 1;

/// A wait so short is spent looking at the clock: to fall asleep and to be woken takes about so long, and a path of 1 Gbit/s wants a packet every
/// 12 µs. A longer one is slept to its end: watching the clock for its last part, too, takes the processor from whoever shares it, the
/// peer on the same machine first of all.
const SPIN: Span = Span::from_micros(50);

/// A datagram that arrived.
#[derive(Debug)]
pub struct Arrival {
    /// When the kernel received it.
    pub at: Instant,
    /// From whom.
    pub from: SocketAddr,
    /// What is in it.
    pub datagram: BytesMut,
}

/// A UDP socket that never blocks.
#[derive(Debug)]
pub struct Udp {
    socket: UdpSocket,
    clock: Clock,
    control: Vec<u8>,
    /// Where datagrams are received.
    buffer: Box<[u8; LARGEST]>,
    /// The kernel takes several datagrams in one call.
    takes_several: bool,
}

impl Udp {
    /// A socket at an address, for the calling thread: its timers become exact.
    ///
    /// # Errors
    /// The address cannot be had.
    pub fn bind(address: SocketAddr, clock: Clock) -> io::Result<Udp> {
        let socket = UdpSocket::bind(address)?;
        socket.set_nonblocking(true)?;
        setsockopt(&socket, ReceiveTimestampns, &true)?;
        // The system may give less: then bursts are lost, which shows in the numbers.
        let _ = setsockopt(&socket, RcvBuf, &BUFFER);
        let _ = setsockopt(&socket, SndBuf, &BUFFER);
        nix::sys::prctl::set_timerslack(TIMER_SLACK_NS)?;
        Ok(Udp { socket, clock, control: nix::cmsg_space!(TimeSpec), buffer: Box::new([0; LARGEST]), takes_several: true })
    }

    /// Hears from `peer` only; so the system tells when nobody listens there.
    ///
    /// # Errors
    /// There is no way to that address.
    pub fn connect(&self, peer: SocketAddr) -> io::Result<()> {
        self.socket.connect(peer)
    }

    /// Where it is.
    ///
    /// # Errors
    /// The system does not tell.
    pub fn address(&self) -> io::Result<SocketAddr> {
        self.socket.local_addr()
    }

    /// What arrived, if anything did.
    ///
    /// # Errors
    /// Nobody listens at the address that the socket is connected to; or the socket is broken.
    pub fn receive(&mut self) -> io::Result<Option<Arrival>> {
        let mut parts = [IoSliceMut::new(&mut self.buffer[..])];
        let received = recvmsg::<SockaddrStorage>(self.socket.as_raw_fd(), &mut parts, Some(&mut self.control), MsgFlags::MSG_DONTWAIT);
        let received = match received {
            Ok(received) => received,
            Err(Errno::EAGAIN | Errno::EINTR) => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        let stamp = received.cmsgs().into_iter().flatten().find_map(|message| match message {
            ControlMessageOwned::ScmTimestampns(stamp) => Some(stamp),
            _ => None,
        });
        // The calendar is read first: whatever comes between the two readings makes the arrival seem later, and never earlier than it was. An
        // arrival before its time would be the least round-trip time for ever.
        let age = stamp.and_then(age).unwrap_or(Span::ZERO);
        let at = self.clock.now() - age;
        let from = received.address.and_then(|from| to_std(&from));
        let bytes = received.bytes;
        // The kernel always writes to the same place, which is in the cache; and what is kept of a datagram takes no more than it has.
        let datagram = BytesMut::from(&self.buffer[..bytes]);
        // Without a sender it cannot be answered.
        Ok(from.map(|from| Arrival { at, from, datagram }))
    }

    /// Sends datagrams that leave together; whether the kernel took them. Those for which there is no way are as lost as on their way.
    ///
    /// # Errors
    /// Nobody listens at the address that the socket is connected to, as an earlier datagram found; or the socket is broken.
    pub fn send(&mut self, leaving: Leaving, datagrams: &[u8]) -> io::Result<bool> {
        let Some(each) = u16::try_from(leaving.each).ok().filter(|each| self.takes_several && usize::from(*each) < datagrams.len()) else {
            // Where there is no room for one, those before it leave again, which to QUIC are repetitions.
            return datagrams.chunks(leaving.each.max(1)).try_fold(true, |sent, datagram| Ok(self.send_one(leaving.to, datagram)? && sent));
        };
        let (parts, control) = ([IoSlice::new(datagrams)], [ControlMessage::UdpGsoSegments(&each)]);
        let to = SockaddrStorage::from(leaving.to);
        match sendmsg(self.socket.as_raw_fd(), &parts, &control, MsgFlags::empty(), Some(&to)) {
            Ok(_) => Ok(true),
            Err(Errno::EAGAIN | Errno::ENOBUFS) => Ok(false),
            Err(Errno::ECONNREFUSED) => Err(Errno::ECONNREFUSED.into()),
            // Not every device can (EIO), nor every kernel (EINVAL): one by one from now on.
            Err(_) => {
                self.takes_several = false;
                self.send(leaving, datagrams)
            }
        }
    }

    /// Sends a datagram; whether the kernel took it. One for which there is no way is as lost as on its way.
    ///
    /// # Errors
    /// Nobody listens at the address that the socket is connected to, as an earlier datagram found; or the socket is broken.
    pub fn send_one(&self, to: SocketAddr, datagram: &[u8]) -> io::Result<bool> {
        match self.socket.send_to(datagram, to) {
            Ok(_) => Ok(true),
            Err(error) => match error.raw_os_error().map(Errno::from_raw) {
                Some(Errno::EAGAIN | Errno::ENOBUFS) => Ok(false),
                Some(
                    Errno::EMSGSIZE
                    | Errno::EHOSTUNREACH
                    | Errno::ENETUNREACH
                    | Errno::ENETDOWN
                    | Errno::EPERM
                    | Errno::EINTR
                    | Errno::EINVAL,
                ) => Ok(true),
                _ => Err(error),
            },
        }
    }

    /// Waits until something arrives or until `until`; with `writes`, also until there is room to send.
    ///
    /// # Errors
    /// The socket is broken.
    pub fn wait(&self, until: Instant, writes: bool) -> io::Result<()> {
        wait(&self.clock, &[self], until, writes)
    }
}

/// Waits until something arrives at one of the sockets or until `until`; with `writes`, also until there is room to send.
///
/// # Errors
/// A socket is broken.
pub(crate) fn wait(clock: &Clock, sockets: &[&Udp], until: Instant, writes: bool) -> io::Result<()> {
    let wanted = if writes { PollFlags::POLLIN | PollFlags::POLLOUT } else { PollFlags::POLLIN };
    let mut polled: Vec<PollFd<'_>> = sockets.iter().map(|udp| PollFd::new(udp.socket.as_fd(), wanted)).collect();
    loop {
        let left = until - clock.now();
        if left == Span::ZERO {
            return Ok(());
        }
        let sleep = if left <= SPIN { Span::ZERO } else { left };
        // A day is as good as for ever.
        let timeout = TimeSpec::from_duration(std::time::Duration::from_nanos(sleep.0.min(86_400_000_000_000)));
        match ppoll(&mut polled, Some(timeout), None) {
            Ok(0) => {}
            Ok(_) => return Ok(()),
            Err(Errno::EINTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
}

/// How long ago an instant of the machine's calendar clock was, if that makes sense.
fn age(stamp: TimeSpec) -> Option<Span> {
    let now = clock_gettime(ClockId::CLOCK_REALTIME).ok()?;
    let nanos = |at: TimeSpec| i128::from(at.tv_sec()) * 1_000_000_000 + i128::from(at.tv_nsec());
    let age = u64::try_from(nanos(now) - nanos(stamp)).ok().map(Span)?;
    (age <= MOST_AGE).then_some(age)
}

fn to_std(address: &SockaddrStorage) -> Option<SocketAddr> {
    let v4 = address.as_sockaddr_in().map(|v4| SocketAddr::from((v4.ip(), v4.port())));
    v4.or_else(|| address.as_sockaddr_in6().map(|v6| SocketAddr::from((v6.ip(), v6.port()))))
}
