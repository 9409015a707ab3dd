//! Tables of columns, filled row by row.

use symbiosis_run::{FlowSummary, LinkSummary, RttSummary, Summary};

use crate::cell::{Cell, Kind};
use crate::grid::{Grid, Point};
use crate::record::Record;

/// A table.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    /// Its columns, all of the same length.
    pub columns: Vec<Column>,
}

/// A column.
#[derive(Clone, Debug, PartialEq)]
pub struct Column {
    /// What it is called.
    pub name: String,
    /// Its cells.
    pub data: Data,
}

/// The cells of a column.
#[derive(Clone, Debug, PartialEq)]
pub enum Data {
    /// Whole numbers.
    Integer(Vec<i64>),
    /// Numbers.
    Number(Vec<f64>),
    /// Numbers that some rows have not.
    Sparse(Vec<Option<f64>>),
    /// Switches.
    Flag(Vec<bool>),
    /// Words.
    Text(Vec<String>),
}

impl Data {
    fn new(kind: Kind) -> Data {
        match kind {
            Kind::Integer => Data::Integer(Vec::new()),
            Kind::Number => Data::Number(Vec::new()),
            Kind::Flag => Data::Flag(Vec::new()),
            Kind::Text => Data::Text(Vec::new()),
        }
    }

    fn push(&mut self, cell: &Cell) {
        match (self, cell) {
            (Data::Integer(cells), Cell::Integer(n)) => cells.push(*n),
            (Data::Number(cells), cell) => cells.push(cell.number().expect("a column of numbers has numbers")),
            (Data::Flag(cells), Cell::Flag(flag)) => cells.push(*flag),
            (Data::Text(cells), cell) => cells.push(cell.text()),
            (data, cell) => unreachable!("{cell:?} in {data:?}"),
        }
    }

    fn len(&self) -> usize {
        match self {
            Data::Integer(cells) => cells.len(),
            Data::Number(cells) => cells.len(),
            Data::Sparse(cells) => cells.len(),
            Data::Flag(cells) => cells.len(),
            Data::Text(cells) => cells.len(),
        }
    }
}

impl Table {
    /// How many rows it has.
    pub fn rows(&self) -> usize {
        self.columns.first().map_or(0, |column| column.data.len())
    }

    /// The same columns, without a row.
    fn emptied(&mut self) -> Table {
        let empty = |column: &Column| Column {
            name: column.name.clone(),
            data: match column.data {
                Data::Integer(_) => Data::Integer(Vec::new()),
                Data::Number(_) => Data::Number(Vec::new()),
                Data::Sparse(_) => Data::Sparse(Vec::new()),
                Data::Flag(_) => Data::Flag(Vec::new()),
                Data::Text(_) => Data::Text(Vec::new()),
            },
        };
        let empty = Table { columns: self.columns.iter().map(empty).collect() };
        std::mem::replace(self, empty)
    }
}

/// A column of what runs found: its name, and its cell in the row of a flow or link.
type Found<T> = (&'static str, Read<T>);

/// How a cell is read.
enum Read<T> {
    Integer(fn(&Summary, &T) -> u64),
    Number(fn(&Summary, &T) -> f64),
    Sparse(fn(&Summary, &T) -> Option<f64>),
    Text(fn(&Summary, &T) -> String),
}

fn rtt(flow: &FlowSummary, which: fn(&RttSummary) -> f64) -> Option<f64> {
    flow.rtt_ms.as_ref().map(which)
}

/// A row a flow and run.
const FLOWS: &[Found<FlowSummary>] = &[
    ("flow", Read::Text(|_, flow| flow.id.clone())),
    ("cc", Read::Text(|_, flow| flow.cc.clone())),
    ("throughput_mbps", Read::Number(|_, flow| flow.throughput_mbps)),
    ("goodput_mbps", Read::Number(|_, flow| flow.goodput_mbps)),
    ("packets_sent", Read::Integer(|_, flow| flow.packets_sent)),
    ("packets_lost", Read::Integer(|_, flow| flow.packets_lost)),
    ("retransmissions", Read::Integer(|_, flow| flow.retransmissions)),
    ("timeouts", Read::Integer(|_, flow| flow.timeouts)),
    ("loss_events", Read::Integer(|_, flow| flow.loss_events)),
    ("completion_s", Read::Sparse(|_, flow| flow.completion_s)),
    ("burst_s", Read::Sparse(|_, flow| flow.burst_s())),
    ("rtt_min_ms", Read::Sparse(|_, flow| rtt(flow, |rtt| rtt.min))),
    ("rtt_p50_ms", Read::Sparse(|_, flow| rtt(flow, |rtt| rtt.p50))),
    ("rtt_p95_ms", Read::Sparse(|_, flow| rtt(flow, |rtt| rtt.p95))),
    ("rtt_p99_ms", Read::Sparse(|_, flow| rtt(flow, |rtt| rtt.p99))),
    ("rtt_max_ms", Read::Sparse(|_, flow| rtt(flow, |rtt| rtt.max))),
    ("cwnd_mean_packets", Read::Number(|_, flow| flow.cwnd_packets.mean)),
    ("cwnd_max_packets", Read::Number(|_, flow| flow.cwnd_packets.max)),
    ("cwnd_final_packets", Read::Number(|_, flow| flow.cwnd_packets.last)),
    ("jain", Read::Number(|run, _| run.jain)),
];

/// A row a link and run.
const LINKS: &[Found<LinkSummary>] = &[
    ("link", Read::Text(|_, link| link.name.clone())),
    ("utilization", Read::Number(|_, link| link.utilization)),
    ("drops", Read::Integer(|_, link| link.drops)),
    ("marks", Read::Integer(|_, link| link.marks)),
    ("queue_mean_packets", Read::Number(|_, link| link.queue_packets.mean)),
    ("queue_p95_packets", Read::Number(|_, link| link.queue_packets.p95)),
    ("queue_max_packets", Read::Number(|_, link| link.queue_packets.max)),
    ("jain", Read::Number(|run, _| run.jain)),
    ("packets_delivered", Read::Integer(|run, _| run.packets_delivered)),
    ("events", Read::Integer(|run, _| run.events)),
];

/// A row a run that was not possible.
const FAILURES: &[Found<String>] = &[("error", Read::Text(|_, why| why.clone()))];

/// The tables of a sweep.
#[derive(Clone, Debug)]
pub struct Tables {
    /// A row a flow and run.
    pub flows: Table,
    /// A row a link and run.
    pub links: Table,
    /// A row a run that was not possible.
    pub failures: Table,
    /// The axis that the folders' names tell, and no column.
    partition: Option<usize>,
}

impl Tables {
    /// Tables without rows, in whose files a column is left out where the folder's name tells it.
    pub fn new(grid: &Grid, partition: Option<usize>) -> Tables {
        Tables {
            flows: empty(grid, partition, FLOWS),
            links: empty(grid, partition, LINKS),
            failures: empty(grid, partition, FAILURES),
            partition,
        }
    }

    /// Adds the rows of a run.
    pub fn push(&mut self, grid: &Grid, record: &Record) {
        let Some(point) = grid.point(record.run) else { return };
        let partition = self.partition;
        let key = |table: &mut Table| {
            table.columns[0].data.push(&Cell::Integer(point.run as i64));
            table.columns[1].data.push(&Cell::Integer(point.seed as i64));
            columns(grid, &point, partition).zip(&mut table.columns[2..]).for_each(|(cell, column)| column.data.push(cell));
        };
        let nothing = Summary {
            scenario: String::new(),
            seed: 0,
            duration_s: 0.0,
            events: 0,
            packets_delivered: 0,
            jain: 0.0,
            flows: Vec::new(),
            links: Vec::new(),
        };
        match &record.found {
            Ok(summary) => {
                summary.flows.iter().for_each(|flow| row(&mut self.flows, key, FLOWS, summary, flow));
                summary.links.iter().for_each(|link| row(&mut self.links, key, LINKS, summary, link));
            }
            Err(why) => row(&mut self.failures, key, FAILURES, &nothing, why),
        }
    }

    /// The rows so far, taken out.
    pub fn take(&mut self) -> Tables {
        Tables { flows: self.flows.emptied(), links: self.links.emptied(), failures: self.failures.emptied(), partition: self.partition }
    }
}

fn columns<'a>(grid: &'a Grid, point: &'a Point, without: Option<usize>) -> impl Iterator<Item = &'a Cell> {
    grid.cells(point).enumerate().filter(move |(at, _)| Some(*at) != without).map(|(_, cell)| cell)
}

fn empty<T>(grid: &Grid, without: Option<usize>, found: &[Found<T>]) -> Table {
    let whole = ["run", "seed"].map(|name| Column { name: name.into(), data: Data::Integer(Vec::new()) });
    let axes = grid.axes().enumerate().filter(|(at, _)| Some(*at) != without);
    let axes = axes.map(|(_, axis)| Column { name: axis.path.clone(), data: Data::new(axis.kind) });
    let found = found.iter().map(|(name, read)| {
        let data = match read {
            Read::Integer(_) => Data::Integer(Vec::new()),
            Read::Number(_) => Data::Number(Vec::new()),
            Read::Sparse(_) => Data::Sparse(Vec::new()),
            Read::Text(_) => Data::Text(Vec::new()),
        };
        Column { name: (*name).into(), data }
    });
    Table { columns: whole.into_iter().chain(axes).chain(found).collect() }
}

/// Adds a row: its key, and what was found.
fn row<T>(table: &mut Table, key: impl Fn(&mut Table), found: &[Found<T>], summary: &Summary, of: &T) {
    key(table);
    let first = table.columns.len() - found.len();
    for (column, (_, read)) in table.columns[first..].iter_mut().zip(found) {
        match (&mut column.data, read) {
            (Data::Integer(cells), Read::Integer(read)) => cells.push(read(summary, of) as i64),
            (Data::Number(cells), Read::Number(read)) => cells.push(read(summary, of)),
            (Data::Sparse(cells), Read::Sparse(read)) => cells.push(read(summary, of)),
            (Data::Text(cells), Read::Text(read)) => cells.push(read(summary, of)),
            _ => unreachable!("column {} was made for another kind", column.name),
        }
    }
}
