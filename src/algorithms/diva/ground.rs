//! What all phases of DIVA stand on: the rows as items, what classes must meet, the constraints' targets, and what each
//! row may show.
//!
//! A row may show any node from its leaf up to its limit (its leaf and `*` only, where cells are kept or suppressed).
//! Rows with the same limits are a region, and no class has rows of two. Complexity: O(rows · columns + items · constraints).

use crate::algorithms::greedy_cka::{most_general, regions};
use crate::algorithms::local::clusters::{ClusterId, Clusters, Part};
use crate::algorithms::local::demands::Demands;
use crate::algorithms::local::space::{Cost, Item, Space};
use crate::algorithms::local::targets::Targets;
use crate::algorithms::local::{Mode, Problem, prepare};
use crate::constraints::Constraint;
use crate::hierarchy::{NodeId, ROOT};
use crate::privacy::Monotone;

pub struct Ground<'a> {
    pub problem: &'a Problem<'a>,
    pub constraints: &'a [Constraint],
    /// What each constraint is called by: its place among all, of which some may be equal.
    pub numbers: Vec<usize>,
    pub space: Space<'a>,
    pub demands: Demands<'a>,
    pub targets: Targets,
    pub regions: Vec<Region>,
    pub region_of_item: Vec<u32>,
    /// The axes that constraints name.
    pub axes: Vec<usize>,
    /// For each constraint, what each item may show of its quasi-identifiers.
    showing: Vec<Vec<Showing>>,
}

/// Whether a row's class can, and whether it must, show something.
#[derive(Clone, Copy)]
struct Showing {
    can: bool,
    must: bool,
}

pub struct Region {
    pub rows: Vec<Part>,
    /// The most general node on each axis.
    pub limits: Vec<NodeId>,
}

/// Rows that are, or are to be, a class, and the nodes that it is raised to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Class {
    pub rows: Vec<Part>,
    pub raised: Vec<(usize, NodeId)>,
}

/// How many rows parts have together.
pub fn rows(parts: &[Part]) -> u64 {
    parts.iter().map(|&(_, count)| u64::from(count)).sum()
}

/// The first rows of some.
pub fn first_rows(parts: &[Part], mut size: u32) -> Vec<Part> {
    let mut taken = Vec::new();
    for &(item, count) in parts {
        let some = count.min(size);
        size -= some;
        if some > 0 {
            taken.push((item, some));
        }
    }
    taken
}

impl<'a> Ground<'a> {
    pub fn new(problem: &'a Problem<'a>, constraints: &'a [Constraint]) -> Self {
        let mut targets = Targets::new(problem, constraints);
        let (space, demands) = prepare(problem, &targets.keys(), &targets.axes());
        targets.bind(&space);
        let mut region_of_item = vec![0; space.items()];
        let mut all = Vec::new();
        for (number, parts) in (0..).zip(regions(problem, &space)) {
            for &(item, _) in &parts {
                region_of_item[item as usize] = number;
            }
            let row = parts.first().map_or(0, |&(item, _)| space.row_of_item[item as usize]);
            let limits = problem.quasi.iter().map(|quasi| most_general(problem, quasi, row)).collect();
            all.push(Region { rows: parts, limits });
        }
        let (axes, showing) = (targets.axes(), Vec::new());
        let numbers = (0..constraints.len()).collect();
        let mut ground = Ground {
            problem,
            constraints,
            numbers,
            space,
            demands,
            targets,
            regions: all,
            region_of_item,
            axes,
            showing,
        };
        ground.showing = (0..ground.targets.len()).map(|constraint| ground.showing_of(constraint)).collect();
        ground
    }

    /// What each item may show of a constraint's quasi-identifiers.
    fn showing_of(&self, constraint: usize) -> Vec<Showing> {
        let mut showing = vec![Showing { can: true, must: true }; self.space.items()];
        for (axis, nodes) in self.targets.axes_of(constraint) {
            // By place, as rows of a region that stand at the same one may show the same there; and of which region.
            let mut known: Vec<Option<(u32, Showing)>> = Vec::new();
            for (number, region) in (0..).zip(&self.regions) {
                for &(item, _) in &region.rows {
                    let place = self.space.places(item)[*axis];
                    if known.len() <= place as usize {
                        known.resize(place as usize + 1, None);
                    }
                    let known = &mut known[place as usize];
                    let here = match *known {
                        Some((of, here)) if of == number => here,
                        _ => {
                            let above = || self.upwards(region, *axis, self.space.node(*axis, place, place));
                            let can = above().any(|node| nodes.contains(&node));
                            let must = above().all(|node| nodes.contains(&node));
                            known.insert((number, Showing { can, must })).1
                        }
                    };
                    let item = &mut showing[item as usize];
                    *item = Showing { can: item.can && here.can, must: item.must && here.must };
                }
            }
        }
        showing
    }

    /// How many of the rows that can be kept may be suppressed, too.
    pub fn suppressible_of(&self, kept: &[Vec<Part>]) -> u64 {
        let kept: u64 = kept.iter().map(|region| rows(region)).sum();
        (self.problem.suppressible + kept).saturating_sub(self.problem.table.rows as u64)
    }

    pub fn region_of(&self, item: Item) -> &Region {
        &self.regions[self.region_of_item[item as usize] as usize]
    }

    /// The region of a cluster that has rows.
    pub fn region_of_cluster(&self, clusters: &Clusters<'_>, cluster: ClusterId) -> u32 {
        clusters.members(cluster).first().map_or(u32::MAX, |&(item, _)| self.region_of_item[item as usize])
    }

    /// Rows of a class at most: where nothing but their number counts, larger ones can be cut in two that show the same.
    pub fn largest_needed(&self) -> u32 {
        let counts_only = self.demands.views.is_empty() && self.demands.monotone == Monotone::Growing;
        if counts_only { self.demands.least_size.saturating_mul(2) - 1 } else { u32::MAX }
    }

    /// A node and those above it that rows of a region may show.
    pub fn upwards(&self, region: &Region, axis: usize, node: NodeId) -> impl Iterator<Item = NodeId> {
        let tree = &self.problem.quasi[axis].tree;
        let limit = region.limits[axis];
        let mode = self.problem.mode;
        // The limit is on the way up from all nodes that the region's rows may show.
        let up_to_limit = tree.path(node).take_while(move |&above| tree.covers(limit, above));
        up_to_limit.filter(move |&above| mode == Mode::Generalization || above == node || above == ROOT)
    }

    /// Whether a row may be in a class that shows a constraint's quasi-identifiers.
    pub fn can_show(&self, item: Item, constraint: usize) -> bool {
        self.showing[constraint][item as usize].can
    }

    /// Whether every class of a row shows them.
    pub fn must_show(&self, item: Item, constraint: usize) -> bool {
        self.showing[constraint][item as usize].must
    }

    /// What a class of these rows shows on an axis if it is not raised.
    pub fn natural(&self, rows: &[Part], axis: usize) -> NodeId {
        let places = rows.iter().map(|&(item, _)| self.space.places(item)[axis]);
        let (low, high) = places.fold((u32::MAX, 0), |(low, high), place| (low.min(place), high.max(place)));
        if low > high { ROOT } else { self.space.node(axis, low, high) }
    }

    /// The rows as a class that shows a constraint, raised where it must be; `None` if no class of them can.
    pub fn class_showing(&self, rows: Vec<Part>, constraint: usize) -> Option<Class> {
        let region = self.region_of(rows.first()?.0);
        let mut raised = Vec::new();
        for (axis, nodes) in self.targets.axes_of(constraint) {
            let natural = self.natural(&rows, *axis);
            let node = self.upwards(region, *axis, natural).find(|node| nodes.contains(node))?;
            if node != natural {
                raised.push((*axis, node));
            }
        }
        Some(Class { rows, raised })
    }

    /// Opens a class among clusters of its region.
    pub fn open(&self, clusters: &mut Clusters<'_>, class: &Class) -> ClusterId {
        let cluster = clusters.open(&class.rows);
        for &(axis, node) in &class.raised {
            clusters.raise(cluster, axis, self.space.place_of(axis, node));
        }
        cluster
    }

    /// What a class shows on an axis.
    pub fn node(&self, class: &Class, axis: usize) -> NodeId {
        let raised = class.raised.iter().find(|&&(other, _)| other == axis);
        raised.map_or_else(|| self.natural(&class.rows, axis), |&(_, node)| node)
    }

    /// What a class costs.
    pub fn cost(&self, class: &Class) -> Cost {
        let mut clusters = Clusters::new(&self.space, &self.demands);
        let cluster = self.open(&mut clusters, class);
        clusters.cost(cluster)
    }

    /// How many rows of a class show each target.
    pub fn shown(&self, class: &Class) -> Vec<u64> {
        let mut nodes = vec![ROOT; self.space.axes()];
        for &axis in &self.axes {
            nodes[axis] = self.node(class, axis);
        }
        let shown = |constraint: usize| match self.targets.shown_by(constraint, |axis| nodes[axis]) {
            true => self.targets.rows_among(constraint, &class.rows),
            false => 0,
        };
        (0..self.targets.len()).map(shown).collect()
    }
}
