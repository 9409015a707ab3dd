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

/// What happened to a socket.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Record {
    pub(crate) id: u64,
    pub(crate) at: u64,
    pub(crate) from: u64,
    pub(crate) una: u64,
    pub(crate) nxt: u64,
    pub(crate) kind: u32,
    pub(crate) flags: u32,
    pub(crate) count: u32,
    pub(crate) rtt_us: i32,
    pub(crate) cwnd: u32,
    pub(crate) ssthresh: u32,
    pub(crate) in_flight: u32,
    pub(crate) sacked: u32,
    pub(crate) srtt_us: u32,
    pub(crate) mss: u32,
    pub(crate) overhead: u32,
    pub(crate) losses: u32,
    pub(crate) local_port: u32,
    pub(crate) remote_port: u32,
    pub(crate) remote_ip: u32,
    pub(crate) family: u32,
}

/// What the agent decides for a socket.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Decision {
    pub(crate) expires: u64,
    pub(crate) at: u64,
    pub(crate) slow_start: u64,
    pub(crate) held_until: u64,
    pub(crate) first: u64,
    pub(crate) serial: u32,
    pub(crate) losses: u32,
    pub(crate) law: u32,
    pub(crate) gap: u32,
    pub(crate) kept: u32,
    pub(crate) after: [u32; POINTS],
    pub(crate) unused: u32,
    pub(crate) window: [u64; POINTS],
    pub(crate) gaps: [u32; PLAN],
}

/// What the BPF program writes for all sockets.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Stats {
    pub(crate) next_id: u64,
    pub(crate) woken: u64,
    pub(crate) dropped: u64,
}

/// What the agent writes for all sockets.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Agent {
    pub(crate) heartbeat: u64,
    pub(crate) build: u64,
}

/// Types that are nothing but whole numbers: any bytes are a value, and there is no padding.
///
/// # Safety
/// That must be so.
pub(crate) unsafe trait Plain: Copy {}
/// The sum of the sizes of fields, at compile time: where it is that of the whole, there is no padding.
macro_rules! no_padding {
    ($of:ty { $($field:ident),* }) => {
        const _: () = {
            const fn size<T>(_: *const T) -> usize {
                size_of::<T>()
            }
            let whole = std::mem::MaybeUninit::<$of>::uninit();
            let at = whole.as_ptr();
            // SAFETY: only addresses are made, within the value.
            let sum = unsafe { 0 $(+ size(&raw const (*at).$field))* };
            assert!(sum == size_of::<$of>());
        };
    };
}
no_padding!(Record {
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
});
no_padding!(Decision { expires, at, slow_start, held_until, first, serial, losses, law, gap, kept, after, unused, window, gaps });
no_padding!(Stats { next_id, woken, dropped });
no_padding!(Agent { heartbeat, build });

// SAFETY: whole numbers, and without padding: the compiler has just proved that.
unsafe impl Plain for Record {}
// SAFETY: as above.
unsafe impl Plain for Decision {}
// SAFETY: as above.
unsafe impl Plain for Stats {}
// SAFETY: as above.
unsafe impl Plain for Agent {}

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
