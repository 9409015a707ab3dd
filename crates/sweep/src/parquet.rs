//! Tables as Parquet, a row group at a time.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use parquet::basic::{Compression, LogicalType, Repetition, Type as Physical};
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DoubleType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use parquet::schema::types::Type;

use crate::table::{Column, Data, Table};

/// A file under way. It has its name when it is whole, and none before.
pub(crate) struct PartFile {
    writer: SerializedFileWriter<File>,
    half: PathBuf,
    path: PathBuf,
}

impl PartFile {
    /// Begins a file with the table's columns.
    pub fn begin(path: &Path, table: &Table) -> io::Result<PartFile> {
        let folder = path.parent().unwrap_or(Path::new("."));
        fs::create_dir_all(folder)?;
        let name = path.file_name().unwrap_or_default().display();
        let half = folder.join(format!(".{name}.{}.tmp", std::process::id()));
        let fields = table.columns.iter().map(|column| field(column).map(Arc::new)).collect::<Result<_, _>>().map_err(io::Error::other)?;
        let schema = Type::group_type_builder("sweep").with_fields(fields).build().map_err(io::Error::other)?;
        let properties = WriterProperties::builder()
            // Not the crate's version: an update of it must not change the files.
            .set_created_by("symbiosis".into())
            .set_compression(Compression::SNAPPY)
            .build();
        let writer = SerializedFileWriter::new(File::create(&half)?, Arc::new(schema), Arc::new(properties)).map_err(io::Error::other)?;
        Ok(PartFile { writer, half, path: path.into() })
    }

    /// Adds the table's rows as a row group.
    pub fn write(&mut self, table: &Table) -> io::Result<()> {
        let mut write = || {
            let mut rows = self.writer.next_row_group()?;
            for column in &table.columns {
                let mut writer = rows.next_column()?.expect("as many columns as fields");
                cells(&column.data, &mut writer)?;
                writer.close()?;
            }
            rows.close().map(drop)
        };
        write().map_err(io::Error::other)
    }

    /// Ends the file.
    pub fn end(self) -> io::Result<()> {
        self.writer.into_inner().map_err(io::Error::other)?;
        fs::rename(&self.half, &self.path)
    }
}

fn field(column: &Column) -> Result<Type, ParquetError> {
    let (physical, repetition) = match column.data {
        Data::Integer(_) => (Physical::INT64, Repetition::REQUIRED),
        Data::Number(_) => (Physical::DOUBLE, Repetition::REQUIRED),
        Data::Sparse(_) => (Physical::DOUBLE, Repetition::OPTIONAL),
        Data::Flag(_) => (Physical::BOOLEAN, Repetition::REQUIRED),
        Data::Text(_) => (Physical::BYTE_ARRAY, Repetition::REQUIRED),
    };
    let logical = matches!(column.data, Data::Text(_)).then_some(LogicalType::String);
    Type::primitive_type_builder(&column.name, physical).with_repetition(repetition).with_logical_type(logical).build()
}

fn cells(data: &Data, writer: &mut SerializedColumnWriter) -> Result<usize, ParquetError> {
    match data {
        Data::Integer(cells) => writer.typed::<Int64Type>().write_batch(cells, None, None),
        Data::Number(cells) => writer.typed::<DoubleType>().write_batch(cells, None, None),
        Data::Flag(cells) => writer.typed::<BoolType>().write_batch(cells, None, None),
        Data::Sparse(cells) => {
            let present: Vec<f64> = cells.iter().flatten().copied().collect();
            let levels: Vec<i16> = cells.iter().map(|cell| cell.is_some().into()).collect();
            writer.typed::<DoubleType>().write_batch(&present, Some(&levels), None)
        }
        Data::Text(cells) => {
            let cells: Vec<ByteArray> = cells.iter().map(|cell| ByteArray::from(&**cell)).collect();
            writer.typed::<ByteArrayType>().write_batch(&cells, None, None)
        }
    }
}
