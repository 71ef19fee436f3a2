//! Files that a study leaves behind.

use crate::Failure;
use crate::args::TableFormat;
use std::fs;
use std::path::Path;
use weir_lab::{Experiment, charts, tables};
use weir_results::chart::{write_png, write_svg};
use weir_results::files::{FileError, write_atomic};
use weir_results::table::Table;

impl From<FileError> for Failure {
    fn from(error: FileError) -> Failure {
        Failure::Other(error.to_string())
    }
}

/// Makes sure that `folder` can be written to, before hours are spent on what should go there.
pub(crate) fn prepare(folder: &Path) -> Result<(), Failure> {
    let probe = folder.join(".weir-probe");
    let tried = fs::create_dir_all(folder).and_then(|()| fs::write(&probe, b"")).and_then(|()| fs::remove_file(&probe));
    tried.map_err(|error| Failure::Other(format!("cannot write to {}: {error}", folder.display())))
}

/// The same for one file.
pub(crate) fn prepare_for(file: &Path) -> Result<(), Failure> {
    if file.is_dir() {
        return Err(Failure::Other(format!("cannot write to {}: it is a folder", file.display())));
    }
    // A pipe or a device has a folder that is none of our business.
    let exists_already = file.exists();
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if exists_already { Ok(()) } else { prepare(folder) }
}

/// Writes the tables of an experiment into `folder`, with a page that explains their columns.
pub(crate) fn write_tables(experiment: &Experiment, formats: &[TableFormat], folder: &Path) -> Result<(), Failure> {
    let tables: Vec<(&str, Table)> = tables(experiment).into_iter().map(|file| (file.name, file.table)).collect();
    write_all(&tables, formats, folder)
}

/// Writes tables into `folder` under their names, with a page that explains their columns.
pub(crate) fn write_all(tables: &[(&str, Table)], formats: &[TableFormat], folder: &Path) -> Result<(), Failure> {
    let mut columns = String::from("# Columns of the tables\n");
    for (name, table) in tables {
        let path = folder.join(name);
        if formats.contains(&TableFormat::Csv) {
            table.write_csv(&path.with_extension("csv"))?;
        }
        if formats.contains(&TableFormat::Parquet) {
            table.write_parquet(&path.with_extension("parquet"))?;
        }
        columns.push_str(&format!("\n## {name}\n\n{}", table.describe()));
    }
    Ok(write_atomic(&folder.join("columns.md"), columns.as_bytes())?)
}

/// Writes the figures of an experiment into `folder` as SVG and PNG; returns their names.
pub(crate) fn write_figures(experiment: &Experiment, folder: &Path) -> Result<Vec<String>, Failure> {
    let mut names = Vec::new();
    for (id, chart) in charts(experiment) {
        let name = format!("fig-{}", safe(&id));
        write_svg(&chart, &folder.join(&name).with_extension("svg"))?;
        write_png(&chart, &folder.join(&name).with_extension("png"))?;
        names.push(name);
    }
    Ok(names)
}

/// A figure's id as a file name.
fn safe(id: &str) -> String {
    let keep = |c: char| if c.is_ascii_alphanumeric() || "-_".contains(c) { c } else { '-' };
    id.chars().map(keep).collect()
}
