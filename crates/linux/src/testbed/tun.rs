//! A TUN device: what the kernel routes to it is read here, and what is written here arrives.

use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Read, Write};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd};
use std::os::unix::fs::OpenOptionsExt;

use nix::libc;

use super::error::TestbedError;

/// A TUN device that never blocks. It is gone when it is dropped.
#[derive(Debug)]
pub struct Tun(File);

/// What the driver is asked for: `struct ifreq`, of which it reads the name and the flags.
#[repr(C)]
struct Request {
    name: [u8; libc::IFNAMSIZ],
    flags: libc::c_short,
    rest: [u8; 22],
}

impl Tun {
    /// Makes the device in the calling thread's namespace.
    ///
    /// # Errors
    /// There is no TUN driver, or this process may not.
    pub fn new(name: &str) -> Result<Tun, TestbedError> {
        let mut options = OpenOptions::new();
        let file = options.read(true).write(true).custom_flags(libc::O_NONBLOCK).open("/dev/net/tun").map_err(TestbedError::NoTun)?;
        let mut request = Request { name: [0; libc::IFNAMSIZ], flags: (libc::IFF_TUN | libc::IFF_NO_PI) as libc::c_short, rest: [0; 22] };
        request.name[..name.len()].copy_from_slice(name.as_bytes());
        // SAFETY: the descriptor is open, and the request is as large as the kernel's `struct ifreq` and lives through the call.
        let done = unsafe { libc::ioctl(file.as_raw_fd(), libc::TUNSETIFF, &raw mut request) };
        if done < 0 {
            return Err(TestbedError::NoTun(std::io::Error::last_os_error()));
        }
        Ok(Tun(file))
    }

    /// The next packet that was routed here, if there is one: its length.
    ///
    /// # Errors
    /// The device is broken.
    pub fn read(&self, packet: &mut [u8]) -> Result<Option<usize>, TestbedError> {
        match (&self.0).read(packet) {
            Ok(length) => Ok(Some(length)),
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) => Ok(None),
            Err(error) => Err(TestbedError::system("a TUN device cannot be read")(error)),
        }
    }

    /// A packet arrives; whether the kernel took it.
    pub fn write(&self, packet: &[u8]) -> bool {
        (&self.0).write(packet).is_ok()
    }
}

impl AsFd for Tun {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}
