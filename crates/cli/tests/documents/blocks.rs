//! Fenced blocks, links and headings of a Markdown page.

use std::collections::BTreeSet;
use std::ops::Range;

use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};

/// A fenced block.
pub struct Block {
    /// What stands after the fence.
    pub language: String,
    /// What is between the fences.
    pub text: String,
    /// Where that is in the page.
    pub range: Range<usize>,
    /// The line of the opening fence.
    pub line: usize,
}

fn events(page: &str) -> impl Iterator<Item = (Event<'_>, Range<usize>)> {
    Parser::new_ext(page, Options::ENABLE_TABLES).into_offset_iter()
}

/// The fenced blocks of a page, in order.
pub fn blocks(page: &str) -> Vec<Block> {
    let mut found = Vec::new();
    let mut open: Option<Block> = None;
    for (event, range) in events(page) {
        match event {
            Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(language))) => {
                let line = page[..range.start].lines().count() + 1;
                open = Some(Block { language: language.to_string(), text: String::new(), range: 0..0, line });
            }
            Event::Text(text) => {
                if let Some(block) = &mut open {
                    block.range.start = if block.text.is_empty() { range.start } else { block.range.start };
                    block.range.end = range.end;
                    block.text += &text;
                }
            }
            Event::End(TagEnd::CodeBlock) => found.extend(open.take()),
            _ => {}
        }
    }
    found
}

/// Where links and pictures lead, but those to other sites.
pub fn links(page: &str) -> Vec<String> {
    let target = |event| match event {
        Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => Some(dest_url.to_string()),
        _ => None,
    };
    events(page).filter_map(|(event, _)| target(event)).filter(|link| !link.contains("://") && !link.starts_with("mailto:")).collect()
}

/// The anchors that GitHub and mdBook give to headings.
pub fn anchors(page: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut heading: Option<String> = None;
    for (event, _) in events(page) {
        match event {
            Event::Start(Tag::Heading { .. }) => heading = Some(String::new()),
            Event::Text(text) | Event::Code(text) => {
                if let Some(heading) = &mut heading {
                    *heading += &text;
                }
            }
            Event::End(TagEnd::Heading(_)) => {
                let text = heading.take().unwrap_or_default().to_lowercase();
                let kept = text.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
                found.insert(kept.map(|c| if c == ' ' { '-' } else { c }).collect());
            }
            _ => {}
        }
    }
    found
}
