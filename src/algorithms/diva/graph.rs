//! The constraint graph (§4.1.1): constraints are vertices, and those that some row could help to meet are neighbours.
//!
//! A constraint's *pool* is the rows that can be in a class that shows its quasi-identifiers: the paper's relevant tuples,
//! where it names no other columns. Constraints without quasi-identifiers are met or missed whatever classes there are,
//! and are no vertices. Parts of the graph that no edge joins share no row, so they are coloured apart.
//! Complexity: O(items · constraints²).

use super::ground::Ground;
use crate::algorithms::local::clusters::Part;
use crate::algorithms::local::space::Item;
use crate::sorting::Sorting;

pub struct Graph {
    /// The rows that can show each constraint.
    pub pools: Vec<Vec<Part>>,
    pub neighbours: Vec<Vec<usize>>,
    /// The connected parts, each ascending.
    pub components: Vec<Vec<usize>>,
    /// For each item the number of its signature: the constraints that its rows can count for.
    pub signature_of_item: Vec<u32>,
    pub signatures: Vec<Vec<usize>>,
}

impl Graph {
    /// `kept` are the rows that can be kept.
    pub fn new(ground: &Ground<'_>, kept: &[Vec<Part>]) -> Self {
        let constraints = ground.targets.len();
        let is_vertex = |constraint: usize| !ground.targets.axes_of(constraint).is_empty();
        let mut pools = vec![Vec::new(); constraints];
        let mut edges = vec![false; constraints * constraints];
        let mut of_item: Vec<(Vec<usize>, Item)> = Vec::new();
        for &(item, count) in kept.iter().flatten() {
            let showing: Vec<usize> =
                (0..constraints).filter(|&one| is_vertex(one) && ground.can_show(item, one)).collect();
            for &one in &showing {
                pools[one].push((item, count));
                showing.iter().for_each(|&other| edges[one * constraints + other] = one != other);
            }
            let counts = |&one: &usize| ground.targets.own_cells_show(one, item);
            of_item.push((showing.into_iter().filter(counts).collect(), item));
        }
        let of_one = |one: usize| (0..constraints).filter(|other| edges[one * constraints + other]).collect();
        let neighbours: Vec<Vec<usize>> = (0..constraints).map(of_one).collect();
        of_item.order();
        let mut signature_of_item = vec![0; ground.space.items()];
        let mut signatures: Vec<Vec<usize>> = vec![Vec::new()];
        for (signature, item) in of_item {
            if signatures.last() != Some(&signature) {
                signatures.push(signature);
            }
            signature_of_item[item as usize] = signatures.len() as u32 - 1;
        }
        let components = components(&neighbours, is_vertex);
        Graph { pools, neighbours, components, signature_of_item, signatures }
    }

    /// How many neighbours of a constraint a row could count for.
    pub fn overlap(&self, constraint: usize, item: Item) -> usize {
        let signature = &self.signatures[self.signature_of_item[item as usize] as usize];
        signature.iter().filter(|&&other| other != constraint).count()
    }
}

fn components(neighbours: &[Vec<usize>], is_vertex: impl Fn(usize) -> bool) -> Vec<Vec<usize>> {
    let mut seen = vec![false; neighbours.len()];
    let mut components = Vec::new();
    for start in (0..neighbours.len()).filter(|&start| is_vertex(start)) {
        if std::mem::replace(&mut seen[start], true) {
            continue;
        }
        let mut component = vec![start];
        let mut next = 0;
        while let Some(&one) = component.get(next) {
            for &other in &neighbours[one] {
                if !std::mem::replace(&mut seen[other], true) {
                    component.push(other);
                }
            }
            next += 1;
        }
        component.order();
        components.push(component);
    }
    components
}
