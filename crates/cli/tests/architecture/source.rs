//! Enough of Rust's syntax to see which file of a crate uses which other one.

/// A file without comments, strings and what is compiled for tests only.
pub struct Source {
    pub text: String,
    /// Child modules that only tests have.
    pub test_modules: Vec<String>,
}

/// A path of a `use`, with the name that it has in the file.
#[derive(Clone, Debug, PartialEq)]
pub struct Import {
    pub path: Vec<String>,
    pub name: String,
    /// It is handed on: `pub use`.
    pub exported: bool,
}

impl Source {
    pub fn new(text: &str) -> Source {
        let mut source = Source { text: without_comments_and_strings(text), test_modules: Vec::new() };
        while let Some(at) = source.text.find("#[cfg(test)]") {
            let end = end_of_item(&source.text, at);
            let item: String = source.text.drain(at..end).collect();
            if let Some((_, name)) = item.strip_suffix(';').and_then(|item| item.rsplit_once("mod ")) {
                source.test_modules.push(name.trim().to_string());
            }
        }
        source
    }

    /// Takes the `use` declarations out of the text.
    pub fn take_imports(&mut self) -> Vec<Import> {
        let mut imports = Vec::new();
        let mut rest = String::new();
        let mut declaration: Option<String> = None;
        for line in self.text.lines() {
            let start = line.trim_start();
            let visibility =
                ["pub use ", "pub(crate) use ", "pub(super) use ", "use "].into_iter().find(|keyword| start.starts_with(keyword));
            match (&mut declaration, visibility) {
                (Some(declaration), _) => declaration.push_str(start),
                (None, Some(_)) => declaration = Some(start.to_string()),
                (None, None) => rest.extend([line, "\n"]),
            }
            if let Some(whole) = declaration.take_if(|declaration| declaration.ends_with(';')) {
                let (visibility, tree) = whole.trim_end_matches(';').split_once("use ").expect("it is a use");
                expand(&[], tree, !visibility.is_empty(), &mut imports);
            }
        }
        self.text = rest;
        imports
    }

    /// Every path of two names or more in the text.
    pub fn paths(&self) -> Vec<Vec<String>> {
        let is_name = |c: char| c.is_alphanumeric() || c == '_' || c == ':';
        let words = self.text.split(|c| !is_name(c)).filter(|word| word.contains("::"));
        words.map(|word| word.split("::").filter(|name| !name.is_empty()).map(str::to_string).collect()).collect()
    }

    pub fn names(&self, name: &str) -> bool {
        self.text.split(|c: char| !(c.is_alphanumeric() || c == '_')).any(|word| word == name)
    }
}

/// `a::{b, c::d as e}` as paths.
fn expand(before: &[String], tree: &str, exported: bool, imports: &mut Vec<Import>) {
    let tree = tree.trim();
    if let Some((head, group)) = tree.split_once('{') {
        let mut path = before.to_vec();
        path.extend(head.split("::").map(str::trim).filter(|name| !name.is_empty()).map(str::to_string));
        let group = group.strip_suffix('}').expect("a group is closed");
        let (mut depth, mut from) = (0, 0);
        for (at, c) in group.char_indices().chain([(group.len(), ',')]) {
            match c {
                '{' => depth += 1,
                '}' => depth -= 1,
                ',' if depth == 0 => {
                    if !group[from..at].trim().is_empty() {
                        expand(&path, &group[from..at], exported, imports);
                    }
                    from = at + 1;
                }
                _ => {}
            }
        }
        return;
    }
    let (tree, alias) = tree.split_once(" as ").map_or((tree, None), |(tree, alias)| (tree, Some(alias)));
    let mut path = before.to_vec();
    path.extend(tree.split("::").map(|name| name.trim().to_string()));
    if path.last().is_some_and(|name| name == "self") {
        path.pop();
    }
    let name = alias.or(path.last().map(String::as_str)).unwrap_or_default().trim().to_string();
    imports.push(Import { path, name, exported });
}

/// After the item that begins at `at`: its `;` or its closing brace.
fn end_of_item(text: &str, at: usize) -> usize {
    let mut depth = 0;
    for (here, c) in text[at..].char_indices() {
        match c {
            '{' => depth += 1,
            '}' => {
                depth -= 1;
                if depth == 0 {
                    return at + here + 1;
                }
            }
            ';' if depth == 0 => return at + here + 1,
            _ => {}
        }
    }
    text.len()
}

fn without_comments_and_strings(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let raw = rest.starts_with("r\"") || rest.starts_with("r#\"");
        let skip = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if raw && !out.ends_with(|c: char| c.is_alphanumeric() || c == '_') {
            let end = if rest.starts_with("r#") { "\"#" } else { "\"" };
            let from = rest.find('"').expect("it has one") + 1;
            rest[from..].find(end).map_or(rest.len(), |at| from + at + end.len())
        } else if c == '"' {
            let mut escaped = false;
            let end = rest.char_indices().skip(1).find(|(_, c)| {
                let ends = *c == '"' && !escaped;
                escaped = *c == '\\' && !escaped;
                ends
            });
            end.map_or(rest.len(), |(at, _)| at + 1)
        } else if c == '\'' {
            // A character, or a lifetime.
            let mut chars = rest.char_indices().skip(1);
            match (chars.next(), chars.next()) {
                (Some((_, '\\')), _) => rest[3..].find('\'').map_or(rest.len(), |at| at + 4),
                (_, Some((at, '\''))) => at + 1,
                _ => 0,
            }
        } else {
            0
        };
        if skip == 0 {
            out.push(c);
            rest = &rest[c.len_utf8()..];
        } else {
            rest = &rest[skip..];
        }
    }
    out
}
