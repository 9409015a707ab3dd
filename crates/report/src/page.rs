//! The page: one HTML file with everything in it that opens from a folder, without a network.

use super::entry::{Counts, Entry, place, scenario_files, told};
use super::experiment::{badge, experiment};
use super::html::{anchor, escaped, paragraphs, prose};
use super::number::measured;
use super::parts::{POLICY, SCRIPT, STYLE, libraries};

/// The report as one HTML document. `intro` is text: paragraphs parted by empty lines, `code` in backticks. No dates: the same entries give the same page.
pub fn page(title: &str, intro: &str, entries: &[Entry]) -> String {
    let title = escaped(title);
    let libraries = libraries();
    let parts: String = entries.iter().zip(scenario_files(entries)).map(|(entry, scenarios)| experiment(entry, &scenarios)).collect();
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">\n\
         <link rel=\"icon\" href=\"data:,\">\n<title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<main>\n\
         <header>\n<h1>{title}</h1>\n{}</header>\n{}{parts}\
         <footer>Plots: click names in the legend to see only those, drag to move, Ctrl + wheel to zoom, double-click to go back. \
         Numbers as data: <a href=\"results.json\">results.json</a></footer>\n\
         </main>\n{libraries}<script>\n{SCRIPT}</script>\n</body>\n</html>\n",
        paragraphs(intro),
        summary(entries),
    )
}

/// All claims at a glance; for one experiment alone its own part says it all.
fn summary(entries: &[Entry]) -> String {
    if entries.len() < 2 {
        return String::new();
    }
    let links: String = entries.iter().map(|entry| format!("<a href=\"#{}\">{}</a>\n", anchor(entry.id), escaped(entry.id))).collect();
    let mut rows = String::new();
    for entry in entries {
        for claim in &entry.outcome.claims {
            rows += &format!(
                "<tr><td data-head=\"Experiment\"><div><a href=\"#{}\">{}</a></div></td><td data-head=\"Claim\"><div>{}</div></td>\
                 <td data-head=\"Stated\"><div>{} <small>{}</small></div></td><td data-head=\"Measured\"><div>{}</div></td><td data-head=\"Verdict\"><div>{}</div></td></tr>\n",
                anchor(entry.id),
                escaped(entry.id),
                prose(&claim.text),
                prose(&claim.stated),
                escaped(&place(claim)),
                escaped(&measured(claim)),
                badge(claim.verdict),
            );
        }
    }
    let table = if rows.is_empty() {
        String::new()
    } else {
        format!(
            "{}<table class=\"claims summary\">\n<thead><tr><th>Id</th><th>Claim</th><th>Stated</th><th>Measured</th><th>Verdict</th></tr></thead>\n\
             <tbody>\n{rows}</tbody>\n</table>\n",
            counts(entries)
        )
    };
    format!("<nav>{links}</nav>\n{table}")
}

/// How many claims hold: the papers' first, then theory's and our own.
fn counts(entries: &[Entry]) -> String {
    let line = |(name, counts): (&str, Counts)| {
        let share = counts.share().map_or(String::new(), |share| format!(", {:.0} % of those run", 100.0 * share));
        format!(
            "<p class=\"counts\"><b>{name}{share}:</b> <span class=\"verdict holds\">{} hold</span> <span class=\"verdict differs\">{} differ</span> \
             <span class=\"verdict undecided\">{} undecided</span> <span class=\"verdict not-run\">{} not run</span></p>\n",
            counts.holds, counts.differs, counts.undecided, counts.not_run
        )
    };
    told(entries).into_iter().map(line).collect()
}
