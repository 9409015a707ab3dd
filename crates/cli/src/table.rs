//! Columns of text.

use std::fmt::Write;

/// A table with a header: the first `left` columns flush left, the others flush right.
pub fn table(header: &[&str], rows: &[Vec<String>], left: usize) -> String {
    let width = |at: usize| rows.iter().map(|row| row[at].chars().count()).chain([header[at].chars().count()]).max().unwrap_or(0);
    let widths: Vec<usize> = (0..header.len()).map(width).collect();
    let mut out = String::new();
    let header: Vec<String> = header.iter().map(|name| name.to_string()).collect();
    for row in std::iter::once(&header).chain(rows) {
        let mut line = String::new();
        for (at, (cell, width)) in row.iter().zip(&widths).enumerate() {
            let gap = if at == 0 { "" } else { "  " };
            let written = if at < left { write!(line, "{gap}{cell:<width$}") } else { write!(line, "{gap}{cell:>width$}") };
            written.expect("a String takes everything");
        }
        out.push_str(line.trim_end());
        out.push('\n');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_align_whatever_is_in_them() {
        let rows = [vec!["a".into(), "1 ± 2".into()], vec!["long".into(), "10".into()]];
        assert_eq!(table(&["name", "x"], &rows, 1), "name      x\na     1 ± 2\nlong     10\n");
    }
}
