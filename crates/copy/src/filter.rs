//! What is copied, and what is left alone.

use std::path::Path;

use ignore::overrides::{Override, OverrideBuilder};

use crate::job::Options;

/// Globs as in `.gitignore`, relative to what is copied.
#[derive(Clone, Debug)]
pub struct Filter(Override);

impl Filter {
    /// Of what is included and excluded. What is excluded stays so, whatever includes it.
    ///
    /// # Errors
    /// Something is no glob.
    pub fn new(options: &Options) -> Result<Filter, String> {
        let mut builder = OverrideBuilder::new("");
        let add = |builder: &mut OverrideBuilder, glob: &str| builder.add(glob).map(|_| ()).map_err(|error| error.to_string());
        for glob in &options.include {
            add(&mut builder, glob)?;
        }
        for glob in &options.exclude {
            add(&mut builder, &format!("!{glob}"))?;
        }
        builder.build().map(Filter).map_err(|error| error.to_string())
    }

    /// Whether that is copied; a folder also if something in it may be.
    pub fn keeps(&self, name: &Path, is_folder: bool) -> bool {
        !self.0.matched(name, is_folder).is_ignore()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_excluded_stays_excluded() {
        let options = Options {
            include: vec!["*.rs".into(), "*.toml".into()],
            exclude: vec!["target".into(), "/top.rs".into()],
            ..Options::default()
        };
        let filter = Filter::new(&options).unwrap();
        for (name, is_folder, keeps) in [
            ("a/b.rs", false, true),
            ("a/b.c", false, false),
            ("a", true, true),
            ("a/target", true, false),
            ("top.rs", false, false),
            ("a/top.rs", false, true),
        ] {
            assert_eq!(filter.keeps(Path::new(name), is_folder), keeps, "{name}");
        }
        assert!(Filter::new(&Options::default()).unwrap().keeps(Path::new("x"), false));
        assert!(Filter::new(&Options { include: vec!["a[".into()], ..Options::default() }).is_err());
    }
}
