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
