//! What is printed of a transfer.

use serde::Serialize;
use symbiosis_base::{Bytes, Rate};
use symbiosis_quic::socket::{Call, Called};

/// What is printed of a transfer.
#[derive(Debug, Serialize)]
pub struct Report {
    pub cc: &'static str,
    pub server: String,
    pub files: usize,
    pub bytes: u64,
    pub resumed_bytes: u64,
    pub seconds: f64,
    pub goodput_mbps: f64,
    pub rtt_ms: f64,
    pub packets_sent: u64,
    pub packets_lost: u64,
    pub wakes_late: f64,
}

impl Report {
    /// Of a call that is over.
    pub fn new(call: &Call, called: &Called) -> Report {
        let progress = &called.progress;
        let seconds = progress.began.map_or(0.0, |began| (progress.finished.unwrap_or(began) - began).secs());
        let moved = Bytes(progress.total);
        Report {
            cc: call.choice.name(),
            server: call.to.to_string(),
            files: progress.files,
            bytes: progress.total,
            resumed_bytes: progress.resumed_total,
            seconds,
            goodput_mbps: if seconds > 0.0 { Rate::from_bytes_per_s(moved.as_f64() / seconds).mbps() } else { 0.0 },
            rtt_ms: called.view.rtt.millis(),
            packets_sent: called.view.sent,
            packets_lost: called.view.lost,
            wakes_late: called.lateness.part_late(),
        }
    }

    /// In a sentence.
    pub fn note(&self) -> String {
        format!(
            "`{}`: {:.2} Mbit/s of payload in {:.2} s, {} of {} packets lost; {:.1} % of this side's wakes were late.",
            self.cc,
            self.goodput_mbps,
            self.seconds,
            self.packets_lost,
            self.packets_sent,
            100.0 * self.wakes_late
        )
    }

    pub fn text(&self, done: &str) -> String {
        let resumed = if self.resumed_bytes > 0 { format!(" ({} bytes were there already)", self.resumed_bytes) } else { String::new() };
        let files = if self.files == 1 { "1 file".into() } else { format!("{} files", self.files) };
        format!(
            "{done} {files}, {} bytes in {:.2} s{resumed}\n{:.2} Mbit/s with {}, RTT {:.1} ms, {} of {} packets lost\n",
            self.bytes, self.seconds, self.goodput_mbps, self.cc, self.rtt_ms, self.packets_lost, self.packets_sent
        )
    }
}
