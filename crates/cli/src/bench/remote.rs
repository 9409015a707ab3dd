//! The way to a server: only the sender is seen.

use serde::Serialize;
use symbiosis_base::Span;
use symbiosis_quic::choice::Choice;
use symbiosis_quic::transfer::{Endless, Task};

use super::args::Args;
use crate::failure::Failure;
use crate::net::record::{Flow, Recorder, outcome};
use crate::net::{Report, Server};
use crate::print::{pretty, print};
use crate::table::table;

/// What one controller made of the way.
#[derive(Debug, Serialize)]
struct Row {
    cc: &'static str,
    seconds: f64,
    goodput_mbps: f64,
    rtt_mean_ms: f64,
    rtt_max_ms: f64,
    packets_sent: u64,
    packets_lost: u64,
    /// Processor time of this end for each packet sent \[µs\].
    cpu_us_per_packet: f64,
    wakes_late: f64,
}

/// Sends to a server with one controller after another.
///
/// # Errors
/// The server is not there or not the one that was meant; the results cannot be written.
pub fn run(args: &Args, server: &str, choices: Vec<Choice>) -> Result<(), Failure> {
    let place = args.out.check()?;
    let (mut rows, mut flows, mut notes) = (Vec::new(), Vec::new(), Vec::new());
    for choice in choices {
        let (row, flow, note) = measure(args, &args.connection.server(server, choice)?)?;
        rows.push(row);
        flows.push(flow);
        notes.push(note);
    }
    if let Some(place) = place {
        let command = format!("symbiosis bench {server} --cc {} --seconds {}", args.cc.join(","), args.seconds);
        place.write(
            "Controllers on the same way, one after another",
            &command,
            &outcome("bench", args.connection.seed, flows, Vec::new()),
            notes,
        )?;
    }
    if args.json {
        return print(&pretty(&rows));
    }
    let header = ["controller", "Mbit/s", "RTT mean [ms]", "max", "packets", "lost", "CPU [µs/packet]", "wakes late [%]"];
    let cells: Vec<Vec<String>> = rows
        .iter()
        .map(|row| {
            vec![
                row.cc.to_string(),
                format!("{:.2}", row.goodput_mbps),
                format!("{:.1}", row.rtt_mean_ms),
                format!("{:.1}", row.rtt_max_ms),
                row.packets_sent.to_string(),
                row.packets_lost.to_string(),
                format!("{:.1}", row.cpu_us_per_packet),
                format!("{:.1}", 100.0 * row.wakes_late),
            ]
        })
        .collect();
    print(&table(&header, &cells, 1))
}

fn measure(args: &Args, server: &Server) -> Result<(Row, Flow, String), Failure> {
    let call = &server.call;
    let mut recorder = Recorder::default();
    let source = Endless::default();
    let task = Task::Drain { source: Box::new(source.clone()) };
    let called = call.run(vec![task], |now, progress, view| {
        recorder.look(now, progress, view);
        if progress.began.is_some_and(|began| now - began >= Span::from_millis(args.seconds * 1000)) {
            // What is written still arrives, and the server says so: no byte counts that did not.
            source.end();
        }
        true
    });
    let called = called.map_err(|error| server.failed(error))?;
    let report = Report::new(call, &called);
    let rtt_mean_ms = recorder.mean_rtt();
    let flow = recorder.flow(&report, &called.view);
    let row = Row {
        cc: report.cc,
        seconds: report.seconds,
        goodput_mbps: report.goodput_mbps,
        rtt_mean_ms,
        rtt_max_ms: flow.0.rtt_ms.as_ref().map_or(0.0, |rtt| rtt.max),
        packets_sent: report.packets_sent,
        packets_lost: report.packets_lost,
        cpu_us_per_packet: called.lateness.cpu.secs() * 1e6 / report.packets_sent.max(1) as f64,
        wakes_late: report.wakes_late,
    };
    Ok((row, flow, report.note()))
}
