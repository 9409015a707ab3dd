use super::*;
use crate::privileged::{Need, ready};

/// A program that only root may write, as everything above it.
const PROGRAM: &str = "/usr/bin/env";

fn service(options: &[&str], default: bool) -> Service {
    Service { program: PROGRAM.into(), options: options.iter().map(ToString::to_string).collect(), default }
}

#[test]
fn what_is_installed_is_removed() {
    let root = tempfile::tempdir().unwrap();
    let done = service(&["--cc", "cubic"], true).install(root.path()).unwrap();
    assert!(!done.told && done.files.len() == 2 && done.files.iter().all(|file| file.exists()), "{done:?}");
    let unit = fs::read_to_string(&done.files[0]).unwrap();
    assert!(unit.contains("ExecStart=\"/usr/bin/env\" kernel start --foreground \"--cc\" \"cubic\"\n"), "{unit}");
    let settings = fs::read_to_string(&done.files[1]).unwrap();
    assert!(settings.ends_with("\nnet.ipv4.tcp_congestion_control = symbiosis\n"), "{settings}");
    assert_eq!(uninstall(root.path()).unwrap().files, done.files);
    assert!(done.files.iter().all(|file| !file.exists()));
    assert_eq!(uninstall(root.path()).unwrap().files, Vec::<PathBuf>::new());
}

/// Twice installed it still knows what the machine had before the first, and sets as much.
#[test]
fn what_was_before_is_remembered() {
    let root = tempfile::tempdir().unwrap();
    let path = root.path().join(SETTINGS_FILE);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    let [buffer, _] = BUFFERS;
    let before = format!("{BEFORE}{DEFAULT_CC} = fallow\n{DEFAULT_CC} = symbiosis\n{BEFORE}{buffer} = 1 2 3\n{buffer} = 1 2 67108864\n");
    fs::write(&path, before).unwrap();
    for default in [true, false] {
        service(&[], default).install(root.path()).unwrap();
        let has = |mark, key: &str, value: &str| settings_in(root.path(), mark).contains(&(key.into(), value.into()));
        assert!(has(BEFORE, buffer, "1 2 3") && has("", buffer, "1 2 67108864"));
        assert_eq!((has(BEFORE, DEFAULT_CC, "fallow"), has("", DEFAULT_CC, "symbiosis")), (default, default));
    }
}

#[test]
fn a_program_that_others_may_write_is_not_for_root() {
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("symbiosis");
    fs::write(&program, "").unwrap();
    // The folder of temporary files is for all.
    let done = Service { program, ..service(&[], false) }.install(folder.path());
    assert!(matches!(done, Err(ServiceError::Unsafe(_))), "{done:?}");
    assert!(!folder.path().join("etc").exists());
}

#[test]
fn words_are_quoted_for_systemd() {
    assert_eq!(quoted(r#"a b"c\d%e$f"#).unwrap(), r#""a b\"c\\d%%e$$f""#);
    assert!(matches!(quoted("a\nExecStartPre=evil"), Err(ServiceError::Unspeakable(_))));
}

#[test]
fn systemd_understands_the_unit_and_finds_it_confined() {
    if !ready("systemd_understands_the_unit_and_finds_it_confined", &[Need::Systemd]) {
        return;
    }
    let root = tempfile::tempdir().unwrap();
    let done = service(&["--cc", "symbiosis"], false).install(root.path()).unwrap();
    let analyze = |args: &[&str]| {
        let output = Command::new("systemd-analyze").args(args).arg(&done.files[0]).output().unwrap();
        let said = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{args:?}: {said}");
        said
    };
    let verified = analyze(&["verify"]);
    assert!(!verified.contains("symbiosis.service:"), "{verified}");
    // systemd's scale goes from 0 to 10, of which what may do anything has 9.6.
    analyze(&["security", "--offline=true", "--threshold=40", "--no-pager"]);
}

#[test]
fn systemd_hears_that_the_agent_is_ready() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("notify");
    let heard = UnixDatagram::bind(&place).unwrap();
    tell_ready(place.as_os_str()).unwrap();
    let mut said = [0; 16];
    let length = heard.recv(&mut said).unwrap();
    assert_eq!(&said[..length], b"READY=1");
}
