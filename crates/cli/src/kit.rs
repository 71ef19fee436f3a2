//! Help for those who write scenarios and schemes: `weir schema`

use crate::Failure;
use crate::output::print;

/// `weir schema`
pub(crate) fn schema() -> Result<(), Failure> {
    print(&format!("{:#}\n", weir_scenario::schema()))
}
