//! The report, its chapters, and where a page is among the others.

use crate::entry::Entry;
use crate::frame::{Link, Links};
use crate::html::anchor;

/// What a report is of.
#[derive(Clone, Copy, Debug)]
pub struct Report<'a> {
    /// Its title.
    pub title: &'a str,
    /// Paragraphs parted by empty lines, with `code` in backticks.
    pub intro: &'a str,
    /// Its parts, in order; none where it is of one thing.
    pub chapters: &'a [Chapter<'a>],
    /// What it is made of.
    pub entries: &'a [Entry<'a>],
}

/// A part of a report: the experiments whose names begin with its key.
#[derive(Clone, Copy, Debug)]
pub struct Chapter<'a> {
    /// What the names begin with: `"S"`.
    pub key: &'a str,
    /// Its title.
    pub title: &'a str,
    /// What was found, in a few paragraphs as [`Report::intro`].
    pub story: &'a str,
    /// Ids of the figures that show it.
    pub figures: &'a [&'a str],
}

/// What the list at the side is of.
pub(super) const LISTED: &str = "Experiments";

/// An experiment's page, from the report's folder.
pub(super) fn page_file(id: &str) -> String {
    format!("experiments/{}.html", anchor(id))
}

pub(super) struct Around {
    pub(super) href: String,
    pub(super) rel: &'static str,
    pub(super) text: String,
}

/// Where a page is among the others.
pub(super) struct Place<'a> {
    /// From the page to the report's folder.
    pub(super) base: &'a str,
    pub(super) nav: &'a [Links<'a>],
    pub(super) around: Vec<Around>,
}

/// Experiments of a chapter; the last chapter has those that belong to none.
fn of_chapter<'a>(report: &Report<'a>, chapter: Option<&Chapter>) -> Vec<&'a Entry<'a>> {
    let of = |entry: &Entry| report.chapters.iter().find(|chapter| entry.id.starts_with(chapter.key)).map(|chapter| chapter.key);
    report.entries.iter().filter(|entry| of(entry) == chapter.map(|chapter| chapter.key)).collect()
}

/// Chapters with their experiments; those without are left out.
pub(super) fn chapters<'a>(report: &Report<'a>) -> Vec<(Chapter<'a>, Vec<&'a Entry<'a>>)> {
    let others = Chapter { key: "", title: if report.chapters.is_empty() { "Experiments" } else { "Others" }, story: "", figures: &[] };
    let known = report.chapters.iter().map(|chapter| (*chapter, of_chapter(report, Some(chapter))));
    known.chain([(others, of_chapter(report, None))]).filter(|(_, entries)| !entries.is_empty()).collect()
}

/// The list of all experiments.
pub(super) fn nav<'a>(report: &Report<'a>) -> Vec<Links<'a>> {
    let link = |entry: &'a Entry<'a>| Link { href: page_file(entry.id), id: entry.id, title: entry.title };
    chapters(report)
        .into_iter()
        .map(|(chapter, entries)| Links { title: chapter.title, links: entries.into_iter().map(link).collect() })
        .collect()
}
