//! The data behind every figure: named columns with units, and rows of cells.

mod columnar;

use std::fmt::Write as _;
use std::path::Path;

pub use columnar::COLUMNS_KEY;

use crate::files::{FileError, write_atomic};

/// One column of a [`Table`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// Name in the header row, for example `full_delay`.
    pub name: String,
    /// Unit of the numbers, for example `ms`; empty where there is none.
    pub unit: String,
    /// One sentence: what the column holds.
    pub about: String,
    /// What its cells are.
    pub holds: Holds,
}

/// What the cells of a column are; each may also be missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Holds {
    /// Names and other text.
    Text,
    /// Measurements (64-bit floating point).
    Number,
    /// Counts and identifiers (64-bit unsigned).
    Integer,
}

impl Holds {
    /// In one word.
    pub fn name(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Number => "number",
            Self::Integer => "integer",
        }
    }
}

impl Column {
    /// A column of measurements called `name`, in `unit` (empty for none), holding what `about` says.
    pub fn new(name: impl Into<String>, unit: impl Into<String>, about: impl Into<String>) -> Self {
        Self { name: name.into(), unit: unit.into(), about: about.into(), holds: Holds::Number }
    }

    /// A column of text called `name`, holding what `about` says.
    pub fn text(name: impl Into<String>, about: impl Into<String>) -> Self {
        Self { holds: Holds::Text, ..Self::new(name, "", about) }
    }

    /// A column of counts or identifiers called `name`, in `unit` (empty for none), holding what `about` says.
    pub fn integer(name: impl Into<String>, unit: impl Into<String>, about: impl Into<String>) -> Self {
        Self { holds: Holds::Integer, ..Self::new(name, unit, about) }
    }
}

/// One value of a [`Table`].
#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    /// A name or any other text.
    Text(String),
    /// A measurement, in the unit of its column.
    Number(f64),
    /// A count or an identifier.
    Integer(i128),
    /// No value: an empty field in CSV.
    Missing,
}

impl Cell {
    /// The cell as it stands in a CSV file, before any quoting.
    ///
    /// A number has the fewest digits that read back as the same `f64`, in scientific form where it would be long;
    /// the special ones are `NaN`, `inf` and `-inf`.
    pub fn to_csv(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::Integer(number) => number.to_string(),
            Self::Missing => String::new(),
            Self::Number(number) if !number.is_finite() || plain(*number) => number.to_string(),
            Self::Number(number) => format!("{number:e}"),
        }
    }
}

/// Whether a finite number is short enough to write without an exponent.
fn plain(number: f64) -> bool {
    number == 0.0 || (1e-5..1e16).contains(&number.abs())
}

impl From<&str> for Cell {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for Cell {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<f64> for Cell {
    fn from(number: f64) -> Self {
        Self::Number(number)
    }
}

impl From<i64> for Cell {
    fn from(number: i64) -> Self {
        Self::Integer(number.into())
    }
}

impl From<u64> for Cell {
    fn from(number: u64) -> Self {
        Self::Integer(number.into())
    }
}

impl<T: Into<Cell>> From<Option<T>> for Cell {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Missing, Into::into)
    }
}

/// Columns and rows, as they go into a CSV file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    /// The columns, left to right.
    pub columns: Vec<Column>,
    /// The rows, top to bottom; each has one cell per column.
    pub rows: Vec<Vec<Cell>>,
}

impl Table {
    /// A table without rows.
    pub fn new(columns: Vec<Column>) -> Self {
        Self { columns, rows: Vec::new() }
    }

    /// Adds a row at the bottom.
    pub fn push(&mut self, row: impl IntoIterator<Item = Cell>) {
        self.rows.push(row.into_iter().collect());
    }

    /// The table as CSV text (RFC 4180 quoting, lines end in a line feed): the names of the columns, then the rows.
    ///
    /// # Errors
    ///
    /// When a row does not have one cell per column.
    pub fn to_csv(&self) -> Result<Vec<u8>, csv::Error> {
        let mut writer = csv::Writer::from_writer(Vec::new());
        writer.write_record(self.columns.iter().map(|column| column.name.as_str()))?;
        for row in &self.rows {
            writer.write_record(row.iter().map(Cell::to_csv))?;
        }
        writer.into_inner().map_err(|failed| failed.into_error().into())
    }

    /// Writes [`Table::to_csv`] to a file, in one step.
    ///
    /// # Errors
    ///
    /// [`FileError`] naming `path` when a row does not have one cell per column or the file cannot be written.
    pub fn write_csv(&self, path: &Path) -> Result<(), FileError> {
        let bytes = self.to_csv().map_err(|cause| FileError::new(path, cause))?;
        write_atomic(path, &bytes)
    }

    /// The table as an Apache Parquet file: typed columns, a missing cell as null, and under [`COLUMNS_KEY`] in the
    /// metadata of the file the unit and the meaning of each column as JSON.
    ///
    /// # Errors
    ///
    /// When a row does not have one cell per column, or a cell does not fit its column.
    pub fn to_parquet(&self) -> Result<Vec<u8>, Box<dyn std::error::Error + Send + Sync>> {
        Ok(columnar::encode(self)?)
    }

    /// Writes [`Table::to_parquet`] to a file, in one step.
    ///
    /// # Errors
    ///
    /// [`FileError`] naming `path` when a row or a cell does not fit or the file cannot be written.
    pub fn write_parquet(&self, path: &Path) -> Result<(), FileError> {
        let bytes = self.to_parquet().map_err(|cause| FileError::new(path, cause))?;
        write_atomic(path, &bytes)
    }

    /// What the columns hold, as a Markdown table: for the document that goes with the CSV file.
    pub fn describe(&self) -> String {
        describe(&self.columns)
    }
}

/// What columns hold, as a Markdown table.
pub fn describe(columns: &[Column]) -> String {
    let mut text = String::from("| column | unit | type | meaning |\n|---|---|---|---|\n");
    for Column { name, unit, about, holds } in columns {
        let (unit, about) = (crate::markdown::cell(unit), crate::markdown::cell(about));
        writeln!(text, "| `{name}` | {unit} | {} | {about} |", holds.name()).expect("writing to a string");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Table {
        let mut table = Table::new(vec![
            Column::text("scheme", "Congestion control, by name"),
            Column::new("delay", "ms", "Mean delay | of all Data"),
            Column::integer("drops", "packets", "Packets lost"),
        ]);
        table.push(["AIMD, \"classic\"".into(), Cell::from(0.1 + 0.2), Cell::from(3_u64)]);
        table.push(["none".into(), Cell::Missing, Cell::from(-1_i64)]);
        table
    }

    #[test]
    fn csv_has_a_header_quotes_and_gaps() {
        let text = String::from_utf8(sample().to_csv().unwrap()).unwrap();
        assert_eq!(text, "scheme,delay,drops\n\"AIMD, \"\"classic\"\"\",0.30000000000000004,3\nnone,,-1\n",);
    }

    #[test]
    fn numbers_read_back_as_themselves() {
        for number in [0.0, 0.1, 1.0 / 3.0, 1e-300, f64::MAX, f64::MIN_POSITIVE, -2.5e17, 123_456.0, f64::INFINITY] {
            let text = Cell::Number(number).to_csv();
            assert_eq!(text.parse::<f64>().unwrap().to_bits(), number.to_bits(), "{text}");
            assert!(text.len() <= 24, "{text}");
        }
        assert_eq!(Cell::Number(f64::NAN).to_csv(), "NaN");
        assert_eq!(Cell::Number(5.0).to_csv(), "5");
        assert_eq!(Cell::from(u64::MAX).to_csv(), "18446744073709551615");
        assert_eq!(Cell::from(None::<f64>), Cell::Missing);
    }

    #[test]
    fn a_row_of_the_wrong_length_is_an_error_that_names_the_file() {
        let dir = tempfile::tempdir().unwrap();
        let mut table = sample();
        table.push([Cell::Missing]);
        let error = table.write_csv(&dir.path().join("fig3.csv")).unwrap_err().to_string();
        assert!(error.contains("fig3.csv"), "{error}");
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
    }

    #[test]
    fn writes_the_file() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("t.csv");
        sample().write_csv(&path).unwrap();
        assert_eq!(std::fs::read(path).unwrap(), sample().to_csv().unwrap());
    }

    #[test]
    fn describes_its_columns() {
        let text = sample().describe();
        assert!(text.contains("| `delay` | ms | number | Mean delay \\| of all Data |\n"), "{text}");
        assert_eq!(text.lines().count(), 5);
    }
}
