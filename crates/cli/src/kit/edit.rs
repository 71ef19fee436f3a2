//! Changes of source files that are found by their looks: a list, and the declarations of modules.

/// `source` with `item` at the end of the list `NAME`, which reads `pub static NAME: &[..] = &[.., ..];`. `None` if
/// there is no such list, or nothing that looks like it.
pub(super) fn append(source: &str, list: &str, item: &str) -> Option<String> {
    let start = source.find(&format!("pub static {list}: &["))?;
    let equals = start + source[start..].find("] =")? + "] =".len();
    let open = equals + source[equals..].find("&[")? + "&[".len();
    let blank = source[equals..open - "&[".len()].trim().is_empty();
    let close = open + source[open..].find("];")?;
    let items = source[open..close].trim();
    let plain = |c: char| c.is_ascii_alphanumeric() || "_:, \n\r".contains(c);
    if !blank || !items.chars().all(plain) {
        return None;
    }
    let all: Vec<&str> = items.split(',').map(str::trim).filter(|i| !i.is_empty()).chain([item]).collect();
    Some(format!("{}{}{}", &source[..open], laid_out(source, start, &all), &source[close..]))
}

/// The items as rustfmt lays them out: on the line of the list, on the next one, or one on each.
fn laid_out(source: &str, start: usize, items: &[&str]) -> String {
    const WIDTH: usize = 120;
    let line = items.join(", ");
    let head = source[start..].find("= ").map_or(WIDTH, |at| at + "= ".len());
    if head + line.len() + "&[];".len() <= WIDTH {
        return line;
    }
    items.iter().fold("\n".to_string(), |text, item| text + "    " + item + ",\n")
}

/// `source` with `pub mod NAME;` among its modules, in their order. `None` if it declares no modules.
pub(super) fn declare(source: &str, module: &str) -> Option<String> {
    let new = format!("pub mod {module};");
    let lines: Vec<&str> = source.lines().collect();
    let is_module = |line: &&str| line.starts_with("pub mod ") && line.ends_with(';');
    let last = lines.iter().rposition(is_module)?;
    let place = lines.iter().position(|line| is_module(line) && *line > &*new).unwrap_or(last + 1);
    let mut lines = lines;
    lines.insert(place, &new);
    Some(lines.join("\n") + "\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_item_goes_to_the_end_of_its_list() {
        let one = "pub static A: &[Entry<X>] = &[a::ENTRY];\n\npub static B: &[Entry<Y>] = &[];\n";
        let added = append(one, "A", "c::ENTRY").unwrap();
        assert!(added.starts_with("pub static A: &[Entry<X>] = &[a::ENTRY, c::ENTRY];\n\npub static B"), "{added}");
        assert!(append(one, "B", "c::ENTRY").unwrap().ends_with("= &[c::ENTRY];\n"));
        assert_eq!(append(one, "C", "c::ENTRY"), None);
    }

    #[test]
    fn a_list_that_is_too_long_for_a_line_gets_a_line_for_each() {
        let item = "a_module_of_some_length::a_plugin::ENTRY";
        let list = format!("pub static A: &[Entry<X>] =\n    &[{item}, {item}];\n");
        let wanted = format!("pub static A: &[Entry<X>] =\n    &[\n    {item},\n    {item},\n    {item},\n];\n");
        assert_eq!(append(&list, "A", item).unwrap(), wanted, "rustfmt joins the first two lines");
    }

    #[test]
    fn what_looks_otherwise_is_left_alone() {
        assert_eq!(append("pub static A: &[X] = &[entry!(\"a\")];\n", "A", "b"), None);
        assert_eq!(append("pub static A: &[X] = make();\npub static B: &[X] = &[b];\n", "A", "c"), None);
        assert_eq!(declare("//! Nothing here.\n", "a"), None);
    }

    #[test]
    fn a_module_goes_where_it_belongs() {
        let source = "//! Plug-ins.\n\npub mod b;\npub mod d;\n\n#[cfg(test)]\nmod testing;\n";
        for (module, wanted) in [
            ("a", "pub mod a;\npub mod b;\npub mod d;\n\n#"),
            ("c", "pub mod b;\npub mod c;\npub mod d;\n\n#"),
            ("e", "pub mod b;\npub mod d;\npub mod e;\n\n#"),
        ] {
            assert!(declare(source, module).unwrap().contains(wanted), "{module}");
        }
    }
}
