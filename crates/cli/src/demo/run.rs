//! A file sent over the emulated path, and what the client sees.

use std::fs::{self, File};
use std::io::{self, Write};
use std::net::SocketAddr;

use serde::Serialize;
use symbiosis_base::{Instant, Rate};
use symbiosis_quic::choice::Choice;
use symbiosis_quic::clock::Clock;
use symbiosis_quic::identity::{Identity, Trust};
use symbiosis_quic::relay::Relayed;
use symbiosis_quic::socket::{Call, Called, settings_for};
use symbiosis_quic::transfer::{FileSource, Folder, Pattern, Source, Task, Writers};
use symbiosis_run::{LinkSummary, QueueSummary};
use tempfile::TempDir;

use super::path::{CAPACITY, others, path};
use crate::failure::Failure;
use crate::net::here::{MOST_LATE, fault, served};
use crate::net::record::{Flow, Link, Recorder};
use crate::net::{Bar, Report, failed};

/// A file, and a folder to which it is sent.
pub struct Stage {
    here: TempDir,
    there: TempDir,
    identity: Identity,
    seed: u64,
}

/// What one controller made of it.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    pub cc: &'static str,
    pub seconds: f64,
    pub goodput_mbps: f64,
    /// What others left, mean over the same time.
    pub available_mbps: f64,
    pub rtt_mean_ms: f64,
    pub rtt_p95_ms: f64,
    pub queue_mean_packets: f64,
    pub queue_max_packets: u64,
    pub queue_drops: u64,
    pub packets_sent: u64,
    pub packets_lost: u64,
    /// Part of the relay's datagrams that left more than 200 µs late.
    pub relay_late: f64,
    pub void: bool,
}

/// A run that has ended.
pub struct Run {
    pub row: Row,
    pub flow: Flow,
    pub link: Link,
}

impl Run {
    /// Whether the machine was measured, and not the controller.
    pub fn is_void(&self) -> bool {
        self.row.void
    }
}

impl Stage {
    /// A file of so many bytes.
    pub fn new(bytes: u64, seed: u64) -> Result<Stage, Failure> {
        let (here, there) = (tempfile::tempdir()?, tempfile::tempdir()?);
        let mut file = io::BufWriter::new(File::create(here.path().join("file"))?);
        let mut chunk = vec![0; 1 << 20];
        let mut pattern = Pattern(bytes);
        let mut at = 0;
        while at < bytes {
            let read = pattern.read_at(at, &mut chunk)?;
            file.write_all(&chunk[..read])?;
            at += read as u64;
        }
        file.flush()?;
        let (identity, _) = Identity::generate().map_err(fault)?;
        Ok(Stage { here, there, identity, seed })
    }

    /// Sends the file.
    pub fn run(&self, choice: &Choice) -> Result<Run, Failure> {
        let folder = Folder::new(self.there.path(), Writers::Anyone)?;
        let path = path(settings_for(([127, 0, 0, 1], 0).into()).overhead, self.seed);
        let clock = Clock::start();
        let served = served((&self.identity, self.seed, clock), move || Box::new(folder.clone()), Some(path), |at| self.call(at, choice))?;
        let (call, called, recorder) = served.done;
        self.check()?;
        let relayed = served.relayed.expect("where there is a path there is a relay");
        Ok(found(&call, &called, recorder, relayed))
    }

    fn call(&self, to: SocketAddr, choice: &Choice) -> Result<(Call, Called, Recorder), Failure> {
        let trust = Trust::Pinned(self.identity.fingerprint());
        let call = Call { to, name: "localhost".into(), shows: None, trust, choice: choice.clone(), seed: self.seed, qlog: None };
        let source = FileSource::open(&self.here.path().join("file"))?;
        let mut bar = Bar::new(choice.name());
        let mut recorder = Recorder::default();
        let called =
            call.run(vec![Task::Send { name: "file".into(), source: Box::new(source), hash: None, force: true }], |now, progress, view| {
                bar.show(now, progress, view);
                recorder.look(now, progress, view);
                true
            });
        bar.end();
        Ok((call.clone(), called.map_err(|error| failed(error, &call.trust))?, recorder))
    }

    /// What arrived is what was sent. The transfer checks that itself; this is for whoever does not believe it.
    fn check(&self) -> Result<(), Failure> {
        let [here, there] = [&self.here, &self.there].map(|folder| fs::read(folder.path().join("file")));
        if here? == there? { Ok(()) } else { Err(fault("what arrived is not what was sent")) }
    }
}

fn found(call: &Call, called: &Called, recorder: Recorder, relayed: Relayed) -> Run {
    let report = Report::new(call, called);
    let rtt_mean_ms = recorder.mean_rtt();
    let flow = recorder.flow(&report, &called.view);
    // The links' time begins with the handshake, two round trips before the file.
    let taken = others().volume(Instant::START, Instant::from_secs(report.seconds)) / report.seconds;
    let relay_late = relayed.lateness.part_late();
    let forth = relayed.forth;
    let row = Row {
        cc: report.cc,
        seconds: report.seconds,
        goodput_mbps: report.goodput_mbps,
        available_mbps: (CAPACITY - Rate::from_bytes_per_s(taken)).mbps(),
        rtt_mean_ms,
        rtt_p95_ms: flow.0.rtt_ms.as_ref().map_or(0.0, |rtt| rtt.p95),
        queue_mean_packets: forth.queue_mean,
        queue_max_packets: forth.queue_max,
        queue_drops: forth.queue_drops,
        packets_sent: report.packets_sent,
        packets_lost: report.packets_lost,
        relay_late,
        void: relay_late > MOST_LATE,
    };
    let link = LinkSummary {
        name: report.cc.into(),
        utilization: forth.bytes_sent / CAPACITY.times(relayed.time),
        drops: forth.queue_drops + forth.wire_losses,
        marks: 0,
        queue_packets: QueueSummary { mean: forth.queue_mean, p95: forth.queue_p95 as f64, max: forth.queue_max as f64 },
    };
    Run { row, flow, link: (link, relayed.samples) }
}
