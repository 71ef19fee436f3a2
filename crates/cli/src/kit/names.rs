//! Names of new plug-ins: what they may look like, and what is made of them.

use crate::Failure;

/// Longer names would not fit into lists.
const LONGEST: usize = 32;

/// Words that Rust keeps for itself, so that no module can be called by them.
const KEYWORDS: [&str; 51] = [
    "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "crate", "do", "dyn", "else",
    "enum", "extern", "false", "final", "fn", "for", "gen", "if", "impl", "in", "let", "loop", "macro", "match", "mod",
    "move", "mut", "override", "priv", "pub", "ref", "return", "self", "static", "struct", "super", "trait", "true",
    "try", "type", "typeof", "unsafe", "unsized", "use", "virtual", "where", "while", "yield",
];

/// A name, and what it is called in other places.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Names {
    /// In scenario files and pages: `my-control`.
    pub(super) name: String,
    /// Its module: `my_control`.
    pub(super) module: String,
    /// Its types: `MyControl`.
    pub(super) types: String,
}

impl Names {
    /// The names of a plug-in called `name`.
    ///
    /// # Errors
    /// If that cannot be a name; the message has one that can.
    pub(super) fn of(name: &str) -> Result<Names, Failure> {
        let near = nearest(name);
        if near.as_deref() != Some(name) {
            let rule = "a name has lower-case letters, digits and single `-` between, and begins with a letter";
            let hint = near.map(|near| format!("; try `{near}`")).unwrap_or_default();
            return Err(Failure::Input(format!("`{name}` cannot be the name of a plug-in: {rule}{hint}")));
        }
        if name.len() > LONGEST {
            let message = format!("`{name}` is too long for a name: {} characters, of at most {LONGEST}", name.len());
            return Err(Failure::Input(message));
        }
        let module = name.replace('-', "_");
        if KEYWORDS.contains(&&*module) || name == "none" {
            let message = format!("`{name}` means something else already; try `{name}-law`, or a name from the paper");
            return Err(Failure::Input(message));
        }
        let types = name.split('-').map(capitalised).collect();
        Ok(Names { name: name.into(), module, types })
    }
}

fn capitalised(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map(|first| first.to_ascii_uppercase()).into_iter().chain(letters).collect()
}

/// The right name that is nearest to a wrong one: `My_Control 2` becomes `my-control-2`.
fn nearest(name: &str) -> Option<String> {
    let mut words: Vec<String> = vec![String::new()];
    let mut before = ' ';
    for letter in name.chars() {
        // `MyControl`: a capital begins a word.
        let begins = letter.is_ascii_uppercase() && before.is_ascii_lowercase();
        if begins || !letter.is_ascii_alphanumeric() {
            words.push(String::new());
        }
        if let (true, Some(word)) = (letter.is_ascii_alphanumeric(), words.last_mut()) {
            word.push(letter.to_ascii_lowercase());
        }
        before = letter;
    }
    words.retain(|word| !word.is_empty());
    let begins_well = |word: &String| !word.starts_with(|c: char| c.is_ascii_digit());
    let first = words.iter().position(begins_well)?;
    Some(words[first..].join("-"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(name: &str) -> String {
        match Names::of(name) {
            Err(Failure::Input(message)) => message,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_name_becomes_a_module_and_types() {
        let names = Names::of("my-control-2").unwrap();
        assert_eq!((&*names.module, &*names.types), ("my_control_2", "MyControl2"));
    }

    #[test]
    fn a_wrong_name_is_refused_with_the_nearest_right_one() {
        for wrong in
            ["My_Control", "MyControl", "my control", "-my--control-", "2-my-control", "my/control", "../my-control"]
        {
            assert!(refused(wrong).ends_with("try `my-control`"), "{}", refused(wrong));
        }
        assert!(!refused("123").contains("try"));
        assert!(!refused("").contains("try"));
        assert!(refused("näher").contains("try `n-her`"));
    }

    #[test]
    fn words_of_rust_and_long_names_are_refused() {
        assert!(refused("loop").contains("try `loop-law`"));
        assert!(refused("none").contains("means something else"));
        assert!(refused(&"a".repeat(33)).contains("too long"));
    }
}
