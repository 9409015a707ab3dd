//! Files of a crate, and who uses whom.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::source::{Import, Source};

/// Module paths from the crate's root.
type Module = Vec<String>;

struct File {
    name: String,
    source: Source,
    imports: Vec<Import>,
}

/// Groups of files each of which uses all others of its group, directly or around a corner.
pub fn circles(src: &Path) -> BTreeSet<Vec<String>> {
    let files = files(src);
    let uses: BTreeMap<&Module, BTreeSet<Module>> = files.keys().map(|module| (module, uses(&files, module))).collect();
    let reach = |from: &Module| {
        let mut seen = BTreeSet::new();
        let mut open = vec![from.clone()];
        while let Some(module) = open.pop() {
            open.extend(uses[&module].iter().filter(|next| seen.insert((*next).clone())).cloned());
        }
        seen
    };
    let reached: BTreeMap<&Module, BTreeSet<Module>> = files.keys().map(|module| (module, reach(module))).collect();
    let circle = |module: &Module| {
        let back = reached[module].iter().filter(|other| reached[other].contains(module));
        back.map(|other| files[other].name.clone()).collect::<Vec<_>>()
    };
    files.keys().map(circle).filter(|circle| circle.len() > 1).map(sorted).collect()
}

fn sorted(mut circle: Vec<String>) -> Vec<String> {
    circle.sort();
    circle
}

/// Every file that is not for tests alone, by its module.
fn files(src: &Path) -> BTreeMap<Module, File> {
    let mut files = BTreeMap::new();
    for root in ["lib.rs", "main.rs"] {
        if src.join(root).is_file() {
            read(src, root, &[], src, &mut files);
            break;
        }
    }
    files
}

/// A file and its child modules, which are in `folder`.
fn read(src: &Path, name: &str, module: &[String], folder: &Path, files: &mut BTreeMap<Module, File>) {
    let text = std::fs::read_to_string(src.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"));
    let mut source = Source::new(&text);
    let imports = source.take_imports();
    for entry in folder.read_dir().into_iter().flatten() {
        let path = entry.unwrap().path();
        let child = path.file_stem().unwrap().to_str().unwrap().to_string();
        let declared = source.text.lines().any(|line| line.trim().ends_with(&format!("mod {child};")));
        if !declared || source.test_modules.contains(&child) {
            continue;
        }
        let below = folder.join(&child);
        let file = [folder.join(format!("{child}.rs")), below.join("mod.rs")].into_iter().find(|file| file.is_file());
        let Some(file) = file else { continue };
        let name = file.strip_prefix(src).unwrap().to_str().unwrap().to_string();
        let module: Module = module.iter().cloned().chain([child]).collect();
        if !files.contains_key(&module) {
            read(src, &name, &module, &below, files);
        }
    }
    files.insert(module.to_vec(), File { name: name.to_string(), source, imports });
}

/// What a file uses: where the items are that its paths name. To hand an item on is not to use it.
fn uses(files: &BTreeMap<Module, File>, module: &Module) -> BTreeSet<Module> {
    let file = &files[module];
    let mut used = BTreeSet::new();
    for import in &file.imports {
        if !import.exported || file.source.names(&import.name) {
            used.extend(absolute(files, module, &import.path).and_then(|path| home(files, &path)));
        }
    }
    for path in file.source.paths() {
        let import = file.imports.iter().find(|import| import.name == path[0]);
        let path = import.map_or(path.clone(), |import| import.path.iter().chain(&path[1..]).cloned().collect());
        used.extend(absolute(files, module, &path).and_then(|path| home(files, &path)));
    }
    used.remove(module);
    used
}

/// A path from the crate's root, if it names something of this crate.
fn absolute(files: &BTreeMap<Module, File>, module: &[String], path: &[String]) -> Option<Module> {
    let child = |name: &String| files.contains_key(&[module, std::slice::from_ref(name)].concat());
    match path.first()?.as_str() {
        "crate" => Some(path[1..].to_vec()),
        "self" => Some([module, &path[1..]].concat()),
        "super" => {
            let above = &module[..module.len().checked_sub(1)?];
            match path.get(1).map(String::as_str) {
                Some("super") => absolute(files, above, &path[1..]),
                _ => Some([above, &path[1..]].concat()),
            }
        }
        _ if child(&path[0]) => Some([module, path].concat()),
        _ => None,
    }
}

/// The module in which the item of an absolute path is, through whatever hands it on; none for a module as such.
fn home(files: &BTreeMap<Module, File>, path: &[String]) -> Option<Module> {
    let depth = (0..=path.len()).rev().find(|depth| files.contains_key(&path[..*depth]))?;
    let (module, rest) = path.split_at(depth);
    let item = rest.first()?;
    let handed_on = files[module].imports.iter().filter(|import| import.exported).find_map(|import| match import.path.last() {
        _ if import.name == *item => absolute(files, module, &import.path).and_then(|path| home(files, &path)),
        Some(star) if star == "*" => {
            let inside = absolute(files, module, &import.path[..import.path.len() - 1])?;
            let named = files.get(&inside).is_some_and(|file| file.source.names(item));
            named.then(|| home(files, &[&inside[..], std::slice::from_ref(item)].concat())).flatten()
        }
        _ => None,
    });
    Some(handed_on.unwrap_or_else(|| module.to_vec()))
}
