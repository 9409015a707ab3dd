//! The command's arguments.

use clap::value_parser;

use crate::net::{Connection, Out};

/// What to measure.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The server; it forgets what it is sent. Without one a server runs in this process
    #[arg(value_name = "HOST[:PORT]", conflicts_with_all = ["relay", "runs"])]
    pub(super) server: Option<String>,
    /// Controllers, separated by commas
    #[arg(long, value_name = "NAMES", value_delimiter = ',', default_value = "symbiosis,quic-cubic,quic-bbr,quic-newreno,hcc")]
    pub(super) cc: Vec<String>,
    /// For how long each of them is measured
    #[arg(long, value_name = "S", default_value_t = 10, value_parser = value_parser!(u64).range(1..=3600))]
    pub(super) seconds: u64,
    /// Without a server: emulate paths with these round-trip times in milliseconds, and run the same in virtual time, too
    #[arg(long, value_name = "MS", value_delimiter = ',', value_parser = value_parser!(u64).range(1..=2000))]
    pub(super) relay: Vec<u64>,
    /// Capacity of the emulated link [Mbit/s]; its buffer holds one BDP
    #[arg(long, value_name = "MBPS", default_value_t = 100, value_parser = value_parser!(u64).range(1..=1000))]
    pub(super) mbps: u64,
    /// What others send over it, Poisson in the Internet's sizes [Mbit/s]
    #[arg(long, value_name = "MBPS", default_value_t = 20, value_parser = value_parser!(u64).range(0..=1000))]
    pub(super) others: u64,
    /// Without a server: each controller runs so often, and medians are shown
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = value_parser!(u64).range(1..=1000))]
    pub(super) runs: u64,
    #[command(flatten)]
    pub(super) connection: Connection,
    #[command(flatten)]
    pub(super) out: Out,
    /// Print JSON and nothing else
    #[arg(long)]
    pub(super) json: bool,
}
