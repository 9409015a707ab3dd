//! `symbiosis completions` and `symbiosis man`: what a shell and `man` know of the command, made from the same definition that parses it.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use clap::Command;
use clap_complete::Shell;
use clap_mangen::Man;
use miette::miette;

use crate::failure::Failure;
use crate::print::print;

/// Which shell.
#[derive(Debug, clap::Args)]
pub struct Completions {
    /// The shell that reads the script
    shell: Shell,
}

/// Where to.
#[derive(Debug, clap::Args)]
pub struct Pages {
    /// Write one page for each command into this folder; without it the page of `symbiosis` goes to stdout
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

/// Prints a completion script.
///
/// # Errors
/// Writing fails.
pub fn completions(args: &Completions, mut command: Command) -> Result<(), Failure> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut command, "symbiosis", &mut script);
    print(&String::from_utf8_lossy(&script))
}

/// Writes manual pages in roff.
///
/// # Errors
/// Writing fails.
pub fn pages(args: &Pages, mut command: Command) -> Result<(), Failure> {
    command.build();
    match &args.out {
        None => print(&String::from_utf8_lossy(&page(command)?)),
        Some(folder) => {
            fs::create_dir_all(folder).map_err(|error| unwritable(folder, &error))?;
            write_all(&command, "symbiosis", folder)
        }
    }
}

fn unwritable(path: &Path, error: &io::Error) -> Failure {
    Failure::Other(miette!("cannot write {}: {error}", path.display()))
}

/// The page of a command, then those of its subcommands: `symbiosis-kernel-start.1`.
fn write_all(command: &Command, name: &str, folder: &Path) -> Result<(), Failure> {
    let path = folder.join(format!("{name}.1"));
    fs::write(&path, page(command.clone())?).map_err(|error| unwritable(&path, &error))?;
    for sub in command.get_subcommands().filter(|sub| !sub.is_hide_set() && sub.get_name() != "help") {
        write_all(sub, &format!("{name}-{}", sub.get_name()), folder)?;
    }
    Ok(())
}

fn page(command: Command) -> Result<Vec<u8>, Failure> {
    let mut roff = Vec::new();
    Man::new(command).render(&mut roff)?;
    Ok(roff)
}
