//! Tables as Arrow, handed over by the PyCapsule interface.

use std::sync::Arc;

use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{ArrayRef, BooleanArray, Float64Array, Int64Array, RecordBatch, RecordBatchIterator, StringArray};
use arrow_schema::ffi::FFI_ArrowSchema;
use arrow_schema::{DataType, Field, Schema};
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use symbiosis_report::traces;
use symbiosis_sweep::{Column, Data};

use crate::error::failed;

/// A table in Arrow's memory. Whatever knows the Arrow PyCapsule interface takes it without copying: `pyarrow.table(t)`, `polars.DataFrame(t)`,
/// `duckdb` in a query by its name, `pandas.DataFrame.from_arrow(t)`; or `t.to_pandas()`.
#[pyclass(frozen, module = "symbiosis")]
pub(crate) struct Table(RecordBatch);

impl Table {
    /// Of a sweep's columns.
    pub fn of_sweep(table: symbiosis_sweep::Table) -> PyResult<Table> {
        let column = |Column { name, data }: Column| {
            let array: ArrayRef = match data {
                Data::Integer(cells) => Arc::new(Int64Array::from(cells)),
                Data::Number(cells) => Arc::new(Float64Array::from(cells)),
                Data::Sparse(cells) => Arc::new(Float64Array::from(cells)),
                Data::Flag(cells) => Arc::new(BooleanArray::from(cells)),
                Data::Text(cells) => Arc::new(StringArray::from(cells)),
            };
            (name, array)
        };
        Table::of(table.columns.into_iter().map(column))
    }

    /// Of a run's samples.
    pub fn of_traces(table: &traces::Table<'_>) -> PyResult<Table> {
        let column = |(name, column): &(String, traces::Column<'_>)| {
            let array: ArrayRef = match column {
                traces::Column::Double(cells) => Arc::new(Float64Array::from(cells.clone())),
                traces::Column::Sparse(cells) => Arc::new(Float64Array::from(cells.clone())),
                traces::Column::Integer(cells) => Arc::new(Int64Array::from(cells.clone())),
                traces::Column::Text(cells) => Arc::new(StringArray::from(cells.clone())),
            };
            (name.clone(), array)
        };
        Table::of(table.columns().iter().map(column))
    }

    fn of(columns: impl Iterator<Item = (String, ArrayRef)>) -> PyResult<Table> {
        let (fields, arrays): (Vec<Field>, Vec<ArrayRef>) = columns
            .map(|(name, array)| {
                // What some rows have not is a number that only some flows have.
                let sparse = *array.data_type() == DataType::Float64;
                (Field::new(name, array.data_type().clone(), sparse), array)
            })
            .unzip();
        RecordBatch::try_new(Arc::new(Schema::new(fields)), arrays).map(Table).map_err(failed)
    }
}

#[pymethods]
impl Table {
    /// The table as an Arrow stream (the Arrow PyCapsule interface).
    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_stream__<'py>(&self, py: Python<'py>, requested_schema: Option<Bound<'py, PyAny>>) -> PyResult<Bound<'py, PyCapsule>> {
        // A consumer may ask for another schema, and must bear the table's own.
        let _ = requested_schema;
        let batches = RecordBatchIterator::new([Ok(self.0.clone())], self.0.schema());
        PyCapsule::new_with_value(py, FFI_ArrowArrayStream::new(Box::new(batches)), c"arrow_array_stream")
    }

    /// Its columns as an Arrow schema (the Arrow PyCapsule interface).
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        let schema = FFI_ArrowSchema::try_from(self.0.schema().as_ref()).map_err(failed)?;
        PyCapsule::new_with_value(py, schema, c"arrow_schema")
    }

    /// The names of its columns.
    #[getter]
    fn column_names(&self) -> Vec<String> {
        self.0.schema().fields().iter().map(|field| field.name().clone()).collect()
    }

    /// How many rows it has.
    fn __len__(&self) -> usize {
        self.0.num_rows()
    }

    fn __repr__(&self) -> String {
        format!("<symbiosis.Table of {} rows: {}>", self.0.num_rows(), self.column_names().join(", "))
    }

    /// As a data frame of pandas.
    fn to_pandas<'py>(slf: Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        Self::to_arrow(slf)?.call_method0("to_pandas")
    }

    /// As a data frame of Polars.
    fn to_polars<'py>(slf: Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("polars")?.getattr("DataFrame")?.call1((slf,))
    }

    /// As a table of pyarrow.
    fn to_arrow<'py>(slf: Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("pyarrow")?.call_method1("table", (slf,))
    }
}
