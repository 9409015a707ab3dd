//! `symbiosis copy` and `symbiosis list`: files and trees to and from other machines, over QUIC, with the other end started by ssh.

mod clock;
mod end;
mod handshake;
mod limit;
mod list;
pub mod measure;
mod place;
pub mod remote;
mod show;
#[cfg(test)]
mod situations;
mod ssh;
mod watch;
mod why;

use std::ffi::{OsStr, OsString};
use std::net::{IpAddr, SocketAddr};
use std::path::Path;
use std::sync::Arc;

use miette::miette;
use symbiosis_copy::{Bytes, Compress, Filter, Options, Tally};
use symbiosis_quic::exchange::{Beside, Calling, Limit, Moved, call};
use symbiosis_quic::identity::{Fingerprint, Identity};
use symbiosis_quic::node::View;
use symbiosis_quic::plain::plain;
use symbiosis_quic::socket::CallError;

use crate::failure::Failure;
use crate::net::Control;
use end::{Kind, end};
use handshake::{Hello, Task, VERSION};
use limit::Timetable;
use place::Place;
use show::{Done, Show, Wanted};
use ssh::{Remote, Ssh};

/// How the other end is reached.
#[derive(Debug, clap::Args)]
struct Reach {
    /// The command that reaches the other machine, with its options
    #[arg(short = 'e', long = "ssh", value_name = "CMD", default_value = "ssh")]
    ssh: String,
    /// UDP ports of the other machine that its firewall lets pass [default: any]
    #[arg(long, value_name = "FROM-TO", value_parser = ports)]
    port_range: Option<(u16, u16)>,
    /// What starts symbiosis there
    #[arg(long, value_name = "CMD", default_value = "symbiosis")]
    remote_program: String,
    /// Where the other machine is for UDP, if that is elsewhere than for ssh
    #[arg(long, value_name = "ADDR")]
    address: Option<IpAddr>,
    /// Seed of what is drawn at random
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    #[command(flatten)]
    control: Control,
}

/// What to copy, and where to.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Files and folders: here, or on another machine as `host:path`; `dir/` is what is in it, `-` is stdin
    #[arg(required = true, num_args = 1.., value_name = "SRC")]
    sources: Vec<OsString>,
    /// Where they are to be: here or there; `-` is stdout
    #[arg(required = true, value_name = "DST")]
    to: OsString,
    /// Nothing changes: folders are copied with all that is in them anyhow
    #[arg(short = 'r', long, hide = true)]
    recursive: bool,
    /// Only files that match this glob, as in .gitignore; may be given several times
    #[arg(long, value_name = "GLOB")]
    include: Vec<String>,
    /// Nothing that matches this glob; may be given several times
    #[arg(long, value_name = "GLOB")]
    exclude: Vec<String>,
    /// Remove what the source does not have from folders that are copied
    #[arg(long)]
    delete: bool,
    /// Say what would be done, and do nothing
    #[arg(short = 'n', long)]
    dry_run: bool,
    /// Compare files by their content also where size and time are the same
    #[arg(short = 'c', long)]
    checksum: bool,
    /// Copy what symbolic links lead to, and not the links
    #[arg(short = 'L', long)]
    copy_links: bool,
    /// Name what is copied
    #[arg(short = 'v', long)]
    verbose: bool,
    /// Pack what moves: `auto` where that makes it faster, `always`, or `never`
    #[arg(long, value_name = "WHEN", default_value = "auto", value_parser = compress)]
    compress: Compress,
    /// The side that has the files sends no faster than this, or by local time of day: '08:00,50 18:00,off Sat-08:00,off'
    #[arg(long, value_name = "MBIT/S", visible_alias = "schedule")]
    limit: Option<Timetable>,
    #[command(flatten)]
    reach: Reach,
    /// Say what held the copy up, in detail
    #[arg(long)]
    why: bool,
    /// Show on the whole terminal how it goes; where there is none, a line each second
    #[arg(long, conflicts_with_all = ["json", "dry_run"])]
    watch: bool,
    /// Print events as JSON, one each line, and nothing else
    #[arg(long)]
    json: bool,
}

/// What to list.
#[derive(Debug, clap::Args)]
pub struct List {
    /// Files and folders of another machine; globs are its
    #[arg(required = true, num_args = 1.., value_name = "HOST:PATH")]
    sources: Vec<OsString>,
    /// With what is in folders of folders
    #[arg(short = 'r', long)]
    recursive: bool,
    #[command(flatten)]
    reach: Reach,
    /// Print JSON, an object each line
    #[arg(long)]
    json: bool,
}

fn ports(text: &str) -> Result<(u16, u16), String> {
    let (from, to) = text.split_once('-').unwrap_or((text, text));
    let port = |text: &str| text.parse::<u16>().ok().filter(|port| *port > 0);
    match (port(from), port(to)) {
        (Some(from), Some(to)) if from <= to => Ok((from, to)),
        _ => Err("write two ports from 1 to 65535, e.g. 60000-60100".into()),
    }
}

fn compress(text: &str) -> Result<Compress, String> {
    match text {
        "auto" => Ok(Compress::Auto),
        "always" => Ok(Compress::Always),
        "never" => Ok(Compress::Never),
        _ => Err("write auto, always or never".into()),
    }
}

/// Which way, and with which machine.
struct Way {
    host: String,
    here: Kind,
    there: Task,
}

impl Args {
    fn options(&self) -> Options {
        Options {
            include: self.include.clone(),
            exclude: self.exclude.clone(),
            delete: self.delete,
            dry_run: self.dry_run,
            checksum: self.checksum,
            copy_links: self.copy_links,
            verbose: self.verbose,
            compress: self.compress,
            ..Options::default()
        }
    }

    fn way(&self) -> Result<Way, Failure> {
        match (places(&self.sources)?, Place::parse(&self.to)) {
            (Places::Here(sources), Place::There { host, path }) => {
                for source in &sources {
                    if source != "-"
                        && let Err(error) = Path::new(source).symlink_metadata()
                    {
                        let what = format!("{}: {error}", shown(source));
                        return Err(Failure::input(what, "give files and folders that are there, then host:path"));
                    }
                }
                if sources.iter().any(|source| source == "-") && sources.len() > 1 {
                    return Err(Failure::input("-: stdin is copied alone", "give `-` and nothing else, then host:path"));
                }
                Ok(Way { host, here: Kind::Gives(sources), there: Task::Take { to: Bytes::from(&*path) } })
            }
            (Places::There(host, paths), Place::Here(to)) => Ok(Way {
                host,
                here: Kind::Takes(to),
                there: Task::Give { sources: paths.iter().map(|path| Bytes::from(&**path)).collect() },
            }),
            (Places::Here(_), Place::Here(to)) => {
                let what = format!("{}: neither this nor a source is on another machine", shown(&to));
                Err(Failure::input(what, "write host:path for one side; between folders of one machine, cp copies"))
            }
            (Places::There(..), Place::There { host, .. }) => {
                let what = format!("{host}: both sides are on other machines");
                Err(Failure::input(what, format!("run it on one of them: ssh {host} symbiosis copy …")))
            }
        }
    }
}

enum Places {
    Here(Vec<OsString>),
    There(String, Vec<OsString>),
}

/// All sources are here, or all are on one machine.
fn places(sources: &[OsString]) -> Result<Places, Failure> {
    let (mut here, mut there, mut hosts) = (Vec::new(), Vec::new(), Vec::<String>::new());
    for source in sources {
        match Place::parse(source) {
            Place::Here(path) => here.push(path),
            Place::There { host, path } => {
                hosts.push(host);
                there.push(path);
            }
        }
    }
    hosts.dedup();
    match (&hosts[..], here.is_empty()) {
        ([], _) => Ok(Places::Here(here)),
        ([host], true) => Ok(Places::There(host.clone(), there)),
        _ => Err(Failure::input("sources are on several machines", "give sources of one machine, and copy from the others by themselves")),
    }
}

fn shown(path: &OsStr) -> String {
    symbiosis_copy::shown(path.as_encoded_bytes())
}

/// Runs `symbiosis copy`.
///
/// # Errors
/// Something was not copied.
pub fn run(args: &Args) -> Result<(), Failure> {
    let way = args.way()?;
    let options = args.options();
    Filter::new(&options).map_err(|why| Failure::input(why, "globs are written as in .gitignore: *.o, target/, /top"))?;
    let to_stdout = matches!(&way.here, Kind::Takes(to) if to == "-");
    if to_stdout && args.json {
        return Err(Failure::input("--json: stdout is what is copied to", "leave one of them out"));
    }
    let mut show = Show::new(Wanted {
        json: args.json,
        names: to_stdout || args.dry_run || args.verbose,
        watch: args.watch,
        stdout_is_taken: to_stdout,
        gives: matches!(way.here, Kind::Gives(_)),
    });
    let tally = Tally::default();
    let done = copied((&args.reach, args.limit.as_ref()), &way, &options, &tally, |now, moved, view| show.look(now, &tally, moved, view));
    show.end();
    // What went wrong is named whatever else went wrong.
    let faults = tally.faults();
    let done = done.inspect_err(|_| faults.iter().for_each(|why| eprintln!("{why}")))?;
    show.report(&tally, &done, &faults, (args.dry_run, args.why))
}

/// Runs `symbiosis list`.
///
/// # Errors
/// Something was not listed.
pub fn list(args: &List) -> Result<(), Failure> {
    let Places::There(host, paths) = places(&args.sources)? else {
        let what = format!("{}: this is on no other machine", shown(&args.sources[0]));
        return Err(Failure::input(what, "write host:path; what is here, ls lists"));
    };
    let options = Options { list: true, shallow: !args.recursive, ..Options::default() };
    let there = Task::Give { sources: paths.iter().map(|path| Bytes::from(&**path)).collect() };
    let way = Way { host, here: Kind::Lists, there };
    let tally = Tally::default();
    copied((&args.reach, None), &way, &options, &tally, |_, _, _| true)?;
    list::print_list(&tally, args.json)?;
    show::faulty(&tally.faults())
}

/// What the other end is told.
fn hello(reach: &Reach, identity: &Identity, (limit, seed): (Option<&Timetable>, u64), task: Task, options: Options) -> Hello {
    Hello {
        version: VERSION,
        fingerprint: identity.fingerprint().to_string(),
        ports: reach.port_range,
        cc: reach.control.name().into(),
        sets: reach.control.sets().to_vec(),
        seed,
        limit: limit.map(Timetable::now),
        task,
        options,
    }
}

/// What holds for this end, whose clock starts now.
fn own_limit(limit: Option<&Timetable>) -> Limit {
    limit.map_or(Limit::default(), |table| table.now().limit().expect("a timetable has times of a week"))
}

/// Where the other end may be.
fn known(reach: &Reach, ssh: &Ssh) -> Vec<IpAddr> {
    reach.address.map_or_else(|| ssh.addresses(), |address| vec![address])
}

/// The same in the order in which they are tried: where ssh's server was reached comes first if it is one of them. If it is none, there is a
/// translation of addresses on the way, and it comes last.
fn in_turn(mut known: Vec<IpAddr>, reached: Option<IpAddr>, asked_for: bool) -> Vec<IpAddr> {
    match reached.map(|address| address.to_canonical()) {
        Some(reached) if known.contains(&reached) => known.sort_by_key(|address| *address != reached),
        Some(reached) if !asked_for => known.push(reached),
        _ => {}
    }
    known
}

fn copied(
    (reach, limit): (&Reach, Option<&Timetable>),
    way: &Way,
    options: &Options,
    tally: &Tally,
    mut watch: impl FnMut(symbiosis_base::Instant, &Moved, &mut dyn FnMut() -> View) -> bool,
) -> Result<Done, Failure> {
    let choice = reach.control.choice()?;
    let ssh = Ssh::new(&reach.ssh, &way.host, &reach.remote_program)?;
    let (identity, _) = Identity::generate().map_err(|error| Failure::Other(miette!("{error}")))?;
    let known = known(reach, &ssh);
    let hello = hello(reach, &identity, (limit, reach.seed), way.there.clone(), options.clone());
    let remote = ssh.start(&hello)?;
    let peer =
        Fingerprint::parse(&remote.ready.fingerprint).ok_or_else(|| Failure::Other(miette!("{}: it shows no fingerprint", way.host)))?;
    let mut calling = Calling {
        to: SocketAddr::from(([127, 0, 0, 1], remote.ready.port)),
        peer,
        shows: Arc::new(identity),
        choice: choice.clone(),
        seed: reach.seed,
        limit: own_limit(limit),
    };
    let mut failed = Failure::input(format!("{}: its address is not known", way.host), "say where the other machine is with --address");
    for address in in_turn(known, remote.ready.address, reach.address.is_some()) {
        calling.to = SocketAddr::from((address, remote.ready.port));
        let work = end(&way.here, options, tally)?;
        let work = Beside::new(work)?;
        match call(&calling, Box::new(work), &mut watch) {
            Ok((moved, view, lateness)) => {
                remote.ends();
                let gives = matches!(way.here, Kind::Gives(_));
                return Ok(Done { moved, view, late: lateness.part_late(), cc: choice.name(), gives });
            }
            Err(error @ (CallError::NoAnswer(_) | CallError::Refused(_))) => failed = unanswered(&error, &remote),
            Err(error) => return Err(broken(&error)),
        }
    }
    Err(failed)
}

fn unanswered(error: &CallError, remote: &Remote) -> Failure {
    let help = format!(
        "{} answers ssh, but not at UDP port {}: a firewall on the way must let UDP pass; `--port-range FROM-TO` keeps to ports that are open, and `--address` says where the machine is",
        remote.host, remote.ready.port
    );
    Failure::Other(miette!(help = help, "{error}"))
}

fn broken(error: &CallError) -> Failure {
    let said = plain(&error.to_string());
    match error {
        CallError::NotDone(why) if why.contains("writing failed") => {
            Failure::Other(miette!(help = "make room there and run the same command again: what has arrived is kept", "{said}"))
        }
        CallError::NotDone(_) => Failure::Other(miette!("{said}")),
        _ => Failure::Other(miette!(help = "run the same command again: what has arrived is kept", "{said}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_ssh_came_to_is_tried_first() {
        let at = |text: &str| text.parse::<IpAddr>().unwrap();
        let (four, six, inside) = (at("192.0.2.1"), at("2001:db8::1"), at("10.0.0.1"));
        assert_eq!(in_turn(vec![six, four], Some(four), false), [four, six]);
        assert_eq!(in_turn(vec![six, four], Some(at("::ffff:192.0.2.1")), false), [four, six]);
        assert_eq!(in_turn(vec![six, four], Some(inside), false), [six, four, inside]);
        assert_eq!(in_turn(vec![four], Some(inside), true), [four], "it was asked for");
        assert_eq!(in_turn(vec![], Some(inside), false), [inside]);
        assert_eq!(in_turn(vec![six, four], None, false), [six, four]);
    }
}
