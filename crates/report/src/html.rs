//! Text into HTML.

/// Text that means itself in an element and in a quoted attribute.
pub(super) fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            c => safe.push(c),
        }
    }
    safe
}

/// The same, with `code` between backticks set as code. A backtick without a partner means itself.
pub(super) fn prose(text: &str) -> String {
    let parts: Vec<&str> = text.split('`').collect();
    let mut html = String::new();
    for (i, part) in parts.iter().enumerate() {
        let part = escaped(part);
        match i % 2 {
            0 => html += &part,
            _ if i + 1 < parts.len() => html += &format!("<code>{part}</code>"),
            _ => html += &format!("`{part}"),
        }
    }
    html
}

/// Paragraphs, parted by empty lines.
pub(super) fn paragraphs(text: &str) -> String {
    text.split("\n\n").map(str::trim).filter(|text| !text.is_empty()).map(|text| format!("<p>{}</p>\n", prose(text))).collect()
}

/// JSON that cannot end the script element it stands in.
pub(super) fn json_in_script(json: &serde_json::Value) -> String {
    json.to_string().replace('<', "\\u003c")
}

/// An anchor's name from an experiment's.
pub(super) fn anchor(id: &str) -> String {
    crate::files::file_stem(id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_stays_text() {
        assert_eq!(prose("a < b & `cc = \"x\"`"), "a &lt; b &amp; <code>cc = &quot;x&quot;</code>");
        assert_eq!(prose("one ` alone"), "one ` alone");
        assert_eq!(paragraphs("one\n\n\n\ntwo"), "<p>one</p>\n<p>two</p>\n");
        assert_eq!(json_in_script(&serde_json::json!("</script>")), r#""\u003c/script>""#);
    }
}
