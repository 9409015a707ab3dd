//! `symbiosis fetch`: a file from a server.

use std::path::{Path, PathBuf};

use symbiosis_quic::transfer::{Target, Task};

use crate::failure::Failure;
use crate::net::{Connection, Control, Out, Work, transfer};

/// What to fetch, from whom, and where it is to be.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The server, and the file's name below the folder that it serves
    #[arg(value_name = "HOST[:PORT]/NAME")]
    what: String,
    /// Where the file is to be: a folder, or a new name [default: this folder]
    #[arg(long, value_name = "PATH")]
    to: Option<PathBuf>,
    /// Replace a file that is there
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    connection: Connection,
    #[command(flatten)]
    control: Control,
    #[command(flatten)]
    out: Out,
    /// Print JSON and nothing else
    #[arg(long)]
    json: bool,
}

/// Runs the command.
///
/// # Errors
/// There is no place for the file, the server is not there or not the one that was meant, or it refuses.
pub fn run(args: &Args) -> Result<(), Failure> {
    let parts = args.what.split_once('/').filter(|(_, name)| !name.is_empty());
    let Some((server, name)) = parts else {
        return Err(Failure::input(format!("{}: there is no name of a file", args.what), "write HOST/NAME or HOST:PORT/NAME"));
    };
    let server = args.connection.server(server, args.control.choice()?)?;
    let last = Path::new(name).file_name().unwrap_or(name.as_ref());
    let place = match &args.to {
        None => PathBuf::from(last),
        Some(folder) if folder.is_dir() => folder.join(last),
        Some(file) => file.clone(),
    };
    let target = Target::new(place, args.force).map_err(|why| Failure::input(why, "say --to another place, or --force to replace it"))?;
    let command = format!("symbiosis fetch {}", args.what);
    let work = Work { done: "fetched", command, comes: true, out: &args.out, json: args.json };
    transfer(&server, vec![Task::Fetch { name: name.into(), target }], &work)
}
