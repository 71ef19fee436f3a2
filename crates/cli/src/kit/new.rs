//! `weir new scheme`: a working plug-in to begin with, in all the places where one has to be.

use super::edit;
use super::names::Names;
use crate::Failure;
use crate::args::{NewSchemeArgs, PluginKind};
use crate::output::print;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use weir_core::Entry;
use weir_schemes::registry;

/// Where the registry stands in a checkout.
const REGISTRY: &str = "crates/schemes/src/registry.rs";

/// A kind of plug-in: its names in the source, and its templates.
struct Kind {
    /// In names of pages and commands: `control`.
    word: &'static str,
    /// Its folder and module: `controls`.
    folder: &'static str,
    /// Its list in the registry: `CONTROLS`.
    list: &'static str,
    source: &'static str,
    page: &'static str,
    /// Names that are taken.
    taken: Vec<&'static str>,
    /// The test of its pages and laws.
    test: &'static str,
}

fn names<B>(entries: &[Entry<B>]) -> Vec<&'static str> {
    entries.iter().map(|entry| entry.name).collect()
}

impl Kind {
    fn of(kind: PluginKind) -> Kind {
        macro_rules! kind {
            ($word:literal, $folder:literal, $list:ident, $test:literal) => {
                Kind {
                    word: $word,
                    folder: $folder,
                    list: stringify!($list),
                    source: include_str!(concat!("../../templates/", $word, ".rs.txt")),
                    page: include_str!(concat!("../../templates/", $word, ".md.txt")),
                    taken: names(registry::$list),
                    test: $test,
                }
            };
        }
        match kind {
            PluginKind::Control => kind!("control", "controls", CONTROLS, "controls_conformance"),
            PluginKind::Timeout => kind!("timeout", "timeouts", TIMEOUTS, "controls_conformance"),
            PluginKind::Queue => kind!("queue", "queues", QUEUES, "queues_conformance"),
            PluginKind::Strategy => kind!("strategy", "strategies", STRATEGIES, "strategies_conformance"),
            PluginKind::Recovery => kind!("recovery", "recoveries", RECOVERIES, "queues_conformance"),
            PluginKind::Monitor => kind!("monitor", "monitors", MONITORS, "controls_pages"),
        }
    }
}

/// A file as it will be.
struct Written {
    path: PathBuf,
    text: String,
    /// False: it was not there before.
    old: Option<String>,
}

/// `weir new scheme NAME --kind KIND`
pub(crate) fn scheme(args: &NewSchemeArgs) -> Result<(), Failure> {
    let (kind, names) = (Kind::of(args.kind), Names::of(&args.name)?);
    let here = std::env::current_dir().map_err(|error| Failure::Other(format!("where am I? {error}")))?;
    let root = checkout(&here)?;
    let new = plug_in(&root, &kind, &names)?;
    let (changed, by_hand) = register(&root, &kind, &names)?;
    let files: Vec<Written> = new.into_iter().chain(changed).collect();
    write(&files)?;
    let formatted = format(&files);
    print(&report(&root, &kind, &names, &files, &by_hand, formatted))
}

/// The checkout of Weir around a folder.
fn checkout(here: &Path) -> Result<PathBuf, Failure> {
    let found = here.ancestors().find(|folder| folder.join(REGISTRY).is_file());
    found.map(Path::to_path_buf).ok_or_else(|| {
        let message = format!("`{}` is not inside a checkout of Weir: there is no `{REGISTRY}`", here.display());
        Failure::Input(format!("{message} here or above; a scheme is a part of the program, so get its source first"))
    })
}

/// The source file and the page.
fn plug_in(root: &Path, kind: &Kind, names: &Names) -> Result<[Written; 2], Failure> {
    let source = root.join(format!("crates/schemes/src/{}/{}.rs", kind.folder, names.module));
    let page = root.join(format!("docs/schemes/{}-{}.md", kind.word, names.name));
    let folder = source.with_extension("");
    let there = [&source, &page, &folder].into_iter().find(|path| path.exists());
    if kind.taken.contains(&&*names.name) || there.is_some() {
        let what = there.map(|path| format!(" (`{}`)", shown(root, path))).unwrap_or_default();
        let hint =
            format!("choose another name, or read `weir show {}` to see whether that is what you want", names.name);
        return Err(Failure::Input(format!("there is a {} `{}` already{what}; {hint}", kind.word, names.name)));
    }
    let filled = |template: &str| {
        template.replace("{{name}}", &names.name).replace("{{Type}}", &names.types).replace("\r\n", "\n")
    };
    let written = |path, template| Written { path, text: filled(template), old: None };
    Ok([written(source, kind.source), written(page, kind.page)])
}

/// The declaration of the module and the word in the registry; what cannot be done safely is left to the user.
fn register(root: &Path, kind: &Kind, names: &Names) -> Result<(Vec<Written>, Vec<String>), Failure> {
    let module = root.join(format!("crates/schemes/src/{}/mod.rs", kind.folder));
    let item = format!("{}::{}::ENTRY", kind.folder, names.module);
    let declared = read(&module)?;
    let registry = read(&root.join(REGISTRY))?;
    let (mut changed, mut by_hand) = (vec![], vec![]);
    match edit::declare(&declared, &names.module) {
        Some(text) => changed.push(Written { path: module, text, old: Some(declared) }),
        None => by_hand.push(format!("`pub mod {};` in `{}`", names.module, shown(root, &module))),
    }
    match edit::append(&registry, kind.list, &item) {
        Some(text) => changed.push(Written { path: root.join(REGISTRY), text, old: Some(registry) }),
        None => by_hand.push(format!("`{item}` in the list `{}` of `{REGISTRY}`", kind.list)),
    }
    Ok((changed, by_hand))
}

fn read(path: &Path) -> Result<String, Failure> {
    std::fs::read_to_string(path)
        .map_err(|error| Failure::Other(format!("`{}` cannot be read: {error}", path.display())))
}

/// Writes all files, or none.
fn write(files: &[Written]) -> Result<(), Failure> {
    for (done, file) in files.iter().enumerate() {
        if let Err(error) = std::fs::write(&file.path, &file.text) {
            // What is undone here was readable or absent a moment ago; if even that fails, the first error says why.
            for file in &files[..=done] {
                let _ = match &file.old {
                    Some(old) => std::fs::write(&file.path, old),
                    None => std::fs::remove_file(&file.path),
                };
            }
            return Err(Failure::Other(format!("`{}` cannot be written: {error}", file.path.display())));
        }
    }
    Ok(())
}

/// Formats what was written, but for `mod.rs`, whose modules are none of our business. True if rustfmt could be asked.
fn format(files: &[Written]) -> bool {
    let ours = files.iter().map(|file| &file.path).filter(|path| {
        path.extension().is_some_and(|e| e == "rs") && path.file_name().is_some_and(|name| name != "mod.rs")
    });
    let mut rustfmt = Command::new("rustfmt");
    rustfmt.args(["--edition", "2024"]).args(ours).stdout(Stdio::null()).stderr(Stdio::null());
    rustfmt.status().is_ok_and(|status| status.success())
}

/// A path as seen from the checkout.
fn shown(root: &Path, path: &Path) -> String {
    path.strip_prefix(root).unwrap_or(path).display().to_string()
}

fn report(root: &Path, kind: &Kind, names: &Names, files: &[Written], by_hand: &[String], formatted: bool) -> String {
    let mut text = String::new();
    for file in files {
        let what = if file.old.is_some() { "changed" } else { "written" };
        text += &format!("{what}  {}\n", shown(root, &file.path));
    }
    for item in by_hand {
        text += &format!("to do    add {item}: this file does not look as expected\n");
    }
    if !formatted {
        text += "to do    cargo fmt: rustfmt could not be called\n";
    }
    text += &format!(
        "\nThe {} `{}` works as it stands. What to change is marked in the file and the page. ",
        kind.word, names.name
    );
    text += &format!(
        "Next:\n\n    cargo test -p weir-schemes --lib {}\n    cargo test -p weir-schemes --test {}\n",
        names.module, kind.test
    );
    text + "    cargo test -p weir-sim --test conformance\n"
}
