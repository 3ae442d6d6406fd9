//! What no release can beat, and what is nearest to a (τ,ℓ) that none can meet.
//!
//! Merging classes keeps (τ,ℓ), so it is enough to look at all rows of the same limits as one class. However a row's cell
//! is generalized, what it counts stays under its limit. The most even way to lay all that on the leaves, limits from
//! below up, each filling the lowest leaves under it, has the lowest F(k) for every k at once: when that breaks ψ, nothing
//! can be released. With equal weights and no limits, cells generalized to the root reach it.
//! Complexity: O(nodes · leaves · log).

use super::generalize::{Steps, generalize};
use super::masses::{Masses, Shares};
use crate::algorithms::local::Mode;
use crate::classes::Histogram;
use crate::failure::Failure;
use crate::hierarchy::NodeId;
use crate::metrics::Asked;
use crate::policy::Sensitive;
use crate::privacy::{Induction, TOLERANCE, cumulative_frequencies, cumulative_limit, smallest_tau_for};
use crate::progress::Progress;
use crate::sorting::Sorting;

/// The (τ,ℓ) nearest to one that is not met: each by changing one of the two only.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Nearest {
    /// The smallest τ for the ℓ that was asked for.
    pub tau: f64,
    /// The largest ℓ for the τ that was asked for; `None` when there is no ℓ.
    pub l: Option<u32>,
    /// Whether nothing nearer can be met; otherwise nothing nearer was found.
    pub proved: bool,
}

impl Nearest {
    /// What rows with F(1), F(2), … meet.
    fn of(tau: f64, l: u32, cumulative: &[f64]) -> Nearest {
        let meet = |l: u32| (1..l).zip(cumulative).all(|(k, share)| *share <= cumulative_limit(tau, l, k) + TOLERANCE);
        // Who meets an ℓ meets all lower ones.
        let (mut met, mut above) = (1, l);
        while above - met > 1 {
            let middle = met + (above - met) / 2;
            if meet(middle) { met = middle } else { above = middle }
        }
        let tau = smallest_tau_for(cumulative.iter().copied(), l);
        Nearest { tau, l: Some(met).filter(|&l| l > 1), proved: false }
    }

    /// Whether it asks for less: otherwise what is asked can be met, but not together with other demands.
    pub fn is_less(&self, asked: &Asked) -> bool {
        self.tau > asked.tau + TOLERANCE
    }

    /// What meets one or the other.
    fn or(self, other: Nearest) -> Nearest {
        Nearest { tau: self.tau.min(other.tau), l: self.l.max(other.l), proved: false }
    }

    /// What meets both.
    pub fn and(self, other: Nearest) -> Nearest {
        let proved = self.proved && other.proved;
        Nearest { tau: self.tau.max(other.tau), l: self.l.min(other.l), proved }
    }
}

/// Lower bounds of the induced frequencies: F(k) of any class that has these rows is at least that of these. `counts` has
/// the rows of each node.
pub fn most_even(sensitive: &Sensitive, weights: &[f64], steps: &Steps, counts: &[u64]) -> Vec<Induction> {
    let tree = &sensitive.tree;
    let mut limited = vec![0.0; tree.len()];
    let mut unknown = 0.0;
    for (node, &count) in (0..).zip(counts) {
        match sensitive.unknown {
            Some(leaf) if leaf == node => unknown += count as f64,
            _ => limited[sensitive.read_as[steps.top(node) as usize] as usize] += count as f64,
        }
    }
    let total: f64 = limited.iter().sum::<f64>() + unknown;
    let has_weight = |place: &usize| weights.get(*place).is_some_and(|&weight| weight > 0.0);
    let places = |node: usize| {
        let first = tree.leaves().partition_point(|&leaf| (leaf as usize) < node);
        first..first + tree.leaf_count(node as NodeId)
    };
    // A cell without any weight below counts for all its leaves.
    let is_unknown = |place: &usize| sensitive.unknown == Some(tree.leaves()[*place]);
    let weightless = |node: usize| {
        let read = sensitive.read_as[node] as usize;
        counts[node] > 0 && sensitive.unknown != Some(node as NodeId) && !places(read).any(|place| has_weight(&place))
    };
    let everywhere = (0..counts.len()).any(weightless);
    let mut levels = vec![0.0f64; tree.leaves().len()];
    // What lies below has a higher number.
    for node in (0..tree.len()).rev().filter(|&node| limited[node] > 0.0) {
        let may_count = |place: &usize| (everywhere && !is_unknown(place)) || has_weight(place);
        let mut open: Vec<usize> = places(node).filter(may_count).collect();
        open.order_by(|&one, &other| levels[one].total_cmp(&levels[other]));
        fill(&mut levels, &open, limited[node] / total);
    }
    let mut frequencies: Vec<Induction> = (0..).zip(levels).filter(|&(_, level)| level > 0.0).collect();
    frequencies.order_by(|one, other| other.1.total_cmp(&one.1));
    if unknown > 0.0 {
        // Unknown cells count for the most frequent leaf.
        match frequencies.first_mut() {
            Some(highest) => highest.1 += unknown / total,
            None => frequencies.push((0, 1.0)),
        }
    }
    frequencies
}

/// F(1), F(2), … of rows as they are, and the lowest that generalizing their cells can bring them to, both without what
/// comes after F = 1. `counts` has the rows of each node.
pub fn ranges(sensitive: &Sensitive, counts_of_code: &[u32], weights: &[f64], counts: &[u64]) -> [Vec<f64>; 2] {
    let steps = Steps::new(sensitive, counts_of_code, Mode::Generalization);
    let of_nodes: Vec<(u32, u32)> = (0..)
        .zip(counts)
        .filter(|&(_, &count)| count > 0)
        .map(|(node, &count)| (node, count.min(u64::from(u32::MAX)) as u32))
        .collect();
    let size = of_nodes.iter().map(|&(_, count)| count).sum();
    let exact = sensitive.induced(weights).frequencies(&Histogram { size, counts: &of_nodes });
    let even = most_even(sensitive, weights, &steps, counts);
    [exact, even].map(|frequencies| cumulative_frequencies(&frequencies).collect())
}

/// Raises the lowest of some levels, which come in ascending order, by `amount` in all.
fn fill(levels: &mut [f64], open: &[usize], amount: f64) {
    let mut sum = 0.0;
    for (count, &place) in (1..).zip(open) {
        sum += levels[place];
        let level = (sum + amount) / f64::from(count);
        let next = open.get(count as usize).map_or(f64::INFINITY, |&next| levels[next]);
        if level <= next {
            open[..count as usize].iter().for_each(|&place| levels[place] = level);
            return;
        }
    }
}

/// Masses that may be sorted to find what is nearest.
const MOST_SORTED: u64 = 1 << 24;

/// How the sensitive column may be generalized, and what its cells count for.
pub struct Ways<'a> {
    pub sensitive: &'a Sensitive,
    pub weights: &'a [f64],
    pub shares: &'a Shares,
    pub steps: &'a Steps,
}

/// The nearest (τ,ℓ) that rows meet at some step of those ways of generalizing that a sweep tries. `counts` has the rows of
/// each node.
pub async fn nearest(
    ways: &Ways<'_>,
    tau: f64,
    l: u32,
    counts: &[u64],
    progress: &Progress<'_>,
) -> Result<Nearest, Failure> {
    let &Ways { sensitive, weights, shares, steps } = ways;
    let tree = &sensitive.tree;
    let even = most_even(sensitive, weights, steps, counts);
    let bound = Nearest::of(tau, l, &cumulative_frequencies(&even).collect::<Vec<_>>());
    let proved = |found: Nearest| found.tau <= bound.tau + TOLERANCE && found.l >= bound.l;
    let mut topmost = vec![0; tree.len()];
    (0..).zip(counts).for_each(|(node, &rows)| topmost[steps.top(node) as usize] += rows);
    let mut masses = Masses::new(shares);
    (0..).zip(topmost).filter(|&(_, rows)| rows > 0).for_each(|(node, rows)| masses.add(node, rows));
    let mut found = Nearest::of(tau, l, &masses.cumulative());
    // Of very many steps and values, not every step is looked at: what is found at others can be met all the same.
    let every = 1 + masses.size * tree.leaves().len() as u64 / MOST_SORTED;
    for steps in [steps, &steps.straight()] {
        if proved(found) {
            break;
        }
        let mut step = 0;
        let mut look = |masses: &mut Masses<'_>| {
            if step % every == 0 {
                found = found.or(Nearest::of(tau, l, &masses.cumulative()));
            }
            step += 1;
            false
        };
        generalize(tree, steps, &mut counts.to_vec(), &mut masses, &mut look, progress).await?;
    }
    Ok(Nearest { proved: proved(found), ..found })
}

/// Whether frequencies, highest first, surely break what is asked.
pub fn breaks(tau: f64, l: u32, frequencies: &[Induction]) -> bool {
    let limits = (1..l).map(|k| cumulative_limit(tau, l, k) + 2.0 * TOLERANCE);
    cumulative_frequencies(frequencies).zip(limits).any(|(share, limit)| share > limit)
}
