//! Help for those who write scenarios and schemes: `weir schema`, `weir completions`, `weir man`, `weir new`

mod edit;
mod names;
mod new;
mod shell;

pub(crate) use new::scheme;
pub(crate) use shell::{completions, man};

use crate::Failure;
use crate::output::print;

/// `weir schema`
pub(crate) fn schema() -> Result<(), Failure> {
    print(&format!("{:#}\n", weir_scenario::schema()))
}
