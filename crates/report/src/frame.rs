//! What surrounds the content of every page: its head, the list at the side, its foot.

use askama::Template;

use crate::parts::POLICY;

/// A page's frame.
#[derive(Clone, Copy, Debug)]
pub struct Frame<'a> {
    /// What the window is called.
    pub title: &'a str,
    /// From the page to the folder that has `assets/`: `""`, `"../"`.
    pub base: &'a str,
    /// What the list at the side is of.
    pub listed: &'a str,
    /// The list at the side; none for a page that stands alone.
    pub nav: &'a [Links<'a>],
    /// The entry of that list that is this page, by its `href`; empty for the overview.
    pub current: &'a str,
}

/// A part of the list at the side.
#[derive(Clone, Debug)]
pub struct Links<'a> {
    /// Its title.
    pub title: &'a str,
    /// Its entries.
    pub links: Vec<Link<'a>>,
}

/// An entry of the list at the side.
#[derive(Clone, Debug)]
pub struct Link<'a> {
    /// From the folder.
    pub href: String,
    /// What it is called for short; may be empty.
    pub id: &'a str,
    /// Its title.
    pub title: &'a str,
}

impl Frame<'_> {
    pub(crate) fn policy(&self) -> &'static str {
        POLICY
    }
}

#[derive(Template)]
#[template(path = "framed.html")]
struct Framed<'a> {
    frame: &'a Frame<'a>,
    main: &'a str,
}

/// A page in that frame. `main` is HTML. Its folder needs the [`ASSETS`](crate::parts::ASSETS), and `index.html` and `results.json`, to which every
/// page leads.
pub fn framed(frame: &Frame, main: &str) -> String {
    Framed { frame, main }.render().expect("templates write into memory")
}
