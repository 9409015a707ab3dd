//! `symbiosis playground`: the simulator in a browser.

use std::env;
use std::path::PathBuf;

use miette::miette;

use crate::failure::Failure;
use crate::output::OutFolder;
use crate::print::print;

/// Where the page goes.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Write the page into a new folder, for a web server or for later, and do not open it
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Only say where the page is
    #[arg(long)]
    no_open: bool,
}

/// Runs the command.
///
/// # Errors
/// The folder is at fault, or writing fails.
pub fn run(args: &Args) -> Result<(), Failure> {
    let folder = match &args.out {
        Some(folder) => OutFolder::check(folder)?.path().to_path_buf(),
        None => cache()?,
    };
    let failed = |error| Failure::Other(miette!("cannot write into {}: {error}", folder.display()));
    symbiosis_playground::write(&folder).map_err(failed)?;
    let page = folder.canonicalize().map_err(failed)?.join("index.html");
    print(&format!("{}\n", page.display()))?;
    if args.out.is_none() && !args.no_open {
        open::that_detached(&page)
            .map_err(|error| Failure::Other(miette!(help = "open it yourself", "no browser could be started: {error}")))?;
    }
    Ok(())
}

/// A folder of the user's own for things that can be made again (XDG base directory specification).
fn cache() -> Result<PathBuf, Failure> {
    let absolute = |name| env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let cache = absolute("XDG_CACHE_HOME").or_else(|| absolute("HOME").map(|home| home.join(".cache")));
    cache
        .map(|cache| cache.join("symbiosis").join("playground"))
        .ok_or_else(|| Failure::input("neither XDG_CACHE_HOME nor HOME names a folder for the page", "say where it goes: --out DIR"))
}
