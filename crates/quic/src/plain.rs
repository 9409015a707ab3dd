//! Text of others on this side's terminal.

/// Whether a terminal shows a text as it is: no control characters, and none that turn the direction of what follows or have no width.
pub fn is_plain(text: &str) -> bool {
    text.chars().all(is_plain_character)
}

/// A text of somebody else's, so that a terminal shows it and does nothing else: what would steer it is written as `\u{…}`.
pub fn plain(text: &str) -> String {
    text.chars().fold(String::with_capacity(text.len()), |mut shown, c| {
        if is_plain_character(c) {
            shown.push(c);
        } else {
            shown.extend(c.escape_unicode());
        }
        shown
    })
}

fn is_plain_character(c: char) -> bool {
    // Marks of direction, and what embeds, overrides or isolates it (Unicode Standard Annex 9); separators of lines and paragraphs; characters
    // without width; tags.
    let steers = matches!(c,
        '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}'
        | '\u{e0000}'..='\u{e007f}');
    !c.is_control() && !steers
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_steers_a_terminal() {
        for (text, shown) in [
            ("ä b-c", "ä b-c"),
            ("\x1b]0;title\x07", "\\u{1b}]0;title\\u{7}"),
            ("a\nb\r", "a\\u{a}b\\u{d}"),
            ("\u{202e}txt.exe", "\\u{202e}txt.exe"),
            ("\u{9b}2J", "\\u{9b}2J"),
        ] {
            assert_eq!(plain(text), shown);
            assert_eq!(is_plain(text), text == shown);
        }
        assert!((0..=char::MAX as u32).filter_map(char::from_u32).all(|c| is_plain(&plain(&c.to_string()))));
    }
}
