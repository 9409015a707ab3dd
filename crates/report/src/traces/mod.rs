//! A run's samples as files: Parquet for tools, CSV for eyes.

mod table;
#[cfg(test)]
mod tests;

use std::io;
use std::path::{Path, PathBuf};

use symbiosis_run::Outcome;

use crate::files::write_atomically;
pub use table::{Column, Table};

/// Writes `flows.parquet` and `links.parquet` into a folder, with `csv` also `flows.csv` and `links.csv`; the paths written.
///
/// Both are in long format, flow after flow and link after link, each in order of time.
/// `flows`: `time_s`, `flow`, `cwnd_packets`, `in_flight_packets`, `srtt_ms`, `delivered_bytes`, `retransmissions`, `timeouts`, then a column
/// for each gauge of any controller, null where a flow has none. `links`: `time_s`, `link`, `queue_packets`, `drops`, `bytes_begun`.
/// Counters count since the start of the run. The same outcome gives the same bytes.
pub fn write_traces(dir: &Path, outcome: &Outcome, csv: bool) -> io::Result<Vec<PathBuf>> {
    let mut written = Vec::new();
    for (name, table) in [("flows", flows(outcome)), ("links", links(outcome))] {
        let path = dir.join(format!("{name}.parquet"));
        write_atomically(&path, table.parquet()?)?;
        written.push(path);
        if csv {
            let path = dir.join(format!("{name}.csv"));
            write_atomically(&path, table.csv())?;
            written.push(path);
        }
    }
    Ok(written)
}

/// The samples of the flows, as `flows.parquet` has them.
pub fn flows(outcome: &Outcome) -> Table<'_> {
    let rows = || outcome.flow_traces.iter().flatten();
    let names = outcome.summary.flows.iter().zip(&outcome.flow_traces);
    let mut table = Table::new(rows().count());
    table.push("time_s", Column::Double(rows().map(|s| s.at.secs()).collect()));
    table.push("flow", Column::Text(names.flat_map(|(flow, trace)| std::iter::repeat_n(flow.id.as_str(), trace.len())).collect()));
    table.push("cwnd_packets", Column::Double(rows().map(|s| s.cwnd_packets).collect()));
    table.push("in_flight_packets", Column::Double(rows().map(|s| s.in_flight_packets).collect()));
    table.push("srtt_ms", Column::Double(rows().map(|s| s.srtt_ms).collect()));
    table.push("delivered_bytes", Column::Integer(rows().map(|s| s.delivered_bytes as i64).collect()));
    table.push("retransmissions", Column::Integer(rows().map(|s| s.retransmissions as i64).collect()));
    table.push("timeouts", Column::Integer(rows().map(|s| s.timeouts as i64).collect()));

    let mut gauges: Vec<&str> = Vec::new();
    for (name, _) in rows().flat_map(|s| &s.gauges) {
        if !gauges.contains(name) {
            gauges.push(name);
        }
    }
    for gauge in gauges {
        let value = |s: &symbiosis_run::FlowSample| s.gauges.iter().find(|(name, _)| *name == gauge).map(|(_, value)| *value);
        table.push(gauge, Column::Sparse(rows().map(value).collect()));
    }
    table
}

/// The samples of the links, as `links.parquet` has them.
pub fn links(outcome: &Outcome) -> Table<'_> {
    let rows = || outcome.link_traces.iter().flatten();
    let mut table = Table::new(rows().count());
    let names = outcome.summary.links.iter().zip(&outcome.link_traces);
    table.push("time_s", Column::Double(rows().map(|s| s.at.secs()).collect()));
    table.push("link", Column::Text(names.flat_map(|(link, trace)| std::iter::repeat_n(link.name.as_str(), trace.len())).collect()));
    table.push("queue_packets", Column::Integer(rows().map(|s| s.queue_packets as i64).collect()));
    table.push("drops", Column::Integer(rows().map(|s| s.drops as i64).collect()));
    table.push("bytes_begun", Column::Integer(rows().map(|s| s.bytes_begun as i64).collect()));
    table
}
