//! Sessions: commands after `$ `, and below each what it prints.

use std::fs;
use std::path::Path;
use std::process::Command;

use tempfile::TempDir;

/// Stands for what differs from run to run.
const ANYTHING: &str = "[..]";

/// The program, as a test runs it.
pub fn symbiosis(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_symbiosis"));
    command.current_dir(folder).env("NO_COLOR", "1").env_remove("CLICOLOR_FORCE");
    command
}

/// Where the commands of a page run.
pub struct Folder(TempDir);

impl Folder {
    /// A new folder, in which the scenarios are.
    pub fn new(root: &Path) -> Folder {
        let folder = tempfile::tempdir().unwrap();
        std::os::unix::fs::symlink(root.join("scenarios"), folder.path().join("scenarios")).unwrap();
        Folder(folder)
    }

    /// A session that runs a Python program, and what the page says that it prints.
    pub fn script(&self, program: &str, shown: &str) -> Session {
        fs::write(self.0.path().join("block.py"), program).unwrap();
        Session(vec![("python3 block.py".to_owned(), shown.lines().map(String::from).collect())])
    }
}

/// Says that a block was not run; where everything is installed, that is a fault.
pub fn skip(page: &Path, line: usize, tool: &str) {
    let install = match tool {
        "jq" => "apt-get install jq",
        _ => "pip install pandas pyarrow",
    };
    let message = format!("skipped: {}:{line} needs {tool} ({install})", page.display());
    assert!(std::env::var_os("SYMBIOSIS_REQUIRE_ALL").is_none(), "{message}");
    eprintln!("{message}");
}

/// What a session's text shows below its only command.
pub fn below_command(text: &str) -> String {
    text.split_once('\n').map(|(_, below)| below.to_owned()).unwrap_or_default()
}

/// Commands, each with the lines below it.
pub struct Session(Vec<(String, Vec<String>)>);

impl Session {
    /// Reads a block.
    pub fn parse(block: &str) -> Session {
        let mut steps: Vec<(String, Vec<String>)> = Vec::new();
        for line in block.lines() {
            match (line.strip_prefix("$ "), steps.last_mut()) {
                (Some(command), _) => steps.push((command.to_owned(), Vec::new())),
                (None, Some((_, lines))) => lines.push(line.to_owned()),
                (None, None) => panic!("a console block begins with `$ `, not with {line:?}"),
            }
        }
        Session(steps)
    }

    /// A tool that a command needs and this machine does not have.
    pub fn missing_tool(&self) -> Option<String> {
        let needs = |tool: &str| match tool {
            "jq" => ("jq", vec!["--version"]),
            _ => ("python3", vec!["-c", "import pandas, pyarrow"]),
        };
        let wanted = ["jq", "python3"].into_iter().filter(|tool| self.0.iter().any(|(command, _)| command.contains(tool)));
        let there = |tool: &str| {
            let (program, args) = needs(tool);
            Command::new(program).args(args).output().is_ok_and(|output| output.status.success())
        };
        wanted.filter(|tool| !there(tool)).map(String::from).next()
    }

    /// Runs the commands.
    pub fn run(&self, folder: &Folder) -> Session {
        let program = Path::new(env!("CARGO_BIN_EXE_symbiosis")).parent().unwrap();
        let path = format!("{}:{}", program.display(), std::env::var("PATH").unwrap_or_default());
        let run = |command: &String| {
            let mut shell = Command::new("sh");
            shell.arg("-c").arg(format!("( {command} ) 2>&1")).current_dir(folder.0.path()).env("NO_COLOR", "1").env("PATH", &path);
            let output = shell.output().unwrap();
            String::from_utf8_lossy(&output.stdout).trim_end().lines().map(|line| line.trim_end().to_owned()).collect()
        };
        Session(self.0.iter().map(|(command, _)| (command.clone(), run(command))).collect())
    }

    /// Where what is shown is not what was printed.
    pub fn differences<'a>(&'a self, printed: &'a Session) -> impl Iterator<Item = String> + 'a {
        self.0.iter().zip(&printed.0).filter_map(|((command, shown), (_, printed))| {
            let shown: Vec<_> = shown.iter().map(|line| line.trim_end()).collect();
            let end = shown.iter().rposition(|line| !line.is_empty()).map_or(0, |last| last + 1);
            let same = end == printed.len() && shown.iter().zip(printed).all(|(shown, printed)| matches(shown, printed));
            (!same).then(|| format!("`{command}` prints\n{}\ninstead of\n{}\n", printed.join("\n"), shown[..end].join("\n")))
        })
    }

    /// The block again: what was printed, but lines of `shown` where these match, with what they leave open.
    pub fn text(&self, shown: &Session) -> String {
        let mut text = String::new();
        for ((command, lines), (_, before)) in self.0.iter().zip(&shown.0) {
            text += &format!("$ {command}\n");
            for (at, line) in lines.iter().enumerate() {
                let line = without_times(line);
                let kept = before.get(at).filter(|shown| matches(shown, &line)).unwrap_or(&line);
                text += &format!("{kept}\n");
            }
        }
        text
    }
}

/// A line without the time that a run took.
fn without_times(line: &str) -> String {
    match (line.split_once(" delivered in "), line.ends_with(" s of computing")) {
        (Some((before, _)), true) => format!("{before} delivered in {ANYTHING} s of computing"),
        _ => line.to_owned(),
    }
}

/// Whether a line is what is shown, which may leave parts open.
fn matches(shown: &str, line: &str) -> bool {
    let mut parts = shown.split(ANYTHING);
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = line.strip_prefix(first) else { return false };
    let mut last = None;
    for part in parts {
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
        last = Some(part);
    }
    match last {
        None => rest.is_empty(),
        Some(part) => part.is_empty() || rest.is_empty() || line.ends_with(part),
    }
}

#[test]
fn what_is_left_open_matches_anything_and_nothing_else() {
    for (shown, line, same) in [
        ("abc", "abc", true),
        ("abc", "abcd", false),
        ("in [..] of", "in 0.16 s of", true),
        ("in [..] of", "in 0.16 s of computing", false),
        ("in [..]", "in 0.16 s", true),
        ("[..] end", "the end", true),
        ("a[..]b[..]c", "a1b2c", true),
        ("a[..]b[..]c", "a1c2", false),
    ] {
        assert_eq!(matches(shown, line), same, "{shown:?} and {line:?}");
    }
}
