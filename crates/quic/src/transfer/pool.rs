//! What a transfer may keep in memory: what came and waits behind a gap, and what was sent and is not acknowledged. Whoever is on the other
//! side decides how much that is and for how long, so all connections of a server share what there is.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use bytes::Bytes;
use noq_proto::{Connection, VarInt};

use super::broken::Broken;

/// What every connection may let come before anything was read: 64 connections take 32 MB, and a sender's first windows are smaller.
pub(crate) const FIRST: u64 = 512 << 10;
/// Most that a connection may let come: 64 MB are 1 Gbit/s for half a second.
const MOST: u64 = 64_000_000;
/// What every connection may have written ahead beside two windows.
pub(crate) const AHEAD: u64 = 256 << 10;
/// What connections share beyond [`FIRST`] and [`AHEAD`]. With half as much again for what lies in small pieces, 64 connections stay
/// below 256 MB.
const SHARED: u64 = 96_000_000;
/// A piece that is kept costs so much beside its bytes: its own head, and its place in the tree.
const PIECE: u64 = 96;

/// Memory that connections share.
#[derive(Clone, Debug)]
pub struct Pool {
    left: Arc<AtomicU64>,
    /// What every connection may let come before anything was read.
    first: u64,
}

impl Pool {
    /// For nodes that let so much come at first ([`crate::node::Settings::first`]).
    pub(crate) fn with_first(first: u64) -> Pool {
        Pool { left: Arc::new(AtomicU64::new(SHARED)), first }
    }
}

impl Default for Pool {
    fn default() -> Pool {
        Pool::with_first(FIRST)
    }
}

/// A connection's part of a pool.
#[derive(Debug)]
struct Lease {
    pool: Pool,
    /// Everybody has so much.
    least: u64,
    /// Taken from the pool.
    taken: u64,
}

impl Lease {
    fn new(pool: &Pool, least: u64) -> Lease {
        Lease { pool: pool.clone(), least, taken: 0 }
    }

    fn has(&self) -> u64 {
        self.least + self.taken
    }

    /// Asks for so much in all. Three quarters of what is left are given at the most, so that nobody takes all.
    fn grow(&mut self, wanted: u64) {
        let more = wanted.saturating_sub(self.has());
        let given = self.pool.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| (more <= left / 4 * 3).then(|| left - more));
        if given.is_ok() {
            self.taken += more;
        }
    }

    /// Gives back what is beyond that.
    fn shrink(&mut self, wanted: u64) {
        let less = self.has().saturating_sub(wanted).min(self.taken);
        self.pool.left.fetch_add(less, Ordering::Relaxed);
        self.taken -= less;
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        self.shrink(0);
    }
}

/// What a connection holds at the moment \[bytes\].
#[derive(Debug, Default)]
pub(crate) struct Account {
    /// Came, and waits behind a gap.
    waiting: AtomicU64,
    /// Was used since the start.
    used: AtomicU64,
    /// Read from a file, and not acknowledged as a whole.
    sent: AtomicU64,
}

impl Account {
    /// A piece of that length waits behind a gap.
    pub(crate) fn waits(&self, length: usize) {
        self.waiting.fetch_add(length as u64 + PIECE, Ordering::Relaxed);
    }

    /// It waits no more.
    pub(crate) fn waited(&self, length: usize) {
        self.waiting.fetch_sub(length as u64 + PIECE, Ordering::Relaxed);
    }

    /// So many bytes of a stream were used.
    pub(crate) fn uses(&self, length: usize) {
        self.used.fetch_add(length as u64, Ordering::Relaxed);
    }

    /// Bytes that are to be sent. They count until the last of them is acknowledged: whoever never acknowledges the first byte makes noq
    /// keep everything behind it.
    pub(crate) fn sends(self: &Arc<Account>, bytes: impl Into<Bytes>) -> Bytes {
        let bytes = bytes.into();
        self.sent.fetch_add(bytes.len() as u64, Ordering::Relaxed);
        Bytes::from_owner(Sent { bytes, account: self.clone() })
    }
}

impl Account {
    /// What is to be sent and not acknowledged \[bytes\].
    pub(crate) fn unacknowledged(&self) -> u64 {
        self.sent.load(Ordering::Relaxed)
    }
}

struct Sent {
    bytes: Bytes,
    account: Arc<Account>,
}

impl AsRef<[u8]> for Sent {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

impl Drop for Sent {
    fn drop(&mut self) {
        self.account.sent.fetch_sub(self.bytes.len() as u64, Ordering::Relaxed);
    }
}

/// What a connection may hold, and holds.
#[derive(Debug)]
pub(crate) struct Credit {
    pub(crate) account: Arc<Account>,
    comes: Lease,
    goes: Lease,
    /// Used when the peer was last allowed more.
    used: u64,
    /// What noq lets come.
    window: u64,
}

impl Credit {
    pub(crate) fn new(pool: &Pool) -> Credit {
        Credit { account: Arc::default(), comes: Lease::new(pool, pool.first), goes: Lease::new(pool, AHEAD), used: 0, window: pool.first }
    }

    /// Whether so little is unacknowledged that more may be read from a file, where a window of that size is to be kept full. Twice the
    /// window, so that the next round trip has what it may need; and not more: what is written cannot be taken back.
    pub(crate) fn may_send(&mut self, window: u64) -> bool {
        let wanted = window.saturating_mul(2).saturating_add(AHEAD).min(MOST);
        if wanted > self.goes.has() {
            self.goes.grow(wanted);
        } else if wanted < self.goes.has() / 2 {
            self.goes.shrink(wanted);
        }
        self.account.sent.load(Ordering::Relaxed) < self.goes.has().min(wanted)
    }

    /// Lets the peer send as much as may be kept beside what waits already. Who has sent as much as it may, and had it used, may send twice
    /// as much.
    ///
    /// # Errors
    /// The peer leaves out what comes next, and sends what lies beyond in ever smaller pieces.
    pub(crate) fn settle(&mut self, connection: &mut Connection) -> Result<(), Broken> {
        let used = self.account.used.load(Ordering::Relaxed);
        let has = self.comes.has();
        if used - self.used >= has && has < MOST {
            self.used = used;
            self.comes.grow((2 * has).min(MOST));
        }
        let (has, waiting) = (self.comes.has(), self.account.waiting.load(Ordering::Relaxed));
        // noq takes back what it has allowed only by and by; so there may be a little more than there should be, but not half as much again.
        if waiting > has + has / 2 {
            return Err(Broken("the peer leaves out what comes next, and sends without end what lies beyond".into()));
        }
        if let Some(window) = changed(self.window, has.saturating_sub(waiting), has) {
            self.window = window;
            connection.set_receive_window(VarInt::from_u64(window).unwrap_or(VarInt::MAX));
        }
        Ok(())
    }
}

/// What the peer is told, if anything: each change costs a frame. That nothing more may come it is always told, for whatever window
/// noq has, it allows as much again for all that is read.
fn changed(told: u64, window: u64, has: u64) -> Option<u64> {
    (window.abs_diff(told) > has / 8 || (window == 0 && told > 0)).then_some(window)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_used_stays_below_what_ends_a_connection() {
        // noq's rule: what is read is allowed anew, less what the window shrank by; the peer sends all that it may, and nothing is used.
        for step in [1_000, FIRST / 8] {
            let (has, mut told, mut may_come, mut debt, mut waiting) = (FIRST, FIRST, FIRST, 0, 0);
            while may_come > 0 {
                let read = step.min(may_come);
                let pays = read.min(debt);
                (may_come, debt, waiting) = (may_come - pays, debt - pays, waiting + read + PIECE);
                assert!(waiting <= has + has / 2, "{waiting} in steps of {step}");
                if let Some(window) = changed(told, has.saturating_sub(waiting), has) {
                    assert!(window <= told);
                    (debt, told) = (debt + told - window, window);
                }
            }
        }
    }

    #[test]
    fn nobody_takes_all_and_all_is_given_back() {
        let pool = Pool::default();
        let mut first = Credit::new(&pool);
        assert!(first.may_send(MOST) && first.goes.has() == MOST);
        let mut leases: Vec<_> = (0..64).map(|_| Lease::new(&pool, FIRST)).collect();
        for lease in &mut leases {
            while lease.has() < MOST {
                let before = lease.has();
                lease.grow(2 * before);
                if lease.has() == before {
                    break;
                }
            }
        }
        let sum: u64 = leases.iter().map(Lease::has).sum::<u64>() + first.goes.has();
        assert!(sum <= SHARED + 64 * FIRST + AHEAD, "{sum}");
        assert!(leases.iter().filter(|lease| lease.has() > FIRST).count() > 4, "the later ones have something, too");
        drop((first, leases));
        assert_eq!(pool.left.load(Ordering::Relaxed), SHARED);
    }

    #[test]
    fn what_is_not_acknowledged_counts() {
        let mut credit = Credit::new(&Pool::default());
        let account = credit.account.clone();
        let sent: Vec<Bytes> = (0..4).map(|_| account.sends(vec![0; AHEAD as usize / 4])).collect();
        assert!(!credit.may_send(0));
        drop(sent);
        assert!(credit.may_send(0));
    }
}
