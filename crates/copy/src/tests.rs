//! Both ends, frame by frame, without a network.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{FileExt, MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use symbiosis_quic::exchange::{End, Frame, Step};

use crate::groups::GROUP;
use crate::message::{Entry, Kind, Say, frame};
use crate::{Compress, Options, Progress, Receiver, Sender, Sources, Tally, Target, Totals};

/// Lets two ends talk, until all is said or `stop` says so; how it went on the receiver's side, and on the sender's.
fn talk(sender: &mut Sender, receiver: &mut Receiver, mut stop: impl FnMut(&Frame) -> bool) -> Result<bool, String> {
    let mut over = (false, false);
    while over != (true, true) {
        let mut moved = false;
        over.0 = loop {
            match sender.next()? {
                Step::Say(frame) if stop(&frame) => return Ok(false),
                Step::Say(frame) => {
                    moved = true;
                    receiver.take(frame)?;
                }
                step => break step == Step::Over,
            }
        };
        over.1 = loop {
            match receiver.next()? {
                Step::Say(frame) => {
                    moved = true;
                    sender.take(frame)?;
                }
                step => break step == Step::Over,
            }
        };
        assert!(moved || over == (true, true), "both wait");
    }
    Ok(true)
}

struct Ran {
    here: Progress,
    there: Progress,
    faults: Vec<String>,
    lines: Vec<String>,
}

fn copy(source: &Path, to: &Path, options: &Options) -> Result<Ran, String> {
    let (here, there) = (Tally::default(), Tally::default());
    let mut sender = Sender::new(Sources::Paths(vec![source.into()]), options.clone(), here.clone())?;
    let mut receiver = Receiver::new(Target::Path(to.into()), options.clone(), there.clone())?;
    talk(&mut sender, &mut receiver, |_| false)?;
    Ok(Ran { here: here.progress(), there: there.progress(), faults: there.faults(), lines: there.lines() })
}

/// Everything in a tree: what it is, permissions, time, content.
fn tree(root: &Path) -> BTreeMap<Vec<u8>, (u32, i64, Vec<u8>)> {
    fn visit(root: &Path, path: &Path, all: &mut BTreeMap<Vec<u8>, (u32, i64, Vec<u8>)>) {
        for entry in fs::read_dir(path).unwrap() {
            let path = entry.unwrap().path();
            let is = fs::symlink_metadata(&path).unwrap();
            let name = path.strip_prefix(root).unwrap().as_os_str().as_bytes().to_vec();
            let content = match is.file_type() {
                kind if kind.is_symlink() => fs::read_link(&path).unwrap().as_os_str().as_bytes().to_vec(),
                kind if kind.is_file() && is.len() < 64 << 20 => fs::read(&path).unwrap(),
                _ => Vec::new(),
            };
            all.insert(name, (is.mode(), is.mtime_nsec() + is.mtime() * 1_000_000_000, content));
            if is.is_dir() {
                visit(root, &path, all);
            }
        }
    }
    let mut all = BTreeMap::new();
    visit(root, root, &mut all);
    all
}

/// A tree with everything that can be in one.
fn made(at: &Path) -> PathBuf {
    let root = at.join("tree");
    fs::create_dir_all(root.join("sub/empty")).unwrap();
    fs::write(root.join("a"), "first").unwrap();
    fs::write(root.join("sub/none"), "").unwrap();
    fs::write(root.join("sub/.hidden"), "hidden").unwrap();
    fs::write(root.join(OsStr::from_bytes(b"sub/\xff\x1b[2J")), "no text").unwrap();
    fs::write(root.join("large"), (0..3 * GROUP + 17).map(|at| (at * at / 97) as u8).collect::<Vec<_>>()).unwrap();
    fs::write(root.join("group"), vec![7; GROUP as usize]).unwrap();
    symlink("sub/none", root.join("link")).unwrap();
    symlink("/nowhere/at all", root.join("sub/dangling")).unwrap();
    fs::set_permissions(root.join("a"), PermissionsExt::from_mode(0o640)).unwrap();
    let old = fs::FileTimes::new().set_modified(std::time::UNIX_EPOCH + std::time::Duration::new(1_000_000_000, 123_456_789));
    File::options().write(true).open(root.join("a")).unwrap().set_times(old).unwrap();
    File::open(root.join("sub")).unwrap().set_times(old).unwrap();
    fs::set_permissions(root.join("sub"), PermissionsExt::from_mode(0o555)).unwrap();
    root
}

/// So that a temporary folder can be removed by whoever is not root, too.
fn opened(root: &Path) {
    let _ = fs::set_permissions(root.join("sub"), PermissionsExt::from_mode(0o755));
}

#[test]
fn a_tree_arrives_as_it_is_and_then_nothing_moves() {
    let folder = tempfile::tempdir().unwrap();
    let root = made(folder.path());
    let to = folder.path().join("to");
    let ran = copy(&root, &to, &Options::default()).unwrap();
    assert_eq!(ran.faults, [""; 0]);
    assert_eq!(tree(&root), tree(&to.join("tree")));
    assert_eq!((ran.there.files, ran.there.copied, ran.there.moved), (6, 6, ran.there.totals.unwrap().bytes));
    assert_eq!((ran.here.files, ran.here.copied, ran.here.moved), (6, 6, ran.there.moved));
    for checksum in [false, true] {
        let again = copy(&root, &to, &Options { checksum, ..Options::default() }).unwrap();
        assert_eq!((again.there.copied, again.there.moved, again.there.files), (0, 0, 6), "{checksum}");
        assert_eq!(tree(&root), tree(&to.join("tree")));
    }
    // What is meant by a slash is the content.
    copy(&PathBuf::from(format!("{}/", root.display())), &folder.path().join("content"), &Options::default()).unwrap();
    assert_eq!(tree(&root), tree(&folder.path().join("content")));
    for root in [root, to.join("tree"), folder.path().join("content")] {
        opened(&root);
    }
}

#[test]
fn only_what_changed_moves_and_only_what_was_asked_for_is_removed() {
    let folder = tempfile::tempdir().unwrap();
    let root = made(folder.path());
    opened(&root);
    let to = folder.path().join("to");
    copy(&root, &to, &Options::default()).unwrap();
    fs::write(root.join("a"), "other").unwrap();
    fs::remove_file(root.join("link")).unwrap();
    fs::write(to.join("tree/keep.o"), "").unwrap();
    fs::create_dir_all(to.join("tree/gone/deep")).unwrap();
    fs::write(to.join("tree/gone/deep/file"), "").unwrap();
    let options = Options { delete: true, dry_run: true, exclude: vec!["*.o".into()], ..Options::default() };
    let before = tree(&to);
    let planned = copy(&root, &to, &options).unwrap();
    assert_eq!(
        planned.lines,
        [
            "would copy tree/a",
            "would remove tree/gone/deep/file",
            "would remove tree/gone/deep",
            "would remove tree/gone",
            "would remove tree/link"
        ]
    );
    assert_eq!(before, tree(&to), "nothing is written");
    let ran = copy(&root, &to, &Options { dry_run: false, ..options }).unwrap();
    assert_eq!((ran.there.copied, ran.there.moved, ran.there.removed), (1, 5, 4));
    assert_eq!(ran.here.removed, 4);
    fs::remove_file(to.join("tree/keep.o")).unwrap();
    let (mut wanted, mut got) = (tree(&root), tree(&to.join("tree")));
    // The folder's time is that of the removal just now.
    wanted.remove(&b"sub"[..]);
    got.remove(&b"sub"[..]);
    assert_eq!(wanted, got);
}

#[test]
fn one_file_gets_a_new_name_or_a_place_in_a_folder() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    fs::write(&file, "content").unwrap();
    for (to, at) in [("new", "new"), ("there/", "there/file"), ("there", "there/file")] {
        copy(&file, &folder.path().join(to), &Options::default()).unwrap();
        assert_eq!(fs::read(folder.path().join(at)).unwrap(), b"content");
    }
    assert!(copy(&file, &folder.path().join("no/such"), &Options::default()).is_err());
    let ran = copy(&folder.path().join("none"), folder.path(), &Options::default()).unwrap();
    assert!(ran.faults[0].contains("none: No such file"), "{:?}", ran.faults);
}

#[test]
fn what_broke_off_goes_on_behind_its_last_group() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    let content: Vec<u8> = (0..5 * GROUP + 17).map(|at| (at * at / 89) as u8).collect();
    fs::write(&file, &content).unwrap();
    let to = folder.path().join("to");
    let run = |after: u64| {
        let (here, there) = (Tally::default(), Tally::default());
        let mut sender = Sender::new(Sources::Paths(vec![file.clone()]), Options::default(), here.clone()).unwrap();
        let mut receiver = Receiver::new(Target::Path(to.clone()), Options::default(), there.clone()).unwrap();
        let mut groups = 0;
        let whole = talk(&mut sender, &mut receiver, |frame| {
            groups += u64::from(!frame.body.is_empty());
            groups > after
        });
        (whole.unwrap(), there.progress())
    };
    assert!(!run(2).0);
    assert!(!to.exists());
    let (whole, progress) = run(1);
    assert!(!whole);
    assert_eq!(progress.resumed, 2 * GROUP);
    // Another version of the source begins anew.
    let (whole, progress) = run(99);
    assert!(whole);
    assert_eq!((progress.resumed, progress.moved), (3 * GROUP, 2 * GROUP + 17));
    assert_eq!(fs::read(&to).unwrap(), content);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2, "neither part nor journal stays");
    fs::remove_file(&to).unwrap();
    assert!(!run(2).0);
    fs::write(&file, vec![1; content.len()]).unwrap();
    let (_, progress) = run(99);
    assert_eq!(progress.resumed, 0);
    assert_eq!(fs::read(&to).unwrap(), vec![1; content.len()]);
}

#[test]
fn a_source_that_changes_is_copied_again_or_named() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    for (changes, copied) in [(2, true), (99, false)] {
        let to = folder.path().join(format!("to{changes}"));
        fs::write(&file, vec![0; 2 * GROUP as usize]).unwrap();
        let (here, there) = (Tally::default(), Tally::default());
        let mut sender = Sender::new(Sources::Paths(vec![file.clone()]), Options::default(), here.clone()).unwrap();
        let mut receiver = Receiver::new(Target::Path(to.clone()), Options::default(), there.clone()).unwrap();
        let mut changed = 0;
        talk(&mut sender, &mut receiver, |frame| {
            if !frame.body.is_empty() && changed < changes {
                changed += 1;
                fs::write(&file, vec![changed as u8; 2 * GROUP as usize + changed]).unwrap();
            }
            false
        })
        .unwrap();
        assert_eq!(to.exists(), copied);
        if copied {
            assert_eq!(fs::read(&to).unwrap(), fs::read(&file).unwrap());
            assert_eq!(here.progress().changed, 1, "the first try saw both changes");
        } else {
            assert_eq!(here.faults(), ["to99: it changed while it was read"]);
            assert_eq!(there.faults(), ["to99: it changed while it was read"]);
        }
        assert!(there.progress().finished);
    }
}

#[test]
fn a_terabyte_of_nothing_takes_no_room_and_no_time() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("sparse");
    let sparse = File::create(&file).unwrap();
    sparse.write_all_at(b"middle", 1 << 39).unwrap();
    sparse.set_len((1 << 40) + 5).unwrap();
    let to = folder.path().join("to");
    let ran = copy(&file, &to, &Options::default()).unwrap();
    let is = fs::metadata(&to).unwrap();
    assert_eq!(is.len(), (1 << 40) + 5);
    assert!(is.blocks() * 512 <= 2 * GROUP, "{} blocks", is.blocks());
    let mut middle = [0; 6];
    File::open(&to).unwrap().read_exact_at(&mut middle, 1 << 39).unwrap();
    assert_eq!(&middle, b"middle");
    assert_eq!(ran.faults, [""; 0]);
}

#[test]
fn streams_have_no_size_and_no_name() {
    let folder = tempfile::tempdir().unwrap();
    let content: Vec<u8> = (0..2 * GROUP + 5).map(|at| (at / 3) as u8).collect();
    let to = folder.path().join("to");
    let (here, there) = (Tally::default(), Tally::default());
    let stream = Sources::Stream("stdin".into(), Box::new(std::io::Cursor::new(content.clone())));
    let mut sender = Sender::new(stream, Options::default(), here).unwrap();
    let mut receiver = Receiver::new(Target::Path(to.clone()), Options::default(), there).unwrap();
    assert!(talk(&mut sender, &mut receiver, |_| false).unwrap());
    assert_eq!(fs::read(&to).unwrap(), content);
}

/// Packed groups are checked, kept and resumed as any others.
#[test]
fn packed_groups_break_off_and_go_on() {
    let folder = tempfile::tempdir().unwrap();
    let (source, to) = (folder.path().join("text"), folder.path().join("copy"));
    let text: Vec<u8> = (0..900_000u32).flat_map(|line| format!("{line}\n").into_bytes()).collect();
    fs::write(&source, &text).unwrap();
    let options = Options { compress: Compress::Always, ..Options::default() };
    let mut sent = 0;
    let mut goes = |stops_after: usize| {
        let mut sender = Sender::new(Sources::Paths(vec![source.clone()]), options.clone(), Tally::default()).unwrap();
        let tally = Tally::default();
        let mut receiver = Receiver::new(Target::Path(to.clone()), options.clone(), tally.clone()).unwrap();
        let mut bodies = 0;
        let whole = talk(&mut sender, &mut receiver, |frame| {
            bodies += usize::from(!frame.body.is_empty());
            sent += frame.body.len();
            bodies > stops_after
        });
        (whole.unwrap(), tally.progress())
    };
    assert!(!goes(3).0);
    let (whole, progress) = goes(usize::MAX);
    assert!(whole && progress.resumed == 3 * GROUP, "{progress:?}");
    assert!(fs::read(&to).unwrap() == text && sent < text.len() / 2, "{sent} of {}", text.len());
}

/// A sender that announces less than a packed group has, or more, or says what cannot be unpacked.
#[test]
fn a_hostile_sender_fills_no_memory_and_no_file_with_packed_groups() {
    let folder = tempfile::tempdir().unwrap();
    let bomb = zstd::bulk::compress(&vec![0; 256 << 20], 3).unwrap();
    let honest = zstd::bulk::compress(&[7; 5000], 3).unwrap();
    let of = |bytes: &[u8]| crate::groups::node(0, bytes);
    let all = [
        (bomb.clone(), 5000, of(&[0; 5000])),
        (bomb.clone(), GROUP as u32, of(&vec![0; GROUP as usize])),
        (bomb, u32::MAX, [0; 32]),
        (honest.clone(), 4999, of(&[7; 4999])),
        (honest.clone(), 5001, of(&[7; 5001])),
        (b"not packed at all".to_vec(), 5000, [0; 32]),
        (Vec::new(), 0, [0; 32]),
    ];
    for (number, (body, bytes, node)) in all.into_iter().enumerate() {
        let to = folder.path().join(format!("to{number}"));
        let mut receiver = Receiver::new(Target::Path(to.clone()), Options::default(), Tally::default()).unwrap();
        let entry = Entry { name: b"file".to_vec(), kind: Kind::File(5000), mode: 0o644, mtime: (0, 0) };
        let begin = Say::Begin { index: 0, bytes: 5000, mode: 0o644, mtime: (0, 0), version: [1; 16], from: 0 };
        let totals = Say::Totals(Totals { files: 1, bytes: 5000, single: true, ..Totals::default() });
        for say in [totals, Say::Entry(entry), begin] {
            receiver.take(frame(&say, Vec::new())).unwrap();
        }
        let taken = receiver
            .take(frame(&Say::Packed { node, bytes }, body))
            .and_then(|()| receiver.take(frame(&Say::End { bytes: 5000 }, Vec::new())));
        assert!(!to.exists(), "{number}: {taken:?}");
    }
    // What is packed right is written, but for more than was announced of the file.
    let mut receiver = Receiver::new(Target::Path(folder.path().join("right")), Options::default(), Tally::default()).unwrap();
    let entry = Entry { name: b"file".to_vec(), kind: Kind::File(5000), mode: 0o644, mtime: (0, 0) };
    let begin = Say::Begin { index: 0, bytes: 5000, mode: 0o644, mtime: (0, 0), version: [1; 16], from: 0 };
    let totals = Say::Totals(Totals { files: 1, bytes: 5000, single: true, ..Totals::default() });
    for say in [totals, Say::Entry(entry), begin] {
        receiver.take(frame(&say, Vec::new())).unwrap();
    }
    receiver.take(frame(&Say::Packed { node: of(&[7; 5000]), bytes: 5000 }, honest)).unwrap();
    receiver.take(frame(&Say::End { bytes: 5000 }, Vec::new())).unwrap();
    assert!(fs::read(folder.path().join("right")).unwrap() == [7; 5000]);
}
