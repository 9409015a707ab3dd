//! What moves while a path is measured: bytes that mean nothing, and pings.

use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use symbiosis_quic::exchange::{Frame, Polled, Work};

/// Before the load only pings go: so long, in which ten of them tell the round-trip time of a path that nobody loads.
pub const IDLE: Duration = Duration::from_millis(1000);
/// A ping leaves so often: what a user notices of a delay.
const PING_EVERY: Duration = Duration::from_millis(100);
/// Bytes of a frame: four are written together.
pub const BLOCK: usize = 16 << 10;

const DATA: u8 = 1;
const PING: u8 = 2;
const END: u8 = 3;

/// Who sends, and for how long.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// The end that calls sends.
    pub forth: bool,
    /// The end that is called sends.
    pub back: bool,
    pub seconds: f64,
}

/// One end of a measurement.
pub struct Load {
    gives: bool,
    takes: bool,
    pings: bool,
    seconds: Duration,
    began: Option<Instant>,
    pinged: Option<Instant>,
    block: Vec<u8>,
    /// It has said that it sends no more, and has heard it.
    ended: (bool, bool),
}

impl Load {
    /// The end that calls, or the other.
    pub fn new(plan: &Plan, calls: bool) -> Load {
        let (gives, takes) = if calls { (plan.forth, plan.back) } else { (plan.back, plan.forth) };
        // No compressor on the way makes anything of the squares of odd numbers' middle bytes.
        let block = (0..BLOCK as u64).map(|at| ((2 * at + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40) as u8).collect();
        Load {
            gives,
            takes,
            pings: calls,
            seconds: Duration::from_secs_f64(plan.seconds),
            began: None,
            pinged: None,
            block,
            ended: (false, false),
        }
    }

    fn says(&self, kind: u8, body: Vec<u8>) -> Polled {
        Polled::Say(Frame { head: vec![kind], body })
    }
}

impl Work for Load {
    fn has_room(&self) -> bool {
        true
    }

    fn feed(&mut self, frame: Frame) {
        self.ended.1 |= frame.head.first() == Some(&END);
    }

    fn poll(&mut self) -> Polled {
        let now = Instant::now();
        let age = now - *self.began.get_or_insert(now);
        let over = (!self.gives || self.ended.0) && (!self.takes || self.ended.1);
        if over {
            return Polled::Over;
        }
        let loads = self.gives && age >= IDLE && !self.ended.0;
        if self.pings && !loads && self.pinged.is_none_or(|pinged| now - pinged >= PING_EVERY) {
            self.pinged = Some(now);
            return self.says(PING, Vec::new());
        }
        if loads && age < IDLE + self.seconds {
            return self.says(DATA, self.block.clone());
        }
        if loads {
            self.ended.0 = true;
            return self.says(END, Vec::new());
        }
        if self.pings || self.gives { Polled::Soon } else { Polled::Wait }
    }

    fn close(&mut self) {}
}
