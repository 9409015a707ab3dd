//! The C that BPF and the host share, compiled for the host.

use std::path::{Path, PathBuf};
use std::process::Command;

use libloading::Library;
use symbiosis_base::{Nanos, Random};
use symbiosis_control::lotka_volterra::logistic;

use super::layout::{Agent, Board, PLAN, Record, WINDOW_BITS, Word, flag, kind, law};

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

type Step = unsafe extern "C" fn(u64, u64, u64, u64) -> u64;

#[test]
fn the_integer_step_is_the_models() {
    let folder = tempfile::tempdir().unwrap();
    let library = compiled(folder.path(), "u64 step(u64 w, u64 to, u64 growth, u64 ns) { return window_step(w, to, growth, ns); }\n");
    // SAFETY: declared as above; plain numbers.
    let step = unsafe { library.get::<Step>(b"step") }.unwrap();
    let one = f64::from(1_u32 << WINDOW_BITS);
    let worst = |name: &str, mut draw: Box<dyn FnMut() -> (f64, f64, f64, u64)>| {
        let mut worst = (0.0, (0.0, 0.0, 0.0, 0));
        for _ in 0..200_000 {
            let (window, equilibrium, growth, ns) = draw();
            let told = |packets: f64| (packets * one) as u64;
            // SAFETY: as above.
            let got = unsafe { step(told(window), told(equilibrium), (growth * 4_294_967_296.0) as u64, ns) } as f64 / one;
            let wanted = logistic(window, growth, growth / equilibrium, Nanos(ns));
            let error = (got / wanted - 1.0).abs();
            if error > worst.0 {
                worst = (error, (window, equilibrium, growth, ns));
            }
        }
        // Measured: 1e-6, which is what windows of one packet are told to.
        assert!(worst.0 < 1e-5, "{name}: off by {} at {:?}", worst.0, worst.1);
    };
    let mut random = Random::new(1, 0);
    let mut within = move |low: f64, high: f64| low * (high / low).powf(random.uniform());
    let mut near = within.clone();
    // Windows that end no lower than two packets, as the kernel's do not.
    worst("anything", Box::new(move || (within(2.0, 1e9), within(2.0, 1e9), within(1e-3, 1e3), within(1.0, 4e9) as u64)));
    worst(
        "an ACK",
        Box::new(move || {
            let equilibrium = near(10.0, 1e5);
            (equilibrium * near(0.5, 2.0), equilibrium, near(0.5, 8.0), near(1e3, 1e7) as u64)
        }),
    );
}

#[test]
fn the_step_bears_what_no_word_should_say() {
    let folder = tempfile::tempdir().unwrap();
    let library = compiled(folder.path(), "u64 step(u64 w, u64 to, u64 growth, u64 ns) { return window_step(w, to, growth, ns); }\n");
    // SAFETY: declared as above; plain numbers.
    let step = unsafe { library.get::<Step>(b"step") }.unwrap();
    // SAFETY: as above.
    let step = |w, to, growth, ns| unsafe { step(w, to, growth, ns) };
    let window = 10 << WINDOW_BITS;
    assert_eq!(step(0, window, 1 << 32, 1_000_000), 0, "an extinct window stays extinct");
    assert_eq!(step(window, window * 9, 0, 1_000_000), window, "without growth nothing moves");
    assert_eq!(step(window, window * 9, 1 << 32, 0), window, "nor in no time");
    assert!(step(window, 0, 1 << 32, 1_000_000_000) < window, "without room it shrinks");
    assert_eq!(step(window, window * 9, 1 << 32, u64::MAX), step(window, window * 9, 1 << 32, 4_000_000_000), "a pause is a pause");
    let end = window * 9;
    assert!(step(window, end, u64::MAX, 4_000_000_000).abs_diff(end) < end / 100_000, "the fastest growth ends where any ends");
    assert!(step(u64::MAX, u64::MAX, u64::MAX, u64::MAX) <= 1 << 52);
}

/// Name in C, size, and where each field begins.
macro_rules! layout {
    ($of:ty, $c:literal, $($field:ident),*) => {
        ($c, size_of::<$of>(), vec![$((stringify!($field), std::mem::offset_of!($of, $field))),*])
    };
}

#[test]
fn both_halves_mean_the_same_bytes() {
    let layouts = [
        layout!(
            Record,
            "record",
            id,
            at,
            from,
            una,
            nxt,
            kind,
            flags,
            count,
            rtt_us,
            cwnd,
            ssthresh,
            in_flight,
            sacked,
            srtt_us,
            mss,
            overhead,
            losses,
            local_port,
            remote_port,
            remote_ip,
            family
        ),
        layout!(Word, "word", expires, at, window, start, equilibrium, growth, kept, held_until, first, serial, losses, law, gap, gaps),
        layout!(Board, "board", next_id, woken, dropped),
        layout!(Agent, "agent", beat, build),
    ];
    let mut asserts: Vec<String> = Vec::new();
    for (name, size, fields) in &layouts {
        asserts.push(format!("sizeof(struct {name}) == {size}"));
        asserts.extend(fields.iter().map(|(field, at)| format!("offsetof(struct {name}, {field}) == {at}")));
    }
    let kinds = [("SENT", kind::SENT), ("RESENT", kind::RESENT), ("ACKED", kind::ACKED), ("REDUCED", kind::REDUCED)];
    let rest = [("MARKED", kind::MARKED), ("TIMEOUT", kind::TIMEOUT), ("CLOSED", kind::CLOSED)];
    let laws = [("LAW_RENO", law::RENO), ("LAW_STILL", law::STILL), ("LAW_LOGISTIC", law::LOGISTIC)];
    let flags = [("APP_LIMITED", flag::APP_LIMITED), ("RECOVERING", flag::RECOVERING)];
    let counts = [("PLAN", PLAN as u32), ("WINDOW_BITS", WINDOW_BITS)];
    for (name, value) in kinds.iter().chain(&rest).chain(&laws).chain(&flags).chain(&counts) {
        asserts.push(format!("{name} == {value}"));
    }
    let text: String = asserts.iter().map(|assert| format!("_Static_assert({assert}, \"{assert}\");\n")).collect();
    let folder = tempfile::tempdir().unwrap();
    drop(compiled(folder.path(), &text));
}
