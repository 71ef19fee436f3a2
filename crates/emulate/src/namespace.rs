//! The namespaces of nodes. Each belongs to a thread of this process, which has left the others' network; what the thread
//! starts finds itself in the same one. A namespace lives as long as somebody is in it, so when this process and its
//! children end, however they end, nothing stays behind.

use crate::links::LinkKind;
use nix::sched::{CloneFlags, unshare};
use std::ffi::OsString;
use std::fmt;
use std::io;
use std::net::Ipv4Addr;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command};
use std::sync::Arc;
use std::sync::mpsc::{Sender, channel};
use std::thread::{self, JoinHandle};
use tun_rs::{DeviceBuilder, Layer, SyncDevice};

/// Why networks cannot be emulated here, for the user.
#[derive(Debug)]
pub struct Unable(String);

impl fmt::Display for Unable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Unable {}

/// Makes this process able to make namespaces: nothing for root; another user enters a user namespace, where it is root.
/// To be called while the process has one thread.
///
/// # Errors
/// If the system does not let this user do so, or has no tunnel devices for links that need them.
pub fn prepare(links: LinkKind) -> Result<(), Unable> {
    let user = nix::unistd::geteuid();
    let group = nix::unistd::getegid();
    if !user.is_root() {
        unshare(CloneFlags::CLONE_NEWUSER | CloneFlags::CLONE_NEWNET).map_err(|error| {
            Unable(format!(
                "an emulated network needs root or user namespaces, and this system gives you none ({error}): run it as root, \
                 or allow them (sysctl kernel.unprivileged_userns_clone=1; with AppArmor \
                 kernel.apparmor_restrict_unprivileged_userns=0)"
            ))
        })?;
        let map = |file: &str, text: &str| {
            std::fs::write(Path::new("/proc/self").join(file), text)
                .map_err(|error| Unable(format!("/proc/self/{file} cannot be written: {error}")))
        };
        map("setgroups", "deny")?;
        map("uid_map", &format!("0 {user} 1"))?;
        map("gid_map", &format!("0 {group} 1"))?;
    }
    if links == LinkKind::Kernel {
        return Ok(());
    }
    let tunnels = "/dev/net/tun";
    let opened = std::fs::OpenOptions::new().read(true).write(true).open(tunnels);
    opened.map(drop).map_err(|error| {
        let hint = match error.kind() {
            io::ErrorKind::PermissionDenied => format!("; its usual mode lets everybody (chmod 666 {tunnels})"),
            io::ErrorKind::NotFound => "; the kernel's module is `tun`".to_owned(),
            _ => String::new(),
        };
        let hint = hint + "; `--links kernel` takes none";
        Unable(format!("an emulated network needs tunnel devices, and {tunnels} cannot be opened: {error}{hint}"))
    })
}

/// What the thread of a namespace is asked to do.
type Order = Box<dyn FnOnce() + Send>;

/// A network of its own.
pub struct Namespace {
    orders: Option<Sender<Order>>,
    thread: Option<JoinHandle<()>>,
}

impl Namespace {
    /// An empty network.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn new(name: &str) -> io::Result<Namespace> {
        let (orders, receiver) = channel::<Order>();
        let (report, entered) = channel();
        // The thread must not end before the programs that it has started: they would be killed.
        let thread = thread::Builder::new().name(format!("node-{name}")).spawn(move || {
            let result = unshare(CloneFlags::CLONE_NEWNET).map_err(io::Error::from);
            let failed = result.is_err();
            let _ = report.send(result);
            if !failed {
                receiver.into_iter().for_each(|order| order());
            }
        })?;
        entered.recv().unwrap_or_else(|_| Err(gone()))?;
        Ok(Namespace { orders: Some(orders), thread: Some(thread) })
    }

    /// A device with this address in a network of four addresses. What the node sends there is read from it.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn device(&self, name: &str, address: Ipv4Addr) -> io::Result<Arc<SyncDevice>> {
        let builder = DeviceBuilder::new().name(name).layer(Layer::L3).mtu(crate::tunnel::MTU).ipv4(address, 30, None);
        self.inside(move || builder.build_sync())?.map(Arc::new)
    }

    /// Starts a program in this network, which is best one that is killed when this process ends ([`guarded`]).
    ///
    /// # Errors
    /// If it cannot be started.
    pub fn start(&self, mut command: Command) -> io::Result<Child> {
        self.inside(move || command.spawn())?
    }

    /// Does something in this network: sockets that are opened there belong to it.
    ///
    /// # Errors
    /// If the thread of the namespace has ended.
    pub fn inside<T: Send + 'static>(&self, work: impl FnOnce() -> T + Send + 'static) -> io::Result<T> {
        let (answer, result) = channel();
        let order: Order = Box::new(move || drop(answer.send(work())));
        self.orders.as_ref().ok_or_else(gone)?.send(order).map_err(|_| gone())?;
        result.recv().map_err(|_| gone())
    }
}

fn gone() -> io::Error {
    io::Error::other("the namespace of a node is gone")
}

impl Drop for Namespace {
    fn drop(&mut self) {
        drop(self.orders.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// A command that runs `program` so that it is killed when the thread that started it ends, and that does not hear the
/// terminal's Ctrl-C: whoever started it ends it in good order. `own` is this program, which knows the word `guard`.
pub fn guarded(own: &Path, guard: &str, program: &Path, arguments: &[OsString]) -> Command {
    let mut command = Command::new(own);
    command.arg(guard).arg(std::process::id().to_string()).arg(program).args(arguments).process_group(0);
    command
}

/// What the word `guard` does: asks the kernel for the signal, then becomes the program. Returns only on failure.
pub fn become_guarded(parent: u32, program: &OsString, arguments: &[OsString]) -> io::Error {
    if let Err(error) = nix::sys::prctl::set_pdeathsig(nix::sys::signal::Signal::SIGKILL) {
        return error.into();
    }
    // The parent may have ended before it was asked for.
    if nix::unistd::getppid().as_raw().unsigned_abs() != parent {
        return io::Error::other("the emulation has ended");
    }
    Command::new(program).args(arguments).exec()
}
