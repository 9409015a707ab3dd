//! A server that is started for a test, and the command beside it.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};

/// No argument of the command's: the server is started as it comes.
pub const NOBODY_WRITES: &str = "nobody writes";

/// A server that ends with its test.
pub struct Server {
    process: Child,
    pub address: String,
    pub fingerprint: String,
}

impl Server {
    pub fn start(folder: &Path, more: &[&str]) -> Server {
        Server::at("127.0.0.1:0", folder, more)
    }

    /// At an address of its own.
    pub fn at(listen: &str, folder: &Path, more: &[&str]) -> Server {
        Server::by(Command::new(env!("CARGO_BIN_EXE_symbiosis")), listen, folder, more)
    }

    /// Whose files may not have more than a few megabytes: what lies beyond cannot be written.
    pub fn on_a_small_disk(folder: &Path) -> Server {
        let mut shell = Command::new("sh");
        // Told of it by a signal, too, unless that is ignored.
        shell.args(["-c", "trap '' XFSZ; ulimit -f 2000; exec \"$0\" \"$@\"", env!("CARGO_BIN_EXE_symbiosis")]);
        Server::by(shell, "127.0.0.1:0", folder, &[])
    }

    fn by(mut command: Command, listen: &str, folder: &Path, more: &[&str]) -> Server {
        let identity = folder.join("identity.pem");
        fs::create_dir_all(folder.join("served")).unwrap();
        let mut process = command
            .current_dir(folder)
            .args(["serve", "--dir", "served", "--listen", listen, "--identity"])
            .arg(identity)
            .args(if more.contains(&NOBODY_WRITES) { &[] } else { &["--anyone-may-write"][..] })
            .args(more.iter().filter(|arg| **arg != NOBODY_WRITES))
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(process.stdout.take().unwrap()).lines();
        let mut after =
            |word: &str| lines.next().unwrap().unwrap().split_once(word).expect("its address, then its fingerprint").1.to_string();
        let (address, fingerprint) = (after(" at "), after("fingerprint "));
        Server { process, address, fingerprint }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }
}

/// The command, with the folder's own known hosts.
pub fn command(folder: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_symbiosis"));
    command.current_dir(folder).env("NO_COLOR", "1").args(args);
    command.env("XDG_DATA_HOME", env!("CARGO_TARGET_TMPDIR")).env("XDG_CONFIG_HOME", folder.join("config"));
    command
}

pub fn symbiosis(folder: &Path, args: &[&str]) -> Output {
    command(folder, args).output().unwrap()
}

pub fn refused(folder: &Path, args: &[&str], said: &str) {
    refused_by(&mut command(folder, args), said);
}

/// A text without the breaks that miette makes where lines are full.
pub fn words(text: &str) -> String {
    text.split_whitespace().filter(|word| *word != "│").collect::<Vec<_>>().join(" ")
}

/// The same of a command that is made.
pub fn refused_by(command: &mut Command, said: &str) {
    let output = command.output().unwrap();
    let args = command.get_args().collect::<Vec<_>>();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{args:?}: {stderr}");
    assert!(output.stdout.is_empty(), "{args:?}");
    assert!(words(&stderr).contains(said), "{args:?}: {stderr}");
}
