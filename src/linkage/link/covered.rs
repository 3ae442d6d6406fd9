//! Which base values each cell of a column covers, and which cells cover each value.

use super::STRIDE;
use crate::failure::Failure;
use crate::linkage::domain::{Domain, Ranges};
use crate::linkage::releases::{Releases, column, report};
use crate::progress::Progress;
use crate::table::Table;

/// As many pairs of a cell and a value that it covers as are kept.
const MOST_COVERED: usize = 20_000_000;

/// For each column: its base values, the places that each release's cells cover, and the cells that cover each place.
pub struct Covered {
    pub domains: Vec<Domain>,
    /// By release and column.
    pub ranges: Vec<Vec<Vec<Ranges>>>,
    pub covering: Vec<Vec<Lists>>,
}

/// Ascending lists that lie end to end.
pub struct Lists {
    starts: Vec<u32>,
    items: Vec<u32>,
}

impl Lists {
    pub fn get(&self, place: u32) -> &[u32] {
        &self.items[self.starts[place as usize] as usize..self.starts[place as usize + 1] as usize]
    }
}

impl Covered {
    pub async fn new(
        releases: &Releases,
        original: Option<&Table>,
        progress: &Progress<'_>,
    ) -> Result<Covered, Failure> {
        let mut covered = Covered { domains: Vec::new(), ranges: Vec::new(), covering: Vec::new() };
        covered.ranges.resize_with(releases.releases.len(), Vec::new);
        covered.covering.resize_with(releases.releases.len(), Vec::new);
        for (place, reader) in releases.readers.iter().enumerate() {
            let name = &releases.quasi[place];
            let cells = releases.releases.iter().flat_map(|release| &release.cells[place]);
            let domain = match original.and_then(|table| column(table, name)) {
                Some(column) => Domain::of_values(column.dictionary.iter().map(|text| reader.value(text))),
                None => Domain::of_cells(reader, cells),
            };
            for (number, release) in releases.releases.iter().enumerate() {
                let mut ranges: Vec<Ranges> = Vec::with_capacity(release.cells[place].len());
                for cells in release.cells[place].chunks(STRIDE as usize) {
                    progress.checkpoint(|| report("Comparing cells", None)).await?;
                    ranges.extend(cells.iter().map(|cell| domain.ranges(cell)));
                }
                covered.covering[number].push(covering(&ranges, domain.len(), name)?);
                covered.ranges[number].push(ranges);
            }
            covered.domains.push(domain);
        }
        Ok(covered)
    }
}

/// The cells that cover each place.
fn covering(ranges: &[Ranges], places: usize, name: &str) -> Result<Lists, Failure> {
    let mut starts = vec![0u32; places + 1];
    let pairs: usize = ranges.iter().flatten().map(|(start, end)| (end - start) as usize).sum();
    if pairs > MOST_COVERED {
        let what = format!("The cells of column “{name}” overlap too much to be linked.");
        return Err(Failure::refused(what, "Link releases with fewer different cells in it."));
    }
    for &(start, end) in ranges.iter().flatten() {
        (start..end).for_each(|place| starts[place as usize + 1] += 1);
    }
    for place in 1..starts.len() {
        starts[place] += starts[place - 1];
    }
    let mut at = starts.clone();
    let mut items = vec![0; pairs];
    for (cell, ranges) in ranges.iter().enumerate() {
        for place in ranges.iter().flat_map(|&(start, end)| start..end) {
            items[at[place as usize] as usize] = cell as u32;
            at[place as usize] += 1;
        }
    }
    Ok(Lists { starts, items })
}
