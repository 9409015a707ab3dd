//! Transfers in virtual time over paths that lose, repeat, reorder and vanish.

mod common;

use std::fs;
use std::path::Path;

use common::{Way, choice, goodput, progress, run};
use symbiosis_base::{Bytes, Instant, Span};
use symbiosis_quic::choice::Choice;
use symbiosis_quic::impairments::Impairments;
use symbiosis_quic::node::Settings;
use symbiosis_quic::transfer::{Failed, FileSource, Folder, Pattern, Progress, Source, Target, Task, Writers, part_name};
use symbiosis_quic::virtual_time::Event;

/// A file of so many bytes, and the task to send it.
fn file(folder: &Path, bytes: u64) -> Vec<u8> {
    let mut content = vec![0; bytes as usize];
    Pattern(bytes).read_at(0, &mut content).unwrap();
    fs::write(folder.join("file"), &content).unwrap();
    content
}

fn send(folder: &Path, force: bool) -> Task {
    Task::Send { name: "file".into(), source: Box::new(FileSource::open(&folder.join("file")).unwrap()), hash: None, force }
}

fn fetch(name: &str, folder: &Path) -> Task {
    Task::Fetch { name: name.into(), target: Target::new(folder.join("file"), false).unwrap() }
}

fn is_through(progress: &Progress) -> bool {
    progress.finished.is_some() && progress.failed.is_none()
}

#[test]
fn every_controller_fills_a_path() {
    // A probe is an instrument, not a control: it has no window of its own.
    for cc in Choice::names().filter(|name| *name != "probe") {
        let mut world = Way::new(20.0, 40, 100).one(cc, Task::Drain { source: Box::new(Pattern(10_000_000)) });
        let progress = run(&mut world, 60);
        assert!(is_through(&progress), "{cc}: {progress:?}");
        // 20 Mbit/s on the wire are 19.1 of payload: 1452 bytes in 1480, and of them about 36 for packet, frame and tag.
        // The least is what an unpaced window makes of it that is fed by its own packets, in either world (`agreement.rs`).
        let rate = goodput(&progress);
        assert!((16.0..19.2).contains(&rate), "{cc}: {rate}");
    }
}

#[test]
fn a_blackout_costs_at_most_twice_itself() {
    for cc in ["symbiosis", "reno", "cubic", "vegas", "quic-cubic"] {
        let plain = Way::new(20.0, 40, 100);
        let impairments =
            Impairments { blackouts: vec![(Instant::from_millis(1000), Instant::from_millis(6000))], ..Impairments::default() };
        let dark = Way { impairments, ..plain.clone() };
        let task = || Task::Drain { source: Box::new(Pattern(10_000_000)) };
        let [plain, dark] = [plain, dark].map(|way| run(&mut way.one(cc, task()), 100).finished.unwrap().secs());
        // Nobody tells that the path is back: a probe must find out. Probes come at intervals that at most double (RFC 9002 §6.2.1), so
        // the next is at most as far away as the blackout was long. Then the window grows from one packet to half of what it was, seven
        // round trips, and Reno's share of the rest takes less than a second of throughput.
        let cost = dark - plain;
        assert!(cost > 5.0 - 0.2 && cost < 2.0 * 5.0 + 1.5, "{cc}: {plain} s, {dark} s with five seconds of nothing");
    }
}

#[test]
fn thousands_of_gaps_are_no_reason_to_give_up() {
    // 6000 packets leave at once and need 72 ms for it. Half of them come 100 ms late: when all others are there, 3000 pieces lie apart, with
    // a gap before every second of them. noq alone gives a connection up that has more than 2048 pieces and 1024 gaps (`assembler.rs`).
    let first = Bytes(20_000_000);
    let settings = Settings { initial_window: 6000, first, ..Settings::default() };
    let impairments = Impairments { late: 0.5, late_by: Span::from_millis(100), ..Impairments::default() };
    let task = Task::Drain { source: Box::new(Pattern(20_000_000)) };
    let mut world = Way { settings, impairments, ..Way::new(1000.0, 40, 10_000) }.one("reno", task);
    world.run(Instant::from_millis(1000), |_| true);
    let progress = progress(&mut world, 1);
    assert_eq!(progress.failed, None);
    let peer = world.node(0).peers()[0];
    let drained = world.node(0).session(peer).and_then(|session| session.drained()).unwrap();
    assert!(drained > 6000 * 1400, "{drained} bytes of the first 6000 packets");
}

#[test]
fn a_peer_that_is_gone_is_noticed_and_what_came_is_kept() {
    let (here, there) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let content = file(here.path(), 5_000_000);
    let way = Way::new(20.0, 40, 100);
    let mut world = way.folder(there.path(), "symbiosis", send(here.path(), false));
    world.run(Instant::from_millis(1500), |_| true);
    world.kill(0);
    let killed = run(&mut world, 100);
    let Some(Failed::Ended(why)) = &killed.failed else { panic!("{killed:?}") };
    assert_eq!(why.to_string(), "timed out");
    let at = world.now().secs();
    assert!((20.0..25.0).contains(&at), "after the idle time of 20 s, not {at}");
    drop(world);
    assert!(!there.path().join("file").exists());

    // The next time the rest is sent, and no more.
    let mut world = way.folder(there.path(), "symbiosis", send(here.path(), false));
    world.log = Some(Vec::new());
    let progress = run(&mut world, 100);
    assert!(is_through(&progress), "{progress:?}");
    assert!((1_500_000..4_000_000).contains(&progress.resumed), "20 Mbit/s for almost 1.5 s: {}", progress.resumed);
    let sent: u64 =
        world.log.unwrap().iter().filter(|passed| passed.from == 1 && passed.event == Event::Departed).map(|passed| passed.bytes.0).sum();
    let missing = content.len() as u64 - progress.resumed;
    assert!(sent < missing + missing / 10 + 20_000, "{sent} bytes for {missing}");
    assert!(fs::read(there.path().join("file")).unwrap() == content);
}

#[test]
fn what_is_not_allowed_is_refused_with_its_reason() {
    let (here, there) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    file(here.path(), 300_000);
    fs::write(there.path().join("file"), "another").unwrap();
    let way = Way::new(20.0, 40, 100);
    let refused = |world: &mut _| match run(world, 30).failed {
        Some(Failed::Refused(why)) => why,
        other => panic!("{other:?}"),
    };
    assert_eq!(refused(&mut way.folder(there.path(), "reno", send(here.path(), false))), "file is there already");
    assert_eq!(fs::read(there.path().join("file")).unwrap(), b"another");
    assert!(is_through(&run(&mut way.folder(there.path(), "reno", send(here.path(), true)), 30)));
    assert_eq!(fs::read(there.path().join("file")).unwrap().len(), 300_000);

    let back = tempfile::tempdir().unwrap();
    for (name, why) in [
        ("none", "there is no file `none`"),
        ("../file", "`../file` leads out of the folder"),
        ("/etc/passwd", "`/etc/passwd` leads out of the folder"),
        (".ssh", "`.ssh` is hidden"),
    ] {
        assert_eq!(refused(&mut way.folder(there.path(), "reno", fetch(name, back.path()))), why);
    }
    assert_eq!(fs::read_dir(back.path()).unwrap().count(), 0);
    let closed = Folder::new(there.path(), Writers::Nobody).unwrap();
    let (mut world, _) = way.world(move || Box::new(closed.clone()), vec![(choice("reno"), vec![send(here.path(), true)])]);
    assert_eq!(refused(&mut world), "this server takes no files");
}

#[test]
fn a_damaged_part_is_found_out() {
    let (here, there) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let content = file(here.path(), 300_000);
    let hash = blake3::hash(&content).to_hex();
    let part = there.path().join(part_name("file", 300_000, &hash, "10.0.0.2"));
    fs::write(&part, vec![7; 100_000]).unwrap();
    let way = Way::new(20.0, 40, 100);
    let progress = run(&mut way.folder(there.path(), "reno", send(here.path(), false)), 30);
    let Some(Failed::Refused(why)) = progress.failed else { panic!("{progress:?}") };
    assert!(why.contains("its hash is"), "{why}");
    assert_eq!(fs::read_dir(there.path()).unwrap().count(), 0, "nothing of it stays");
    assert!(is_through(&run(&mut way.folder(there.path(), "reno", send(here.path(), false)), 30)));
}

#[test]
fn a_stranger_is_refused() {
    use symbiosis_quic::clock::Clock;
    use symbiosis_quic::identity::{Identity, Trust};
    use symbiosis_quic::node::{Node, Settings};
    use symbiosis_quic::transfer::Transfer;
    use symbiosis_quic::virtual_time::{Route, address};

    let mut world = Way::new(20.0, 40, 100).one("reno", Task::Drain { source: Box::new(Pattern(1)) });
    assert!(is_through(&run(&mut world, 10)));
    let other = Identity::generate().unwrap().0.fingerprint();
    let mut node = Node::client(Clock::start(), Settings::default(), choice("reno"), 9);
    let now = world.now();
    let session = Transfer::client([Task::Drain { source: Box::new(Pattern(1)) }]);
    let id = node.connect(now, address(0), None, &Trust::Pinned(other), session).unwrap();
    let client = world.add(node);
    world.route(client, 0, Route { links: vec![0], impairments: Impairments::default() });
    world.route(0, client, Route { links: vec![1], impairments: Impairments::default() });
    world.run(now + Span::from_millis(2000), |_| true);
    let Some(Failed::Ended(why)) = progress(&mut world, client).failed else { panic!("it was believed") };
    assert!(why.to_string().contains("certificate"), "{why}");
    let shown = world.node(client).view(id).unwrap().seen.fingerprint().unwrap();
    assert_ne!(shown, other);
}

#[test]
fn the_same_seed_is_the_same_run() {
    let log = |seed, cc| {
        let impairments = Impairments { loss: 0.02, duplicate: 0.02, late: 0.02, late_by: Span::from_millis(15), ..Impairments::default() };
        let mut world = Way { impairments, seed, ..Way::new(20.0, 40, 50) }.one(cc, Task::Drain { source: Box::new(Pattern(3_000_000)) });
        world.log = Some(Vec::new());
        assert!(is_through(&run(&mut world, 100)));
        world.log.unwrap()
    };
    for cc in ["symbiosis", "cubic", "quic-bbr"] {
        let first = log(1, cc);
        assert!(first.len() > 2_000);
        assert!(log(1, cc) == first, "{cc}");
        assert!(log(2, cc) != first, "{cc}");
    }
}
