//! GREEDY-GENERALIZE and GENERALIZE-IND of (ℓ,δ)-diversity (Algorithms 2 and 3): classes of neighbours in a total order
//! of the quasi-identifiers, each with at least ℓ sensitive values of probability p or more.
//!
//! Slips of the paper that are mended here: Algorithm 2's outer loop ends before the last quasi-identifier when that
//! would begin a class of its own (it must run while i ≤ |Q|), and it counts a class more when the last one is short,
//! which joins the one before, if there is one. Algorithm 3 rounds the size T down, which makes classes that are too
//! small: it must be rounded up, and what is left over joins the last class.
//! Guarantee: every class is admissible, every quasi-identifier is in one, and GREEDY-GENERALIZE has the most classes
//! of all contiguous partitions (Proposition 4.6). Complexity: O(entries) without smoothing, O(|Q|·|S|) with it.

use super::local::clusters::{ClusterId, Clusters, Part};
use crate::classes::joint::Joint;
use crate::failure::Failure;
use crate::progress::{Progress, Report};
use crate::sorting::Sorting;

/// Probabilities that differ by less than this share are the same.
const TOLERANCE: f64 = 1e-12;

/// Where each class ends (one past its last quasi-identifier); `None` when all together do not have ℓ values of
/// probability p.
pub fn greedy_generalize(joint: &Joint, l: u32, p: f64) -> Option<Vec<u32>> {
    let mut class = Growing::new(joint, p);
    let mut ends: Vec<u32> = Vec::new();
    for quasi in 0..joint.quasi() {
        class.add(quasi);
        if class.likely() >= l {
            ends.push(quasi as u32 + 1);
            class.clear();
        }
    }
    // A short last class joins the one before.
    *ends.last_mut()? = joint.quasi() as u32;
    Some(ends)
}

/// The same on the rows of a table, for any requirements that rows meet together: neighbours in the order of the columns
/// (and of each one's hierarchy) are a class as soon as they hold, and what is left joins the class before. For distinct
/// ℓ-diversity these are the classes of [`greedy_generalize`] with p = 1/n. O(n · log n), and what the models take.
pub async fn divide(clusters: &mut Clusters<'_>, mut rows: Vec<Part>, progress: &Progress<'_>) -> Result<(), Failure> {
    let space = clusters.space;
    rows.order_by(|one, other| space.places(one.0).cmp(space.places(other.0)).then(one.0.cmp(&other.0)));
    let same = |one: &Part, other: &Part| space.places(one.0) == space.places(other.0);
    let mut closed: Vec<ClusterId> = Vec::new();
    let mut growing: Option<ClusterId> = None;
    let mut done = 0;
    for (number, tuple) in rows.chunk_by(same).enumerate() {
        if number.is_multiple_of(256) {
            let fraction = Some(done as f64 / rows.len() as f64);
            let report = || Report { phase: "Joining neighbours".into(), fraction, detail: String::new() };
            progress.checkpoint(report).await?;
        }
        done += tuple.len();
        let class = match growing {
            Some(class) => {
                tuple.iter().for_each(|&part| clusters.add(class, part));
                class
            }
            None => clusters.open(tuple),
        };
        growing = Some(class).filter(|&class| !clusters.holds(class));
        if growing.is_none() {
            closed.push(class);
        }
    }
    while let (Some(short), Some(before)) = (growing, closed.pop()) {
        clusters.merge(before, short);
        growing = Some(before).filter(|&class| !clusters.holds(class));
    }
    Ok(())
}

/// For independent quasi-identifiers and values: classes of one size T = ⌈|Q|·p / (θ·p_ℓ)⌉, which together with ⌊|Q|/T⌋
/// of them is given; `None` when p exceeds θ·p_ℓ.
pub fn independent_classes(quasi: u64, evenness: f64, p_l: f64, p: f64) -> Option<(u64, u64)> {
    let size = quasi as f64 * p / (evenness * p_l);
    let size = libm::ceil(size - size * TOLERANCE);
    let fits = quasi > 0 && size.is_finite() && size <= quasi as f64;
    fits.then(|| (size as u64).max(1)).map(|size| (size, quasi / size))
}

/// GENERALIZE-IND: where its classes end.
pub fn generalize_independent(joint: &Joint, l: u32, p: f64) -> Option<Vec<u32>> {
    let p_l = *joint.marginal().get(l.max(1) as usize - 1)?;
    let quasi = joint.quasi() as u64;
    let (size, classes) = independent_classes(quasi, joint.evenness(), p_l, p)?;
    let mut ends: Vec<u32> = (1..=classes).map(|class| (class * size) as u32).collect();
    *ends.last_mut()? = quasi as u32;
    Some(ends)
}

/// The largest p for which classes that end there are admissible: the least of their ℓ-th largest probabilities.
pub fn largest_p(joint: &Joint, l: u32, ends: &[u32]) -> f64 {
    let mut least = f64::INFINITY;
    let mut start = 0;
    let mut class = Growing::new(joint, 1.0);
    for &end in ends {
        class.clear();
        (start..end).for_each(|quasi| class.add(quasi as usize));
        let mut probabilities: Vec<f64> = (0..joint.values()).map(|value| class.probability(value)).collect();
        probabilities.order_by(|one, other| other.total_cmp(one));
        least = least.min(probabilities.get(l.max(1) as usize - 1).copied().unwrap_or(0.0));
        start = end;
    }
    least
}

/// A class while quasi-identifiers are added.
struct Growing<'a> {
    joint: &'a Joint,
    p: f64,
    counts: Vec<u32>,
    rows: u64,
    /// Values that the class has in its rows, and how many of them are likely (used without smoothing).
    present: Vec<u32>,
    likely: u32,
}

impl<'a> Growing<'a> {
    fn new(joint: &'a Joint, p: f64) -> Self {
        let counts = vec![0; joint.values()];
        Growing { joint, p: p - p * TOLERANCE, counts, rows: 0, present: Vec::new(), likely: 0 }
    }

    fn add(&mut self, quasi: usize) {
        self.rows += u64::from(self.joint.rows_of_quasi(quasi));
        for &(value, count) in self.joint.of_quasi(quasi) {
            let before = self.counts[value as usize];
            self.counts[value as usize] += count;
            if before == 0 {
                self.present.push(value);
            }
            let reaches = |count: u32| self.joint.probability(count, 0, 0) >= self.p;
            self.likely += u32::from(reaches(before + count) && !(before > 0 && reaches(before)));
        }
    }

    fn probability(&self, value: usize) -> f64 {
        self.joint.probability(self.counts[value], self.rows, self.joint.rows_of_value(value))
    }

    /// How many values have at least the probability p.
    fn likely(&self) -> u32 {
        if self.joint.smoothing() > 0.0 {
            // Every row makes every value likelier.
            let likely = |&value: &usize| self.joint.rows_of_value(value) > 0 && self.probability(value) >= self.p;
            return (0..self.counts.len()).filter(likely).count() as u32;
        }
        self.likely
    }

    fn clear(&mut self) {
        for value in self.present.drain(..) {
            self.counts[value as usize] = 0;
        }
        (self.rows, self.likely) = (0, 0);
    }
}
