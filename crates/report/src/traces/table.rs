//! A table of columns, written as Parquet with the crate's column writers (Arrow would double the time to build), or as CSV.

use std::fmt::Write;
use std::io;
use std::sync::Arc;

use parquet::basic::{Compression, LogicalType, Repetition, Type as Physical};
use parquet::data_type::{ByteArray, ByteArrayType, DoubleType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use parquet::schema::types::Type;

/// One column, all rows.
#[derive(Debug)]
pub enum Column<'a> {
    /// Numbers.
    Double(Vec<f64>),
    /// A number that some rows have not.
    Sparse(Vec<Option<f64>>),
    /// Whole numbers.
    Integer(Vec<i64>),
    /// Words.
    Text(Vec<&'a str>),
}

/// Columns of the same length, by name.
#[derive(Debug)]
pub struct Table<'a> {
    rows: usize,
    columns: Vec<(String, Column<'a>)>,
}

impl<'a> Table<'a> {
    pub(super) fn new(rows: usize) -> Table<'a> {
        Table { rows, columns: Vec::new() }
    }

    /// Adds a column at the right. A name that is taken, as a gauge's may be, gets `gauge_` in front.
    pub(super) fn push(&mut self, name: &str, column: Column<'a>) {
        let mut name = name.to_owned();
        while self.columns.iter().any(|(taken, _)| *taken == name) {
            name.insert_str(0, "gauge_");
        }
        debug_assert_eq!(column.len(), self.rows, "{name}");
        self.columns.push((name, column));
    }

    /// The columns with their names, in order.
    pub fn columns(&self) -> &[(String, Column<'a>)] {
        &self.columns
    }

    /// The bytes of a Parquet file.
    pub(super) fn parquet(&self) -> io::Result<Vec<u8>> {
        self.write().map_err(io::Error::other)
    }

    fn write(&self) -> Result<Vec<u8>, ParquetError> {
        let fields = self.columns.iter().map(|(name, column)| column.field(name).map(Arc::new)).collect::<Result<_, _>>()?;
        let schema = Type::group_type_builder("trace").with_fields(fields).build()?;
        let properties = WriterProperties::builder()
            // Not the crate's version: an update of it must not change the files.
            .set_created_by("symbiosis".into())
            .set_compression(Compression::SNAPPY)
            .build();
        let mut file = SerializedFileWriter::new(Vec::new(), Arc::new(schema), Arc::new(properties))?;
        let mut rows = file.next_row_group()?;
        for (_, column) in &self.columns {
            let mut writer = rows.next_column()?.expect("as many columns as fields");
            column.write(&mut writer)?;
            writer.close()?;
        }
        rows.close()?;
        file.into_inner()
    }

    /// The same as text: a head, then a row a line; numbers so that they read back the same.
    pub(super) fn csv(&self) -> String {
        let mut text = self.columns.iter().map(|(name, _)| quoted(name)).collect::<Vec<_>>().join(",") + "\n";
        for row in 0..self.rows {
            for (i, (_, column)) in self.columns.iter().enumerate() {
                if i > 0 {
                    text.push(',');
                }
                column.cell(row, &mut text);
            }
            text.push('\n');
        }
        text
    }
}

impl Column<'_> {
    fn len(&self) -> usize {
        match self {
            Column::Double(values) => values.len(),
            Column::Sparse(values) => values.len(),
            Column::Integer(values) => values.len(),
            Column::Text(values) => values.len(),
        }
    }

    fn field(&self, name: &str) -> Result<Type, ParquetError> {
        let (physical, repetition) = match self {
            Column::Double(_) => (Physical::DOUBLE, Repetition::REQUIRED),
            Column::Sparse(_) => (Physical::DOUBLE, Repetition::OPTIONAL),
            Column::Integer(_) => (Physical::INT64, Repetition::REQUIRED),
            Column::Text(_) => (Physical::BYTE_ARRAY, Repetition::REQUIRED),
        };
        let logical = matches!(self, Column::Text(_)).then_some(LogicalType::String);
        Type::primitive_type_builder(name, physical).with_repetition(repetition).with_logical_type(logical).build()
    }

    fn write(&self, writer: &mut SerializedColumnWriter) -> Result<(), ParquetError> {
        match self {
            Column::Double(values) => writer.typed::<DoubleType>().write_batch(values, None, None)?,
            Column::Sparse(values) => {
                let present: Vec<f64> = values.iter().flatten().copied().collect();
                let levels: Vec<i16> = values.iter().map(|value| value.is_some().into()).collect();
                writer.typed::<DoubleType>().write_batch(&present, Some(&levels), None)?
            }
            Column::Integer(values) => writer.typed::<Int64Type>().write_batch(values, None, None)?,
            Column::Text(values) => {
                let values: Vec<ByteArray> = values.iter().map(|value| ByteArray::from(*value)).collect();
                writer.typed::<ByteArrayType>().write_batch(&values, None, None)?
            }
        };
        Ok(())
    }

    fn cell(&self, row: usize, text: &mut String) {
        let done = match self {
            Column::Double(values) => write!(text, "{}", values[row]),
            Column::Sparse(values) => values[row].map_or(Ok(()), |value| write!(text, "{value}")),
            Column::Integer(values) => write!(text, "{}", values[row]),
            Column::Text(values) => write!(text, "{}", quoted(values[row])),
        };
        done.expect("a String takes everything");
    }
}

/// Text as CSV wants it (RFC 4180).
fn quoted(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text.into() }
}
