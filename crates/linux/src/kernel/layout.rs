//! What the kernel's half and the agent tell each other: `bpf/shared.h` in Rust. A test compares the two.

/// What a record tells.
pub(crate) mod kind {
    pub(crate) const SENT: u32 = 0;
    pub(crate) const RESENT: u32 = 1;
    pub(crate) const ACKED: u32 = 2;
    pub(crate) const REDUCED: u32 = 3;
    pub(crate) const MARKED: u32 = 4;
    pub(crate) const TIMEOUT: u32 = 5;
    pub(crate) const CLOSED: u32 = 6;
}

/// What of a record's `flags` holds.
pub(crate) mod flag {
    pub(crate) const APP_LIMITED: u32 = 1;
    pub(crate) const RECOVERING: u32 = 2;
}

/// What rules the window.
pub(crate) mod law {
    pub(crate) const RENO: u32 = 0;
    pub(crate) const STILL: u32 = 1;
    pub(crate) const LOGISTIC: u32 = 2;
}

/// Bits for parts of a segment in a window.
pub(crate) const WINDOW_BITS: u32 = 20;
/// Packets whose departures are told ahead.
pub(crate) const PLAN: usize = 64;

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

/// What the agent says of a socket.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Word {
    pub(crate) expires: u64,
    pub(crate) at: u64,
    pub(crate) window: u64,
    pub(crate) start: u64,
    pub(crate) equilibrium: u64,
    pub(crate) growth: u64,
    pub(crate) kept: u64,
    pub(crate) held_until: u64,
    pub(crate) first: u64,
    pub(crate) serial: u32,
    pub(crate) losses: u32,
    pub(crate) law: u32,
    pub(crate) gap: u32,
    pub(crate) gaps: [u32; PLAN],
}

/// What the kernel's half writes for all sockets.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Board {
    pub(crate) next_id: u64,
    pub(crate) woken: u64,
    pub(crate) dropped: u64,
}

/// What the agent writes for all sockets.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Agent {
    pub(crate) beat: u64,
    pub(crate) build: u64,
}

/// Types that are nothing but whole numbers: any bytes are a value, and there is no padding.
///
/// # Safety
/// That must be so.
pub(crate) unsafe trait Plain: Copy {}
// SAFETY: whole numbers without padding; the test of the layout says so too.
unsafe impl Plain for Record {}
// SAFETY: as above.
unsafe impl Plain for Word {}
// SAFETY: as above.
unsafe impl Plain for Board {}
// SAFETY: as above.
unsafe impl Plain for Agent {}

impl Record {
    /// The record in these bytes; none if they are too few.
    pub(crate) fn read(bytes: &[u8]) -> Option<Record> {
        // SAFETY: there are enough bytes, and any bytes are a record.
        (bytes.len() >= size_of::<Record>()).then(|| unsafe { bytes.as_ptr().cast::<Record>().read_unaligned() })
    }
}
