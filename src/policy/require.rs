//! From demands to requirements: names become columns, values become codes, numbers are held against their ranges.
//!
//! The same demands are asked of the table that is anonymized (by the algorithms), of what came out of it (by the
//! verifier) and of a table that came anonymized (by the audit). The last two have codes of their own, and cells that may
//! be groups of the hierarchy; what is compared with the original stays compared with the original.

use std::cell::OnceCell;
use std::collections::{BTreeMap, HashMap};

use serde::{Deserialize, Serialize};

use super::algorithm::Algorithm;
use super::demand::{Demand, Distance, ModelDemand};
use super::recoding::{bound, labels_of_missing, sensitive_tree};
use super::setup::{Missing, Setup};
use crate::classes::Histogram;
use crate::failure::Failure;
use crate::hierarchy::{Hierarchy, NodeId, ROOT};
use crate::privacy::{
    Alpha, Cells, DistinctL, EntropyL, InWorstCase, Induced, KAnonymity, Model, Named, NpdRecursiveCL, OnTree,
    PSensitive, RecursiveCL, Reference, Requirement, TCloseness, Taken, TauL, worst_counts,
};
use crate::sorting::Sorting;
use crate::table::{Column, Kind, Role, Table};
use crate::words::{counted, grouped};

/// What is wrong with one key of a demand.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Mistake {
    pub key: String,
    pub what: String,
    pub next: String,
}

impl Mistake {
    fn new(key: impl Into<String>, what: impl Into<String>, next: impl Into<String>) -> Mistake {
        Mistake { key: key.into(), what: what.into(), next: next.into() }
    }

    /// The mistake in the demand at `place` of the policy.
    pub fn into_failure(self, place: usize) -> Failure {
        Failure::policy(format!("The policy's privacy[{place}].{} {}.", self.key, self.what), self.next)
    }
}

/// The values of a sensitive column in some table, with what is known of them from the original.
struct Values<'a> {
    name: &'a str,
    /// The column whose codes the model will see.
    seen: &'a Column,
    original: &'a Column,
    tree: Hierarchy,
    /// The leaf of each of the original's codes, or the group that it came as.
    leaf_of_code: Vec<NodeId>,
    has_hierarchy: bool,
    missing: Missing,
    /// Whether missing cells stand at a leaf that the column's own hierarchy lacks.
    leaf_is_added: bool,
    /// Whether cells may be generalized: then codes behind the column's own, one for each node of the tree, are groups.
    may_be_generalized: bool,
    /// Whether the original is not there, and what was released of it has its place.
    released: bool,
    /// The node of each code, once someone asked.
    nodes: OnceCell<Vec<Option<NodeId>>>,
}

impl Setup {
    /// All demands as requirements on `table`, and which demand each came from.
    pub fn requirements(&self, table: &Table) -> Result<(Vec<Requirement>, Vec<usize>), Failure> {
        self.requirements_on(table, table)
    }

    /// All demands as requirements on `seen`, a table made from `original` (whose columns this set-up describes).
    pub fn requirements_on(&self, original: &Table, seen: &Table) -> Result<(Vec<Requirement>, Vec<usize>), Failure> {
        let (mut requirements, mut demand_of) = (Vec::new(), Vec::new());
        for (place, demand) in self.privacy.iter().enumerate() {
            let made = self.require(demand, original, seen).map_err(|mistake| mistake.into_failure(place))?;
            demand_of.resize(demand_of.len() + made.len(), place);
            requirements.extend(made);
        }
        Ok((requirements, demand_of))
    }

    /// One demand as requirements: one, or one for every sensitive column.
    pub fn require(&self, demand: &Demand, original: &Table, seen: &Table) -> Result<Vec<Requirement>, Mistake> {
        self.require_of(demand, original, seen, false)
    }

    /// The same of a table that may have come anonymized, whose original is not there.
    pub fn require_of_release(&self, demand: &Demand, table: &Table) -> Result<Vec<Requirement>, Mistake> {
        self.require_of(demand, table, table, true)
    }

    fn require_of(
        &self,
        demand: &Demand,
        original: &Table,
        seen: &Table,
        released: bool,
    ) -> Result<Vec<Requirement>, Mistake> {
        check_ranges(&demand.model)?;
        if let ModelDemand::KAnonymity { k } = demand.model {
            if k as usize > original.rows.max(1) {
                let what =
                    format!("is {}, but the table has {}", grouped(k.into()), counted(original.rows as u64, "row"));
                return Err(Mistake::new("k", what, format!("Use at most {}.", grouped(original.rows as u64))));
            }
            return Ok(vec![Requirement { attribute: None, jointly: false, model: Box::new(KAnonymity { k }) }]);
        }
        let mut requirements = Vec::new();
        for place in self.attributes(demand, original)? {
            let column = &original.columns[place];
            let Some(at) = seen.columns.iter().position(|other| other.name == column.name) else {
                let what = format!("is column “{}”, which the table lacks", column.name);
                return Err(Mistake::new("attribute", what, "Name a column of the table."));
            };
            let mut values = self.values(original, place, &seen.columns[at]);
            if let (true, ModelDemand::TauL { weights, .. }) = (released, &demand.model) {
                values.take_as_released(weights.keys().map(String::as_str));
            }
            requirements.push(Requirement {
                attribute: Some(at),
                jointly: demand.jointly,
                model: values.model(&demand.model)?,
            });
        }
        Ok(requirements)
    }

    fn values<'a>(&self, original: &'a Table, place: usize, seen: &'a Column) -> Values<'a> {
        let (column, setup) = (&original.columns[place], &self.columns[place]);
        let (tree, leaf_of_code) = sensitive_tree(setup, column);
        let in_own = |&code: &u32| {
            let template = setup.template.as_ref();
            template.is_some_and(|template| template.tree.leaf_of_value(column.dictionary.text(code)).is_some())
        };
        let is_about = |demand: &Demand| demand.attribute.as_ref().is_none_or(|name| *name == column.name);
        let mut generalizing = self.privacy.iter().filter(|demand| matches!(demand.model, ModelDemand::TauL { .. }));
        Values {
            name: &column.name,
            seen,
            original: column,
            tree,
            leaf_of_code,
            has_hierarchy: setup.template.is_some(),
            missing: setup.missing,
            leaf_is_added: !column.missing.iter().any(in_own),
            may_be_generalized: matches!(self.algorithm, Algorithm::Sweep { .. }) && generalizing.any(is_about),
            released: false,
            nodes: OnceCell::new(),
        }
    }

    /// What the codes of a sensitive column of a table that is told of as it is stand for; nothing where all are values.
    pub fn cells(&self, table: &Table, place: usize) -> Option<Cells> {
        let mut values = self.values(table, place, &table.columns[place]);
        values.may_be_generalized = false;
        Cells::new(&values.tree, values.nodes())
    }

    /// The distribution of a column, to measure classes against; `None` where the distance means nothing.
    pub fn reference(&self, table: &Table, place: usize, distance: Distance) -> Option<Reference> {
        self.reference_on(table, place, &table.columns[place], distance)
    }

    /// The same for classes of a table made from `original`, whose column has codes of its own.
    pub fn reference_on(&self, original: &Table, place: usize, seen: &Column, distance: Distance) -> Option<Reference> {
        self.values(original, place, seen).reference(distance).ok()
    }

    /// The sensitive columns that a demand is about.
    fn attributes(&self, demand: &Demand, table: &Table) -> Result<Vec<usize>, Mistake> {
        let sensitive: Vec<usize> =
            (0..self.columns.len()).filter(|&place| self.columns[place].role == Role::Sensitive).collect();
        let Some(name) = &demand.attribute else {
            if sensitive.is_empty() {
                let next = "Give the column that must be protected the role “sensitive”.";
                return Err(Mistake::new("attribute", "is open, and no column is sensitive", next));
            }
            return Ok(sensitive);
        };
        let Some(place) = table.columns.iter().position(|column| column.name == *name) else {
            return Err(Mistake::new("attribute", "is not a column of the table", "Name a sensitive column."));
        };
        let role = match self.columns[place].role {
            Role::Sensitive => return Ok(vec![place]),
            Role::Quasi => "a quasi-identifier",
            Role::Identifier => "an identifier",
            Role::Insensitive => "insensitive",
        };
        let what = format!("is column “{name}”, whose role is {role}");
        Err(Mistake::new("attribute", what, "Make that column sensitive, or name one that is."))
    }
}

/// Holds the numbers of a demand against the ranges in which they mean something.
fn check_ranges(model: &ModelDemand) -> Result<(), Mistake> {
    let must = |holds: bool, key: &str, range: &str| {
        let next = format!("Give {range}.");
        if holds { Ok(()) } else { Err(Mistake::new(key, format!("must be {range}"), next)) }
    };
    let one_or_more = "a number of at least 1";
    let share = "a number above 0 and at most 1";
    match model {
        ModelDemand::KAnonymity { k } => must(*k >= 1, "k", one_or_more),
        ModelDemand::DistinctL { l } => must(*l >= 1, "l", one_or_more),
        ModelDemand::EntropyL { l, .. } => must(*l >= 1.0 && l.is_finite(), "l", one_or_more),
        ModelDemand::RecursiveCL { c, l, no_negative, c2, .. } => {
            must(*c > 0.0 && c.is_finite(), "c", "a number above 0")?;
            must(*l >= 1, "l", one_or_more)?;
            match c2 {
                Some(c2) => must(*c2 > 0.0 && *c2 <= 100.0, "c2", "a percentage above 0 and at most 100"),
                None if no_negative.is_empty() => Ok(()),
                None => {
                    must(false, "c2", "there beside no_negative: the percentage that each of its values must reach")
                }
            }
        }
        ModelDemand::TauL { tau, l, weights } => {
            must(*tau > 0.0 && *tau <= 1.0, "tau", share)?;
            must(*l >= 2, "l", "a number of at least 2")?;
            // Shares of a sum without end would all be 0.
            let fit = weights.values().all(|weight| *weight >= 0.0) && weights.values().sum::<f64>().is_finite();
            must(fit, "weights", "numbers of at least 0, with a finite sum")
        }
        ModelDemand::TCloseness { t, .. } => must((0.0..=1.0).contains(t), "t", "a number from 0 to 1"),
        ModelDemand::PSensitive { p } => must(*p >= 1, "p", one_or_more),
        ModelDemand::AlphaK { alpha, .. } => must(*alpha > 0.0 && *alpha <= 1.0, "alpha", share),
    }
}

impl Values<'_> {
    /// `named` are values of the original, too.
    fn take_as_released<'n>(&mut self, named: impl Iterator<Item = &'n str>) {
        self.released = true;
        let lacking: Vec<&str> = named.filter(|value| self.tree.find(value).is_none()).collect();
        let tree = self.groups().next().and_then(|_| self.tree.add_leaves(lacking, ROOT).ok());
        if let Some(tree) = tree {
            (self.tree, self.leaf_of_code) = bound(tree, self.original);
            self.nodes = OnceCell::new();
        }
    }

    fn model(&self, demand: &ModelDemand) -> Result<Box<dyn Model>, Mistake> {
        Ok(match demand {
            ModelDemand::KAnonymity { k } => Box::new(KAnonymity { k: *k }),
            ModelDemand::DistinctL { l } => {
                self.check_distinct("l", f64::from(*l))?;
                self.by_worst_counts(DistinctL { l: *l })
            }
            ModelDemand::EntropyL { l, dont_care } => {
                self.check_distinct("l", *l)?;
                let named = !dont_care.is_empty();
                let model = EntropyL { l: *l, dont_care: self.dont_care(dont_care)? };
                // Also where no cell has what is named: the definition is that of don't-care sets.
                if named { self.without_groups(model) } else { self.by_worst_counts(model) }
            }
            ModelDemand::RecursiveCL { c, l, dont_care, no_negative, c2 } => {
                self.check_distinct("l", f64::from(*l))?;
                let (c, l) = (*c, *l);
                let no_set = dont_care.is_empty();
                let dont_care = self.dont_care(dont_care)?;
                let no_negative = self.named("no_negative", no_negative, Counts::Surely)?;
                let c2 = c2.unwrap_or(0.0);
                match (no_set, no_negative.is_empty()) {
                    (true, true) => self.by_worst_counts(RecursiveCL { c, l }),
                    (false, true) => {
                        self.without_groups(NpdRecursiveCL { c, l, dont_care, no_negative: Vec::new(), c2 })
                    }
                    // Two bounds that know nothing of each other.
                    (_, false) => {
                        let first: (Taken, Box<dyn Model>) = if no_set {
                            (Taken::Worst, Box::new(RecursiveCL { c, l }))
                        } else {
                            let model = NpdRecursiveCL { c, l, dont_care, no_negative: Vec::new(), c2 };
                            (Taken::Never, Box::new(model))
                        };
                        let places = (0..no_negative.len() as u32).collect();
                        let rare = NpdRecursiveCL { c, l: 1, dont_care: Vec::new(), no_negative: places, c2 };
                        let second = Some((Taken::Named(no_negative), Box::new(rare) as Box<dyn Model>));
                        Box::new(InWorstCase { first, second, cells: self.cells() })
                    }
                }
            }
            ModelDemand::TauL { tau, l, weights } => {
                let weights = self.weights(weights)?;
                let possible = weights.iter().filter(|&&weight| weight > 0.0).count();
                // Values that only groups still stand for can't be counted.
                if *l as usize > possible && self.groups().next().is_none() {
                    return Err(self.too_many("l", possible));
                }
                let nodes = self.nodes_in_tree()?;
                let unknown = (0..).zip(nodes).filter(|(_, node)| node.is_none()).map(|(code, _)| code);
                let mut at: Vec<NodeId> = nodes.iter().map(|node| node.unwrap_or(ROOT)).collect();
                // One code more than there are stands for `*`, which any cell may become.
                at.push(ROOT);
                let induced = Induced::new(&self.tree, &at, &weights).with_unknown(unknown.collect());
                Box::new(TauL { tau: *tau, l: *l, induced })
            }
            ModelDemand::TCloseness { t, distance } => {
                Box::new(TCloseness { t: *t, reference: self.reference(*distance)? })
            }
            ModelDemand::PSensitive { p } => {
                self.check_distinct("p", f64::from(*p))?;
                self.by_worst_counts(PSensitive { p: *p })
            }
            ModelDemand::AlphaK { alpha, values } => match self.named("values", values, Counts::Possibly)? {
                named if named.is_empty() => self.by_worst_counts(Alpha { alpha: *alpha, values: Vec::new() }),
                named => {
                    let model = Alpha { alpha: *alpha, values: (0..named.len() as u32).collect() };
                    let first: (Taken, Box<dyn Model>) = (Taken::Named(named), Box::new(model));
                    Box::new(InWorstCase { first, second: None, cells: self.cells() })
                }
            },
        })
    }

    /// A model that the worst counts are worst for.
    fn by_worst_counts(&self, model: impl Model + 'static) -> Box<dyn Model> {
        self.in_worst_case(Taken::Worst, model)
    }

    /// A model for which no worst filling is known.
    fn without_groups(&self, model: impl Model + 'static) -> Box<dyn Model> {
        self.in_worst_case(Taken::Never, model)
    }

    fn in_worst_case(&self, taken: Taken, model: impl Model + 'static) -> Box<dyn Model> {
        match self.cells() {
            None => Box::new(model),
            cells => Box::new(InWorstCase { first: (taken, Box::new(model)), second: None, cells }),
        }
    }

    /// What codes stand for; nothing where all are values.
    fn cells(&self) -> Option<Cells> {
        Cells::new(&self.tree, self.nodes())
    }

    /// The node of each code, `None` for unknown cells. A text that the tree lacks has a number that no node has.
    fn nodes(&self) -> &[Option<NodeId>] {
        self.nodes.get_or_init(|| {
            let by_label = self.tree.nodes_of_labels();
            let of_missing = self.original.missing.first().map(|&code| self.leaf_of_code[code as usize]);
            let is_missing = self.seen.is_missing();
            let node = |(code, text): (u32, &str)| {
                if is_missing[code as usize] {
                    return match (self.missing, of_missing) {
                        (Missing::Unknown, _) => None,
                        (Missing::Value, Some(leaf)) => Some(leaf),
                        (Missing::Value, None) => Some(self.tree.len() as NodeId),
                    };
                }
                Some(by_label.get(text).copied().unwrap_or(self.tree.len() as NodeId + 1 + code))
            };
            let mut nodes: Vec<Option<NodeId>> = (0..).zip(self.seen.dictionary.iter()).map(node).collect();
            if self.may_be_generalized {
                let reads_missing = labels_of_missing(&self.tree, self.original);
                let read = |node: NodeId| match of_missing {
                    Some(leaf) if leaf == node || reads_missing[node as usize] => {
                        (self.missing == Missing::Value).then_some(leaf)
                    }
                    _ => Some(by_label[self.tree.label(node)]),
                };
                nodes.extend((0..self.tree.len() as NodeId).map(read));
            }
            nodes
        })
    }

    /// The same where every text must be in the tree.
    fn nodes_in_tree(&self) -> Result<&[Option<NodeId>], Mistake> {
        let nodes = self.nodes();
        if nodes.iter().flatten().all(|&node| (node as usize) < self.tree.len()) {
            return Ok(nodes);
        }
        let what = format!("is column “{}”, which shows something that is not in its hierarchy", self.name);
        Err(Mistake::new("attribute", what, "Complete the hierarchy."))
    }

    /// No class can have more different values than the table has at least: whatever fills a class's groups fills the
    /// table's.
    fn check_distinct(&self, key: &str, asked: f64) -> Result<(), Mistake> {
        let by_label = self.tree.nodes_of_labels();
        let is_missing = self.original.is_missing();
        let read = |(code, text): (u32, &str)| {
            let leaf = self.leaf_of_code[code as usize];
            match self.missing {
                Missing::Unknown if is_missing[code as usize] => None,
                _ if is_missing[code as usize] => Some(leaf),
                _ => Some(by_label.get(text).copied().unwrap_or(leaf)),
            }
        };
        let nodes: Vec<Option<NodeId>> = (0..).zip(self.original.dictionary.iter()).map(read).collect();
        let distinct = match Cells::new(&self.tree, &nodes) {
            None => self.original.distinct(),
            Some(cells) => {
                let counts: Vec<(u32, u32)> =
                    (0..self.original.dictionary.len() as u32).map(|code| (code, 1)).collect();
                worst_counts(&cells, &Histogram { size: counts.len() as u32, counts: &counts }).len()
            }
        };
        if asked > distinct as f64 { Err(self.too_many(key, distinct)) } else { Ok(()) }
    }

    fn too_many(&self, key: &str, distinct: usize) -> Mistake {
        let unknown = match self.missing {
            Missing::Unknown if !self.original.missing.is_empty() => " (missing ones are unknown, so they are none)",
            _ => "",
        };
        let distinct_values = counted(distinct as u64, "different value");
        let what = format!("is more than the {distinct_values} of column “{}”{unknown}", self.name);
        Mistake::new(key, what, format!("Use at most {}.", grouped(distinct as u64)))
    }

    /// The node of each value or group that a demand names.
    fn nodes_of_names(&self, key: &str, names: &[String]) -> Result<Vec<NodeId>, Mistake> {
        if names.is_empty() {
            return Ok(Vec::new());
        }
        let by_label = self.tree.nodes_of_labels();
        let missing: Vec<&str> =
            self.original.missing.iter().map(|&code| self.original.dictionary.text(code)).collect();
        let node = |(place, name): (usize, &String)| {
            let mistake = |what: String, next: &str| Err(Mistake::new(format!("{key}[{place}]"), what, next));
            // One missing value stands for all, by whichever token it is named.
            if missing.contains(&name.as_str()) {
                return match self.missing {
                    Missing::Value => Ok(self.leaf_of_code[self.original.missing[0] as usize]),
                    Missing::Unknown => mistake(
                        format!("names the missing cells of column “{}”, which are unknown and no value", self.name),
                        "Leave it out, or set \"missing\": \"value\" for the column.",
                    ),
                };
            }
            match by_label.get(name.as_str()) {
                Some(&node) => Ok(node),
                None => mistake(
                    format!("is not a value of column “{}”", self.name),
                    "Name a value as it stands in the table.",
                ),
            }
        };
        names.iter().enumerate().map(node).collect()
    }

    /// The codes of cells that count for each value or group that a demand names.
    fn named(&self, key: &str, names: &[String], counts: Counts) -> Result<Vec<Named>, Mistake> {
        let nodes = self.nodes_of_names(key, names)?;
        let leaf_count = |node: NodeId| self.tree.leaf_count(node);
        let counts_for = |cell: Option<NodeId>, named: NodeId| {
            let Some(cell) = cell else { return counts == Counts::Possibly };
            if cell as usize >= self.tree.len() {
                return false;
            }
            let is_below = self.tree.covers(named, cell);
            let is_above = self.tree.covers(cell, named);
            match counts {
                Counts::Possibly => is_below || is_above,
                Counts::Surely => is_below || (is_above && leaf_count(cell) == leaf_count(named)),
            }
        };
        let codes = |named: NodeId| {
            let nodes = (0..).zip(self.nodes());
            nodes.filter(|&(_, &cell)| counts_for(cell, named)).map(|(code, _)| code).collect()
        };
        Ok(names.iter().zip(nodes).map(|(name, node)| Named { label: name.clone(), codes: codes(node) }).collect())
    }

    /// The codes of values that may be disclosed. Groups and unknown cells are refused where it is known that there will
    /// be some.
    fn dont_care(&self, names: &[String]) -> Result<Vec<u32>, Mistake> {
        let named = self.nodes_of_names("dont_care", names)?;
        if named.is_empty() {
            return Ok(Vec::new());
        }
        let refused = |why: String, next: &str| {
            let what =
                format!("can't be had for column “{}”, {why}: no worst case is known of don't-care sets", self.name);
            Err(Mistake::new("dont_care", what, next))
        };
        if self.may_be_generalized {
            let next = "Leave dont_care out, or use another algorithm.";
            return refused("whose values the algorithm “sweep” may generalize".into(), next);
        }
        if self.missing == Missing::Unknown && self.original.missing_rows() > 0 {
            let next = "Set \"missing\": \"value\" for the column, or leave dont_care out.";
            return refused("whose missing cells are unknown".into(), next);
        }
        let is_below = |cell: NodeId| {
            (cell as usize) < self.tree.len() && named.iter().any(|&named| self.tree.covers(named, cell))
        };
        let nodes = (0..).zip(self.nodes());
        Ok(nodes.filter(|(_, cell)| cell.is_some_and(is_below)).map(|(code, _)| code).collect())
    }

    /// The leaf that unknown cells stand at.
    fn unknown_leaf(&self) -> Option<NodeId> {
        let code = self.original.missing.first().filter(|_| self.missing == Missing::Unknown)?;
        Some(self.leaf_of_code[*code as usize])
    }

    fn reference(&self, distance: Distance) -> Result<Reference, Mistake> {
        // What the original's cells were is known: values count for their leaves, groups and unknown cells not at all.
        let unknown = self.unknown_leaf();
        let mut counts = vec![0u32; self.tree.len()];
        for (&leaf, &count) in self.leaf_of_code.iter().zip(&self.original.counts) {
            if self.tree.is_leaf(leaf) && unknown != Some(leaf) {
                counts[leaf as usize] += count;
            }
        }
        if counts.iter().all(|&count| count == 0) && !self.original.codes.is_empty() {
            let what = format!("is column “{}”, none of whose cells is known to be a value", self.name);
            return Err(Mistake::new("attribute", what, "Leave t-closeness of it out."));
        }
        let no_value = unknown.filter(|_| self.leaf_is_added);
        let on = |nodes| OnTree { tree: &self.tree, counts: &counts, no_value, nodes };
        match distance {
            Distance::Equal => Ok(Reference::equal_on(on(self.nodes()))),
            Distance::Ordered => Ok(Reference::ordered_on(on(self.nodes()), &self.ranks()?)),
            Distance::Hierarchical => {
                if !self.has_hierarchy {
                    let what = format!("needs a hierarchy, and column “{}” has none", self.name);
                    return Err(Mistake::new("distance", what, "Give the column one, or use “equal”."));
                }
                Ok(Reference::hierarchical_on(on(self.nodes_in_tree()?)))
            }
        }
    }

    /// Where each leaf stands in order: by number, by date, or as the hierarchy has them. Nodes that are
    /// no leaves have no rank of their own.
    fn ranks(&self) -> Result<Vec<u32>, Mistake> {
        let kind = self.original.kind;
        let key = |leaf: NodeId| {
            let text = self.tree.label(leaf);
            let key = match kind.kind {
                Kind::Integer | Kind::Decimal => kind.number(text),
                Kind::Date(_) => kind.date(text).map(|days| days as f64),
                Kind::Text => Some(f64::from(leaf)),
            };
            // What has no rank of its own, like missing values among numbers, comes first.
            key.unwrap_or(f64::NEG_INFINITY)
        };
        if kind.kind == Kind::Text && !self.has_hierarchy {
            let what = format!("needs an order, and column “{}” has neither numbers, dates nor a hierarchy", self.name);
            return Err(Mistake::new("distance", what, "Give the column a hierarchy, or use “equal”."));
        }
        let mut order: Vec<(f64, NodeId)> = self.tree.leaves().iter().map(|&leaf| (key(leaf), leaf)).collect();
        order.order_by(|one, other| one.0.total_cmp(&other.0).then(one.1.cmp(&other.1)));
        let mut ranks = vec![0; self.tree.len()];
        // Equal as numbers: -0 is 0.
        for (rank, same) in (0..).zip(order.chunk_by(|one, other| one.0 == other.0)) {
            for &(_, leaf) in same {
                ranks[leaf as usize] = rank;
            }
        }
        Ok(ranks)
    }

    /// Groups that stand for values of an original that is not there: any of theirs may have occurred in it.
    fn groups(&self) -> impl Iterator<Item = NodeId> + '_ {
        let shown = self.leaf_of_code.iter().zip(&self.original.counts).filter(|&(_, &count)| count > 0);
        shown.map(|(&node, _)| node).filter(|&node| self.released && !self.tree.is_leaf(node))
    }

    /// The weight of each leaf: 1 for values that occur and 0 for others, unless the demand gives another.
    fn weights(&self, given: &BTreeMap<String, f64>) -> Result<Vec<f64>, Mistake> {
        let unknown = self.unknown_leaf().and_then(|leaf| self.tree.leaves().binary_search(&leaf).ok());
        let occurring = Induced::weights_of_occurring(&self.tree, &self.leaf_of_code, &self.original.counts);
        let mut weights = occurring.clone();
        for group in self.groups() {
            let first = self.tree.leaves().partition_point(|&leaf| leaf < group);
            weights[first..][..self.tree.leaf_count(group)].fill(1.0);
        }
        if let Some(place) = unknown {
            weights[place] = 0.0;
        }
        let leaves: HashMap<&str, usize> =
            self.tree.leaves().iter().enumerate().map(|(place, &leaf)| (self.tree.label(leaf), place)).collect();
        for (number, (value, &weight)) in given.iter().enumerate() {
            let Some(&place) = leaves.get(value.as_str()).filter(|&&place| unknown != Some(place)) else {
                let what =
                    format!("has an entry ({} in order) that is not a value of column “{}”", number + 1, self.name);
                return Err(Mistake::new("weights", what, "Name values as they stand in the table."));
            };
            if weight <= 0.0 && occurring[place] > 0.0 {
                let what = format!("gives 0 to a value that occurs in column “{}”", self.name);
                return Err(Mistake::new("weights", what, "Give it a weight above 0."));
            }
            weights[place] = weight;
        }
        Ok(weights)
    }
}

/// Which cells count for a named value.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Counts {
    /// Those that are it in some filling.
    Possibly,
    /// Those that are it in every filling.
    Surely,
}
