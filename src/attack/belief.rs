//! The Bayes-optimal audit (ℓ-diversity paper, §3): what an attacker believes who knows how sensitive values are distributed
//! among people of each kind, before and after seeing the release.
//!
//! Prior belief α(q,s) = f(s|q). Observed belief (Theorem 3.1, eq. 1):
//! β(q,s,T*) = n(q*,s) f(s|q) ÷ f(s|q*) ÷ Σ_s' n(q*,s') f(s'|q) ÷ f(s'|q*), where n counts the class q* that the person's
//! kind q is in, and f(q*,·) sums f(q',·) over the kinds q' in it. Joint weights f(q,s) do as well: what makes them
//! conditional is the same for every s.
//! - Positive disclosure (Def. 3.1): β > 1 − δ for a value that someone of the kind has.
//! - Negative disclosure (Def. 3.2): β < ε for a value that someone of the kind does not have. Only values that the
//!   attacker thought possible, or the class has, are looked at.
//! - (ρ1,ρ2)-breach (Def. 3.3): α < ρ1 and β > ρ2, or α > 1 − ρ1 and β < 1 − ρ2.
//!
//! Not monotone (Theorem 5.1): generalizing further may breach, so this is never used to prune a search.
//! An attacker who knows the table's own distribution ([`Knowledge::of_rows`]) learns nothing where classes hold all rows
//! of their kinds: f(q*,s) is then n(q*,s), and β = α. One who only knows the values' shares ([`Knowledge::Independent`])
//! ends with the class's shares, β = n(q*,s) ÷ |q*|. With local recoding a kind may be in several classes; each is
//! judged by itself. The theorem is about sensitive values released as they are.
//! Complexity: O(rows · log + Σ over classes of kinds · values).

use serde::{Deserialize, Serialize};

use crate::classes::Histogram;
use crate::classes::{Classes, Histograms, Keys};
use crate::release::Released;
use crate::sorting::Sorting;

/// What the attacker knows: f, up to a factor.
#[derive(Clone, Debug, PartialEq)]
pub enum Knowledge {
    /// f(q,s) for each kind of person q: values in ascending order with their weights. A value not listed has none.
    Joint(Vec<Vec<(u32, f64)>>),
    /// f(s), the same for all kinds: values in ascending order with their weights.
    Independent(Vec<(u32, f64)>),
}

impl Knowledge {
    /// The distribution in a table, estimated for each kind by the rows of that kind.
    pub fn of_rows(kinds: &Classes, values: &[u32]) -> Self {
        Knowledge::Joint(Histograms::new(kinds, values).iter().map(|kind| weights(&kind)).collect())
    }

    /// The distribution of values in a whole table, whatever kind people are: all there is without the original.
    pub fn of_values(values: &[u32]) -> Self {
        let whole = Histograms::new(&Classes::one(values.len()), values);
        Knowledge::Independent(whole.iter().flat_map(|table| weights(&table)).collect())
    }

    fn of_kind(&self, kind: u32) -> &[(u32, f64)] {
        match self {
            Knowledge::Joint(kinds) => kinds.get(kind as usize).map_or(&[], Vec::as_slice),
            Knowledge::Independent(values) => values,
        }
    }
}

fn weights(histogram: &Histogram<'_>) -> Vec<(u32, f64)> {
    histogram.counts.iter().map(|&(value, count)| (value, f64::from(count))).collect()
}

/// What the attacker sees, and who is in it.
#[derive(Clone, Debug, PartialEq)]
pub struct Evidence {
    /// The class of each released row.
    pub classes: Classes,
    /// The kind of person of each released row: those of a kind agree in the original quasi-identifiers.
    pub kinds: Vec<u32>,
    /// The sensitive value of each released row.
    pub values: Vec<u32>,
}

impl Evidence {
    /// The release of one sensitive column, and the knowledge that the original table gives.
    pub fn of(released: &Released<'_>, attribute: usize) -> (Evidence, Knowledge) {
        let table = released.table;
        let codes: Vec<_> = released.quasi.iter().map(|quasi| table.columns[quasi.column].class_codes()).collect();
        let sizes = released.quasi.iter().map(|quasi| table.columns[quasi.column].dictionary.len() as u32);
        let keys: Vec<Keys> = codes.iter().zip(sizes).map(|(codes, size)| Keys { codes, size }).collect();
        let kinds = Classes::group(table.rows, &keys);
        let values = table.columns[released.sensitive[attribute].column].class_codes();
        let knowledge = Knowledge::of_rows(&kinds, &values);
        let (kept, classes) = released.release.seen(released.quasi);
        let pick = |all: &[u32]| kept.iter().map(|&row| all[row as usize]).collect();
        (Evidence { classes, kinds: pick(&kinds.of_row), values: pick(&values) }, knowledge)
    }

    /// A release whose original is not known: everyone in a class is of one kind.
    pub fn without_original(classes: Classes, values: Vec<u32>) -> Evidence {
        Evidence { kinds: classes.of_row.clone(), classes, values }
    }
}

/// What is believed about one value of people of one kind.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Belief {
    pub value: u32,
    /// α
    pub prior: f64,
    /// β
    pub observed: f64,
}

/// α and β for every value that has a weight in `kind` or rows in `class`, ascending by value. `kind` is f(q,·), `block`
/// f(q*,·) of the class. An attacker to whom everything in the class is impossible takes the class's shares.
pub fn beliefs(class: &Histogram<'_>, kind: &[(u32, f64)], block: impl Fn(u32) -> f64) -> Vec<Belief> {
    let total: f64 = kind.iter().map(|known| known.1).sum();
    let mut beliefs = Vec::with_capacity(kind.len() + class.counts.len());
    let (mut known, mut seen) = (kind.iter().copied().peekable(), class.counts.iter().copied().peekable());
    while let Some(value) =
        [known.peek().map(|known| known.0), seen.peek().map(|seen| seen.0)].into_iter().flatten().min()
    {
        let weight = known.next_if(|known| known.0 == value).map_or(0.0, |known| known.1);
        let count = seen.next_if(|seen| seen.0 == value).map_or(0, |seen| seen.1);
        let term = if weight > 0.0 && count > 0 { f64::from(count) * weight / block(value) } else { 0.0 };
        let prior = if total > 0.0 { weight / total } else { 0.0 };
        beliefs.push(Belief { value, prior, observed: term });
    }
    let sum: f64 = beliefs.iter().map(|belief| belief.observed).sum();
    for belief in &mut beliefs {
        let count =
            || class.counts.binary_search_by_key(&belief.value, |seen| seen.0).map_or(0, |place| class.counts[place].1);
        belief.observed = if sum > 0.0 { belief.observed / sum } else { f64::from(count()) / f64::from(class.size) };
    }
    beliefs
}

/// When a belief counts as a disclosure or a breach.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Thresholds {
    /// δ of positive disclosure.
    pub delta: f64,
    /// ε of negative disclosure.
    pub epsilon: f64,
    pub rho1: f64,
    pub rho2: f64,
}

impl Thresholds {
    pub fn is_breach(&self, belief: &Belief) -> bool {
        let Belief { prior, observed, .. } = *belief;
        (prior < self.rho1 && observed > self.rho2) || (prior > 1.0 - self.rho1 && observed < 1.0 - self.rho2)
    }
}

/// How many beliefs (a kind of people in a class, and a value) something happens to, and how many rows: those with the
/// disclosed value for a positive disclosure, all of the kind for the others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Count {
    pub beliefs: u64,
    pub rows: u64,
}

/// A breach.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Breach {
    pub class: u32,
    pub kind: u32,
    /// Rows of the kind in the class.
    pub rows: u32,
    /// One of them, as its place among the released rows.
    pub example: u32,
    pub belief: Belief,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Audit {
    /// Values looked at for every kind in every class, and all rows.
    pub looked_at: Count,
    pub positive: Count,
    pub negative: Count,
    pub breaches: Count,
    /// The breaches with the largest change of belief, the worst first.
    pub worst: Vec<Breach>,
}

/// Audits every kind of people in every class; lists at most `most` breaches.
pub fn audit(evidence: &Evidence, knowledge: &Knowledge, thresholds: &Thresholds, most: usize) -> Audit {
    let histograms = Histograms::new(&evidence.classes, &evidence.values);
    let mut order: Vec<u32> = (0..evidence.kinds.len() as u32).collect();
    let class = |row: u32| evidence.classes.of_row[row as usize];
    let kind = |row: u32| evidence.kinds[row as usize];
    order.order_by_key(|&row| (class(row), kind(row), evidence.values[row as usize], row));
    let mut audit = Audit::default();
    let values = order.iter().map(|&row| evidence.values[row as usize]).max().map_or(0, |last| last as usize + 1);
    let mut block = vec![0.0; values];
    for rows in order.chunk_by(|&one, &other| class(one) == class(other)) {
        let histogram = histograms.class(class(rows[0]) as usize);
        let kinds = || rows.chunk_by(|&one, &other| kind(one) == kind(other));
        let known = || kinds().flat_map(|people| knowledge.of_kind(kind(people[0])));
        // Values that are in no class have no place and need none.
        for &(value, weight) in known() {
            if let Some(sum) = block.get_mut(value as usize) {
                *sum += weight;
            }
        }
        for people in kinds() {
            let beliefs = match knowledge {
                Knowledge::Joint(_) => {
                    beliefs(&histogram, knowledge.of_kind(kind(people[0])), |value| block[value as usize])
                }
                // f(s|q) is f(s|q*).
                Knowledge::Independent(all) => beliefs(&histogram, all, |value| {
                    all.binary_search_by_key(&value, |known| known.0).map_or(0.0, |place| all[place].1)
                }),
            };
            audit.add(evidence, people, &beliefs, thresholds);
        }
        if audit.worst.len() >= 2 * most + 1024 {
            audit.keep_worst(most);
        }
        for &(value, _) in known() {
            if let Some(sum) = block.get_mut(value as usize) {
                *sum = 0.0;
            }
        }
    }
    audit.keep_worst(most);
    audit
}

impl Audit {
    /// Counts the beliefs about people of one kind in one class, who are sorted by value.
    fn add(&mut self, evidence: &Evidence, people: &[u32], beliefs: &[Belief], thresholds: &Thresholds) {
        let value = |row: &u32| evidence.values[*row as usize];
        let rows = people.len() as u64;
        let (mut positive, mut negative, mut breached) = (0, false, false);
        for belief in beliefs {
            let start = people.partition_point(|row| value(row) < belief.value);
            let having = people[start..].partition_point(|row| value(row) == belief.value) as u64;
            if belief.observed > 1.0 - thresholds.delta && having > 0 {
                self.positive.beliefs += 1;
                positive += having;
            }
            if belief.observed < thresholds.epsilon && having < rows {
                self.negative.beliefs += 1;
                negative = true;
            }
            if thresholds.is_breach(belief) {
                breached = true;
                self.breaches.beliefs += 1;
                let example = people[0];
                let class = evidence.classes.of_row[example as usize];
                let kind = evidence.kinds[example as usize];
                self.worst.push(Breach { class, kind, rows: rows as u32, example, belief: *belief });
            }
        }
        self.looked_at.beliefs += beliefs.len() as u64;
        self.looked_at.rows += rows;
        self.positive.rows += positive;
        self.negative.rows += if negative { rows } else { 0 };
        self.breaches.rows += if breached { rows } else { 0 };
    }

    fn keep_worst(&mut self, most: usize) {
        let change = |breach: &Breach| (breach.belief.observed - breach.belief.prior).abs();
        let place = |breach: &Breach| (breach.class, breach.kind, breach.belief.value);
        self.worst
            .order_by(|one, other| change(other).total_cmp(&change(one)).then_with(|| place(one).cmp(&place(other))));
        self.worst.truncate(most);
    }
}
