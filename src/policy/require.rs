//! From demands to requirements: names become columns, values become codes, numbers are held against their ranges.
//!
//! The same demands are asked of the table that is anonymized (by the algorithms), of what came out of it (by the
//! verifier) and of a table that came anonymized (by the audit). The last two have codes of their own, and cells that may
//! be groups of the hierarchy; what is compared with the original stays compared with the original.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use super::checked::{bound, distinct_texts, with_all_leaves};
use super::demand::{Demand, Distance, ModelDemand};
use super::setup::Setup;
use crate::failure::Failure;
use crate::hierarchy::{Hierarchy, NodeId, ROOT};
use crate::privacy::{
    Alpha, DistinctL, EntropyL, Induced, KAnonymity, Model, NpdRecursiveCL, PSensitive, RecursiveCL, Reference,
    Requirement, TCloseness, TauL,
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
    leaf_of_code: Vec<NodeId>,
    has_hierarchy: bool,
    /// Whether the original is not there, and what was released of it has its place.
    released: bool,
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
        let column = &original.columns[place];
        let (tree, leaf_of_code) = with_all_leaves(&self.columns[place], column);
        let has_hierarchy = self.columns[place].template.is_some();
        Values { name: &column.name, seen, original: column, tree, leaf_of_code, has_hierarchy, released: false }
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
    /// Without a hierarchy, `*` is no value but stands for all of them. `named` are values of the original, too.
    fn take_as_released<'n>(&mut self, named: impl Iterator<Item = &'n str>) {
        self.released = true;
        if !self.has_hierarchy {
            let tree = Hierarchy::flat(distinct_texts(self.original).filter(|&text| text != "*"));
            (self.tree, self.leaf_of_code) = bound(tree, self.original);
        }
        let lacking: Vec<&str> = named.filter(|value| self.tree.find(value).is_none()).collect();
        let tree = self.groups().next().and_then(|_| self.tree.add_leaves(lacking, ROOT).ok());
        if let Some(tree) = tree {
            (self.tree, self.leaf_of_code) = bound(tree, self.original);
        }
    }

    fn model(&self, demand: &ModelDemand) -> Result<Box<dyn Model>, Mistake> {
        Ok(match demand {
            ModelDemand::KAnonymity { k } => Box::new(KAnonymity { k: *k }),
            ModelDemand::DistinctL { l } => {
                self.check_distinct("l", f64::from(*l))?;
                Box::new(DistinctL { l: *l })
            }
            ModelDemand::EntropyL { l, dont_care } => {
                self.check_distinct("l", *l)?;
                Box::new(EntropyL { l: *l, dont_care: self.codes("dont_care", dont_care)? })
            }
            ModelDemand::RecursiveCL { c, l, dont_care, no_negative, c2 } => {
                self.check_distinct("l", f64::from(*l))?;
                let (c, l) = (*c, *l);
                let dont_care = self.codes("dont_care", dont_care)?;
                let no_negative = self.codes("no_negative", no_negative)?;
                if dont_care.is_empty() && no_negative.is_empty() {
                    Box::new(RecursiveCL { c, l })
                } else {
                    Box::new(NpdRecursiveCL { c, l, dont_care, no_negative, c2: c2.unwrap_or(0.0) })
                }
            }
            ModelDemand::TauL { tau, l, weights } => {
                let weights = self.weights(weights)?;
                let possible = weights.iter().filter(|&&weight| weight > 0.0).count();
                // Values that only groups still stand for can't be counted.
                if *l as usize > possible && self.groups().next().is_none() {
                    return Err(self.too_many("l", possible));
                }
                // One code more than there are stands for `*`, which any cell may become.
                let mut nodes = self.nodes()?;
                nodes.push(ROOT);
                Box::new(TauL { tau: *tau, l: *l, induced: Induced::new(&self.tree, &nodes, &weights) })
            }
            ModelDemand::TCloseness { t, distance } => {
                Box::new(TCloseness { t: *t, reference: self.reference(*distance)? })
            }
            ModelDemand::PSensitive { p } => {
                self.check_distinct("p", f64::from(*p))?;
                Box::new(PSensitive { p: *p })
            }
            ModelDemand::AlphaK { alpha, values } => {
                Box::new(Alpha { alpha: *alpha, values: self.codes("values", values)? })
            }
        })
    }

    /// No class can have more different values than the table.
    fn check_distinct(&self, key: &str, asked: f64) -> Result<(), Mistake> {
        let distinct = self.original.distinct();
        if asked > distinct as f64 { Err(self.too_many(key, distinct)) } else { Ok(()) }
    }

    fn too_many(&self, key: &str, distinct: usize) -> Mistake {
        let what =
            format!("is more than the {} of column “{}”", counted(distinct as u64, "different value"), self.name);
        Mistake::new(key, what, format!("Use at most {}.", grouped(distinct as u64)))
    }

    /// The codes of values that a demand names. Those that the seen table lacks have a code, too: no row has it.
    fn codes(&self, key: &str, values: &[String]) -> Result<Vec<u32>, Mistake> {
        if values.is_empty() {
            return Ok(Vec::new());
        }
        let original = by_text(self.original);
        let seen = by_text(self.seen);
        let mut codes = Vec::new();
        for (place, value) in values.iter().enumerate() {
            if !original.contains_key(value.as_str()) && self.tree.find(value).is_none() {
                let what = format!("is not a value of column “{}”", self.name);
                return Err(Mistake::new(format!("{key}[{place}]"), what, "Name a value as it stands in the table."));
            }
            codes.push(seen.get(value.as_str()).copied().unwrap_or(u32::MAX));
        }
        codes.order();
        codes.dedup();
        Ok(codes)
    }

    /// How often the original has each value, by the codes of the seen table; values that it lacks follow behind.
    fn original_counts(&self) -> (Vec<u32>, Vec<u32>) {
        let mut code_of: HashMap<&str, u32> = by_text(self.seen);
        let mut counts = vec![0u32; self.seen.dictionary.len()];
        let mut original_of: Vec<u32> = vec![u32::MAX; counts.len()];
        let one_missing = self.seen.missing.first().copied();
        for (code, text) in self.original.dictionary.iter().enumerate() {
            let code = code as u32;
            let folded = if self.original.missing.contains(&code) { one_missing } else { None };
            let next = counts.len() as u32;
            let at = folded.unwrap_or_else(|| *code_of.entry(text).or_insert(next)) as usize;
            if at == counts.len() {
                counts.push(0);
                original_of.push(u32::MAX);
            }
            counts[at] += self.original.counts[code as usize];
            original_of[at] = code;
        }
        (counts, original_of)
    }

    fn reference(&self, distance: Distance) -> Result<Reference, Mistake> {
        let (counts, original_of) = self.original_counts();
        match distance {
            Distance::Equal => Ok(Reference::equal(&counts)),
            Distance::Ordered => {
                let by_original = self.ranks()?;
                let rank = |&code: &u32| by_original.get(code as usize).copied().unwrap_or(0);
                Ok(Reference::ordered(&counts, &original_of.iter().map(rank).collect::<Vec<_>>()))
            }
            Distance::Hierarchical => {
                if !self.has_hierarchy {
                    let what = format!("needs a hierarchy, and column “{}” has none", self.name);
                    return Err(Mistake::new("distance", what, "Give the column one, or use “equal”."));
                }
                let mut nodes = self.nodes()?;
                let behind = &original_of[nodes.len()..];
                nodes.extend(behind.iter().map(|&code| self.leaf_of_code[code as usize]));
                Ok(Reference::hierarchical(&counts, &self.tree, &nodes))
            }
        }
    }

    /// Where each value of the original stands in order: by number, by date, or as the hierarchy has them.
    fn ranks(&self) -> Result<Vec<u32>, Mistake> {
        let texts = || self.original.dictionary.iter();
        let kind = self.original.kind.kind;
        let keys: Vec<Option<f64>> = match kind {
            Kind::Integer | Kind::Decimal => texts().map(|text| self.original.kind.number(text)).collect(),
            Kind::Date(_) => texts().map(|text| self.original.kind.date(text).map(|days| days as f64)).collect(),
            Kind::Text if self.has_hierarchy => self.leaf_of_code.iter().map(|&leaf| Some(f64::from(leaf))).collect(),
            Kind::Text => {
                let what =
                    format!("needs an order, and column “{}” has neither numbers, dates nor a hierarchy", self.name);
                return Err(Mistake::new("distance", what, "Give the column a hierarchy, or use “equal”."));
            }
        };
        // Missing values come first.
        let mut order: Vec<usize> = (0..keys.len()).collect();
        let key = |code: usize| keys[code].unwrap_or(f64::NEG_INFINITY);
        order.order_by(|&one, &other| key(one).total_cmp(&key(other)));
        let mut ranks = vec![0; keys.len()];
        for same in order.chunk_by(|&one, &other| key(one) == key(other)) {
            let rank = order.partition_point(|&code| key(code) < key(same[0])) as u32;
            for &code in same {
                ranks[code] = rank;
            }
        }
        Ok(ranks)
    }

    /// The node of each code of the seen table: a value's leaf, or the group that a generalized cell names.
    fn nodes(&self) -> Result<Vec<NodeId>, Mistake> {
        let leaves: HashMap<&str, NodeId> =
            self.original.dictionary.iter().zip(self.leaf_of_code.iter().copied()).collect();
        let missing = self.original.missing.first().map(|&code| self.leaf_of_code[code as usize]);
        let node = |(code, text): (usize, &str)| {
            let as_missing = if self.seen.missing.contains(&(code as u32)) { missing } else { None };
            let node = as_missing.or_else(|| leaves.get(text).copied()).or_else(|| self.tree.find(text));
            node.ok_or_else(|| {
                let what = format!("is column “{}”, which shows something that is not in its hierarchy", self.name);
                Mistake::new("attribute", what, "Complete the hierarchy.")
            })
        };
        self.seen.dictionary.iter().enumerate().map(node).collect()
    }

    /// Groups that stand for values of an original that is not there: any of theirs may have occurred in it.
    fn groups(&self) -> impl Iterator<Item = NodeId> + '_ {
        let shown = self.leaf_of_code.iter().zip(&self.original.counts).filter(|&(_, &count)| count > 0);
        shown.map(|(&node, _)| node).filter(|&node| self.released && !self.tree.is_leaf(node))
    }

    /// The weight of each leaf: 1 for values that occur and 0 for others, unless the demand gives another.
    fn weights(&self, given: &std::collections::BTreeMap<String, f64>) -> Result<Vec<f64>, Mistake> {
        let occurring = Induced::weights_of_occurring(&self.tree, &self.leaf_of_code, &self.original.counts);
        let mut weights = occurring.clone();
        for group in self.groups() {
            let first = self.tree.leaves().partition_point(|&leaf| leaf < group);
            weights[first..][..self.tree.leaf_count(group)].fill(1.0);
        }
        let leaves: HashMap<&str, usize> =
            self.tree.leaves().iter().enumerate().map(|(place, &leaf)| (self.tree.label(leaf), place)).collect();
        for (number, (value, &weight)) in given.iter().enumerate() {
            let Some(&place) = leaves.get(value.as_str()) else {
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

/// The code of each text; of all missing tokens the first's, as classes have them.
fn by_text(column: &Column) -> HashMap<&str, u32> {
    let mut codes: HashMap<&str, u32> =
        column.dictionary.iter().enumerate().map(|(code, text)| (text, code as u32)).collect();
    for &code in &column.missing {
        codes.insert(column.dictionary.text(code), column.missing[0]);
    }
    codes
}
