//! The summary as text for a terminal.

use super::entry::{Entry, place, told, word};
use super::number::measured;
use crate::outcome::Verdict;

/// Between two columns.
const GAP: usize = 2;
/// A column of text is not made narrower than this: better a line too long than a word a line.
const LEAST: usize = 16;

/// Every claim with what is stated and by whom, our number and the verdict, then how many of whose claims hold; at most `width` characters wide where that is possible, with
/// ANSI colours on the verdicts if asked.
pub fn table(entries: &[Entry], width: usize, colour: bool) -> String {
    let head = ["id", "claim", "stated", "measured", "verdict"].map(String::from);
    let mut rows = vec![(head, None)];
    for entry in entries {
        for claim in &entry.outcome.claims {
            let cells = [
                entry.id.into(),
                claim.text.clone(),
                format!("{} ({})", claim.stated, place(claim)),
                measured(claim),
                word(claim.verdict()).into(),
            ];
            rows.push((cells, Some(claim.verdict())));
        }
    }

    let widths = widths(&rows, width);
    let mut text = String::new();
    for (number, (cells, verdict)) in rows.iter().enumerate() {
        let cells: Vec<Vec<String>> = cells.iter().zip(widths).map(|(cell, width)| wrap(cell, width)).collect();
        for line in 0..cells.iter().map(Vec::len).max().unwrap_or(0) {
            let mut row = String::new();
            for (column, lines) in cells.iter().enumerate() {
                let part = lines.get(line).map_or("", String::as_str);
                let pad = " ".repeat(widths[column] + GAP - length(part));
                row += &if colour && column == 4 { painted(part, *verdict) } else { part.into() };
                row += &pad;
            }
            text += row.trim_end();
            text.push('\n');
        }
        if number == 0 {
            text += &"─".repeat(widths.iter().sum::<usize>() + GAP * (widths.len() - 1));
            text.push('\n');
        }
    }
    let counts: String = told(entries).into_iter().map(|(name, counts)| format!("{name}: {counts}\n")).collect();
    format!("{text}\n{counts}")
}

/// Widths that fit: claims give way first, then what is stated, then the measured.
fn widths(rows: &[([String; 5], Option<Verdict>)], width: usize) -> [usize; 5] {
    let mut widths = [0; 5];
    for (cells, _) in rows {
        for (widest, cell) in widths.iter_mut().zip(cells) {
            *widest = length(cell).max(*widest);
        }
    }
    let total = |widths: &[usize; 5]| widths.iter().sum::<usize>() + GAP * 4;
    // Claims stay readable before the paper's words give way; then both shrink to the least.
    for (column, least) in [(1, 40), (2, LEAST), (1, LEAST), (3, LEAST)] {
        let over = total(&widths).saturating_sub(width);
        widths[column] = widths[column].saturating_sub(over).max(least.min(widths[column]));
    }
    widths
}

/// Lines of at most `width` characters, broken at spaces, within a word only if it alone is too long.
fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let mut word: Vec<char> = word.chars().collect();
        let line = lines.last_mut().expect("never empty");
        if !line.is_empty() && length(line) + 1 + word.len() <= width {
            line.push(' ');
        } else if !line.is_empty() {
            lines.push(String::new());
        }
        while word.len() > width {
            let rest = word.split_off(width);
            *lines.last_mut().expect("never empty") = word.into_iter().collect();
            lines.push(String::new());
            word = rest;
        }
        lines.last_mut().expect("never empty").extend(word);
    }
    lines
}

fn length(text: &str) -> usize {
    text.chars().count()
}

fn painted(text: &str, verdict: Option<Verdict>) -> String {
    let code = match verdict {
        Some(Verdict::Holds) => "32",
        Some(Verdict::Differs) => "31",
        Some(Verdict::Undecided) => "33",
        Some(Verdict::NotRun) => "2",
        None => return text.into(),
    };
    if text.is_empty() { String::new() } else { format!("\x1b[{code}m{text}\x1b[0m") }
}
