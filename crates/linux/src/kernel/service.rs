//! The agent as a service of the machine: a unit of systemd that starts it at boot, starts it again when it ends and confines it; and settings
//! of the kernel that go with it.
//!
//! Nothing else is written, so `uninstall` leaves nothing: the settings' file remembers what the machine had before.

use std::env;
use std::ffi::OsStr;
use std::fs;
use std::io::{self, ErrorKind};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::os::unix::net::{SocketAddr, UnixDatagram};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The unit's name, and where its file and the settings' are, under the root of the file system.
const UNIT: &str = "symbiosis.service";
const UNIT_FILE: &str = "etc/systemd/system/symbiosis.service";
const SETTINGS_FILE: &str = "etc/sysctl.d/90-symbiosis.conf";

/// How much a socket may have under way at most \[bytes\]: a second's window at 500 Mbit/s, which `tcp_wmem`'s and `tcp_rmem`'s defaults, 4 and
/// 6 MB, keep to 50.
const LARGEST_BUFFER: u64 = 64 << 20;
/// The settings that hold it, as their third number.
const BUFFERS: [&str; 2] = ["net.ipv4.tcp_wmem", "net.ipv4.tcp_rmem"];
const DEFAULT_CC: &str = "net.ipv4.tcp_congestion_control";
/// Before a setting that the machine had.
const BEFORE: &str = "# before: ";

/// Why a service is not installed.
#[derive(Debug, thiserror::Error)]
pub enum ServiceError {
    /// Who may write the program would be root.
    #[error("{} belongs to another user or may be written by one, so it is not for root to run at each start", .0.display())]
    Unsafe(PathBuf),
    /// A unit's file cannot say it.
    #[error("{0:?} has a character that a unit of systemd cannot hold")]
    Unspeakable(String),
    /// systemd refuses.
    #[error("systemctl {0}: {1}")]
    Systemctl(String, String),
    /// A file cannot be written or removed.
    #[error("{}: {}", .0.display(), .1)]
    File(PathBuf, #[source] io::Error),
}

/// What is installed.
#[derive(Clone, Debug)]
pub struct Service {
    /// The program, as a path from the root.
    pub program: PathBuf,
    /// What follows `kernel start`: the controller and its parameters.
    pub options: Vec<String>,
    /// Whether sockets that choose nothing get it.
    pub default: bool,
}

/// What was done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Done {
    /// Files that were written, or removed.
    pub files: Vec<PathBuf>,
    /// Whether systemd runs here and was told; else the next boot finds the files.
    pub told: bool,
}

impl Service {
    /// Writes the unit and the settings under `root`; where that is this system's and systemd runs, starts it.
    ///
    /// # Errors
    /// The program may be written by others than root, a file cannot be written, or systemd refuses.
    pub fn install(&self, root: &Path) -> Result<Done, ServiceError> {
        self.program.ancestors().try_for_each(roots_alone)?;
        let unit = self.unit()?;
        // What an earlier installation set and this one does not.
        undo(root)?;
        let settings = self.settings(root);
        let files = [(root.join(UNIT_FILE), unit), (root.join(SETTINGS_FILE), settings)];
        for (path, text) in &files {
            let folder = path.parent().unwrap_or(root);
            fs::create_dir_all(folder).and_then(|()| fs::write(path, text)).map_err(|error| ServiceError::File(path.clone(), error))?;
        }
        let told = runs_here(root);
        if told {
            systemctl(&["daemon-reload"])?;
            systemctl(&["enable", UNIT])?;
            systemctl(&["restart", UNIT])?;
        }
        Ok(Done { files: files.map(|(path, _)| path).into(), told })
    }

    /// The unit.
    fn unit(&self) -> Result<String, ServiceError> {
        let program = self.program.to_string_lossy().into_owned();
        let command: Vec<String> = [program].iter().chain(&self.options).map(|word| quoted(word)).collect::<Result<_, ServiceError>>()?;
        let (program, options) = command.split_first().expect("there is the program");
        let options = options.iter().map(|word| format!(" {word}")).collect::<String>();
        Ok(format!(include_str!("service.unit"), program = program, options = options, settings = SETTINGS_FILE))
    }

    /// The settings, after what the machine has now.
    fn settings(&self, root: &Path) -> String {
        let mut text = String::from("# Written by `symbiosis kernel install`; `symbiosis kernel uninstall` removes it.\n");
        let mut set = |key: &str, before: Option<&str>, value: &str| {
            if let Some(before) = before {
                text += &format!("{BEFORE}{key} = {before}\n");
            }
            text += &format!("{key} = {value}\n");
        };
        // An earlier installation knows better what the machine had than the machine.
        let earlier = settings_in(root, BEFORE);
        let had = |key: &str| earlier.iter().find(|(earlier, _)| earlier == key).map(|(_, value)| value.clone()).or_else(|| setting(key));
        for key in BUFFERS {
            let before = had(key);
            let mut numbers: Vec<u64> = before.iter().flat_map(|before| before.split_whitespace()).flat_map(str::parse).collect();
            if let [_, _, most] = &mut numbers[..]
                && *most < LARGEST_BUFFER
            {
                *most = LARGEST_BUFFER;
                set(key, before.as_deref(), &numbers.iter().map(u64::to_string).collect::<Vec<_>>().join(" "));
            }
        }
        if self.default {
            set(DEFAULT_CC, had(DEFAULT_CC).as_deref(), super::NAME);
        }
        text
    }
}

/// Ends the service and removes its files; settings that are still its own become what they were.
///
/// # Errors
/// A file cannot be removed, or systemd refuses.
pub fn uninstall(root: &Path) -> Result<Done, ServiceError> {
    let paths = [root.join(UNIT_FILE), root.join(SETTINGS_FILE)];
    let told = runs_here(root) && paths[0].exists();
    if told {
        systemctl(&["disable", "--now", UNIT])?;
    }
    undo(root)?;
    let mut files = Vec::new();
    for path in paths {
        match fs::remove_file(&path) {
            Ok(()) => files.push(path),
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => return Err(ServiceError::File(path, error)),
        }
    }
    if told {
        systemctl(&["daemon-reload"])?;
    }
    Ok(Done { files, told })
}

/// Settings of this machine that are still those of the settings' file become what they were before it.
fn undo(root: &Path) -> Result<(), ServiceError> {
    if root != Path::new("/") {
        return Ok(());
    }
    let ours = settings_in(root, "");
    for (key, before) in settings_in(root, BEFORE) {
        let same = |value: &str| setting(&key).is_some_and(|now| now.split_whitespace().eq(value.split_whitespace()));
        if ours.iter().any(|(name, value)| *name == key && same(value)) {
            let path = proc_path(&key);
            fs::write(&path, before).map_err(|error| ServiceError::File(path, error))?;
        }
    }
    Ok(())
}

/// Tells systemd that the agent answers, if it was systemd that started it (sd_notify(3)).
pub fn notify_ready() {
    if let Some(place) = env::var_os("NOTIFY_SOCKET") {
        // Who does not hear it gives up on the agent, and says so.
        let _ = tell_ready(&place);
    }
}

fn tell_ready(place: &OsStr) -> io::Result<usize> {
    let address = match place.as_bytes() {
        [b'@', name @ ..] => SocketAddr::from_abstract_name(name),
        _ => SocketAddr::from_pathname(place),
    };
    UnixDatagram::unbound()?.send_to_addr(b"READY=1", &address?)
}

/// Whether none but root may write it.
fn roots_alone(path: &Path) -> Result<(), ServiceError> {
    /// Write permission of the group and of others.
    const OTHERS: u32 = 0o022;
    let found = fs::metadata(path).map_err(|error| ServiceError::File(path.into(), error))?;
    if found.uid() != 0 || found.mode() & OTHERS != 0 { Err(ServiceError::Unsafe(path.into())) } else { Ok(()) }
}

/// A word of a command line in a unit: quoted, with specifiers and variables taken for what they are.
fn quoted(word: &str) -> Result<String, ServiceError> {
    if word.chars().any(char::is_control) {
        return Err(ServiceError::Unspeakable(word.into()));
    }
    let escaped = word.replace('\\', "\\\\").replace('"', "\\\"").replace('%', "%%").replace('$', "$$");
    Ok(format!("\"{escaped}\""))
}

fn runs_here(root: &Path) -> bool {
    root == Path::new("/") && Path::new("/run/systemd/system").is_dir()
}

fn systemctl(args: &[&str]) -> Result<(), ServiceError> {
    let failed = |why: String| ServiceError::Systemctl(args.join(" "), why);
    let output = Command::new("systemctl").args(args).output().map_err(|error| failed(error.to_string()))?;
    if output.status.success() { Ok(()) } else { Err(failed(String::from_utf8_lossy(&output.stderr).trim().into())) }
}

fn proc_path(key: &str) -> PathBuf {
    Path::new("/proc/sys").join(key.replace('.', "/"))
}

/// What the machine has.
fn setting(key: &str) -> Option<String> {
    let text = fs::read_to_string(proc_path(key)).ok()?;
    Some(text.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// Keys and values in the settings' file, of lines that begin so.
fn settings_in(root: &Path, mark: &str) -> Vec<(String, String)> {
    let text = fs::read_to_string(root.join(SETTINGS_FILE)).unwrap_or_default();
    let pairs = text.lines().filter_map(|line| line.strip_prefix(mark)?.split_once(" = "));
    pairs.filter(|(key, _)| !key.starts_with('#')).map(|(key, value)| (key.into(), value.into())).collect()
}

#[cfg(test)]
mod tests;
