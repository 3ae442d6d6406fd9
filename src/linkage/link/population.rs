//! Who is linked: the people of an original table, or everyone that releases tell apart.

use super::covered::Covered;
use super::tally::Tally;
use super::{MOST_CELLS, Population, STRIDE};
use crate::classes::{Classes, Keys};
use crate::failure::Failure;
use crate::linkage::domain::{Ranges, common};
use crate::linkage::releases::{Releases, column, report};
use crate::progress::Progress;
use crate::sorting::Sorting;
use crate::table::Table;

/// The people of an original table.
pub async fn people_of(
    releases: &Releases,
    table: &Table,
    covered: &Covered,
    tally: &mut Tally<'_>,
    progress: &Progress<'_>,
) -> Result<Population, Failure> {
    let mut places: Vec<Option<Vec<u32>>> = Vec::with_capacity(releases.quasi.len());
    let columns = releases.quasi.iter().zip(&releases.readers).zip(&covered.domains);
    for ((name, reader), domain) in columns {
        progress.checkpoint(|| report("Grouping people", None)).await?;
        places.push(column(table, name).map(|column| {
            let place = |text: &str| domain.place(&reader.value(text)).unwrap_or(0);
            let of_code: Vec<u32> = column.dictionary.iter().map(place).collect();
            column.codes.iter().map(|&code| of_code[code as usize]).collect()
        }));
    }
    let unknown: Vec<String> = releases
        .quasi
        .iter()
        .zip(&places)
        .filter(|(_, places)| places.is_none())
        .map(|(name, _)| name.clone())
        .collect();
    if places.iter().all(Option::is_none) {
        let what = "The original table has none of the releases' quasi-identifiers.";
        return Err(Failure::data(what, "Give the table that they were made from."));
    }
    let keys: Vec<Keys<'_>> = places
        .iter()
        .zip(&covered.domains)
        .filter_map(|(places, domain)| Some(Keys { codes: places.as_deref()?, size: domain.len() as u32 }))
        .collect();
    let tuples = Classes::group(table.rows, &keys);
    let mut population = Population {
        original: true,
        unknown,
        tuples: tuples.sizes.len() as u64,
        people: table.rows as u64,
        linked: 0,
        complete: true,
    };
    let mut next = 0u64;
    for row in 0..table.rows {
        // Tuples are numbered by first appearance.
        if u64::from(tuples.of_row[row]) < next {
            continue;
        }
        if next.is_multiple_of(STRIDE) {
            let fraction = next as f64 / population.tuples as f64;
            progress.checkpoint(|| report("Linking", Some(fraction))).await?;
        }
        next += 1;
        let places: Vec<Option<u32>> = places.iter().map(|places| places.as_ref().map(|places| places[row])).collect();
        if let Some(combination) = tally.combination(covered, &places) {
            let people = u64::from(tuples.sizes[tuples.of_row[row] as usize]);
            tally.people[combination as usize] += people;
            population.linked += people;
        }
    }
    Ok(population)
}

/// A combination of nodes of the releases' indexes whose cells have values in common.
struct Step {
    column: usize,
    release: usize,
    nodes: Vec<u32>,
    /// What the cells of the releases so far have in common in this column, and a value of that in those before.
    shared: Ranges,
    places: Vec<Option<u32>>,
}

/// The combinations of classes, one a release, that somebody can have.
pub async fn common_cells(
    releases: &Releases,
    covered: &Covered,
    tally: &mut Tally<'_>,
    progress: &Progress<'_>,
) -> Result<Population, Failure> {
    let count = releases.releases.len();
    let everything = |column: usize| vec![(0, covered.domains[column].len() as u32)];
    let first = Step { column: 0, release: 0, nodes: vec![0; count], shared: everything(0), places: Vec::new() };
    let mut stack = vec![first];
    let (mut steps, mut found) = (0u64, 0u64);
    while let Some(step) = stack.pop().filter(|_| found < MOST_CELLS && steps < 10 * MOST_CELLS) {
        if steps.is_multiple_of(STRIDE) {
            progress.checkpoint(|| report("Linking", None)).await?;
        }
        steps += 1;
        if step.column == releases.quasi.len() {
            found += 1;
            if let Some(combination) = tally.combination(covered, &step.places) {
                tally.people[combination as usize] = 1;
            }
            continue;
        }
        let index = &releases.releases[step.release].index;
        let ranges = &covered.ranges[step.release][step.column];
        let (start, cells) = index.children(step.column, step.nodes[step.release]);
        let mut visit = |place: usize| {
            let shared = common(&step.shared, &ranges[cells[place] as usize]);
            let Some(&(witness, _)) = shared.first() else { return };
            let mut nodes = step.nodes.clone();
            nodes[step.release] = start + place as u32;
            let mut places = step.places.clone();
            stack.push(if step.release + 1 < count {
                Step { column: step.column, release: step.release + 1, nodes, shared, places }
            } else {
                places.push(Some(witness));
                let column = step.column + 1;
                let shared = if column < releases.quasi.len() { everything(column) } else { Vec::new() };
                Step { column, release: 0, nodes, shared, places }
            });
        };
        let values: usize = step.shared.iter().map(|(start, end)| (end - start) as usize).sum();
        if values * 8 < cells.len() {
            // Few values: the cells that cover them are known.
            let lists = &covered.covering[step.release][step.column];
            let places = step.shared.iter().flat_map(|&(start, end)| start..end);
            let mut near: Vec<u32> = places.flat_map(|place| lists.get(place)).copied().collect();
            near.order();
            near.dedup();
            near.iter().filter_map(|cell| cells.binary_search(cell).ok()).for_each(&mut visit);
        } else {
            (0..cells.len()).for_each(&mut visit);
        }
    }
    let cells = tally.people.iter().sum();
    Ok(Population {
        original: false,
        unknown: Vec::new(),
        tuples: cells,
        people: cells,
        linked: cells,
        complete: stack.is_empty() && found < MOST_CELLS && steps < 10 * MOST_CELLS,
    })
}
