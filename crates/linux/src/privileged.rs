//! What tests of the kernel's TCP need beside Rust, and what happens where it is missing: such a test is skipped by name. Where everything
//! that can be installed has been installed, as in CI (`SYMBIOSIS_REQUIRE_ALL`), a skip for want of it is a failure.

use std::io::{Write, stderr};
use std::path::Path;
use std::process::{Command, Stdio};

use crate::kernel::{KernelError, control, has_libbpf};

/// The variable that makes a skip a failure.
pub const REQUIRE_ALL: &str = "SYMBIOSIS_REQUIRE_ALL";

/// Something that a test needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Need {
    /// To be root.
    Root,
    /// libbpf, which loads the BPF program.
    Libbpf,
    /// clang and llvm-strip 14, which build it.
    Clang,
    /// Frama-C and Z3, which prove the integer step.
    FramaC,
    /// systemd's tools, which judge the service's unit.
    Systemd,
    /// Network namespaces, and iproute2 to fill them.
    Namespaces,
    /// A kernel that describes itself.
    Btf,
    /// The driver of TUN devices.
    Tun,
    /// That no agent runs, other than this process'.
    NoAgent,
}

impl Need {
    /// Everything that the congestion control needs.
    pub const KERNEL: [Need; 4] = [Need::Root, Need::Btf, Need::Libbpf, Need::NoAgent];
    /// Everything that the testbed needs.
    pub const TESTBED: [Need; 3] = [Need::Root, Need::Tun, Need::Namespaces];

    fn is_met(self) -> bool {
        match self {
            Need::Root => nix::unistd::geteuid().is_root(),
            Need::Libbpf => has_libbpf(),
            Need::Clang => runs("clang-14", "--version") && runs("llvm-strip-14", "--version"),
            Need::FramaC => runs("frama-c", "-version") && runs("why3", "--version") && runs("z3", "--version"),
            Need::Systemd => runs("systemd-analyze", "--version"),
            Need::Namespaces => runs("ip", "-V") && crate::testbed::has_namespaces(),
            Need::Btf => Path::new("/sys/kernel/btf/vmlinux").exists(),
            Need::Tun => Path::new("/dev/net/tun").exists(),
            Need::NoAgent => match control::status() {
                Ok(report) => report.is_none(),
                Err(KernelError::Running(pid)) => pid == std::process::id(),
                Err(_) => false,
            },
        }
    }

    /// What it is, and whether somebody who prepares a machine for tests can see to it.
    fn text(self) -> (&'static str, bool) {
        match self {
            Need::Root => ("root", true),
            Need::Libbpf => ("libbpf (apt-get install libbpf1)", true),
            Need::Clang => ("clang 14 (apt-get install clang-14 llvm-14)", true),
            Need::FramaC => ("Frama-C and Z3 (apt-get install frama-c-base why3 z3)", true),
            Need::Systemd => ("systemd-analyze (apt-get install systemd)", true),
            Need::Namespaces => ("network namespaces and iproute2 (apt-get install iproute2)", true),
            Need::Btf => ("a kernel with BTF", false),
            Need::Tun => ("/dev/net/tun (modprobe tun)", false),
            Need::NoAgent => ("that no other agent is running", false),
        }
    }
}

fn runs(program: &str, argument: &str) -> bool {
    Command::new(program).arg(argument).stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok_and(|status| status.success())
}

/// Whether all needs of a test are met. If not, it says so, even where the output of tests is captured.
///
/// # Panics
/// Something is missing that can be installed, where [`REQUIRE_ALL`] says that it is.
pub fn ready(test: &str, needs: &[Need]) -> bool {
    let Some((what, installed)) = needs.iter().find(|need| !need.is_met()).map(|need| need.text()) else { return true };
    let said = format!("SKIPPED {test}: it needs {what}");
    let required = std::env::var_os(REQUIRE_ALL).is_some_and(|value| !value.is_empty() && value != "0");
    assert!(!(installed && required), "{said}, and {REQUIRE_ALL} is set");
    tell(&said);
    false
}

/// Says a line, even where the output of tests is captured: that takes what macros print. To open `/dev/stderr` would empty a log that it is.
pub fn tell(line: &str) {
    let _ = writeln!(stderr(), "{line}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_met_lets_a_test_run() {
        assert!(ready("this one", &[]));
        // Whoever runs this, one of the two holds.
        assert_eq!(ready("this one", &[Need::Btf]), Path::new("/sys/kernel/btf/vmlinux").exists());
    }
}
