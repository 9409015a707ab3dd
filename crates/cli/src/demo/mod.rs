//! `symbiosis demo`: the same file over the same emulated path with one controller after another, on this machine alone.

mod path;
mod report;
mod run;

use std::path::PathBuf;

use clap::value_parser;
use miette::miette;
use symbiosis_quic::choice::Choice;

use crate::failure::Failure;
use crate::net::choice;
use crate::output::writable;
use crate::print::{pretty, print};
use crate::table::table;
use run::{Row, Stage};

/// A void run is repeated so many times: who watches a demonstration waits for one more and no longer.
const RETRIES: usize = 1;

/// What to show.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Controllers, separated by commas
    #[arg(long, value_name = "NAMES", value_delimiter = ',', default_value = "symbiosis,quic-cubic,quic-bbr,quic-newreno,hcc")]
    cc: Vec<String>,
    /// Size of the file in MB
    #[arg(long, value_name = "MB", default_value_t = 80, value_parser = value_parser!(u64).range(1..=10_000))]
    megabytes: u64,
    /// Seed of what is drawn at random
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    /// Where the report is written
    #[arg(long, value_name = "DIR", default_value = "demo")]
    out: PathBuf,
    /// Print JSON and nothing else
    #[arg(long)]
    json: bool,
}

/// Runs the command.
///
/// # Errors
/// A controller is unknown, the report cannot be written, or the machine gives no sockets.
pub fn run(args: &Args) -> Result<(), Failure> {
    let choices: Vec<Choice> = args.cc.iter().map(|cc| choice(cc, &[])).collect::<Result<_, _>>()?;
    writable(&args.out)
        .map_err(|why| Failure::input(format!("--out {}: {why}", args.out.display()), "give a folder where you may write"))?;
    let stage = Stage::new(args.megabytes * 1_000_000, args.seed)?;
    let mut runs = Vec::new();
    for choice in &choices {
        let mut run = stage.run(choice)?;
        for _ in 0..RETRIES {
            if run.is_void() {
                eprintln!(
                    "{}: the machine was busy, {:.0} % of the relay's datagrams left late; once more",
                    choice.name(),
                    100.0 * run.row.relay_late
                );
                run = stage.run(choice)?;
            }
        }
        runs.push(run);
    }
    let command = format!("symbiosis demo --cc {} --megabytes {} --seed {}", args.cc.join(","), args.megabytes, args.seed);
    let rows: Vec<Row> = runs.iter().map(|run| run.row.clone()).collect();
    report::write(&args.out, runs, args.seed, command).map_err(|error| Failure::Other(miette!("{error}")))?;
    if args.json {
        return print(&pretty(&rows));
    }
    print(&format!("{}\n{}\nreport: {}\n", path::ABOUT, text(&rows), args.out.join("index.html").display()))
}

fn text(rows: &[Row]) -> String {
    let header = [
        "controller",
        "time [s]",
        "Mbit/s",
        "left by others",
        "RTT mean [ms]",
        "p95",
        "queue mean [packets]",
        "drops",
        "lost",
        "late [%]",
        "",
    ];
    let cells: Vec<Vec<String>> = rows
        .iter()
        .map(|row| {
            vec![
                row.cc.to_string(),
                format!("{:.2}", row.seconds),
                format!("{:.1}", row.goodput_mbps),
                format!("{:.1}", row.available_mbps),
                format!("{:.1}", row.rtt_mean_ms),
                format!("{:.1}", row.rtt_p95_ms),
                format!("{:.0}", row.queue_mean_packets),
                row.queue_drops.to_string(),
                row.packets_lost.to_string(),
                format!("{:.1}", 100.0 * row.relay_late),
                if row.void { "void: the machine was busy".into() } else { String::new() },
            ]
        })
        .collect();
    table(&header, &cells, 1)
}
