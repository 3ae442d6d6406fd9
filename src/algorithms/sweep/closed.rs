//! The classes of a release while it is made.

use crate::algorithms::local::clusters::Part;
use crate::algorithms::local::space::Space;
use crate::hierarchy::NodeId;
use crate::release::SUPPRESSED;

/// Classes as they are closed.
#[derive(Clone, Debug, Default)]
pub struct Closed {
    /// Each row's class.
    pub class_of_row: Vec<u32>,
    /// For each quasi-identifier the node of each class.
    pub quasi: Vec<Vec<NodeId>>,
    /// Which rows of the same limits each class is of.
    pub region_of_class: Vec<u32>,
}

impl Closed {
    pub fn new(rows: usize, attributes: usize) -> Closed {
        let quasi = vec![Vec::new(); attributes];
        Closed { class_of_row: vec![SUPPRESSED; rows], quasi, region_of_class: Vec::new() }
    }

    pub fn close<'r>(&mut self, region: u32, nodes: &[NodeId], rows: impl Iterator<Item = &'r u32>) {
        let class = self.region_of_class.len() as u32;
        self.region_of_class.push(region);
        self.quasi.iter_mut().zip(nodes).for_each(|(column, &node)| column.push(node));
        rows.for_each(|&row| self.class_of_row[row as usize] = class);
    }

    /// The rows of each class.
    pub fn rows(&self) -> Vec<Vec<u32>> {
        let mut rows = vec![Vec::new(); self.region_of_class.len()];
        for (row, &class) in (0..).zip(&self.class_of_row).filter(|&(_, &class)| class != SUPPRESSED) {
            rows[class as usize].push(row);
        }
        rows
    }

    /// The items of each class; `rows` are all rows, item by item.
    pub fn parts(&self, space: &Space<'_>, rows: &[u32]) -> Vec<Vec<Part>> {
        let mut parts: Vec<Vec<Part>> = vec![Vec::new(); self.region_of_class.len()];
        for &row in rows {
            let class = self.class_of_row[row as usize];
            if class == SUPPRESSED {
                continue;
            }
            let (parts, item) = (&mut parts[class as usize], space.item_of_row[row as usize]);
            match parts.last_mut() {
                Some((last, count)) if *last == item => *count += 1,
                _ => parts.push((item, 1)),
            }
        }
        parts
    }

    /// Forgets classes without rows.
    pub fn renumber(&mut self) {
        let mut used = vec![false; self.region_of_class.len()];
        self.class_of_row.iter().filter(|&&class| class != SUPPRESSED).for_each(|&class| used[class as usize] = true);
        let mut next = 0;
        let number = |&used: &bool| {
            next += u32::from(used);
            next.saturating_sub(1)
        };
        let numbers: Vec<u32> = used.iter().map(number).collect();
        for class in self.class_of_row.iter_mut().filter(|class| **class != SUPPRESSED) {
            *class = numbers[*class as usize];
        }
        for column in self.quasi.iter_mut().chain([&mut self.region_of_class]) {
            let mut used = used.iter();
            column.retain(|_| used.next() == Some(&true));
        }
    }
}
