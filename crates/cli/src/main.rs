//! The `weir` program: arguments in, calls to the library, text and files out.

mod args;
mod bench;
mod catalogue;
mod check;
mod compare;
#[cfg(target_os = "linux")]
mod emulate;
mod files;
mod forward;
mod get;
mod kit;
mod orders;
mod output;
mod papers;
mod progress;
mod put;
mod report;
mod reproduce;
mod request;
mod run;
mod status;
mod stop;
mod summary;
mod trace;
mod watch;

use args::{Arguments, Command, New};
use clap::Parser;
use std::process::ExitCode;

/// A network of many flows is many small pieces of memory. This allocator keeps them in huge pages where the system has
/// them, so that the processor finds most addresses without a walk through page tables (docs/performance.md).
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Why a command ended early. The number is the exit code.
#[derive(Debug)]
pub(crate) enum Failure {
    /// Something outside the input went wrong (1).
    Other(String),
    /// The arguments or a file are wrong (2).
    Input(String),
    /// Something that has an exit code of its own.
    Code(String, u8),
    /// The user stopped it (130).
    Stopped,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let done = match arguments.command {
        Command::Run(run) => run::run(&run),
        Command::Trace(trace) => trace::trace(&trace),
        #[cfg(target_os = "linux")]
        Command::Emulate(emulate) => emulate::emulate(&emulate),
        #[cfg(target_os = "linux")]
        Command::EmulateGuard(guard) => emulate::guard(&guard),
        Command::Reproduce(reproduce) => reproduce::reproduce(&reproduce),
        Command::Compare(compare) => compare::compare(&compare),
        Command::Check(check) => check::check(&check),
        Command::List(list) => catalogue::list(&list),
        Command::Show(show) => catalogue::show(&show),
        Command::Schema => kit::schema(),
        Command::New(New::Scheme(scheme)) => kit::scheme(&scheme),
        Command::Completions(completions) => kit::completions(&completions),
        Command::Man(man) => kit::man(&man),
        Command::Bench(bench) => bench::bench(&bench),
        Command::Forward(forward) => forward::forward(&forward),
        Command::Status(status) => status::status(&status),
        Command::Put(put) => put::put(&put),
        Command::Get(get) => get::get(&get),
        Command::Request(request) => request::request(&request),
        Command::Answer(answer) => put::answer(&answer),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(Failure::Other(message)) => fail(&message, 1),
        Err(Failure::Input(message)) => fail(&message, 2),
        Err(Failure::Code(message, code)) => fail(&message, code),
        Err(Failure::Stopped) => fail("stopped", 130),
    }
}

fn fail(message: &str, code: u8) -> ExitCode {
    let message = message.trim_end();
    // Problems of a file come rendered; everything else gets the same first word.
    if message.starts_with("error") {
        eprintln!("{message}")
    } else {
        eprintln!("error: {message}")
    }
    ExitCode::from(code)
}
