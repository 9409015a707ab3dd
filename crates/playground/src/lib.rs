#![doc = include_str!("../README.md")]

use std::fs;
use std::io;
use std::path::Path;

/// The page's files: name and bytes. `index.html` opens in a browser, from a folder as from any web server; nothing else is loaded.
pub const FILES: [(&str, &[u8]); 4] = [
    ("index.html", include_bytes!("../assets/index.html")),
    ("playground.css", include_bytes!("../assets/playground.css")),
    ("playground.js", include_bytes!("../assets/playground.js")),
    ("LICENSES.txt", include_bytes!("../assets/LICENSES.txt")),
];

/// Writes the files into a folder, which is made if it is not there.
///
/// # Errors
/// The folder cannot be made, or a file cannot be written.
pub fn write(folder: &Path) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    FILES.iter().try_for_each(|(name, bytes)| fs::write(folder.join(name), bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_names_no_file_that_is_not_written() {
        let folder = tempfile::tempdir().expect("there is room");
        write(folder.path()).expect("it can be written");
        let page = fs::read_to_string(folder.path().join("index.html")).expect("it is text");
        let named: Vec<&str> =
            ["src=\"", "href=\""].iter().flat_map(|key| page.split(key).skip(1)).map(|rest| rest.split('"').next().unwrap_or("")).collect();
        assert_eq!(named.len(), 2);
        for name in named {
            assert!(folder.path().join(name).is_file(), "{name}");
        }
    }

    /// The simulator in the script, as base64, is three quarters of it.
    #[test]
    fn the_simulator_stays_small() {
        let (_, script) = FILES[2];
        assert!(script.len() * 3 / 4 < 2_000_000, "{} bytes", script.len());
    }
}
