//! The files of a dataset: for each part of a sweep, of each table, one in each folder of the partition that the part touches.
//!
//! `flows/runs-000000000.parquet`, or `flows/bottleneck.rate_mbps=10/runs-000000000.parquet` where there are many runs: the number is that of
//! the first run in the file. What stands in a file follows from the sweep and the part alone.

use std::io;
use std::path::Path;

use crate::grid::{Grid, Point};
use crate::parquet::PartFile;
use crate::record::Record;
use crate::table::{Table, Tables};

/// Rows of a row group: of 30 columns of 8 bytes they take 8 MB while they are collected.
const GROUP: usize = 32_768;
/// A sweep of fewer runs is not partitioned: its tables are read in less than a second, and need not be read in part.
const LARGE: u64 = 100_000;
/// Most folders of a partition, and least: of more each is small, and one says nothing.
const FOLDERS: std::ops::RangeInclusive<usize> = 2..=1000;

/// The axis by which the files are in folders: the first, which changes most slowly, of a large sweep.
pub(crate) fn partition(grid: &Grid, size: u64) -> Option<usize> {
    (size >= LARGE && grid.axes().next().is_some_and(|axis| FOLDERS.contains(&axis.values.len()))).then_some(0)
}

/// Writes parts.
pub(crate) struct PartWriter<'a> {
    folder: &'a Path,
    grid: &'a Grid,
    partition: Option<usize>,
    tables: Tables,
    /// The partition under way, and its first run.
    here: Option<(String, u64)>,
    open: [Option<PartFile>; 3],
    /// The files written, relative to the folder.
    files: Vec<String>,
    failed: u64,
}

impl<'a> PartWriter<'a> {
    pub fn new(folder: &'a Path, grid: &'a Grid, size: u64) -> PartWriter<'a> {
        let partition = partition(grid, size);
        let tables = Tables::new(grid, partition);
        PartWriter { folder, grid, partition, tables, here: None, open: [None, None, None], files: Vec::new(), failed: 0 }
    }

    /// Adds a run; runs come in the order of their numbers.
    pub fn push(&mut self, record: &Record) -> io::Result<()> {
        let Some(point) = self.grid.point(record.run) else { return Ok(()) };
        let place = self.place(&point);
        if self.here.as_ref().is_none_or(|(here, _)| *here != place) {
            self.close()?;
            self.here = Some((place, point.run));
        }
        self.failed += u64::from(record.found.is_err());
        self.tables.push(self.grid, record);
        let rows = [&self.tables.flows, &self.tables.links, &self.tables.failures].map(Table::rows);
        if rows.iter().any(|rows| *rows >= GROUP) { self.flush() } else { Ok(()) }
    }

    /// Ends; the files written, and how many runs were not possible.
    pub fn end(mut self) -> io::Result<(Vec<String>, u64)> {
        self.close()?;
        Ok((self.files, self.failed))
    }

    fn place(&self, point: &Point) -> String {
        let chosen = self.partition.and_then(|at| self.grid.axes().zip(self.grid.cells(point)).nth(at));
        chosen.map(|(axis, cell)| format!("{}={}/", escaped(&axis.path), escaped(&cell.text()))).unwrap_or_default()
    }

    fn flush(&mut self) -> io::Result<()> {
        let Some((place, first)) = &self.here else { return Ok(()) };
        let Tables { flows, links, failures, .. } = self.tables.take();
        for ((name, table), open) in [("flows", flows), ("links", links), ("failures", failures)].into_iter().zip(&mut self.open) {
            if table.rows() == 0 {
                continue;
            }
            let file = match open {
                Some(file) => file,
                None => {
                    let path = format!("{name}/{place}runs-{first:09}.parquet");
                    self.files.push(path.clone());
                    open.insert(PartFile::begin(&self.folder.join(path), &table)?)
                }
            };
            file.write(&table)?;
        }
        Ok(())
    }

    fn close(&mut self) -> io::Result<()> {
        self.flush()?;
        self.open.iter_mut().filter_map(Option::take).try_for_each(PartFile::end)
    }
}

/// A name as Hive has it in a folder's: what a path or the `=` could be mistaken for is escaped.
fn escaped(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_' | '+');
    let mut bytes = [0; 4];
    let mut out = String::new();
    for c in text.chars() {
        match plain(c) {
            true => out.push(c),
            false => c.encode_utf8(&mut bytes).bytes().for_each(|byte| out += &format!("%{byte:02X}")),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::escaped;

    #[test]
    fn a_folder_is_called_as_hive_calls_it() {
        assert_eq!(escaped("bottleneck.rate_mbps"), "bottleneck.rate_mbps");
        assert_eq!(escaped("[[0, 10]]"), "%5B%5B0%2C%2010%5D%5D");
        assert_eq!(escaped("a/../=é"), "a%2F..%2F%3D%C3%A9");
    }
}
