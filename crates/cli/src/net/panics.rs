//! What a server says of a panic.

use std::any::Any;
use std::io::{Write, stderr};
use std::panic::set_hook;

use symbiosis_quic::plain::plain;

/// A panic is told in one line from now on, whatever `RUST_BACKTRACE` says. Peers may know how to bring one about, time and again; to name the
/// functions of a backtrace takes hundreds of MB, which the process keeps.
pub fn in_one_line() {
    set_hook(Box::new(|info| {
        let place = info.location().map(|at| format!(" at {at}")).unwrap_or_default();
        let text =
            |any: &dyn Any| any.downcast_ref::<&str>().map(|text| (*text).to_string()).or_else(|| any.downcast_ref::<String>().cloned());
        let what = text(info.payload()).unwrap_or_else(|| "no reason is given".into());
        // Whoever reads it may be gone, and a panic in here would end the process.
        let _ = writeln!(stderr(), "panicked{place}: {}", plain(&what));
    }));
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::panic::catch_unwind;
    use std::process::Command;

    use super::*;

    /// A process that goes on after a panic; how much memory it had then, and what it said.
    fn panics(how: &str) -> (u64, String) {
        let mut test = Command::new(std::env::current_exe().unwrap());
        test.args(["--exact", "net::panics::tests::a_panic_costs_a_line_and_no_memory", "--nocapture"]);
        let output = test.env("SYMBIOSIS_TEST_PANICS", how).env("RUST_BACKTRACE", "full").output().unwrap();
        let (stdout, said) = (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
        let (_, memory) = stdout.split_once("VmHWM:").expect("it went on");
        (memory.split_whitespace().next().unwrap().parse().unwrap(), said)
    }

    #[test]
    fn a_panic_costs_a_line_and_no_memory() {
        if let Some(how) = std::env::var_os("SYMBIOSIS_TEST_PANICS") {
            if how == "in one line" {
                in_one_line();
            }
            let _ = catch_unwind(|| panic!("advance out of bounds\u{1b}[2J\n"));
            println!("{}", fs::read_to_string("/proc/self/status").unwrap());
            return;
        }
        let (usual, backtrace) = panics("as usual");
        let (memory, said) = panics("in one line");
        eprintln!("{memory} kB instead of {usual} kB: {said}");
        assert!(backtrace.lines().count() > 10, "this is no backtrace: {backtrace}");
        assert_eq!(said.lines().count(), 1, "{said}");
        assert!(said.starts_with("panicked at ") && said.ends_with(": advance out of bounds\\u{1b}[2J\\u{a}\n"), "{said}");
        assert!(memory < 64 << 10, "{memory} kB");
    }
}
