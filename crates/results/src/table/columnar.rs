//! Tables as Apache Parquet: typed columns, compressed, with their units and meanings inside the file.
//!
//! Of Parquet's two libraries this is the one without Arrow in memory: a table is written column by column as it is.

use std::sync::Arc;

use parquet::basic::{Compression, LogicalType, Repetition, Type as Physical};
use parquet::data_type::{ByteArray, ByteArrayType, DataType, DoubleType, Int64Type};
use parquet::errors::{ParquetError, Result};
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{WriterProperties, WriterVersion};
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::types::Type;

use super::{Cell, Column, Holds, Table};

/// Rows in one row group: what a reader has to hold in memory at once, and the grain of its parallelism.
const GROUP: usize = 1 << 17;

/// The key of the file's metadata under which the columns are described.
pub const COLUMNS_KEY: &str = "weir.columns";

/// The whole file. Equal tables make equal bytes.
pub(super) fn encode(table: &Table) -> Result<Vec<u8>> {
    let properties = WriterProperties::builder()
        .set_writer_version(WriterVersion::PARQUET_1_0)
        .set_compression(Compression::SNAPPY)
        .set_created_by(concat!("weir ", env!("CARGO_PKG_VERSION")).to_owned())
        .set_key_value_metadata(Some(vec![KeyValue::new(COLUMNS_KEY.to_owned(), describe(&table.columns)?)]))
        .build();
    let mut bytes = Vec::new();
    let mut writer = SerializedFileWriter::new(&mut bytes, schema(&table.columns)?, Arc::new(properties))?;
    for (number, rows) in table.rows.chunks(GROUP).enumerate() {
        let mut group = writer.next_row_group()?;
        for (place, column) in table.columns.iter().enumerate() {
            let rows = Rows { rows, place, column, first: number * GROUP };
            match column.holds {
                Holds::Text => rows.write::<ByteArrayType>(&mut group)?,
                Holds::Number => rows.write::<DoubleType>(&mut group)?,
                Holds::Integer => rows.write::<Int64Type>(&mut group)?,
            }
        }
        group.close()?;
    }
    writer.close()?;
    Ok(bytes)
}

/// Units and meanings as JSON: `{"full_delay": {"unit": "ms", "description": "From ..."}}`.
fn describe(columns: &[Column]) -> Result<String> {
    let entry = |c: &Column| (c.name.clone(), serde_json::json!({ "unit": c.unit, "description": c.about }));
    let described: serde_json::Map<String, serde_json::Value> = columns.iter().map(entry).collect();
    serde_json::to_string(&described).map_err(|cause| ParquetError::External(Box::new(cause)))
}

/// Every column may lack a value: what was not measured is null.
fn schema(columns: &[Column]) -> Result<Arc<Type>> {
    let field = |column: &Column| {
        let (physical, logical) = match column.holds {
            Holds::Text => (Physical::BYTE_ARRAY, Some(LogicalType::String)),
            Holds::Number => (Physical::DOUBLE, None),
            Holds::Integer => (Physical::INT64, Some(LogicalType::integer(64, false))),
        };
        let field = Type::primitive_type_builder(&column.name, physical).with_repetition(Repetition::OPTIONAL);
        Ok(Arc::new(field.with_logical_type(logical).build()?))
    };
    let fields = columns.iter().map(field).collect::<Result<Vec<_>>>()?;
    Ok(Arc::new(Type::group_type_builder("table").with_fields(fields).build()?))
}

/// One column of a row group.
struct Rows<'a> {
    rows: &'a [Vec<Cell>],
    place: usize,
    column: &'a Column,
    /// Number of the first row, for messages.
    first: usize,
}

impl Rows<'_> {
    fn write<T: Stored>(&self, group: &mut SerializedRowGroupWriter<'_, &mut Vec<u8>>) -> Result<()> {
        let (mut values, mut present) = (Vec::new(), Vec::with_capacity(self.rows.len()));
        for (number, row) in self.rows.iter().enumerate() {
            let cell = row.get(self.place).ok_or_else(|| self.wrong(number, "the row is too short"))?;
            match cell {
                Cell::Missing => present.push(0),
                cell => {
                    values.push(T::of(cell).ok_or_else(|| self.wrong(number, &format!("{cell:?} does not fit")))?);
                    present.push(1);
                }
            }
        }
        let mut writer = group.next_column()?.ok_or_else(|| self.wrong(0, "the schema has no such column"))?;
        writer.typed::<T>().write_batch(&values, Some(&present), None)?;
        writer.close()
    }

    fn wrong(&self, row: usize, why: &str) -> ParquetError {
        ParquetError::General(format!("column {}, row {}: {why}", self.column.name, self.first + row + 1))
    }
}

/// How the cells of a column are stored.
trait Stored: DataType {
    /// `None` for a cell of another kind.
    fn of(cell: &Cell) -> Option<Self::T>;
}

impl Stored for ByteArrayType {
    fn of(cell: &Cell) -> Option<ByteArray> {
        let Cell::Text(text) = cell else { return None };
        Some(ByteArray::from(text.as_str()))
    }
}

impl Stored for DoubleType {
    fn of(cell: &Cell) -> Option<f64> {
        match cell {
            Cell::Number(number) => Some(*number),
            Cell::Integer(number) => Some(*number as f64),
            Cell::Text(_) | Cell::Missing => None,
        }
    }
}

impl Stored for Int64Type {
    fn of(cell: &Cell) -> Option<i64> {
        let Cell::Integer(number) = cell else { return None };
        // Unsigned numbers are stored by their bits.
        Some(u64::try_from(*number).ok()?.cast_signed())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use parquet::file::reader::{FileReader as _, SerializedFileReader};
    use parquet::record::Field;

    fn sample(rows: usize) -> Table {
        let mut table = Table::new(vec![
            Column::text("scheme", "Congestion control, \"by\" name"),
            Column::integer("seed", "", "Seed of the run"),
            Column::new("delay", "ms", "Mean delay"),
        ]);
        for row in 0..rows as u64 {
            let delay = (row % 3 != 0).then_some(row as f64 / 7.0);
            table.push([["ICP", "ΔQ"][row as usize % 2].into(), (u64::MAX - row).into(), delay.into()]);
        }
        table
    }

    fn read(bytes: Vec<u8>) -> SerializedFileReader<bytes::Bytes> {
        SerializedFileReader::new(bytes::Bytes::from(bytes)).unwrap()
    }

    #[test]
    fn what_is_written_is_read_back() {
        let table = sample(GROUP + 5);
        let reader = read(table.to_parquet().unwrap());
        assert_eq!(reader.metadata().num_row_groups(), 2);
        let mut rows = 0;
        for (row, cells) in reader.get_row_iter(None).unwrap().zip(&table.rows) {
            let read: Vec<Cell> = row.unwrap().get_column_iter().map(|(_, field)| cell(field)).collect();
            assert_eq!(read, *cells);
            rows += 1;
        }
        assert_eq!(rows, table.rows.len());
    }

    fn cell(field: &Field) -> Cell {
        match field {
            Field::Null => Cell::Missing,
            Field::Str(text) => text.as_str().into(),
            Field::ULong(number) => (*number).into(),
            Field::Double(number) => (*number).into(),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn units_and_meanings_are_in_the_file() {
        let reader = read(sample(0).to_parquet().unwrap());
        let file = reader.metadata().file_metadata();
        assert_eq!(file.created_by(), Some(concat!("weir ", env!("CARGO_PKG_VERSION"))));
        let found = file.key_value_metadata().unwrap().iter().find(|k| k.key == COLUMNS_KEY).unwrap();
        let columns: serde_json::Value = serde_json::from_str(found.value.as_ref().unwrap()).unwrap();
        assert_eq!(columns["delay"], serde_json::json!({ "unit": "ms", "description": "Mean delay" }));
        assert_eq!(columns["scheme"]["description"], "Congestion control, \"by\" name");
    }

    #[test]
    fn names_are_stored_once() {
        let reader = read(sample(10_000).to_parquet().unwrap());
        let column = reader.metadata().row_group(0).column(0);
        assert!(column.dictionary_page_offset().is_some() && column.compressed_size() < 10_000);
    }

    #[test]
    fn equal_tables_make_equal_bytes() {
        assert_eq!(sample(100).to_parquet().unwrap(), sample(100).to_parquet().unwrap());
    }

    #[test]
    fn a_cell_in_the_wrong_column_is_told() {
        let mut table = sample(3);
        table.push(["ICP".into(), Cell::from(-1_i64), Cell::Missing]);
        let error = table.to_parquet().unwrap_err().to_string();
        assert!(error.contains("column seed, row 4: Integer(-1) does not fit"), "{error}");
        table.rows[3] = vec!["ICP".into()];
        assert!(table.to_parquet().unwrap_err().to_string().contains("the row is too short"));
    }
}
