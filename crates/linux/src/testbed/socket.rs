//! What the standard library does not ask of a TCP socket.

use std::ffi::OsString;
use std::io;
use std::net::{SocketAddrV4, TcpStream};
use std::os::fd::{AsFd, AsRawFd, OwnedFd};

use nix::errno::Errno;
use nix::libc;
use nix::sys::socket::sockopt::{Linger, TcpCongestion};
use nix::sys::socket::{AddressFamily, SockFlag, SockType, SockaddrIn, bind, connect, setsockopt, socket};

/// Bytes that wait unsent in a socket at the most: 20 ms at 100 Mbit/s. So a flow that is to stop stops soon.
const UNSENT: u32 = 262_144;

/// A socket that is connecting, from one address to another, under the kernel's congestion control of that name. It never blocks.
///
/// # Errors
/// The kernel has no such congestion control ([`io::ErrorKind::NotFound`]), or no way there.
pub fn connecting(cc: &str, from: SocketAddrV4, to: SocketAddrV4) -> io::Result<TcpStream> {
    let flags = SockFlag::SOCK_NONBLOCK | SockFlag::SOCK_CLOEXEC;
    let socket = socket(AddressFamily::Inet, SockType::Stream, flags, None)?;
    control(&socket, cc)?;
    set(&socket, libc::TCP_NOTSENT_LOWAT, UNSENT)?;
    reset_when_closed(&socket)?;
    bind(socket.as_raw_fd(), &SockaddrIn::from(from))?;
    match connect(socket.as_raw_fd(), &SockaddrIn::from(to)) {
        Ok(()) | Err(Errno::EINPROGRESS) => Ok(socket.into()),
        Err(error) => Err(error.into()),
    }
}

/// A connection under a congestion control.
///
/// # Errors
/// The kernel has no such congestion control ([`io::ErrorKind::NotFound`]), or nobody listens there.
pub fn connected(cc: &str, to: SocketAddrV4) -> io::Result<TcpStream> {
    let socket = socket(AddressFamily::Inet, SockType::Stream, SockFlag::SOCK_CLOEXEC, None)?;
    control(&socket, cc)?;
    connect(socket.as_raw_fd(), &SockaddrIn::from(to))?;
    Ok(socket.into())
}

/// A socket that is closed is gone at once: one that had still to be seen through would keep its namespace for minutes.
///
/// # Errors
/// It is no socket.
pub fn reset_when_closed(socket: &impl AsFd) -> io::Result<()> {
    Ok(setsockopt(socket, Linger, &libc::linger { l_onoff: 1, l_linger: 0 })?)
}

/// Whether the kernel has a congestion control of that name, or can load one.
///
/// # Errors
/// No socket can be had at all.
pub fn known(cc: &str) -> io::Result<bool> {
    let socket = socket(AddressFamily::Inet, SockType::Stream, SockFlag::SOCK_CLOEXEC, None)?;
    Ok(control(&socket, cc).is_ok())
}

fn control(socket: &OwnedFd, cc: &str) -> io::Result<()> {
    Ok(setsockopt(socket, TcpCongestion, &OsString::from(cc))?)
}

fn set(socket: &OwnedFd, option: libc::c_int, value: u32) -> io::Result<()> {
    let size = size_of::<u32>() as libc::socklen_t;
    // SAFETY: the descriptor is open, and the kernel reads `size` bytes of a value that lives through the call.
    match unsafe { libc::setsockopt(socket.as_raw_fd(), libc::IPPROTO_TCP, option, (&raw const value).cast(), size) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

/// What the kernel tells of a connection (`TCP_INFO`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TcpInfo {
    /// It is repairing a loss without a timeout (`TCP_CA_Recovery`).
    pub recovers: bool,
    /// The window \[packets\].
    pub cwnd: u32,
    /// Below this it is in slow start \[packets\].
    pub ssthresh: u32,
    /// In flight \[packets\], as the kernel reckons: neither selectively acknowledged nor taken for lost, and retransmissions.
    pub in_flight: u32,
    /// Smoothed round-trip time \[µs\].
    pub srtt_us: u32,
    /// Retransmission timeouts since the start; zero before Linux 6.7.
    pub timeouts: u16,
}

impl TcpInfo {
    /// Of a connection, now.
    ///
    /// # Errors
    /// It is none.
    pub fn of(stream: &TcpStream) -> io::Result<TcpInfo> {
        let mut told = [0_u8; 256];
        let mut size = told.len() as libc::socklen_t;
        // SAFETY: the descriptor is open, and the kernel writes at most `size` bytes into an array of that size.
        let done =
            unsafe { libc::getsockopt(stream.as_raw_fd(), libc::IPPROTO_TCP, libc::TCP_INFO, told.as_mut_ptr().cast(), &raw mut size) };
        if done == 0 { Ok(TcpInfo::read(&told)) } else { Err(io::Error::last_os_error()) }
    }

    /// Reads `struct tcp_info` (include/uapi/linux/tcp.h), whose places never change: what an older kernel does not write is zero.
    fn read(told: &[u8; 256]) -> TcpInfo {
        const RECOVERY: u8 = 3;
        let u32_at = |at: usize| u32::from_ne_bytes([told[at], told[at + 1], told[at + 2], told[at + 3]]);
        let (unacked, sacked, lost, retrans) = (u32_at(24), u32_at(28), u32_at(32), u32_at(36));
        TcpInfo {
            recovers: told[1] == RECOVERY,
            cwnd: u32_at(80),
            ssthresh: u32_at(76),
            in_flight: (unacked + retrans).saturating_sub(sacked + lost),
            srtt_us: u32_at(68),
            timeouts: u16::from_ne_bytes([told[240], told[241]]),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::net::TcpListener;

    use super::*;

    #[test]
    fn the_kernel_tells_of_a_connection() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let mut one = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let mut other = listener.accept().unwrap().0;
        one.write_all(&[0; 1000]).unwrap();
        other.read_exact(&mut [0; 1000]).unwrap();
        let info = TcpInfo::of(&one).unwrap();
        // RFC 6928's window, and more if it has grown.
        assert!((10..100).contains(&info.cwnd), "{info:?}");
        assert!(info.ssthresh > info.cwnd, "it is in slow start: {info:?}");
        assert!(info.srtt_us > 0 && info.srtt_us < 1_000_000, "{info:?}");
        assert_eq!((info.timeouts, info.recovers), (0, false));
    }

    #[test]
    fn a_controller_is_known_or_not() {
        assert!(known("reno").unwrap());
        assert!(!known("no-such-one").unwrap());
    }
}
