//! `grid`: rows and columns of nodes, each linked to the next in its row and in its column.

use super::shapes::{LINK, alike};
use super::{Generator, Ground, MOST_NODES};
use crate::diagnostic::Diagnostic;
use crate::plan::Topology;
use crate::reader::TableReader;
use crate::shape::{Field, Form, Shape};

pub(super) const GENERATOR: Generator = Generator { name: "grid", shape: &SHAPE, build };

static SHAPE: Shape = Shape {
    about: "Rows and columns of nodes `n1_1`, `n1_2`, ..., each linked to the next in its row and in its column. The first \
            node is the consumer, the last one the producer.",
    example: "[topology.grid]\nrows = 3\ncolumns = 4\nrate = \"10Mbps\"\ndelay = \"5ms\"\n",
    keys: &[
        &[
            Field::new("rows", Form::Whole(1, MOST_NODES), "How many rows.").required(),
            Field::new("columns", Form::Whole(1, MOST_NODES), "How many columns.").required(),
        ],
        LINK,
    ],
    more: None,
    rules: &[],
};

fn build(table: &TableReader<'_>) -> Option<Ground> {
    let size = |key| table.need::<u64>(key).and(table.count(key, 1..=MOST_NODES));
    let (rows, columns, shape) = (size("rows"), size("columns"), alike(table));
    let (rows, columns) = (rows?, columns?);
    if !(2..=MOST_NODES).contains(&(rows * columns)) {
        let message = format!("a grid has from 2 to {MOST_NODES} nodes; this one has {}", rows * columns);
        table.log.report(Diagnostic::at(table.place, message));
        return None;
    }
    let (rows, columns, shape) = (rows as usize, columns as usize, shape?);
    let name = |row: usize, column: usize| format!("n{}_{}", row + 1, column + 1);
    let cells = || (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column)));
    let mut links = Vec::new();
    for (row, column) in cells() {
        let here = row * columns + column;
        if column + 1 < columns {
            links.push(shape.between(format!("{}-{}", name(row, column), name(row, column + 1)), here, here + 1));
        }
        if row + 1 < rows {
            links.push(shape.between(format!("{}-{}", name(row, column), name(row + 1, column)), here, here + columns));
        }
    }
    let nodes = cells().map(|(row, column)| name(row, column)).collect();
    let places = cells().map(|(row, column)| (column as f64, -(row as f64)));
    let corners = vec![(0, rows * columns - 1)];
    Some(Ground::new(Topology::new(nodes, links).at(places), corners, true))
}
