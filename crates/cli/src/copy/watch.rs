//! `--watch`: a copy on the whole terminal, drawn anew ten times a second.

use std::collections::VecDeque;
use std::io::{self, IsTerminal, Stderr, stderr};
use std::os::raw::c_int;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use indicatif::HumanBytes;
use nix::sys::termios::{LocalFlags, SetArg, Termios, tcgetattr, tcsetattr};
use ratatui::backend::{Backend, CrosstermBackend};
use ratatui::crossterm::execute;
use ratatui::crossterm::terminal::{EnterAlternateScreen, LeaveAlternateScreen};
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::text::{Line, Text};
use ratatui::widgets::{Block, Gauge, Paragraph, Sparkline, Wrap};
use ratatui::{Frame, Terminal};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use symbiosis_copy::Progress;
use symbiosis_quic::node::View;

use super::clock::clock;
use super::why::Seen;

/// Rates that are kept: more than a terminal is wide.
const KEPT: usize = 1000;
/// Wishes that end a process.
const ENDS: [c_int; 3] = [SIGHUP, SIGINT, SIGTERM];

/// What is to be seen.
pub struct Picture<'a> {
    pub progress: &'a Progress,
    pub view: &'a View,
    pub seen: &'a Seen,
    /// Smoothed \[Mbit/s\].
    pub mbps: f64,
    /// \[s\]
    pub left: Option<f64>,
}

/// Rates of the last moments \[Mbit/s\].
#[derive(Default)]
pub struct Rates(VecDeque<u64>);

impl Rates {
    /// Another moment's.
    pub fn push(&mut self, mbps: f64) {
        if self.0.len() == KEPT {
            self.0.pop_front();
        }
        self.0.push_back(mbps.round() as u64);
    }

    /// Those that fit, the latest last.
    fn latest(&self, number: usize) -> Vec<u64> {
        self.0.iter().skip(self.0.len().saturating_sub(number)).copied().collect()
    }
}

/// The terminal, until it is dropped.
pub struct Screen {
    terminal: Terminal<CrosstermBackend<Stderr>>,
    before: Termios,
    /// A signal that is to end the process.
    ends: Arc<AtomicUsize>,
    rates: Rates,
}

impl Screen {
    /// Takes stderr's terminal; none if there is none.
    ///
    /// # Errors
    /// It cannot be written to.
    pub fn open() -> io::Result<Option<Screen>> {
        if !stderr().is_terminal() {
            return Ok(None);
        }
        let before = tcgetattr(stderr())?;
        let mut quiet = before.clone();
        // What is typed is not shown. Ctrl-C stays a signal.
        quiet.local_flags.remove(LocalFlags::ECHO | LocalFlags::ICANON);
        let ends = Arc::new(AtomicUsize::new(0));
        for signal in ENDS {
            signal_hook::flag::register_usize(signal, ends.clone(), signal as usize)?;
        }
        tcsetattr(stderr(), SetArg::TCSANOW, &quiet)?;
        execute!(stderr(), EnterAlternateScreen)?;
        let terminal = Terminal::new(CrosstermBackend::new(stderr()))?;
        Ok(Some(Screen { terminal, before, ends, rates: Rates::default() }))
    }

    /// Draws it.
    ///
    /// # Errors
    /// The terminal cannot be written to.
    pub fn draw(&mut self, picture: &Picture<'_>) -> io::Result<()> {
        if let signal @ 1.. = self.ends.load(Ordering::Relaxed) {
            self.leave();
            signal_hook::low_level::emulate_default_handler(signal as c_int)?;
        }
        self.rates.push(picture.mbps);
        let rates = &self.rates;
        self.terminal.draw(|frame| draw(frame, picture, rates)).map(drop)
    }

    /// The terminal is as it was. What cannot be undone stays.
    fn leave(&mut self) {
        let _ = self.terminal.backend_mut().show_cursor();
        let _ = execute!(stderr(), LeaveAlternateScreen);
        let _ = tcsetattr(stderr(), SetArg::TCSANOW, &self.before);
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        self.leave();
    }
}

fn draw(frame: &mut Frame<'_>, picture: &Picture<'_>, rates: &Rates) {
    let rows = [Constraint::Length(3), Constraint::Min(4), Constraint::Length(5), Constraint::Length(4)];
    let [bar, graph, path, words] = Layout::vertical(rows).areas(frame.area());
    frame.render_widget(gauge(picture), bar);
    let block = Block::bordered().title(rate(picture));
    let shown = rates.latest(block.inner(graph).width.into());
    frame.render_widget(Sparkline::default().block(block).data(shown), graph);
    frame.render_widget(Paragraph::new(about_the_path(picture)).block(Block::bordered().title(" path ")), path);
    held_up(frame, picture, words);
}

fn gauge<'a>(picture: &Picture<'a>) -> Gauge<'a> {
    let Progress { totals, files, bytes, current, .. } = picture.progress;
    let block = Block::bordered().title(format!(" {current} "));
    let Some(totals) = totals else { return Gauge::default().block(block).label("looking what there is") };
    let left = picture.left.map_or(String::new(), |left| format!(", {} left", clock(left)));
    let label = format!("{files} of {} files, {} of {}{left}", totals.files, HumanBytes(*bytes), HumanBytes(totals.bytes));
    Gauge::default().block(block).ratio((*bytes as f64 / totals.bytes.max(1) as f64).min(1.0)).label(label)
}

fn rate(picture: &Picture<'_>) -> String {
    let path = picture.seen.path_mbps.map_or(String::new(), |(capacity, free)| format!(", of {capacity:.0}, {free:.0} of them free"));
    format!(" {:.0} Mbit/s{path} ", picture.mbps)
}

fn about_the_path(picture: &Picture<'_>) -> Text<'static> {
    let View { rtt, window, in_flight, sent, lost, .. } = picture.view;
    let (latest, part) = (picture.view.latest_rtt.1, 100.0 * *lost as f64 / (*sent).max(1) as f64);
    Text::from(vec![
        Line::from(format!("RTT {:.1} ms, the last {:.1} ms", rtt.millis(), latest.millis())),
        Line::from(format!("in flight {} of {}", HumanBytes(in_flight.0), HumanBytes(window.0))),
        Line::from(format!("{sent} packets sent, {lost} lost ({part:.2} %)")),
    ])
}

fn held_up(frame: &mut Frame<'_>, picture: &Picture<'_>, area: Rect) {
    let block = Block::bordered().title(" why it is no faster ");
    let words = picture.seen.sentence().unwrap_or_else(|| "too early to say".into());
    frame.render_widget(Paragraph::new(words).wrap(Wrap { trim: true }).block(block), area);
}

#[cfg(test)]
mod tests {
    use ratatui::backend::TestBackend;
    use symbiosis_base::{Bytes, Span};
    use symbiosis_copy::Totals;
    use symbiosis_quic::exchange::Waits;

    use super::*;

    fn drawn(picture: &Picture<'_>, rates: &Rates) -> String {
        let mut terminal = Terminal::new(TestBackend::new(64, 18)).unwrap();
        terminal.draw(|frame| draw(frame, picture, rates)).unwrap();
        terminal.backend().to_string()
    }

    #[test]
    fn everything_has_its_place() {
        let seconds = |seconds: u64| Span::from_millis(1000 * seconds);
        let totals = Totals { files: 12, bytes: 80_000_000, ..Totals::default() };
        let progress = Progress {
            totals: Some(totals),
            files: 3,
            bytes: 20_000_000,
            moved: 20_000_000,
            current: "src/lib.rs".into(),
            ..Progress::default()
        };
        let view = View {
            rtt: Span::from_millis(50),
            latest_rtt: (9, Span::from_millis(52)),
            window: Bytes(600_000),
            in_flight: Bytes(500_000),
            sent: 14_000,
            lost: 7,
            ..View::default()
        };
        let giver = Waits { network: seconds(9), ..Waits::default() };
        let seen =
            Seen { giver, time: seconds(10), mbps: 60.0, path_mbps: Some((100.0, 62.0)), lost: 5e-4, rtt_ms: 50.0, ..Seen::default() };
        let mut rates = Rates::default();
        (0..90).for_each(|at| rates.push(f64::from(at)));
        insta::assert_snapshot!(drawn(&Picture { progress: &progress, view: &view, seen: &seen, mbps: 60.2, left: Some(7.9) }, &rates));
    }

    #[test]
    fn before_anything_is_known_that_is_said() {
        let (progress, view, seen) = (Progress::default(), View::default(), Seen::default());
        let picture = Picture { progress: &progress, view: &view, seen: &seen, mbps: 0.0, left: None };
        let drawn = drawn(&picture, &Rates::default());
        assert!(drawn.contains("looking what there is") && drawn.contains("too early to say"), "{drawn}");
    }
}
