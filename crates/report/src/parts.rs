//! What pages are made of: styles, scripts and figures. A page that has them opens from a folder, without a network.

use super::entry::figure_file;
use super::html::{anchor, escaped, json_in_script, library, prose};
use super::vega::vega;
use crate::figure::Figure;

/// Styles of a report, for light and dark.
pub const STYLE: &str = include_str!("../assets/report.css");
/// What draws the figures; it comes behind the [`libraries`].
pub const SCRIPT: &str = include_str!("../assets/report.js");
/// In the order in which they need each other.
const LIBRARIES: [&str; 3] =
    [include_str!("../assets/vega.min.js"), include_str!("../assets/vega-lite.min.js"), include_str!("../assets/vega-embed.min.js")];
/// The browser itself forbids every request but the links a reader clicks. Vega compiles its expressions, which counts as eval.
pub const POLICY: &str =
    "default-src 'none'; script-src 'unsafe-inline' 'unsafe-eval'; style-src 'unsafe-inline'; img-src 'self' file: data: blob:";

/// The libraries that draw, each in its element.
pub fn libraries() -> String {
    LIBRARIES.iter().map(|source| format!("<script>{}</script>\n", library(source))).collect()
}

/// A figure with its data; without scripts its SVG stands there, which is in the folder as [`figure_file`] says.
pub fn figure(figure: &Figure) -> String {
    let (title, caption, file) = (escaped(&figure.title), prose(&figure.caption), escaped(&figure_file(&figure.id)));
    let spec = json_in_script(&vega(figure));
    format!(
        "<figure id=\"{}\">\n<h3>{title}</h3>\n<div class=\"plot\"></div>\n<script type=\"application/json\">{spec}</script>\n\
         <noscript><img src=\"{file}\" alt=\"{title}\"></noscript>\n\
         <figcaption>{caption} <a href=\"{file}\">SVG</a></figcaption>\n</figure>\n",
        escaped(&format!("figure-{}", anchor(&figure.id))),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_inlined_ends_its_element() {
        for source in LIBRARIES.iter().chain([&SCRIPT]) {
            let lower = source.to_lowercase();
            assert!(!lower.contains("</script") && !lower.contains("<!--") && !lower.contains("<script"));
        }
        assert!(!STYLE.to_lowercase().contains("</style"));
        assert!(LIBRARIES.iter().all(|source| !library(source).contains("sourceMappingURL")));
    }
}
