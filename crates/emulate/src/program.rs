//! A program at work at a node.

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use std::io::Write;
use std::path::PathBuf;
use std::process::Child;

/// A program; it is killed when this is dropped.
pub(crate) struct Program {
    pub child: Child,
    /// Where it writes what it has to say.
    pub log: PathBuf,
}

impl Program {
    fn signal(&self, signal: Signal) {
        let _ = kill(Pid::from_raw(self.child.id().cast_signed()), signal);
    }

    /// Ends in good order what listens to SIGINT.
    pub fn interrupt(&self) {
        self.signal(Signal::SIGINT);
    }

    /// Lets a forwarder of ours read its configuration again.
    pub fn renew(&self) {
        self.signal(Signal::SIGUSR1);
    }

    /// Gives it an order, if it takes any.
    pub fn order(&mut self, order: &str) {
        // Who has ended does not listen.
        let _ = self.child.stdin.as_mut().map(|stdin| writeln!(stdin, "{order}"));
    }

    /// There will be no more orders.
    pub fn end_orders(&mut self) {
        drop(self.child.stdin.take());
    }

    pub fn kill(&mut self) {
        let _ = self.child.kill();
    }

    /// Kills it and waits for its end.
    pub fn end(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    pub fn has_ended(&mut self) -> bool {
        self.ended_well().is_some()
    }

    /// Whether it has ended, and in good order.
    pub fn ended_well(&mut self) -> Option<bool> {
        self.child.try_wait().ok().flatten().map(|status| status.success())
    }

    /// What it has said.
    pub fn said(&self) -> String {
        std::fs::read_to_string(&self.log).unwrap_or_default().trim().to_owned()
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        self.end();
    }
}
