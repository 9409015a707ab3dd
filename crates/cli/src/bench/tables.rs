//! The tables of a measurement on this machine alone.

use super::numbers::{Error, Numbers};
use super::rows::{Row, Table};
use crate::table::table;

/// One number, or nothing.
fn one(value: Option<f64>, digits: usize) -> String {
    value.map_or(String::new(), |value| format!("{value:.digits$}"))
}

fn error(error: Option<Error>) -> String {
    error.map_or(String::new(), |error| format!("{:+.1} ± {:.1}", error.bias_percent, error.deviation_percent))
}

/// All tables.
pub fn text(tables: &[Table]) -> String {
    let mut out = String::new();
    for of in tables {
        let (Some(rtt), Some(mbps), Some(others)) = (of.rtt_ms, of.mbps, of.others_mbps) else {
            out += "loopback\n";
            out += &loopback(&of.rows);
            continue;
        };
        out += &format!("{mbps} Mbit/s, RTT {rtt} ms, buffer 1 BDP, others {others} Mbit/s\n");
        out += &relayed(&of.rows);
        out += "\nthe same in virtual time\n";
        out += &virtually(&of.rows);
        out += "\n";
    }
    out
}

/// What it cost, at the end of a row.
fn cost(row: &Row, cells: &mut Vec<String>) {
    let cost = row.median.cost;
    cells.push(one(cost.map(|cost| cost.sender_us), 1));
    cells.push(one(cost.map(|cost| cost.receiver_us), 1));
    cells.push(one(cost.map(|cost| 100.0 * cost.late), 1));
}

fn loopback(rows: &[Row]) -> String {
    // The same stack's CUBIC is what a controller is compared with where there is nothing but the machine.
    let cubic = rows.iter().find(|row| row.cc == "quic-cubic").map(|row| row.median.goodput_mbps);
    let cells = rows.iter().map(|row| {
        let all = &row.median;
        let of_cubic = one(cubic.map(|cubic| all.goodput_mbps / cubic), 2);
        let mut cells =
            vec![row.cc.into(), format!("{:.0}", all.goodput_mbps), of_cubic, format!("{:.2}", all.rtt_mean_ms), one(Some(all.lost), 0)];
        cost(row, &mut cells);
        cells
    });
    let header = ["controller", "Mbit/s", "of quic-cubic", "RTT [ms]", "lost", "CPU [µs/packet] sender", "receiver", "late [%]"];
    table(&header, &cells.collect::<Vec<_>>(), 1)
}

/// What both drivers have.
fn common(all: &Numbers) -> Vec<String> {
    vec![one(all.of_free_percent, 1), one(all.wait_p95_percent, 1), one(Some(all.lost), 0), error(all.available), error(all.capacity)]
}

const COMMON: [&str; 6] = ["controller", "of what is free [%]", "wait p95 [% of the buffer]", "lost", "error of A [% of K]", "of K"];

fn relayed(rows: &[Row]) -> String {
    let cells = rows.iter().map(|row| {
        let mut cells = vec![row.cc.into()];
        cells.extend(common(&row.median));
        cost(row, &mut cells);
        cells.push(row.void.to_string());
        cells
    });
    let header = [&COMMON[..], &["CPU [µs/packet] sender", "receiver", "late [%]", "void"]].concat();
    table(&header, &cells.collect::<Vec<_>>(), 1)
}

fn virtually(rows: &[Row]) -> String {
    let cells = rows.iter().filter_map(|row| Some([vec![row.cc.into()], common(row.virtually.as_ref()?)].concat()));
    table(&COMMON, &cells.collect::<Vec<_>>(), 1)
}
