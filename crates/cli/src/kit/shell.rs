//! `weir completions` and `weir man`: made from the same description of the command line that reads it.

use crate::Failure;
use crate::args::{Arguments, CompletionsArgs, ManArgs};
use crate::output::print;
use crate::reproduce::ALL;
use crate::{catalogue, papers};
use clap::builder::PossibleValuesParser;
use clap::{Command, CommandFactory as _};
use weir_schemes::bundles::BUNDLES;

/// `weir completions SHELL`
pub(crate) fn completions(args: &CompletionsArgs) -> Result<(), Failure> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut with_names(Arguments::command()), "weir", &mut script);
    print(&String::from_utf8_lossy(&script))
}

/// The command line with the names of schemes, pages and papers, which are compiled in.
fn with_names(command: Command) -> Command {
    let schemes: Vec<&'static str> = BUNDLES.iter().map(|bundle| bundle.name).collect();
    let mut pages = catalogue::names();
    pages.sort_unstable();
    pages.dedup();
    // A few short words, kept until the program ends, which is a moment away.
    let papers = papers::papers().into_iter().map(|paper| &*paper.key.leak());
    let papers: Vec<&'static str> = papers.chain([ALL]).collect();
    let one_of = |command: Command, argument: &'static str, names: PossibleValuesParser| {
        command.mut_arg(argument, |argument| argument.value_parser(names))
    };
    command
        .mut_subcommand("run", |run| one_of(run, "scheme", PossibleValuesParser::new(schemes.clone())))
        .mut_subcommand("compare", |compare| one_of(compare, "schemes", PossibleValuesParser::new(schemes)))
        .mut_subcommand("show", |show| one_of(show, "name", PossibleValuesParser::new(pages)))
        .mut_subcommand("reproduce", |reproduce| one_of(reproduce, "paper", PossibleValuesParser::new(papers)))
}

/// `weir man FOLDER`
pub(crate) fn man(args: &ManArgs) -> Result<(), Failure> {
    let fail = |error: std::io::Error| Failure::Other(format!("`{}` cannot be written: {error}", args.out.display()));
    std::fs::create_dir_all(&args.out).map_err(fail)?;
    clap_mangen::generate_to(Arguments::command(), &args.out).map_err(fail)
}
