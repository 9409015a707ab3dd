//! Where files are: here, or on another machine, as scp and rsync have it.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};

/// A path, and on which machine.
#[derive(Debug, PartialEq, Eq)]
pub enum Place {
    Here(OsString),
    There {
        /// As ssh takes it: a name, perhaps with a user before it.
        host: String,
        path: OsString,
    },
}

impl Place {
    /// A colon with no slash before it ends a host; of an address with colons, brackets do.
    pub fn parse(text: &OsStr) -> Place {
        let bytes = text.as_bytes();
        let here = || Place::Here(text.into());
        let from = match bytes.iter().position(|byte| *byte == b'[') {
            Some(open) if open == 0 || bytes[open - 1] == b'@' => match bytes.iter().position(|byte| *byte == b']') {
                Some(close) => close,
                None => return here(),
            },
            _ => 0,
        };
        let Some(colon) = bytes[from..].iter().position(|byte| *byte == b':').map(|at| at + from) else { return here() };
        let (host, path) = (&bytes[..colon], &bytes[colon + 1..]);
        match std::str::from_utf8(host) {
            // What begins with a dash would be an option to ssh.
            Ok(host) if !host.is_empty() && !host.contains('/') && !host.starts_with('-') => {
                Place::There { host: host.replace(['[', ']'], ""), path: OsString::from_vec(path.to_vec()) }
            }
            _ => here(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_colon_before_any_slash_ends_a_host() {
        let there = |host: &str, path: &str| Place::There { host: host.into(), path: path.into() };
        for (text, place) in [
            ("host:a/b", there("host", "a/b")),
            ("me@host:", there("me@host", "")),
            ("[::1]:a", there("::1", "a")),
            ("me@[fe80::1]:/a:b", there("me@fe80::1", "/a:b")),
            ("host:/a", there("host", "/a")),
        ] {
            assert_eq!(Place::parse(OsStr::new(text)), place, "{text}");
        }
        for text in ["a", "./a:b", "/a:b", "a/b:c", ":a", "-", "-oProxyCommand=x:a", "[::1", ""] {
            assert_eq!(Place::parse(OsStr::new(text)), Place::Here(text.into()), "{text}");
        }
    }
}
