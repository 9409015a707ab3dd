use super::*;

/// The reference of the format, which a stranger reads.
const PAGE: &str = include_str!("../../../../docs/using.md");

/// The rows that the page must have for a table.
fn rows(keys: &[Key]) -> Vec<String> {
    keys.iter()
        .map(|key| {
            let required = if key.required { ", required" } else { "" };
            format!("| `{}`{required} | {} | {} |", key.name, key.kind.wanted(), key.about)
        })
        .collect()
}

#[test]
fn the_documentation_has_every_key_and_no_other() {
    let tables = [
        ("### The scenario", ROOT),
        ("### `[bottleneck]`", BOTTLENECK),
        ("### `[[link]]`", LINK),
        ("### `wifi`", WIFI),
        ("### `cellular`", CELLULAR),
        ("### `impair`", IMPAIR),
        ("### `[[flow]]`", FLOW),
        ("### `[[cross]]`", CROSS),
        ("### `[measure]`", MEASURE),
        ("### `[trace]`", TRACE),
    ];
    for (heading, keys) in tables {
        let section = PAGE.lines().skip_while(|line| *line != heading).skip(1).take_while(|line| !line.starts_with('#'));
        let written: Vec<&str> = section.filter(|line| line.starts_with("| `")).collect();
        let wanted = rows(keys);
        assert_eq!(written, wanted, "docs/using.md must have under {heading}:\n{}\n", wanted.join("\n"));
    }
}
