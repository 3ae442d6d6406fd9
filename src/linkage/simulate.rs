//! What the theorems promise beside what happens ((ℓ,δ)-diversity, Theorems 4.4 and 4.5): t tables are drawn from P(Q,S),
//! anonymized and linked, many times.
//!
//! In each trial the tables have some people in common, drawn like everyone else. A release fails after linking when some
//! quasi-identifier that all tables have is left with fewer than ℓ values. The plan's classes are the same for all tables;
//! instance-dependent anonymizers make their own for each, ℓ-diverse every time.
//! Guarantee: the same seed gives the same figures on every target. Complexity: O(trials · t · (rows + |Q|·|S|/64)) beside
//! what the anonymizers take.

use serde::{Deserialize, Serialize};

use super::index::Index;
use super::plan::{Estimate, Plan};
use super::releases::report;
use crate::algorithms::greedy_generalize::greedy_generalize;
use crate::algorithms::local;
use crate::classes::joint::{Joint, UNKNOWN};
use crate::failure::Failure;
use crate::hierarchy::NodeId;
use crate::policy::Sensitive;
use crate::privacy::{DistinctL, InWorstCase, Requirement, Taken};
use crate::progress::Progress;
use crate::random::Random;
use crate::release::{Release, SUPPRESSED};
use crate::sorting::Sorting;
use crate::table::{Column, Table};

/// How each table is anonymized.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Anonymizer {
    /// By the plan.
    Plan,
    /// By GREEDY-GENERALIZE on the table itself: contiguous classes with ℓ values each.
    Contiguous,
    /// By Mondrian and by k-member clustering, with distinct ℓ-diversity.
    Mondrian,
    KMember,
}

impl Anonymizer {
    pub const ALL: [Anonymizer; 4] =
        [Anonymizer::Plan, Anonymizer::Contiguous, Anonymizer::Mondrian, Anonymizer::KMember];
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SimulateSettings {
    /// t.
    pub releases: u32,
    pub trials: u32,
    /// Rows of each table; `None`: N of the plan.
    pub rows: Option<u64>,
    /// People who are in all tables.
    pub common: u32,
    pub seed: u64,
    pub anonymizers: Vec<Anonymizer>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SimulationView {
    pub rows: u64,
    pub trials: u64,
    pub l: u32,
    pub delta: f64,
    pub results: Vec<SimulatedView>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SimulatedView {
    pub anonymizer: Anonymizer,
    /// After the first release, the first two, and so on.
    pub by_releases: Vec<Simulated>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Simulated {
    pub releases: u32,
    /// tδ, at most 1: what Theorem 4.5 allows the plan.
    pub allowed: f64,
    /// Trials in which some quasi-identifier has fewer than ℓ values left, and in which some has one.
    pub failed: u64,
    pub exposed: u64,
    /// People in common, of all trials, who have fewer than ℓ values left, and who have one; and all of them.
    pub people_below: u64,
    pub people_exposed: u64,
    pub people: u64,
}

const MOST_RELEASES: u32 = 16;
const MOST_TRIALS: u32 = 100_000;
const MOST_ROWS: u64 = 10_000_000;

/// A drawn table: the tuple and the value of each row, and the rows of each tuple.
struct Drawn {
    rows: Vec<(u32, u32)>,
    present: Vec<bool>,
}

/// What simulations draw from and how they anonymize.
struct Simulation<'a> {
    table: &'a Table,
    estimate: &'a Estimate,
    l: u32,
    /// The plan's class of each tuple.
    class_of_tuple: Vec<u32>,
    /// Words of a set of values, with a bit for unknown cells behind those of the values.
    words: usize,
}

/// Simulates releases of tables drawn from the distribution that `table` gives.
pub async fn simulate(
    table: &Table,
    estimate: &Estimate,
    plan: &Plan,
    settings: &SimulateSettings,
    progress: &Progress<'_>,
) -> Result<SimulationView, Failure> {
    let rows = settings.rows.unwrap_or(plan.rows);
    let within = (1..=MOST_RELEASES).contains(&settings.releases)
        && (1..=MOST_TRIALS).contains(&settings.trials)
        && (1..=MOST_ROWS).contains(&rows)
        && u64::from(settings.common) <= rows;
    if !within {
        let what = "A simulation has 1 to 16 releases, 1 to 100,000 trials, and 1 to 10,000,000 rows, no more of them in \
                    common than there are.";
        return Err(Failure::policy(what, "Change these numbers."));
    }
    if estimate.tuples.columns != plan.columns {
        let what = "The plan's columns or their values are not those of the table.";
        return Err(Failure::data(what, "Make the plan from this table."));
    }
    let simulation = Simulation {
        table,
        estimate,
        l: plan.l,
        class_of_tuple: estimate.tuples.ranks.iter().map(|ranks| plan.class_of(ranks) as u32).collect(),
        words: (estimate.joint.values() + 1).div_ceil(64),
    };
    let allowed = |releases: u32| (f64::from(releases) * plan.delta).min(1.0);
    let empty = |anonymizer: &Anonymizer| SimulatedView {
        anonymizer: *anonymizer,
        by_releases: (1..=settings.releases)
            .map(|releases| Simulated { releases, allowed: allowed(releases), ..Simulated::default() })
            .collect(),
    };
    let mut results: Vec<SimulatedView> = settings.anonymizers.iter().map(empty).collect();
    let draw = estimate.joint.draw();
    let mut random = Random::new(settings.seed);
    for trial in 0..settings.trials {
        let fraction = f64::from(trial) / f64::from(settings.trials);
        let common: Vec<(u32, u32)> = (0..settings.common).map(|_| draw.next(&mut random)).collect();
        let mut tables = Vec::with_capacity(settings.releases as usize);
        for _ in 0..settings.releases {
            let mut rows_drawn = Vec::with_capacity(rows as usize);
            rows_drawn.extend_from_slice(&common);
            while (rows_drawn.len() as u64) < rows {
                let most = (rows as usize - rows_drawn.len()).min(20_000);
                rows_drawn.extend((0..most).map(|_| draw.next(&mut random)));
                progress.checkpoint(|| report("Simulating", Some(fraction))).await?;
            }
            let mut present = vec![false; estimate.joint.quasi()];
            rows_drawn.iter().for_each(|&(tuple, _)| present[tuple as usize] = true);
            tables.push(Drawn { rows: rows_drawn, present });
        }
        for result in &mut results {
            let mut left: Vec<u64> = Vec::new();
            let mut in_all = vec![true; estimate.joint.quasi()];
            for (drawn, tally) in tables.iter().zip(&mut result.by_releases) {
                let seed = settings.seed.wrapping_add(u64::from(trial));
                let seen = simulation.release(result.anonymizer, drawn, seed, progress).await?;
                left = if left.is_empty() {
                    seen
                } else {
                    left.iter().zip(&seen).map(|(one, other)| one & other).collect()
                };
                in_all.iter_mut().zip(&drawn.present).for_each(|(all, &present)| *all &= present);
                simulation.tally(&left, &in_all, &common, tally);
            }
        }
    }
    Ok(SimulationView { rows, trials: settings.trials.into(), l: plan.l, delta: plan.delta, results })
}

impl Simulation<'_> {
    /// For each tuple the set of values that a release leaves possible, as bits.
    async fn release(
        &self,
        anonymizer: Anonymizer,
        drawn: &Drawn,
        seed: u64,
        progress: &Progress<'_>,
    ) -> Result<Vec<u64>, Failure> {
        match anonymizer {
            Anonymizer::Plan => Ok(self.by_class(&self.class_of_tuple, drawn)),
            Anonymizer::Contiguous => Ok(self.by_class(&self.contiguous(drawn), drawn)),
            Anonymizer::Mondrian => self.local(drawn, local::Algorithm::Mondrian, seed, progress).await,
            Anonymizer::KMember => self.local(drawn, local::Algorithm::KMember, seed, progress).await,
        }
    }

    fn by_class(&self, class_of_tuple: &[u32], drawn: &Drawn) -> Vec<u64> {
        let classes = class_of_tuple.iter().max().map_or(0, |&last| last as usize + 1);
        let mut of_class = vec![0u64; classes * self.words];
        for &(tuple, value) in &drawn.rows {
            let class = class_of_tuple[tuple as usize] as usize;
            self.add(&mut of_class[class * self.words..], value);
        }
        class_of_tuple
            .iter()
            .flat_map(|&class| &of_class[class as usize * self.words..][..self.words])
            .copied()
            .collect()
    }

    fn add(&self, set: &mut [u64], value: u32) {
        let bit = if value == UNKNOWN { self.estimate.joint.values() } else { value as usize };
        set[bit / 64] |= 1 << (bit % 64);
    }

    /// How many values a set has. Unknown cells are one where there is nothing else, and never one more.
    fn values(&self, set: &[u64]) -> u32 {
        let unknown = self.estimate.joint.values();
        let has_unknown = set[unknown / 64] >> (unknown % 64) & 1 == 1;
        let all: u32 = set.iter().map(|word| word.count_ones()).sum();
        if has_unknown && all > 1 { all - 1 } else { all }
    }

    /// The class of each tuple by GREEDY-GENERALIZE on the table itself; all are one where the table has too few values.
    fn contiguous(&self, drawn: &Drawn) -> Vec<u32> {
        let joint = &self.estimate.joint;
        let own = Joint::count(drawn.rows.iter().copied(), joint.quasi(), joint.values(), 0.0);
        let once = 1.0 / own.rows().max(1) as f64;
        let ends = greedy_generalize(&own, self.l, once).unwrap_or_else(|| vec![joint.quasi() as u32]);
        let mut class = 0;
        let of_tuple = |tuple: u32| {
            class += u32::from(ends[class as usize] <= tuple);
            class
        };
        (0..joint.quasi() as u32).map(of_tuple).collect()
    }

    /// Local recoding of the drawn table, with distinct ℓ-diversity.
    async fn local(
        &self,
        drawn: &Drawn,
        algorithm: local::Algorithm,
        seed: u64,
        progress: &Progress<'_>,
    ) -> Result<Vec<u64>, Failure> {
        let tuples = &self.estimate.tuples;
        let table = self.drawn_table(drawn);
        let place = self.estimate.sensitive;
        let cells = self.estimate.cells.clone();
        let model = Box::new(DistinctL { l: self.l });
        let model = Box::new(InWorstCase { first: (Taken::Worst, model), second: None, cells });
        let requirements = [Requirement { attribute: Some(place), jointly: false, model }];
        let secret = &table.columns[place];
        let tree = crate::hierarchy::Hierarchy::flat(secret.dictionary.iter());
        let leaf_of_code = tree.leaves().to_vec();
        let sensitive = [Sensitive::without_limits(place, tree, leaf_of_code)];
        let problem = local::Problem {
            table: &table,
            quasi: &tuples.quasi,
            sensitive: &sensitive,
            requirements: &requirements,
            suppressible: 0,
            seed,
            measure: local::Measure::Loss,
            mode: local::Mode::Generalization,
        };
        match local::recode(&problem, algorithm, None, progress).await? {
            local::Outcome::Release(release) => Ok(self.covered(&release, drawn)),
            // Too few different values: all rows are one class.
            _ => Ok(self.by_class(&vec![0; self.estimate.joint.quasi()], drawn)),
        }
    }

    fn drawn_table(&self, drawn: &Drawn) -> Table {
        let row_of = &self.estimate.tuples.row_of;
        let column = |(place, column): (usize, &Column)| {
            let code = |&(tuple, value): &(u32, u32)| match place == self.estimate.sensitive {
                true => self.estimate.code_of_value.get(value as usize).copied().or(self.estimate.open).unwrap_or(0),
                false => column.codes[row_of[tuple as usize] as usize],
            };
            let codes: Vec<u32> = drawn.rows.iter().map(code).collect();
            let mut counts = vec![0; column.dictionary.len()];
            codes.iter().for_each(|&code| counts[code as usize] += 1);
            let (name, dictionary) = (column.name.clone(), column.dictionary.clone());
            let (missing, missing_tokens) = (column.missing.clone(), column.missing_tokens.clone());
            Column { name, dictionary, codes, counts, missing, missing_tokens, kind: column.kind }
        };
        let columns = self.table.columns.iter().enumerate().map(column).collect();
        Table { columns, rows: drawn.rows.len() }
    }

    /// What all classes that cover a tuple leave possible.
    fn covered(&self, release: &Release, drawn: &Drawn) -> Vec<u64> {
        // Classes that show the same are one to a reader.
        let mut shown: Vec<(Vec<NodeId>, u32)> = (0..release.classes() as u32)
            .map(|class| (release.quasi.iter().map(|nodes| nodes[class as usize]).collect(), class))
            .collect();
        shown.order();
        let mut seen_as = vec![0u32; shown.len()];
        let mut cells: Vec<Vec<u32>> = vec![Vec::new(); release.quasi.len()];
        for (number, same) in shown.chunk_by(|one, other| one.0 == other.0).enumerate() {
            same.iter().for_each(|(_, class)| seen_as[*class as usize] = number as u32);
            cells.iter_mut().zip(&same[0].0).for_each(|(cells, &node)| cells.push(node));
        }
        let mut of_class = vec![0u64; shown.len() * self.words];
        for (&(_, value), &class) in drawn.rows.iter().zip(&release.class_of_row) {
            if class != SUPPRESSED {
                let class = seen_as[class as usize] as usize;
                self.add(&mut of_class[class * self.words..], value);
            }
        }
        let index = Index::new(&cells);
        let tuples = &self.estimate.tuples;
        let mut left = Vec::with_capacity(tuples.row_of.len() * self.words);
        let mut found = Vec::new();
        for &row in &tuples.row_of {
            let paths: Vec<Vec<u32>> = tuples
                .quasi
                .iter()
                .map(|quasi| {
                    let leaf = quasi.leaf_of_code[self.table.columns[quasi.column].codes[row as usize] as usize];
                    let mut path: Vec<u32> = quasi.tree.path(leaf).collect();
                    path.reverse();
                    path
                })
                .collect();
            let paths: Vec<Option<&[u32]>> = paths.iter().map(|path| Some(path.as_slice())).collect();
            found.clear();
            index.find(&paths, &mut found);
            let word =
                |word: usize| found.iter().fold(0, |bits, &class| bits | of_class[class as usize * self.words + word]);
            left.extend((0..self.words).map(word));
        }
        left
    }

    fn tally(&self, left: &[u64], in_all: &[bool], common: &[(u32, u32)], tally: &mut Simulated) {
        let values = |tuple: usize| self.values(&left[tuple * self.words..][..self.words]);
        // Nobody is left where no value is: then the tables have nobody of the kind in common.
        let possible = || (0..in_all.len()).filter(|&tuple| in_all[tuple]).map(values).filter(|&values| values > 0);
        tally.failed += u64::from(possible().any(|values| values < self.l));
        tally.exposed += u64::from(possible().any(|values| values == 1));
        for &(tuple, _) in common {
            let values = values(tuple as usize);
            tally.people += 1;
            tally.people_below += u64::from(values < self.l);
            tally.people_exposed += u64::from(values == 1);
        }
    }
}
