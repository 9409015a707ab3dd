//! Why there is no run.

use std::io;

use nix::errno::Errno;

/// Why there is no run.
#[derive(Debug, thiserror::Error)]
pub enum TestbedError {
    /// This process may not make network namespaces.
    #[error("network namespaces cannot be made: {0}")]
    NotPermitted(Errno),
    /// There is no TUN driver, or not for this process.
    #[error("/dev/net/tun cannot be used: {0}")]
    NoTun(io::Error),
    /// iproute2 is missing.
    #[error("the command `ip` cannot be run: {0}")]
    NoIp(io::Error),
    /// The kernel has no such congestion control.
    #[error("this kernel has no congestion control `{0}`")]
    NoController(String),
    /// The plan asks for what this world does not have.
    #[error("{0}")]
    Plan(String),
    /// Somebody wanted the run to end before its end.
    #[error("interrupted")]
    Interrupted,
    /// Something else that the system refuses.
    #[error("{what}: {error}")]
    System {
        /// What was tried.
        what: String,
        /// What the system says.
        error: io::Error,
    },
}

impl TestbedError {
    /// What would help, where that is known.
    pub fn help(&self) -> Option<String> {
        match self {
            TestbedError::NotPermitted(_) => Some("real kernel TCP needs root (CAP_SYS_ADMIN and CAP_NET_ADMIN)".into()),
            TestbedError::NoTun(_) => {
                Some("the emulated path is made of TUN devices: `modprobe tun`, and /dev/net/tun in a container".into())
            }
            TestbedError::NoIp(_) => Some("it is part of iproute2: apt-get install iproute2".into()),
            TestbedError::NoController(name) => {
                let all = std::fs::read_to_string("/proc/sys/net/ipv4/tcp_available_congestion_control").unwrap_or_default();
                Some(format!("it has {}; perhaps `modprobe tcp_{name}`", all.trim().replace(' ', ", ")))
            }
            TestbedError::Plan(_) | TestbedError::Interrupted | TestbedError::System { .. } => None,
        }
    }

    /// Turns what the system says into an error that says what was tried.
    pub(super) fn system<E: Into<io::Error>>(what: impl Into<String>) -> impl FnOnce(E) -> TestbedError {
        let what = what.into();
        move |error| TestbedError::System { what, error: error.into() }
    }
}
