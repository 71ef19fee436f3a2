//! Reading the configuration again, when a signal asks for it.

use super::read_file;
use crate::Failure;
use signal_hook::consts::SIGUSR1;
use signal_hook::iterator::Signals;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::Sender;
use weir_live::forward::Config;

/// Reads the file at each SIGUSR1. One that is wrong is told and changes nothing.
pub(super) fn on_signal(
    path: PathBuf,
    current: Config,
    configurations: Sender<Config>,
    waker: Arc<mio::Waker>,
) -> Result<(), Failure> {
    let mut signals = Signals::new([SIGUSR1]).map_err(|e| Failure::Other(format!("cannot listen to signals: {e}")))?;
    let work = move || {
        for _ in &mut signals {
            match read_file(&path) {
                Ok(config) => {
                    let fixed = current.needs_restart(&config);
                    if !fixed.is_empty() {
                        eprintln!(
                            "warning: {} has changed in {}: that counts at the next start",
                            fixed.join(", "),
                            path.display()
                        );
                    }
                    // Without a daemon the program is about to end.
                    if configurations.send(config).is_err() || waker.wake().is_err() {
                        return;
                    }
                    eprintln!("{} was read again", path.display());
                }
                Err(Failure::Input(what) | Failure::Other(what)) => eprintln!("warning: nothing has changed: {what}"),
                Err(_) => {}
            }
        }
    };
    std::thread::Builder::new().name("renewal".into()).spawn(work).map(drop).map_err(|e| Failure::Other(e.to_string()))
}
