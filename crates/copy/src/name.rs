//! Names of entries: bytes, as Linux has them.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use symbiosis_quic::plain::plain;

/// Longest path, and longest part of one \[bytes\] (Linux' `PATH_MAX` and `NAME_MAX`).
const LONGEST: (usize, usize) = (4095, 255);

/// A path that a peer told, as one below a folder.
///
/// # Errors
/// It leads elsewhere, or is none.
pub(crate) fn checked(name: &[u8]) -> Result<&Path, String> {
    let fault = |why: &str| Err(format!("`{}` {why}", shown(name)));
    if name.len() > LONGEST.0 {
        return Err("a path is too long".into());
    }
    if name.contains(&0) {
        return fault("is no name");
    }
    for part in name.split(|byte| *byte == b'/') {
        match part {
            b"" | b"." | b".." => return fault("leads out of the folder"),
            part if part.len() > LONGEST.1 => return fault("has too long a part"),
            _ => {}
        }
    }
    Ok(Path::new(OsStr::from_bytes(name)))
}

/// A name as a terminal may be given it: what is no text, or would steer the terminal, is escaped.
pub fn shown(name: &[u8]) -> String {
    name.utf8_chunks().fold(String::new(), |mut text, chunk| {
        text.push_str(&plain(chunk.valid()));
        chunk.invalid().iter().for_each(|byte| text.push_str(&format!("\\x{byte:02x}")));
        text
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn names_stay_below() {
        for good in ["a", "a/b", ".hidden", "a..b", "...", "-", "a b"] {
            assert!(checked(good.as_bytes()).is_ok(), "{good}");
        }
        let long = format!("{}/b", "a".repeat(256));
        for wrong in ["", "/", "/a", "a/", "..", "a/../b", "./a", "a//b", "a\0b", &long, &"a/".repeat(2048)] {
            assert!(checked(wrong.as_bytes()).is_err(), "{wrong:?}");
        }
        assert_eq!(shown(b"a\xff\x1b[2Jb"), "a\\xff\\u{1b}[2Jb");
    }

    proptest! {
        #[test]
        fn what_is_checked_has_only_normal_parts(name in proptest::collection::vec(prop_oneof![Just(b'.'), Just(b'/'), any::<u8>()], 0..12)) {
            if let Ok(path) = checked(&name) {
                prop_assert!(path.components().all(|part| matches!(part, std::path::Component::Normal(_))));
                prop_assert_eq!(path.as_os_str().as_bytes(), &name[..]);
            }
        }
    }
}
