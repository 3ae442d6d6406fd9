//! What a figure leaves: a table (CSV), a picture (SVG), and what the paper says of it.

use std::path::Path;

use super::plot::{Chart, Panel};

#[derive(Clone, Copy, PartialEq)]
pub enum Shows {
    Yes,
    Partly,
    No,
}

impl Shows {
    pub fn when(holds: bool) -> Shows {
        if holds { Shows::Yes } else { Shows::No }
    }
}

/// What the paper says, and whether it shows here.
pub struct Claim {
    pub says: &'static str,
    pub shows: Shows,
    /// The figures that decide it.
    pub because: String,
}

impl Claim {
    fn sentence(&self) -> String {
        let shows = match self.shows {
            Shows::Yes => "✓ Shows",
            Shows::Partly => "≈ Shows in part",
            Shows::No => "✗ Does not show",
        };
        format!("{shows}: {}. Here: {}.", self.says, self.because)
    }
}

pub struct Sheet {
    /// Name of the files.
    pub name: &'static str,
    pub title: String,
    pub header: Vec<String>,
    pub rows: Vec<Vec<String>>,
    pub columns: usize,
    pub panels: Vec<Panel>,
    pub claims: Vec<Claim>,
    /// What is not as the paper has it.
    pub notes: Vec<String>,
}

impl Sheet {
    /// Writes both files and prints table and claims.
    pub fn finish(self) -> Result<(), String> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/results");
        let failed = |error: std::io::Error| format!("{}: {error}", folder.display());
        std::fs::create_dir_all(&folder).map_err(failed)?;
        let lines = || std::iter::once(&self.header).chain(&self.rows);
        let line = |line: &Vec<String>| line.iter().map(|cell| quoted(cell)).collect::<Vec<_>>().join(",") + "\n";
        std::fs::write(folder.join(format!("{}.csv", self.name)), lines().map(line).collect::<String>())
            .map_err(failed)?;
        println!("\n{}", self.title);
        let longest = |place: usize| lines().map(|line| line[place].chars().count()).max().unwrap_or(0);
        let widths: Vec<usize> = (0..self.header.len()).map(longest).collect();
        for line in lines() {
            let cells = line.iter().zip(&widths).map(|(cell, &width)| format!("{cell:>width$}"));
            println!("  {}", cells.collect::<Vec<_>>().join("  "));
        }
        let notes: Vec<String> = self.claims.iter().map(Claim::sentence).chain(self.notes).collect();
        notes.iter().for_each(|note| println!("  {note}"));
        let chart = Chart { title: self.title, columns: self.columns, panels: self.panels, notes };
        std::fs::write(folder.join(format!("{}.svg", self.name)), chart.svg()).map_err(failed)
    }
}

fn quoted(cell: &str) -> String {
    if cell.contains([',', '"']) { format!("\"{}\"", cell.replace('"', "\"\"")) } else { cell.to_owned() }
}
