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

/// A server of the folder `served`; it ends with its test.
pub struct Server {
    process: Child,
    pub address: SocketAddr,
    pub fingerprint: String,
    pub folder: tempfile::TempDir,
}

impl Server {
    pub fn start(more: &[&str]) -> Server {
        Server::start_by(Command::new(attacked()), more)
    }

    /// By a command that runs the program with what is added to it, in the folder.
    pub fn start_by(mut command: Command, more: &[&str]) -> Server {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir_all(folder.path().join("served")).unwrap();
        let mut process = command
            .current_dir(folder.path())
            .args(["serve", "--dir", "served", "--listen", "127.0.0.1:0", "--identity", "identity.pem"])
            .args(more)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(process.stdout.take().unwrap()).lines();
        let mut after =
            |word: &str| lines.next().unwrap().unwrap().split_once(word).expect("its address, then its fingerprint").1.to_string();
        let (address, fingerprint) = (after(" at ").parse().unwrap(), after("fingerprint "));
        Server { process, address, fingerprint, folder }
    }

    pub fn served(&self) -> PathBuf {
        self.folder.path().join("served")
    }

    pub fn pid(&self) -> u32 {
        self.process.id()
    }

    /// Most memory that it ever had, in MB.
    pub fn most_memory_mb(&self) -> u64 {
        let status = fs::read_to_string(format!("/proc/{}/status", self.process.id())).unwrap();
        let line = status.lines().find(|line| line.starts_with("VmHWM:")).expect("it lives");
        line.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap() / 1000
    }

    /// An honest client's command, here and now.
    pub fn client(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_symbiosis"));
        command.current_dir(self.folder.path()).env("NO_COLOR", "1").env("XDG_DATA_HOME", self.folder.path().join("data"));
        command.args(args).args(["--trust", &self.fingerprint]).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// Fetches a file of the server's, to a name of its own.
    pub fn fetch(&self, name: &str, to: &str) -> Command {
        self.client(&["fetch", &format!("{}/{name}", self.address), "--to", to, "--cc", "cubic"])
    }

    pub fn send(&self, file: &Path, more: &[&str]) -> Output {
        let at = self.address.to_string();
        let args = [&["send", file.to_str().unwrap(), at.as_str(), "--cc", "cubic"], more].concat();
        self.client(&args).output().unwrap()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // One that has died of its attack is waited for all the same.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
