//! What the BPF program and the agent exchange: `bpf/shared.h` in Rust. A test compares the two.

/// Kinds of records.
pub(crate) mod kind {
    pub(crate) const SENT: u32 = 0;
    pub(crate) const RESENT: u32 = 1;
    pub(crate) const ACKED: u32 = 2;
    pub(crate) const REDUCED: u32 = 3;
    pub(crate) const MARKED: u32 = 4;
    pub(crate) const TIMEOUT: u32 = 5;
    pub(crate) const CLOSED: u32 = 6;
    pub(crate) const UNDONE: u32 = 7;
}

/// Bits of a record's `flags`.
pub(crate) mod flag {
    pub(crate) const APP_LIMITED: u32 = 1;
    pub(crate) const RECOVERING: u32 = 2;
    pub(crate) const UNDECIDED: u32 = 4;
    pub(crate) const TOO_FAST: u32 = 8;
}

/// What moves the window.
pub(crate) mod law {
    pub(crate) const RENO: u32 = 0;
    pub(crate) const TABLE: u32 = 1;
}

/// Bits for parts of a segment in a window.
pub(crate) const WINDOW_BITS: u32 = 20;
/// Packets whose departures a decision contains.
pub(crate) const PLAN: usize = 64;
/// Samples of the window in a decision.
pub(crate) const POINTS: usize = 8;
/// A decision holds for so long, or for two round-trip times if those are more \[ns\]. No packet waits longer.
pub(crate) const HOLDS: u64 = 300_000_000;
/// A silent socket reports one ACK in so long \[ns\].
#[cfg(test)]
pub(crate) const REPORTS_SILENT: u64 = 100_000_000;

/// Types that are nothing but whole numbers: any bytes are a value, and there is no padding.
///
/// # Safety
/// That must be so.
pub(crate) unsafe trait Plain: Copy {}
// SAFETY: whole numbers.
unsafe impl Plain for u32 {}
// SAFETY: as above.
unsafe impl Plain for i32 {}
// SAFETY: as above.
unsafe impl Plain for u64 {}
// SAFETY: one after another, without padding between them.
unsafe impl<T: Plain, const N: usize> Plain for [T; N] {}

/// Structures of `bpf/shared.h`, by their names there.
macro_rules! shared {
    ($($(#[$about:meta])* struct $name:ident = $c:literal { $($field:ident: $of:ty,)* })*) => {
        $(
            $(#[$about])*
            #[repr(C)]
            #[derive(Clone, Copy, Debug, PartialEq)]
            pub(crate) struct $name {
                $(pub(crate) $field: $of,)*
            }

            const _: () = {
                const fn plain<T: Plain>() -> usize {
                    size_of::<T>()
                }
                assert!(0 $(+ plain::<$of>())* == size_of::<$name>(), "padding");
            };
            // SAFETY: its fields are plain, and their sizes sum up to its own: the compiler has just proved both.
            unsafe impl Plain for $name {}
        )*

        /// Name in C, size, and where each field begins.
        #[cfg(test)]
        pub(crate) const LAYOUTS: &[(&str, usize, &[(&str, usize)])] =
            &[$(($c, size_of::<$name>(), &[$((stringify!($field), std::mem::offset_of!($name, $field))),*])),*];
    };
}

shared! {
    /// What happened to a socket.
    #[derive(Default)]
    struct Record = "record" {
        id: u64,
        at: u64,
        sent_at: u64,
        from: u64,
        una: u64,
        nxt: u64,
        kind: u32,
        flags: u32,
        count: u32,
        rtt_us: i32,
        cwnd: u32,
        ssthresh: u32,
        in_flight: u32,
        sacked: u32,
        srtt_us: u32,
        mss: u32,
        overhead: u32,
        losses: u32,
        local_port: u32,
        remote_port: u32,
        remote_ip: u32,
        family: u32,
    }

    /// What the agent decides for a socket.
    struct Decision = "decision" {
        expires: u64,
        at: u64,
        slow_start: u64,
        held_until: u64,
        first: u64,
        rests: u64,
        serial: u32,
        losses: u32,
        law: u32,
        gap: u32,
        kept: u32,
        after: [u32; POINTS],
        looks: u32,
        window: [u64; POINTS],
        gaps: [u32; PLAN],
    }

    /// What the BPF program writes for all sockets.
    #[derive(Default)]
    struct Stats = "stats" {
        last_id: u64,
        woken: u64,
        dropped: u64,
    }

    /// What the agent writes for all sockets.
    #[derive(Default)]
    struct Agent = "agent" {
        heartbeat: u64,
        build: u64,
    }
}

impl Decision {
    /// It holds at no time and plans nothing.
    pub(crate) const NOTHING: Decision = Decision {
        expires: 0,
        at: 0,
        slow_start: 0,
        held_until: 0,
        first: 0,
        rests: 0,
        serial: 0,
        losses: 0,
        law: law::RENO,
        gap: 0,
        kept: 0,
        after: [0; POINTS],
        looks: 0,
        window: [0; POINTS],
        gaps: [0; PLAN],
    };
}

impl Record {
    /// The record in these bytes; none if they are too few.
    pub(crate) fn read(bytes: &[u8]) -> Option<Record> {
        // SAFETY: there are enough bytes, and any bytes are a record.
        (bytes.len() >= size_of::<Record>()).then(|| unsafe { bytes.as_ptr().cast::<Record>().read_unaligned() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_is_read_from_any_bytes_at_any_place_or_refused() {
        let size = size_of::<Record>();
        let bytes: Vec<u8> = (0..2 * size + 8).map(|at| (at * 37) as u8).collect();
        for start in 0..8 {
            for length in 0..=2 * size {
                let record = Record::read(&bytes[start..start + length]);
                let id = |at: usize| u64::from_ne_bytes(bytes[at..at + 8].try_into().unwrap());
                assert_eq!(record.map(|record| record.id), (length >= size).then(|| id(start)), "{length} bytes from {start}");
                let last = |at: usize| u32::from_ne_bytes(bytes[at..at + 4].try_into().unwrap());
                assert_eq!(record.map(|record| record.family), (length >= size).then(|| last(start + size - 4)));
            }
        }
    }
}
