//! Names of files of which not all has come yet.

/// What a file is told from others by while it arrives: its name, its size, its hash, and who sends it. So nobody continues, cuts off or
/// removes what somebody else has sent.
pub fn part_name(name: &str, bytes: u64, hash: &str, sender: &str) -> String {
    let mut hasher = blake3::Hasher::new();
    for part in [name.as_bytes(), &bytes.to_be_bytes(), hash.as_bytes(), sender.as_bytes()] {
        hasher.update(&(part.len() as u64).to_be_bytes()).update(part);
    }
    // So much of the name that a user sees whose part it is; names have 255 bytes at the most.
    let short = name.char_indices().take_while(|(at, c)| at + c.len_utf8() <= 200).map(|(_, c)| c).collect::<String>();
    format!(".{short}.{}.part", &hasher.finalize().to_hex()[..32])
}

/// Whether a file of that name is a part.
pub(super) fn is_part(name: &str) -> bool {
    let Some((_, id)) = name.strip_suffix(".part").filter(|rest| rest.starts_with('.')).and_then(|rest| rest.rsplit_once('.')) else {
        return false;
    };
    id.len() == 32 && id.bytes().all(|byte| byte.is_ascii_hexdigit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_belongs_to_one_file_of_one_sender() {
        let names =
            [("a", 1, "0", "x"), ("b", 1, "0", "x"), ("a", 0, "0", "x"), ("a", 1, "1", "x"), ("a", 1, "0", "y"), ("a1", 1, "", "0x")];
        let names: std::collections::BTreeSet<_> =
            names.iter().map(|(name, bytes, hash, sender)| part_name(name, *bytes, hash, sender)).collect();
        assert_eq!(names.len(), 6);
        assert!(names.iter().all(|name| is_part(name)));
        let long = part_name(&"ä".repeat(127), 1, "0", "x");
        assert!(long.len() <= 255 && is_part(&long), "{long}");
        assert!(!is_part("file") && !is_part(".hidden.part") && !is_part("a.part"));
    }
}
