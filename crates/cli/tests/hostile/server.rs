//! The server under attack, in a process of its own: what it costs is seen from outside.

use std::fs;
use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

/// The command that is attacked. `SYMBIOSIS_UNDER_ATTACK` names another build, to compare with.
pub fn attacked() -> PathBuf {
    std::env::var_os("SYMBIOSIS_UNDER_ATTACK").map_or_else(|| env!("CARGO_BIN_EXE_symbiosis").into(), PathBuf::from)
}

/// What the build under attack knows of these options. An older one has not all of the bounds: what it does without them is what is measured.
fn known<'a>(options: &[&'a str]) -> Vec<&'a str> {
    let help = Command::new(attacked()).args(["serve", "--help"]).output().unwrap();
    let help = String::from_utf8_lossy(&help.stdout).into_owned();
    let mut knows = true;
    let mut is_known = |option: &&str| {
        knows = if option.starts_with("--") { help.contains(option) } else { knows };
        knows
    };
    options.iter().copied().filter(|option| is_known(option)).collect()
}

/// A server that begins.
pub struct Serving(Child);

impl Serving {
    /// By a command that runs the program with what is added to it, in the folder.
    pub fn begin(mut command: Command, folder: &Path, more: &[&str]) -> Serving {
        let command =
            command.current_dir(folder).args(["serve", "--dir", "served", "--listen", "127.0.0.1:0", "--identity", "identity.pem"]);
        Serving(command.args(known(more)).stdout(Stdio::piped()).spawn().unwrap())
    }

    /// Its address and its fingerprint, when it has told them; none if it ended instead.
    pub fn ready(&mut self) -> Option<(SocketAddr, String)> {
        let mut lines = BufReader::new(self.0.stdout.take().unwrap()).lines();
        let mut after =
            |word: &str| Some(lines.next()?.unwrap().split_once(word).expect("its address, then its fingerprint").1.to_string());
        Some((after(" at ")?.parse().unwrap(), after("fingerprint ")?))
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        // One that has died of its attack is waited for all the same.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A server of the folder `served`; it ends with its test.
pub struct Server {
    serving: Serving,
    pub address: SocketAddr,
    pub fingerprint: String,
    pub folder: tempfile::TempDir,
}

impl Server {
    pub fn start(more: &[&str]) -> Server {
        Server::start_by(Command::new(attacked()), more, |_| ())
    }

    /// By a command that runs the program with what is added to it, in a folder that is prepared.
    pub fn start_by(command: Command, more: &[&str], prepare: impl FnOnce(&Path)) -> Server {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir_all(folder.path().join("served")).unwrap();
        prepare(folder.path());
        let mut serving = Serving::begin(command, folder.path(), more);
        let (address, fingerprint) = serving.ready().expect("it serves");
        Server { serving, address, fingerprint, folder }
    }

    pub fn served(&self) -> PathBuf {
        self.folder.path().join("served")
    }

    pub fn pid(&self) -> u32 {
        self.serving.0.id()
    }

    /// Most memory that it ever had, in MB.
    pub fn most_memory_mb(&self) -> u64 {
        let status = fs::read_to_string(format!("/proc/{}/status", self.serving.0.id())).unwrap();
        let line = status.lines().find(|line| line.starts_with("VmHWM:")).expect("it lives");
        line.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap() / 1000
    }

    /// An honest client's command, here and now.
    pub fn client(&self, args: &[&str]) -> Command {
        self.client_by(env!("CARGO_BIN_EXE_symbiosis").as_ref(), args)
    }

    fn client_by(&self, program: &Path, args: &[&str]) -> Command {
        let mut command = Command::new(program);
        command.current_dir(self.folder.path()).env("NO_COLOR", "1").env("XDG_DATA_HOME", self.folder.path().join("data"));
        command.args(args).args(["--trust", &self.fingerprint]).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// Fetches a file of the server's, to a name of its own.
    pub fn fetch(&self, name: &str, to: &str) -> Command {
        self.client(&["fetch", &format!("{}/{name}", self.address), "--to", to, "--cc", "cubic"])
    }

    /// The same by a client of the server's build, where it is the client that is to hold.
    pub fn fetch_by_its_build(&self, name: &str, to: &str) -> Command {
        self.client_by(&attacked(), &["fetch", &format!("{}/{name}", self.address), "--to", to, "--cc", "cubic"])
    }

    pub fn send(&self, file: &Path, more: &[&str]) -> Output {
        let at = self.address.to_string();
        let args = [&["send", file.to_str().unwrap(), at.as_str(), "--cc", "cubic"], more].concat();
        self.client(&args).output().unwrap()
    }
}
