//! Classes of a release, found by the cells that cover a person: a tree with a level for every column.
//!
//! Complexity: O(classes · columns) to build; a look-up visits only those branches that cover the person so far, which
//! is one a column for full-domain recoding.

use crate::sorting::Sorting;

/// Nodes of one level in order; the children of one node stand together, ascending by cell.
#[derive(Debug, Default)]
struct Level {
    cells: Vec<u32>,
    /// Where the children of each node of the level above start, with one more for the end.
    starts: Vec<u32>,
}

#[derive(Debug)]
pub struct Index {
    levels: Vec<Level>,
    /// The class of each node of the last level.
    classes: Vec<u32>,
}

impl Index {
    /// `cells` has, for every column, the cell of each class. No two classes may be the same in all.
    pub fn new(cells: &[Vec<u32>]) -> Self {
        let count = cells.first().map_or(0, Vec::len);
        let mut classes: Vec<u32> = (0..count as u32).collect();
        classes.order_by(|&one, &other| {
            let by_column = cells.iter().map(|column| column[one as usize].cmp(&column[other as usize]));
            by_column.fold(std::cmp::Ordering::Equal, std::cmp::Ordering::then)
        });
        let mut levels = Vec::with_capacity(cells.len());
        // Which node of the level above each class is under.
        let mut parents = vec![0u32; count];
        let mut above = 1;
        for column in cells {
            let mut level = Level { cells: Vec::new(), starts: Vec::with_capacity(above as usize + 1) };
            let mut last: Option<(u32, u32)> = None;
            for (&class, parent) in classes.iter().zip(&mut parents) {
                let cell = column[class as usize];
                if last != Some((*parent, cell)) {
                    while level.starts.len() <= *parent as usize {
                        level.starts.push(level.cells.len() as u32);
                    }
                    last = Some((*parent, cell));
                    level.cells.push(cell);
                }
                *parent = level.cells.len() as u32 - 1;
            }
            while level.starts.len() <= above as usize {
                level.starts.push(level.cells.len() as u32);
            }
            above = level.cells.len() as u32;
            levels.push(level);
        }
        Index { levels, classes }
    }

    pub fn columns(&self) -> usize {
        self.levels.len()
    }

    /// The children of a node (of the root, for column 0): their numbers and cells.
    pub fn children(&self, column: usize, node: u32) -> (u32, &[u32]) {
        let level = &self.levels[column];
        let (start, end) = (level.starts[node as usize], level.starts[node as usize + 1]);
        (start, &level.cells[start as usize..end as usize])
    }

    /// The class of a node of the last level.
    pub fn class(&self, node: u32) -> u32 {
        self.classes[node as usize]
    }

    /// Appends the classes all of whose cells are among those that cover the person, given ascending for every column
    /// (`None`: nothing is known of it), ascending.
    pub fn find(&self, covering: &[Option<&[u32]>], found: &mut Vec<u32>) {
        let first = found.len();
        let mut stack = vec![(0usize, 0u32)];
        while let Some((column, node)) = stack.pop() {
            if column == self.levels.len() {
                if let Some(&class) = self.classes.get(node as usize) {
                    found.push(class);
                }
                continue;
            }
            let (start, cells) = self.children(column, node);
            let mut visit = |place: usize| stack.push((column + 1, start + place as u32));
            match covering[column] {
                None => (0..cells.len()).for_each(visit),
                // The shorter of the two is gone through.
                Some(wanted) if wanted.len() <= cells.len() => {
                    wanted.iter().filter_map(|cell| cells.binary_search(cell).ok()).for_each(visit);
                }
                Some(wanted) => {
                    let covers = |(_, cell): &(usize, &u32)| wanted.binary_search(cell).is_ok();
                    cells.iter().enumerate().filter(covers).for_each(|(place, _)| visit(place));
                }
            }
        }
        found[first..].sort_unstable();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_what_going_through_all_classes_finds() {
        let mut state = 3u64;
        let mut next = |below: u32| {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 33) as u32 % below
        };
        for case in 0..200 {
            let mut tuples: Vec<[u32; 3]> = (0..case).map(|_| [next(4), next(9), next(3)]).collect();
            tuples.order();
            tuples.dedup();
            // In no order.
            let half = tuples.len() / 2;
            tuples.rotate_left(half);
            let cells: Vec<Vec<u32>> =
                (0..3).map(|column| tuples.iter().map(|tuple| tuple[column]).collect()).collect();
            let index = Index::new(&cells);
            for _ in 0..20 {
                let wanted: Vec<Option<Vec<u32>>> =
                    (0..3).map(|_| (next(5) > 0).then(|| (0..9).filter(|_| next(2) == 0).collect())).collect();
                let covering: Vec<Option<&[u32]>> = wanted.iter().map(|wanted| wanted.as_deref()).collect();
                let mut found = vec![77];
                index.find(&covering, &mut found);
                let covers = |tuple: &[u32; 3]| {
                    tuple
                        .iter()
                        .zip(&wanted)
                        .all(|(cell, wanted)| wanted.as_ref().is_none_or(|list| list.contains(cell)))
                };
                let naive: Vec<u32> =
                    (0..tuples.len() as u32).filter(|&class| covers(&tuples[class as usize])).collect();
                assert_eq!(found[1..], naive);
            }
        }
        let mut found = Vec::new();
        Index::new(&[vec![], vec![]]).find(&[None, None], &mut found);
        assert!(found.is_empty());
    }
}
