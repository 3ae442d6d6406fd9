//! The runner writes nothing over what it reads, no file twice, and nothing at all where one of its files can't be written.
#![cfg(not(target_arch = "wasm32"))]

use std::fs;
use std::path::PathBuf;
use std::process::Command;

struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let folder = std::env::temp_dir().join(format!("throng-outputs-{}-{name}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        let policy = r#"{"throng": 1, "columns": {"q": {"role": "quasi", "hierarchy": {"file": "q.csv"}}},
            "privacy": [{"model": "k-anonymity", "k": 2}]}"#;
        for (name, text) in [("p.json", policy), ("t.csv", "q\na\na\nb\nb\n"), ("q.csv", "a;*\nb;*\n")] {
            fs::write(folder.join(name), text).unwrap();
        }
        Folder(folder)
    }

    /// The exit code, and what was said.
    fn run(&self, more: &[&str]) -> (i32, String) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_throng"));
        let output = command.current_dir(&self.0).args(["run", "p.json", "t.csv"]).args(more).output().unwrap();
        (output.status.code().unwrap(), String::from_utf8(output.stderr).unwrap())
    }

    fn files(&self) -> Vec<(String, String)> {
        let mut files: Vec<(String, String)> = fs::read_dir(&self.0)
            .unwrap()
            .map(|entry| entry.unwrap())
            .filter(|entry| entry.path().is_file())
            .map(|entry| (entry.file_name().into_string().unwrap(), fs::read_to_string(entry.path()).unwrap()))
            .collect();
        files.sort();
        files
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[test]
fn what_is_read_is_not_written_over() {
    let folder = Folder::new("read");
    fs::create_dir(folder.0.join("sub")).unwrap();
    let before = folder.files();
    for output in ["t.csv", "p.json", "q.csv", "./t.csv", "sub/../t.csv"] {
        let (code, said) = folder.run(&["-o", output]);
        assert!(code == 2 && said.contains("would overwrite one that is read"), "{output}: {said}");
        let (code, _) = folder.run(&["-o", "o.csv", "--report", output]);
        assert_eq!(code, 2);
    }
    assert_eq!(folder.files(), before);
}

#[test]
fn all_is_written_or_nothing() {
    let folder = Folder::new("all");
    let before = folder.files();
    for more in [
        &["-o", "o.csv", "--report", "o.csv"][..],
        &["-o", "o.csv", "--report-page", "./o.csv"],
        &["-o", "o.csv", "--report", "lacking/r.json"],
        &["-o", "lacking/o.csv"],
        &["-o", "."],
    ] {
        let (code, said) = folder.run(more);
        assert!(code == 2 && said.contains("file"), "{more:?}: {said}");
        assert_eq!(folder.files(), before, "{more:?}");
    }
    assert_eq!(folder.run(&["-o", "o.csv", "--report", "r.json"]).0, 0);
    // Again, over what was written before.
    assert_eq!(folder.run(&["-o", "o.csv", "--report", "r.json"]).0, 0);
    assert_eq!(folder.files().len(), before.len() + 2);
    assert_eq!(folder.run(&["-o", "/dev/null"]).0, 0);
}
