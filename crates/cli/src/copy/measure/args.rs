//! What `symbiosis measure` is asked for.

use std::ffi::OsString;

use super::load::Plan;
use crate::copy::Reach;
use crate::copy::limit::mbps;
use crate::copy::place::Place;
use crate::failure::Failure;

/// ssh's server lets ten begin at once (`MaxStartups`), and each stream is started by one.
const MOST_STREAMS: u64 = 8;

/// What to measure.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The machine at the other end, as ssh knows it
    #[arg(value_name = "HOST")]
    host: OsString,
    /// The other machine sends
    #[arg(short = 'R', long, conflicts_with = "both")]
    pub reverse: bool,
    /// Both send at once
    #[arg(long)]
    pub both: bool,
    /// Send at this rate, evenly, and not as fast as the path allows
    #[arg(long, value_name = "MBIT/S", value_parser = mbps)]
    pub rate: Option<f64>,
    /// Streams at once, each a connection of its own
    #[arg(short = 'P', long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=MOST_STREAMS))]
    pub parallel: u64,
    /// How long to send
    #[arg(short = 't', long, value_name = "S", default_value_t = 10.0)]
    pub seconds: f64,
    /// Tell how it goes each so often; 0: only at the end
    #[arg(short = 'i', long, value_name = "S", default_value_t = 1.0)]
    pub interval: f64,
    #[command(flatten)]
    pub(in crate::copy) reach: Reach,
    /// Print one JSON object, with iperf3's fields and irtt's
    #[arg(long)]
    pub json: bool,
}

impl Args {
    /// What is sent, and for how long.
    pub fn plan(&self) -> Result<Plan, Failure> {
        if !(self.seconds.is_finite() && (0.1..=86_400.0).contains(&self.seconds)) {
            return Err(Failure::input(format!("--seconds {}: it is no time to measure", self.seconds), "give 0.1 to 86400"));
        }
        if !(self.interval == 0.0 || (0.1..=self.seconds).contains(&self.interval)) {
            let what = format!("--interval {}: it does not fit into {} s", self.interval, self.seconds);
            return Err(Failure::input(what, "give 0.1 to --seconds, or 0 for none"));
        }
        Ok(Plan { forth: !self.reverse, back: self.reverse || self.both, seconds: self.seconds })
    }

    /// The machine at the other end.
    pub fn host(&self) -> Result<String, Failure> {
        let shown = crate::copy::shown(&self.host);
        match Place::parse(&self.host) {
            Place::There { host, path } if path.is_empty() => Ok(host),
            Place::Here(host) if !shown.is_empty() && !shown.contains('/') && !shown.starts_with('-') => {
                host.into_string().map_err(|_| Failure::input(format!("{shown}: this is no host"), "give a name that ssh knows"))
            }
            Place::There { host, .. } => Err(Failure::input(format!("{shown}: a path is measured, and no file"), format!("write {host}"))),
            Place::Here(_) => Err(Failure::input(format!("{shown}: this is no host"), "give a name that ssh knows, e.g. me@host")),
        }
    }
}
