//! The shape of the code, held: no two files of a crate use each other, directly or around a corner.

mod graph;
mod source;

use std::path::Path;

#[test]
fn no_files_of_a_crate_use_each_other() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("it is among the crates");
    let mut names: Vec<_> = std::fs::read_dir(crates).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    assert!(names.contains(&"control".to_string()));
    let mut faults = Vec::new();
    for name in names {
        let found = graph::circles(&crates.join(&name).join("src"));
        faults.extend(found.iter().map(|circle| format!("{name}: these use each other: {}", circle.join(", "))));
    }
    assert!(faults.is_empty(), "\n{}", faults.join("\n"));
}

/// The finder is held against crates whose circles are known.
#[test]
fn a_circle_is_found_around_corners_and_through_what_hands_on() {
    let found = |files: &[(&str, &str)]| {
        let src = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let path = src.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        graph::circles(src.path()).into_iter().map(|circle| circle.join(" ")).collect::<Vec<_>>()
    };
    let lib = ("lib.rs", "mod a;\nmod b;\nmod c;\npub use b::Handed;\n");
    let [b, c] = [("b.rs", "use crate::c::{self};\npub struct Handed(c::Third);"), ("c.rs", "pub struct Third;")];
    assert_eq!(found(&[lib, ("a.rs", "use crate::Handed;"), b, c]), [""; 0], "to hand on is not to use");
    // a uses b by the name that the root hands on, b uses c by a path, c uses a by one.
    assert_eq!(found(&[lib, ("a.rs", "use crate::Handed;"), b, ("c.rs", "fn f() -> super::a::First {}")]), ["a.rs b.rs c.rs"]);
    for unseen in ["// crate::a::First", "const C: &str = \"crate::a::First\";", "#[cfg(test)]\nmod tests {\n    use crate::a::First;\n}"] {
        assert_eq!(found(&[lib, ("a.rs", "use crate::Handed;"), b, ("c.rs", unseen)]), [""; 0], "{unseen}");
    }
    // A file and its parent.
    let tree = [("lib.rs", "mod a;"), ("a/mod.rs", "mod b;\nuse b::B;\npub struct A;"), ("a/b.rs", "pub struct B(super::A);")];
    assert_eq!(found(&tree), ["a/b.rs a/mod.rs"]);
}
