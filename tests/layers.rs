//! Reading order is dependency order: a top-level module of the library may import those that stand above it in `src/lib.rs`
//! and none below. Tests inside a module are left out: they may use what they like.
#![cfg(not(target_arch = "wasm32"))]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

fn sources(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let files = entries.flat_map(|path| if path.is_dir() { sources(&path) } else { vec![path] });
    files.filter(|path| path.extension().is_some_and(|extension| extension == "rs")).collect()
}

/// The program without comments and without its tests.
fn program(text: &str) -> String {
    let text = text.split("#[cfg(test)]\nmod ").next().unwrap_or_default();
    text.lines().map(|line| line.split("//").next().unwrap_or_default()).collect::<Vec<_>>().join("\n")
}

/// The modules that a text names as `crate::NAME` or `crate::{NAME, …}`.
fn imported<'a>(program: &'a str, modules: &[&'a str]) -> Vec<&'a str> {
    let is_word = |sign: char| sign.is_ascii_alphanumeric() || sign == '_';
    let mut found = Vec::new();
    for rest in program.split("crate::").skip(1) {
        let names = match rest.strip_prefix('{') {
            Some(list) => list.split('}').next().unwrap_or_default(),
            None => rest.split(|sign| !is_word(sign)).next().unwrap_or_default(),
        };
        found.extend(
            names.split(|sign| !is_word(sign)).filter_map(|name| modules.iter().find(|module| **module == name)),
        );
    }
    found
}

#[test]
fn no_module_imports_one_that_stands_below_it() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let list = fs::read_to_string(folder.join("lib.rs")).unwrap();
    let modules: Vec<&str> = list.lines().filter_map(|line| line.strip_prefix("pub mod ")?.strip_suffix(';')).collect();
    assert!(modules.len() > 20, "src/lib.rs names its modules one a line");
    let place: BTreeMap<&str, usize> = modules.iter().copied().zip(0..).collect();
    let mut back = Vec::new();
    for path in sources(&folder) {
        let below = path.strip_prefix(&folder).unwrap();
        let module = below.iter().next().unwrap().to_str().unwrap().trim_end_matches(".rs");
        let is_test = path.file_name().is_some_and(|name| name == "tests.rs");
        let Some(own) = place.get(module).filter(|_| !is_test) else { continue };
        let text = fs::read_to_string(&path).unwrap();
        for name in imported(&program(&text), &modules) {
            if place[name] > *own {
                back.push(format!("{}: {module} may not import {name}", below.display()));
            }
        }
    }
    back.sort();
    back.dedup();
    assert!(back.is_empty(), "{}", back.join("\n"));
}

/// Every path that a program names from `crate::` on, lists taken apart: `crate::a::{B, c::D}` is `a::B` and `a::c::D`.
fn paths(program: &str) -> Vec<String> {
    fn of_tree(tree: &str, before: &str, found: &mut Vec<String>) {
        let Some((own, list)) = tree.split_once('{') else {
            found.push(format!("{before}{}", tree.trim()));
            return;
        };
        let (mut depth, mut from) = (0, 0);
        let list = &list[..list.rfind('}').unwrap_or(list.len())];
        for (at, sign) in list.char_indices() {
            match sign {
                '{' => depth += 1,
                '}' => depth -= 1,
                ',' if depth == 0 => {
                    of_tree(&list[from..at], &format!("{before}{}", own.trim()), found);
                    from = at + 1;
                }
                _ => {}
            }
        }
        of_tree(&list[from..], &format!("{before}{}", own.trim()), found);
    }
    let mut found = Vec::new();
    for rest in program.split("crate::").skip(1) {
        let mut depth = 0;
        let end = rest.find(|sign: char| {
            depth += i32::from(sign == '{') - i32::from(sign == '}');
            let is_path = sign.is_ascii_alphanumeric() || "_:{}".contains(sign);
            depth <= 0 && (!is_path || sign == '}')
        });
        // A list ends behind its brace.
        let end = end.map_or(rest.len(), |end| end + usize::from(rest[end..].starts_with('}')));
        of_tree(&rest[..end], "", &mut found);
    }
    found.iter().map(|path| path.trim_end_matches("::").split(" as ").next().unwrap_or_default().to_owned()).collect()
}

/// What the verifier shares with what it checks: the tree, the policy as data, the grammar of diversity lines, how numbers and
/// dates are read; and what every module uses.
const SHARED: [&str; 22] = [
    "constraints::parse",
    "constraints::parse::Fault",
    "constraints::parse::Statement",
    "constraints::parse::Word",
    "constraints::parse::parse",
    "failure::Failure",
    "hierarchy::Hierarchy",
    "hierarchy::NodeId",
    "hierarchy::ROOT",
    "policy::ColumnSetup",
    "policy::Distance",
    "policy::Missing",
    "policy::ModelDemand",
    "policy::Setup",
    "progress::Progress",
    "progress::Report",
    "sorting::Sorting",
    "table::Column",
    "table::Kind",
    "table::KindGuess",
    "table::Role",
    "table::Table",
];

#[test]
fn the_verifier_shares_no_code_with_what_it_checks_but_what_is_named_here() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = sources(&folder.join("verify"));
    files.push(folder.join("verify.rs"));
    assert!(files.len() > 10, "src/verify has a file for each model");
    let (mut wrong, mut unused) = (Vec::new(), SHARED.to_vec());
    for path in &files {
        let program = program(&fs::read_to_string(path).unwrap());
        let at = path.strip_prefix(&folder).unwrap().display();
        for shared in paths(&program) {
            unused.retain(|name| *name != shared);
            let is_words = shared.starts_with("words::");
            if !is_words && !SHARED.contains(&shared.as_str()) {
                wrong.push(format!("{at}: the verifier may not use {shared}"));
            }
        }
        // A set-up is data: what its methods work out is what the algorithms go by.
        for name in ["setup.", "policy."] {
            for rest in program.split(name).skip(1) {
                let word =
                    rest.split(|sign: char| !sign.is_ascii_alphanumeric() && sign != '_').next().unwrap_or_default();
                if rest[word.len()..].starts_with('(') {
                    wrong.push(format!("{at}: the verifier may not ask {name}{word}()"));
                }
            }
        }
        // Nor do columns say what is one value: `Column::class_codes`, `distinct`, `missing_rows`.
        for asked in [".class_codes(", ".missing_rows(", ".requirements(", ".cells(setup", ".reference("] {
            wrong.extend(program.contains(asked).then(|| format!("{at}: the verifier may not ask {asked})")));
        }
    }
    wrong.sort();
    wrong.dedup();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    unused.retain(|name| *name != "constraints::parse");
    assert!(unused.is_empty(), "nobody uses {unused:?}");
}

#[test]
fn paths_are_taken_apart() {
    let program = "use crate::a::{B, c::{D, e as F}};\nuse crate::g;\nlet x = crate::h::i(crate::j::K::new());";
    assert_eq!(paths(program), ["a::B", "a::c::D", "a::c::e", "g", "h::i", "j::K::new"]);
}
