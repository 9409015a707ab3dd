//! Everything that can go wrong on the way of a file (`crates/quic/tests/faults.rs`) on the way of a tree, in virtual time: a tree arrives as it was, or there
//! is one clear error, and then the same copy once more brings what is missing. No file is ever wrong under its name.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use symbiosis_base::{Instant, Random, Rate, Span};
use symbiosis_copy::{Options, Progress, Receiver, Sender, Sources, Tally, Target};
use symbiosis_path::{LinkSpec, NetworkLink, QueueLimit};
use symbiosis_quic::choice::Choice;
use symbiosis_quic::clock::Clock;
use symbiosis_quic::exchange::{COPIES, End, Exchange, Frame, Inline, Limit, Moved, Offer, Step};
use symbiosis_quic::identity::{Identity, Trust};
use symbiosis_quic::impairments::Impairments;
use symbiosis_quic::node::{Node, PeerId, Settings};
use symbiosis_quic::transfer::Failed;
use symbiosis_quic::virtual_time::{Emulation, Route, address};

const SEEDS: u64 = 2;
/// Nothing takes longer: 20 s until a silent peer is gone, twice the longest blackouts, and what a tree needs where every fifth packet is lost.
const LONGEST: Instant = Instant::from_millis(90_000);
/// The process may grow by as much as two connections may hold back unread, over all runs together.
const MOST_GROWTH: u64 = 128_000_000;

#[derive(Clone, Copy, PartialEq)]
enum Event {
    None,
    Rebind,
    /// The other end is killed.
    Killed,
    /// The disk of the receiver has room for so many bytes.
    Full(usize),
}

/// A receiver on a small disk.
struct Small(Receiver, usize);

impl End for Small {
    fn take(&mut self, frame: Frame) -> Result<(), String> {
        self.1 = self.1.checked_sub(frame.body.len()).ok_or("writing failed: no space left on device")?;
        self.0.take(frame)
    }

    fn next(&mut self) -> Result<Step, String> {
        self.0.next()
    }
}

fn faults(seed: u64) -> Vec<(&'static str, Impairments, Event)> {
    let (none, ms) = (Impairments::default(), Span::from_millis);
    let at = when(seed);
    let dark = (at, at + ms(5000));
    vec![
        ("nothing", none.clone(), Event::None),
        ("loss 1 %", Impairments { loss: 0.01, ..none.clone() }, Event::None),
        ("loss 5 %", Impairments { loss: 0.05, ..none.clone() }, Event::None),
        ("loss 20 %", Impairments { loss: 0.2, ..none.clone() }, Event::None),
        ("reordering 10 %, 15 ms", Impairments { late: 0.1, late_by: ms(15), ..none.clone() }, Event::None),
        ("duplication 20 %", Impairments { duplicate: 0.2, ..none.clone() }, Event::None),
        ("bits flipped in 5 %", Impairments { damage: 0.05, ..none.clone() }, Event::None),
        ("truncated 5 %", Impairments { truncate: 0.05, ..none.clone() }, Event::None),
        ("forged beside 20 %", Impairments { forge: 0.2, ..none.clone() }, Event::None),
        ("blackout of 5 s", Impairments { blackouts: vec![dark], ..none.clone() }, Event::None),
        ("new address", none.clone(), Event::Rebind),
        ("new address, loss 5 %", Impairments { loss: 0.05, ..none.clone() }, Event::Rebind),
        ("other end killed", none.clone(), Event::Killed),
        ("disk full", none.clone(), Event::Full(1_200_000)),
        (
            "all of it",
            Impairments {
                loss: 0.05,
                late: 0.1,
                late_by: ms(15),
                duplicate: 0.1,
                damage: 0.01,
                truncate: 0.01,
                forge: 0.05,
                blackouts: vec![dark],
            },
            Event::Rebind,
        ),
    ]
}

/// When something happens: amid the copy, which takes more than a second.
fn when(seed: u64) -> Instant {
    Instant::from_millis(300 + 100 * seed)
}

struct Run<'a> {
    clock: Clock,
    identities: [&'a Arc<Identity>; 2],
    seed: u64,
    impairments: Impairments,
    from: &'a Path,
    to: &'a Path,
    /// Who calls has the files.
    sends: bool,
}

impl Run<'_> {
    /// How it went, when it was over, and what the receiver counted.
    fn goes(&self, event: Event) -> (Result<(), String>, Instant, Progress) {
        let tally = Tally::default();
        let sender = Sender::new(Sources::Paths(vec![self.from.into()]), Options::default(), Tally::default()).unwrap();
        let receiver = Receiver::new(Target::Path(self.to.into()), Options::default(), tally.clone()).unwrap();
        let room = if let Event::Full(room) = event { room } else { usize::MAX };
        let (sender, receiver): (Box<dyn End>, Box<dyn End>) = (Box::new(sender), Box::new(Small(receiver, room)));
        let (calls, called) = if self.sends { (sender, receiver) } else { (receiver, sender) };
        let settings = Settings { protocol: COPIES, asks_who: true, ..Settings::default() };
        let [here, there] = self.identities;
        let way = LinkSpec { queue: QueueLimit::Packets(100), ..LinkSpec::ideal(Rate::from_mbps(20.0), Span::from_millis(20)) };
        let (from, to) = (Instant::START, Instant::NEVER);
        let link = |source| NetworkLink { spec: way.clone(), random: Random::new(self.seed, source), from, to, sample_every: None };
        let mut world: Emulation<Exchange> = Emulation::new(vec![link(100), link(101)], settings.overhead, self.seed);
        let cc = ["symbiosis", "cubic", "quic-newreno"][self.seed as usize % 3];
        let choice = Choice::find(cc, &[]).unwrap();
        let offer = Offer::new(here.fingerprint(), Box::new(Inline::new(called)));
        let accept = Box::new(move |_| Exchange::answers(offer.clone(), Limit::default()));
        world.add(Node::server(self.clock, settings, choice.clone(), self.seed, there, accept).unwrap());
        let mut node = Node::client(self.clock, settings, choice, self.seed + 1000);
        node.show((*here).clone());
        let session = Exchange::opens(Box::new(Inline::new(calls)), Limit::default());
        let id = node.connect(world.now(), address(0), None, &Trust::Pinned(there.fingerprint()), session).unwrap();
        let client = world.add(node);
        for (from, to, link) in [(client, 0, 0), (0, client, 1)] {
            world.route(from, to, Route { links: vec![link], impairments: self.impairments.clone() });
        }
        run_until(&mut world, client, id, when(self.seed));
        match event {
            Event::Rebind => world.rebind(client),
            Event::Killed => world.kill(0),
            Event::None | Event::Full(_) => {}
        }
        run_until(&mut world, client, id, LONGEST);
        let moved = moved(&mut world, client, id);
        let went = match moved.failed {
            None if moved.finished.is_some() => Ok(()),
            None => Err("it hangs".into()),
            Some(Failed::Refused(why)) => Err(why),
            Some(Failed::Ended(why)) => Err(why.to_string()),
        };
        (went, world.now(), tally.progress())
    }
}

fn moved(world: &mut Emulation<Exchange>, client: usize, id: PeerId) -> Moved {
    world.look(client).session(id).unwrap().moved().clone()
}

fn run_until(world: &mut Emulation<Exchange>, client: usize, id: PeerId, end: Instant) {
    world.run(end, |world| {
        let moved = moved(world, client, id);
        moved.finished.is_none() && moved.failed.is_none()
    });
}

fn made(root: &Path) -> PathBuf {
    let tree = root.join("tree");
    fs::create_dir_all(tree.join("sub/empty")).unwrap();
    for at in 0..60usize {
        let name = if at % 2 == 0 { format!("f{at}") } else { format!("sub/f{at}") };
        fs::write(tree.join(name), vec![at as u8; at * 97 % 5000]).unwrap();
    }
    fs::write(tree.join("large"), (0..2_500_000u64).map(|at| (at * at / 97) as u8).collect::<Vec<_>>()).unwrap();
    symlink("sub/f1", tree.join("link")).unwrap();
    tree
}

/// Names with contents, without what has not got its name yet.
fn content(root: &Path, at: &Path, all: &mut BTreeMap<PathBuf, Vec<u8>>) {
    for entry in fs::read_dir(at).into_iter().flatten() {
        let path = entry.unwrap().path();
        let name = path.strip_prefix(root).unwrap().to_path_buf();
        let is = fs::symlink_metadata(&path).unwrap();
        if is.is_dir() {
            all.insert(name, Vec::new());
            content(root, &path, all);
        } else if is.is_symlink() {
            all.insert(name, fs::read_link(&path).unwrap().into_os_string().into_encoded_bytes());
        } else if !path.extension().is_some_and(|end| end == "part" || end == "tree") {
            all.insert(name, fs::read(&path).unwrap());
        }
    }
}

fn tree(root: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut all = BTreeMap::new();
    content(root, root, &mut all);
    all
}

/// Most memory that this process has ever had \[bytes\].
fn peak_memory() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().trim_end_matches(" kB").parse::<u64>().unwrap() * 1024
}

#[test]
fn a_tree_arrives_as_it_was_or_goes_on_the_next_time() {
    let folder = tempfile::tempdir().unwrap();
    let from = made(folder.path());
    let wanted = tree(&from);
    let all: u64 = wanted.values().map(|content| content.len() as u64).sum();
    let ours = [(); 2].map(|()| Arc::new(Identity::generate().unwrap().0));
    let clock = Clock::start();
    let mut memory = None;
    for (row, (name, ..)) in faults(1).into_iter().enumerate() {
        for sends in [true, false] {
            let mut table = String::new();
            for seed in 1..=SEEDS {
                let (_, impairments, event) = faults(seed).swap_remove(row);
                let place = tempfile::tempdir().unwrap();
                let to = place.path().join("to");
                let run = |impairments| Run { clock, identities: [&ours[0], &ours[1]], seed, impairments, from: &from, to: &to, sends };
                let (went, over, before) = run(impairments).goes(event);
                let got = tree(&to.join("tree"));
                assert!(got.iter().all(|(path, content)| wanted[path] == *content), "{name}, seed {seed}: a wrong file");
                match (&went, event) {
                    (Ok(()), Event::Killed | Event::Full(_)) => panic!("{name}, seed {seed}: it cannot go through"),
                    (Err(why), Event::Full(_)) => assert!(why.contains("writing failed"), "{why}"),
                    (Err(why), _) => assert!(over < LONGEST, "{name}, seed {seed}: {why}"),
                    (Ok(()), _) => {}
                }
                if went.is_err() {
                    let (again, _, after) = run(Impairments::default()).goes(Event::None);
                    assert_eq!(again, Ok(()), "{name}, seed {seed}, after {went:?}");
                    // What arrived is not sent again, but for a group that was not whole.
                    let sent = before.moved + after.moved;
                    assert!(sent <= all + (1 << 20), "{name}, seed {seed}: {sent} bytes arrived for {all}");
                }
                assert!(tree(&to.join("tree")) == wanted, "{name}, seed {seed}");
                memory.get_or_insert_with(peak_memory);
                table += &format!("  {:.1} s {}", over.secs(), went.err().unwrap_or_default());
            }
            println!("{name:<24} {}{table}", if sends { "send " } else { "fetch" });
        }
    }
    let growth = peak_memory() - memory.unwrap();
    assert!(growth < MOST_GROWTH, "{growth} bytes more than after the first copy");
}
