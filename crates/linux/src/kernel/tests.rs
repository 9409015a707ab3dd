//! The C that BPF and the host share, compiled for the host.

use std::path::{Path, PathBuf};
use std::process::Command;

use libloading::Library;
use symbiosis_base::Random;

use crate::privileged::{Need, ready};

use super::layout::{Decision, HOLDS, LAYOUTS, PLAN, POINTS, REPORTS_SILENT, WINDOW_BITS, flag, kind, law};

/// A shared object of these C functions, by the linker that Rust uses too.
fn compiled(folder: &Path, functions: &str) -> Library {
    let source = format!("#include \"window.h\"\n#include \"shared.h\"\n#include <stddef.h>\n{functions}");
    let (c, so) = (folder.join("shared.c"), folder.join("shared.so"));
    std::fs::write(&c, source).unwrap();
    let headers = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("src/kernel/bpf");
    let made =
        Command::new("cc").args(["-O2", "-Wall", "-Werror", "-shared", "-fPIC", "-I"]).arg(headers).arg(&c).arg("-o").arg(&so).output();
    let made = made.expect("cc is there wherever Rust links");
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    // SAFETY: it has no initialisers.
    unsafe { Library::new(&so) }.unwrap()
}

type Step = unsafe extern "C" fn(*const Decision, u64, u32, u64) -> u64;

const STEP: &str = "u64 step(const struct decision *d, u64 old, u32 acked, u64 since) { return window_step(d, old, acked, since); }\n";

/// A decision of nothing but samples of the window \[2^-20 segments\], so many ns apart.
fn samples(after: [u32; POINTS], window: [u64; POINTS]) -> Decision {
    Decision { serial: 1, law: law::TABLE, after, window, ..Decision::NOTHING }
}

#[test]
fn the_window_is_on_the_line_between_the_samples() {
    let folder = tempfile::tempdir().unwrap();
    let library = compiled(folder.path(), STEP);
    // SAFETY: declared as above; the decision lives.
    let step = unsafe { library.get::<Step>(b"step") }.unwrap();
    let mut random = Random::new(1, 0);
    for _ in 0..100_000 {
        let mut within = |low: f64, high: f64| low * (high / low).powf(random.uniform());
        let mut after = [0; POINTS];
        for i in 1..POINTS {
            after[i] = after[i - 1] + within(1.0, 1e8) as u32;
        }
        let window = [(); POINTS].map(|()| within(2.0, 1e8) as u64 * (1 << WINDOW_BITS));
        let since = within(1.0, 1e9);
        let decision = samples(after, window);
        // SAFETY: as above.
        let got = unsafe { step(&decision, 0, 0, since as u64) } as f64;
        let end = after.iter().position(|end| f64::from(*end) > since.floor());
        let wanted = match end {
            None => window[POINTS - 1] as f64,
            Some(0) => window[0] as f64,
            Some(i) => {
                let (from, span) = (f64::from(after[i - 1]), f64::from(after[i] - after[i - 1]));
                let (low, high) = (window[i - 1] as f64, window[i] as f64);
                low + (high - low) * (since.floor() - from) / span
            }
        };
        // The share of a span has 16 bits, so the line is met within 2^-16 of the greater of the two samples.
        let most = end.filter(|i| *i > 0).map_or(wanted, |i| window[i - 1].max(window[i]) as f64);
        assert!((got - wanted).abs() <= most / 65_536.0 + 1.0, "{got} instead of {wanted} after {since} ns of {decision:?}");
    }
}

#[test]
fn slow_start_counts_the_acks_that_the_agent_has_not_heard_of() {
    let folder = tempfile::tempdir().unwrap();
    let library = compiled(folder.path(), STEP);
    // SAFETY: declared as above; the decision lives.
    let step = unsafe { library.get::<Step>(b"step") }.unwrap();
    let segments = |n: u64| n << WINDOW_BITS;
    let slow = Decision { slow_start: segments(20), ..samples([0; POINTS], [segments(10); POINTS]) };
    // SAFETY: as above.
    let step = |decision: &Decision, old, acked| unsafe { step(decision, segments(old), acked, 1000) } >> WINDOW_BITS;
    assert_eq!(step(&slow, 10, 4), 14);
    assert_eq!(step(&slow, 14, 100), 20, "no further than the agent foresees");
    assert_eq!(step(&slow, 3, 1), 10, "and no less than it knows");
    assert_eq!(step(&slow, 25, 1), 10, "a window beyond is the samples'");
    assert_eq!(step(&samples([0; POINTS], [segments(10); POINTS]), 9, 9), 10, "without slow start ACKs do not count");
}

#[test]
fn the_step_bears_what_no_decision_should_say() {
    let folder = tempfile::tempdir().unwrap();
    let library = compiled(folder.path(), STEP);
    // SAFETY: declared as above; the decision lives.
    let step = unsafe { library.get::<Step>(b"step") }.unwrap();
    // As `the_step_is_proved_within_its_bounds` has it for all others.
    let most = (1_u64 << 47) - 1;
    for after in [[0; POINTS], [u32::MAX; POINTS], [9, 8, 7, 6, 5, 4, 3, 2], [0, 1, 1, 1, u32::MAX, 0, 0, 0]] {
        for window in [[0; POINTS], [u64::MAX; POINTS], [u64::MAX, 0, u64::MAX, 0, u64::MAX, 0, u64::MAX, 0]] {
            for since in [0, 1, 5, u64::from(u32::MAX), u64::MAX] {
                for (slow_start, old) in [(0, u64::MAX), (u64::MAX, u64::from(u32::MAX) << WINDOW_BITS), (u64::MAX, 0)] {
                    let decision = Decision { slow_start, ..samples(after, window) };
                    // SAFETY: as above.
                    assert!(unsafe { step(&decision, old, u32::MAX, since) } <= most, "{since} ns of {decision:?}");
                }
            }
        }
    }
}

/// What the annotations of `window.h` say holds for all decisions, windows and times: no operation overflows, no index is out of bounds,
/// and no window exceeds `MOST_WINDOW`.
#[test]
fn the_step_is_proved_within_its_bounds() {
    if !ready("the_step_is_proved_within_its_bounds", &[Need::FramaC]) {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let proof = folder.path().join("proof.c");
    std::fs::write(&proof, "#include \"window.h\"\n").unwrap();
    let headers = concat!("-cpp-extra-args=-I", env!("CARGO_MANIFEST_DIR"), "/src/kernel/bpf");
    let says = |program: &str, args: &[&str]| {
        // Which provers there are, Why3 writes down in a file.
        let mut command = Command::new(program);
        let output = command.current_dir(&folder).env("WHY3CONFIG", folder.path().join("why3.conf")).args(args).output().unwrap();
        String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
    };
    says("why3", &["config", "detect"]);
    let goals = ["-wp", "-wp-rte", "-warn-unsigned-overflow", "-wp-prover", "z3", "-wp-timeout", "60", "-wp-par", "2"];
    let said = says("frama-c", &[&goals[..], &[headers, proof.to_str().unwrap()]].concat());
    let proved =
        said.lines().find_map(|line| line.split_once("Proved goals:")).map(|(_, counts)| counts.split_whitespace().collect::<Vec<_>>());
    // "76 / 76"
    let Some([proved, "/", goals]) = proved.as_deref() else { panic!("{said}") };
    assert!(proved == goals && goals.parse::<u32>().unwrap() > 50, "{said}");
    assert!(!said.contains("Missing RTE guards"), "{said}");
}

#[test]
fn both_halves_mean_the_same_bytes() {
    let mut asserts: Vec<String> = Vec::new();
    for (name, size, fields) in LAYOUTS {
        asserts.push(format!("sizeof(struct {name}) == {size}"));
        asserts.extend(fields.iter().map(|(field, at)| format!("offsetof(struct {name}, {field}) == {at}")));
    }
    let kinds = [("SENT", kind::SENT), ("RESENT", kind::RESENT), ("ACKED", kind::ACKED), ("REDUCED", kind::REDUCED)];
    let rest = [("MARKED", kind::MARKED), ("TIMEOUT", kind::TIMEOUT), ("CLOSED", kind::CLOSED), ("UNDONE", kind::UNDONE)];
    let laws = [("LAW_RENO", law::RENO), ("LAW_TABLE", law::TABLE)];
    let flags = [("APP_LIMITED", flag::APP_LIMITED), ("RECOVERING", flag::RECOVERING), ("UNDECIDED", flag::UNDECIDED)];
    let silence = [("TOO_FAST", flag::TOO_FAST), ("REPORTS_SILENT", REPORTS_SILENT as u32)];
    let counts = [("PLAN", PLAN as u32), ("POINTS", POINTS as u32), ("HOLDS", HOLDS as u32), ("WINDOW_BITS", WINDOW_BITS)];
    for (name, value) in kinds.iter().chain(&rest).chain(&laws).chain(&flags).chain(&silence).chain(&counts) {
        asserts.push(format!("{name} == {value}"));
    }
    let text: String = asserts.iter().map(|assert| format!("_Static_assert({assert}, \"{assert}\");\n")).collect();
    let folder = tempfile::tempdir().unwrap();
    drop(compiled(folder.path(), &text));
}
