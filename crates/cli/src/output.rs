//! Text for standard output.

use crate::Failure;
use std::io::{IsTerminal, Write};

/// Writes to standard output; a reader that has gone (`weir show plr | head`) is no error.
pub(crate) fn print(text: &str) -> Result<(), Failure> {
    match std::io::stdout().lock().write_all(text.as_bytes()) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            Err(Failure::Other(format!("cannot write to standard output: {error}")))
        }
        _ => Ok(()),
    }
}

/// Width of the terminal; 100 where there is none.
pub(crate) fn width() -> usize {
    let columns = std::env::var("COLUMNS").ok().and_then(|c| c.parse().ok());
    columns.or_else(terminal_width).unwrap_or(100)
}

fn terminal_width() -> Option<usize> {
    console::Term::stdout().size_checked().map(|(_, columns)| usize::from(columns))
}

/// True if a person reads standard output.
pub(crate) fn is_terminal() -> bool {
    std::io::stdout().is_terminal()
}
