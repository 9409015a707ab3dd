//! Why the kernel does not run a congestion control.

use std::io;

/// Why the kernel does not run it.
#[derive(Debug, thiserror::Error)]
pub enum KernelError {
    /// Only root may load BPF programs, and ask who did.
    #[error("only root may load a congestion control into the kernel, and ask its agent")]
    NotRoot,
    /// The kernel does not describe itself.
    #[error(
        "this kernel has no BTF (/sys/kernel/btf/vmlinux): it was built without CONFIG_DEBUG_INFO_BTF, and loads no congestion control"
    )]
    NoBtf,
    /// The loader is missing.
    #[error("libbpf (libbpf.so.1) is not installed, which loads the BPF program")]
    NoLibbpf,
    /// Another agent is there.
    #[error("an agent is running already, as process {0}")]
    Running(u32),
    /// The kernel refuses the program.
    #[error("the kernel refuses the program: {0}")]
    Refused(#[source] io::Error),
    /// Something else fails.
    #[error(transparent)]
    Io(#[from] io::Error),
}

impl KernelError {
    /// What would help, in words.
    pub fn help(&self) -> Option<&'static str> {
        match self {
            KernelError::NotRoot => Some("run it as root, e.g. with sudo"),
            KernelError::NoLibbpf if cfg!(target_feature = "crt-static") => {
                Some("this program is static, and can load no library: run one that is built for glibc, or from the Debian package")
            }
            KernelError::NoLibbpf => Some("on Debian and Ubuntu: apt-get install libbpf1"),
            KernelError::Running(_) => {
                Some("`symbiosis kernel stop` ends one that was started by `symbiosis kernel start`; another ends with its process")
            }
            KernelError::NoBtf => Some("use a distribution's kernel, Linux 5.13 or later"),
            KernelError::Refused(_) => {
                Some("Linux 5.13 is needed at least, and the capabilities CAP_BPF, CAP_NET_ADMIN, CAP_PERFMON and CAP_SYS_ADMIN")
            }
            KernelError::Io(_) => None,
        }
    }
}
