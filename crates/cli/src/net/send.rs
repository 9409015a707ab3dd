//! `symbiosis send`: files to a server.

use std::collections::BTreeSet;
use std::path::Path;

use symbiosis_quic::transfer::{FileSource, Task};

use crate::failure::Failure;
use crate::net::{Connection, Control, Out, Work, transfer};

/// What to send, and to whom.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The files
    #[arg(required = true, num_args = 1.., value_name = "FILE")]
    files: Vec<String>,
    /// The server
    #[arg(value_name = "HOST[:PORT]")]
    server: String,
    /// Replace files of the same names
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
/// A file cannot be read, the server is not there or not the one that was meant, or it refuses.
pub fn run(args: &Args) -> Result<(), Failure> {
    let server = args.connection.server(&args.server, args.control.choice()?)?;
    let mut names = BTreeSet::new();
    let mut tasks = Vec::new();
    for file in &args.files {
        let fault = |why: String| Failure::input(format!("{file}: {why}"), "give files that you may read, then HOST or HOST:PORT");
        let name = Path::new(file).file_name().and_then(|name| name.to_str()).ok_or_else(|| fault("this is no name of a file".into()))?;
        let source = FileSource::open(Path::new(file)).map_err(|error| fault(error.to_string()))?;
        if !names.insert(name.to_string()) {
            return Err(fault(format!("two files would be `{name}` there")));
        }
        tasks.push(Task::Send { name: name.into(), source: Box::new(source), hash: None, force: args.force });
    }
    let command = format!("symbiosis send {} {} --cc {}", args.files.join(" "), args.server, args.control.name());
    transfer(&server, tasks, &Work { done: "sent", command, comes: false, out: &args.out, json: args.json })
}
