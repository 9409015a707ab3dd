//! How a transfer goes, on a terminal.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use symbiosis_base::{Bytes, Instant, Rate, Span};
use symbiosis_quic::node::View;
use symbiosis_quic::transfer::Progress;

/// A bar is drawn anew this often.
const EVERY: Span = Span::from_millis(100);

/// A bar on stderr, if that is a terminal.
pub struct Bar {
    bar: ProgressBar,
    shown: Instant,
    done: u64,
}

impl Bar {
    /// A bar that begins with a word.
    pub fn new(word: &str) -> Bar {
        let template = "{prefix}{bar:30} {bytes}/{total_bytes} {msg}";
        let style = ProgressStyle::with_template(template).expect("a valid template");
        // Hides itself where stderr is no terminal.
        let bar = ProgressBar::with_draw_target(Some(0), ProgressDrawTarget::stderr()).with_style(style);
        bar.set_prefix(if word.is_empty() { String::new() } else { format!("{word:12} ") });
        Bar { bar, shown: Instant::START, done: 0 }
    }

    /// Shows where things are, but not too often.
    pub fn show(&mut self, now: Instant, progress: &Progress, view: &mut dyn FnMut() -> View) {
        if self.bar.is_hidden() || now - self.shown < EVERY || progress.began.is_none() {
            return;
        }
        let rate = Rate::of(Bytes(progress.done.saturating_sub(self.done)), now - self.shown);
        (self.shown, self.done) = (now, progress.done);
        self.bar.set_length(progress.bytes);
        self.bar.set_position(progress.done);
        self.bar.set_message(message(rate, &view()));
    }

    pub fn end(&self) {
        self.bar.finish_and_clear();
    }
}

/// Rate, round-trip time, window, and what is measured of the path.
fn message(rate: Rate, view: &View) -> String {
    let mut text = format!("{:.1} Mbit/s, RTT {:.1} ms, window {} kB", rate.mbps(), view.rtt.millis(), view.window.0 / 1000);
    for (gauge, name) in [("K_mbps", "K"), ("A_mbps", "A")] {
        if let Some((_, value)) = view.gauges.iter().find(|(known, _)| *known == gauge) {
            text += &format!(", {name} {value:.1}");
        }
    }
    text
}
