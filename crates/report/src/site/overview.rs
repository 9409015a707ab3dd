//! The overview: how much holds, each chapter's story with its figures, and all experiments with their claims.

use askama::Template;

use super::parts::{Bar, Shown, bar, shown};
use super::place::{LISTED, Report, chapters, page_file};
use crate::entry::{Counts, Entry, figure_file, told};
use crate::frame::{Frame, Links};
use crate::html::{anchor, paragraphs};

#[derive(Template)]
#[template(path = "overview.html")]
struct OverviewPage<'a> {
    frame: Frame<'a>,
    intro: String,
    totals: Vec<Total>,
    chapters: Vec<ChapterShown<'a>>,
    controllers: Vec<String>,
}

struct Total {
    name: &'static str,
    counts: Bar,
    text: String,
}

struct ChapterShown<'a> {
    key: &'a str,
    anchor: String,
    title: &'a str,
    story: String,
    figures: Vec<Featured<'a>>,
    rows: Vec<Row<'a>>,
}

struct Featured<'a> {
    href: String,
    file: String,
    id: &'a str,
    title: &'a str,
}

struct Row<'a> {
    href: String,
    id: &'a str,
    title: &'a str,
    source: &'a str,
    controllers: String,
    counts: Bar,
    claims: Vec<Shown>,
}

pub(super) fn overview(report: &Report, nav: &[Links]) -> String {
    let featured = |id: &&str| {
        let entry = report.entries.iter().find(|entry| entry.outcome.figures.iter().any(|figure| figure.id == **id))?;
        let figure = entry.outcome.figures.iter().find(|figure| figure.id == **id)?;
        Some(Featured { href: page_file(entry.id), file: figure_file(&figure.id), id: entry.id, title: &figure.title })
    };
    let row = |entry: &Entry<'_>| {
        let counts = Counts::of_claims(&entry.outcome.claims);
        (page_file(entry.id), controllers(entry).join(" "), bar(counts), entry.outcome.claims.iter().map(shown).collect::<Vec<_>>())
    };
    let chapters: Vec<ChapterShown> = chapters(report)
        .into_iter()
        .map(|(chapter, entries)| ChapterShown {
            key: chapter.key,
            anchor: format!("chapter-{}", anchor(chapter.key)),
            title: chapter.title,
            story: paragraphs(chapter.story),
            figures: chapter.figures.iter().filter_map(featured).collect(),
            rows: entries
                .into_iter()
                .map(|entry| {
                    let (href, controllers, counts, claims) = row(entry);
                    Row { href, id: entry.id, title: entry.title, source: entry.source, controllers, counts, claims }
                })
                .collect(),
        })
        .collect();
    let mut all: Vec<String> = report.entries.iter().flat_map(controllers).collect();
    all.sort();
    all.dedup();
    let total = |(name, counts): (&'static str, Counts)| Total { name, counts: bar(counts), text: counts.to_string() };
    let page = OverviewPage {
        frame: Frame { title: report.title, base: "", listed: LISTED, nav, current: "" },
        intro: paragraphs(report.intro),
        totals: told(report.entries).into_iter().map(total).collect(),
        chapters,
        controllers: all,
    };
    page.render().expect("templates write into memory")
}

/// Controllers that an experiment's scenarios name.
fn controllers(entry: &Entry) -> Vec<String> {
    let values = entry.outcome.scenarios.iter().flat_map(|(_, text)| text.lines()).filter_map(|line| {
        let value = line.trim().strip_prefix("cc")?.trim_start().strip_prefix('=')?.trim_start().strip_prefix('"')?;
        value.split('"').next().map(String::from)
    });
    let mut names: Vec<String> = values.collect();
    names.sort();
    names.dedup();
    names
}
