//! Likely slips in a hierarchy that somebody wrote: two spellings of one group, a value beside its interval.
//!
//! A warning nobody needs is worse than none, so: only groups of one level are compared; a misspelling is looked for in
//! one word of at least five letters that keeps its first letter, and never where figures are (`20-24` and `25-29`,
//! `1305*` and `1306*`, `Type I` and `Type II` are no slips, nor are `North America` and `South America`).
//! Complexity: O(n · w²) for n labels with words of w letters, by the words that are left when letters are dropped.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};

use serde::{Deserialize, Serialize};

use super::tree::{Hierarchy, NodeId, ROOT};
use super::values::{folded, number, without_accent};
use crate::sorting::Sorting;
use crate::table::{Dictionary, shortened};

/// More slips than this are counted, not listed.
const MOST_SLIPS: usize = 100;
/// Words shorter than this are too often one letter apart.
const SHORTEST_WORD: usize = 5;
/// From this length on, two letters may differ.
const LONG_WORD: usize = 9;
/// Longer words are nobody's group names.
const LONGEST_WORD: usize = 40;
/// With more groups than this only one letter may differ, to keep the work small.
const MANY_GROUPS: usize = 5_000;
/// Beginnings that turn a word into its opposite or neighbour rather than misspell it.
const OPPOSITES: [(&str, &str); 6] =
    [("hyper", "hypo"), ("inter", "intra"), ("macro", "micro"), ("pre", "peri"), ("pre", "pro"), ("ante", "anti")];

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SlipKind {
    /// Two groups of one level whose names are a letter or two apart: `Europa`, `Europe`.
    AlmostEqualGroups,
    /// Two groups of one level whose names differ only in case, blanks, hyphens or accents.
    CaseOrBlanks,
    /// A number under an interval that does not hold it: `5` under `0-4`.
    ValueOutsideInterval,
    /// A value of the data that the tree lacks, but for case, blanks or accents: `Male ` beside the leaf `Male`.
    ValueAlmostLeaf,
}

/// Something that looks like a slip.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Slip {
    pub kind: SlipKind,
    /// Where each of the two is first in the file; the same line twice when only one of them is in it.
    pub lines: (usize, usize),
    /// For the page only: these may be values of the data, which no failure and no log names.
    pub labels: (String, String),
}

impl Slip {
    /// One sentence for the page.
    pub fn sentence(&self) -> String {
        let (one, other) = &self.labels;
        match self.kind {
            SlipKind::AlmostEqualGroups => format!("“{one}” and “{other}” look like two spellings of one group."),
            SlipKind::CaseOrBlanks => format!("“{one}” and “{other}” differ only in case, blanks or accents."),
            SlipKind::ValueOutsideInterval => format!("“{one}” does not lie in “{other}”, where it stands."),
            SlipKind::ValueAlmostLeaf => {
                format!("The data's “{one}” is “{other}” in the tree but for case, blanks or accents.")
            }
        }
    }
}

/// Slips found, the surest kinds first.
#[derive(Default)]
pub struct Slips {
    pub found: Vec<Slip>,
    pub left_out: usize,
}

impl Slips {
    fn push(&mut self, kind: SlipKind, lines: (usize, usize), one: &str, other: &str) {
        if self.found.len() < MOST_SLIPS {
            self.found.push(Slip { kind, lines, labels: (shortened(one), shortened(other)) });
        } else {
            self.left_out += 1;
        }
    }

    /// Values of the data, `lacking` in the tree, that are almost leaves.
    pub fn of_values(&mut self, tree: &Hierarchy, lines: &[usize], dictionary: &Dictionary, lacking: &[u32]) {
        if lacking.is_empty() {
            return;
        }
        let mut leaves: HashMap<String, NodeId> = HashMap::new();
        for &leaf in tree.leaves() {
            leaves.entry(spelling(tree.label(leaf))).or_insert(leaf);
        }
        for &code in lacking {
            let text = dictionary.text(code);
            if let Some(&leaf) = leaves.get(&spelling(text))
                && !text.trim().is_empty()
            {
                let line = lines[leaf as usize];
                self.push(SlipKind::ValueAlmostLeaf, (line, line), text, tree.label(leaf));
            }
        }
    }

    /// Groups of one level that differ only in case, blanks, hyphens or accents, or in a letter or two.
    pub fn of_groups(&mut self, tree: &Hierarchy, lines: &[usize]) {
        let mut by_spelling: HashMap<(usize, String), NodeId> = HashMap::new();
        let mut groups: Vec<NodeId> = Vec::new();
        for node in 1..tree.len() as NodeId {
            if tree.is_leaf(node) || tree.label(node).trim().is_empty() {
                continue;
            }
            match by_spelling.entry((tree.depth(node), spelling(tree.label(node)))) {
                Entry::Occupied(first) => {
                    let first = *first.get();
                    let lines = (lines[first as usize], lines[node as usize]);
                    self.push(SlipKind::CaseOrBlanks, lines, tree.label(first), tree.label(node));
                }
                Entry::Vacant(place) => {
                    place.insert(node);
                    groups.push(node);
                }
            }
        }
        for (one, other) in almost_equal_pairs(tree, &groups) {
            let lines = (lines[one as usize], lines[other as usize]);
            self.push(SlipKind::AlmostEqualGroups, lines, tree.label(one), tree.label(other));
        }
    }

    /// Numbers under intervals of whole numbers that do not hold them.
    pub fn of_intervals(&mut self, tree: &Hierarchy, lines: &[usize]) {
        let intervals: Vec<Option<(f64, f64)>> = (0..tree.len() as NodeId)
            .map(|node| interval(tree.label(node)).filter(|_| !tree.is_leaf(node) && node != ROOT))
            .collect();
        for &leaf in tree.leaves() {
            let Some(value) = number(tree.label(leaf)) else { continue };
            let outside = |&node: &NodeId| {
                // An interval of whole numbers up to 24 holds 24.5, too.
                intervals[node as usize].is_some_and(|(low, high)| value < low || value >= high + 1.0)
            };
            if let Some(group) = tree.path(leaf).find(outside) {
                let line = lines[leaf as usize];
                self.push(SlipKind::ValueOutsideInterval, (line, line), tree.label(leaf), tree.label(group));
            }
        }
    }
}

/// `20-24` or `-10 to -6`, both ends included.
fn interval(label: &str) -> Option<(f64, f64)> {
    let (low, high) = label.split_once(" to ").or_else(|| label.split_once('-'))?;
    let whole = |text: &str| number(text).filter(|value| value.fract() == 0.0);
    Some((whole(low)?, whole(high)?)).filter(|(low, high)| low < high)
}

/// What two spellings of one name have in common. Hyphens count where figures are.
fn spelling(label: &str) -> String {
    let mut folded = folded(label);
    if !folded.contains(|letter: char| letter.is_ascii_digit()) {
        folded.retain(|letter| !matches!(letter, '-' | '_' | '‐' | '–'));
    }
    folded
}

fn words(label: &str) -> Vec<Vec<char>> {
    let lower = |word: &str| word.chars().map(without_accent).flat_map(char::to_lowercase).collect();
    label.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty()).map(lower).collect()
}

/// Whether two names are likely two spellings of one.
pub fn almost_equal(one: &str, other: &str) -> bool {
    if spelling(one) == spelling(other) {
        return true;
    }
    if [one, other].iter().any(|label| label.contains(char::is_numeric)) {
        return false;
    }
    let (one, other) = (words(one), words(other));
    if one.len() != other.len() {
        return false;
    }
    let mut differing = one.iter().zip(&other).filter(|(one, other)| one != other);
    match (differing.next(), differing.next()) {
        (Some((one, other)), None) => is_misspelling(one, other),
        _ => false,
    }
}

/// How many letters of a word may differ.
fn allowance(length: usize) -> usize {
    match length {
        SHORTEST_WORD..LONG_WORD => 1,
        LONG_WORD..=LONGEST_WORD => 2,
        _ => 0,
    }
}

fn is_misspelling(one: &[char], other: &[char]) -> bool {
    let allowed = allowance(one.len().min(other.len()));
    if allowed == 0 || one.first() != other.first() || one.len().abs_diff(other.len()) > allowed {
        return false;
    }
    let begins = |word: &[char], beginning: &str| word.iter().take(beginning.len()).copied().eq(beginning.chars());
    let opposite = |&(left, right): &(&str, &str)| {
        let meets = |one: &[char], other: &[char]| {
            begins(one, left) && begins(other, right) && one[left.len()..] == other[right.len()..]
        };
        meets(one, other) || meets(other, one)
    };
    !OPPOSITES.iter().any(opposite) && distance(one, other) <= allowed
}

/// Letters to drop, add, replace or swap with their neighbour to make one word of another.
fn distance(one: &[char], other: &[char]) -> usize {
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=other.len()).collect();
    for i in 1..=one.len() {
        let mut row = vec![i];
        for j in 1..=other.len() {
            let replaced = last[j - 1] + usize::from(one[i - 1] != other[j - 1]);
            let mut best = replaced.min(last[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && one[i - 1] == other[j - 2] && one[i - 2] == other[j - 1] {
                best = best.min(before[j - 2] + 1);
            }
            row.push(best);
        }
        before = std::mem::replace(&mut last, row);
    }
    last[other.len()]
}

/// Pairs of groups of one level that are almost equal, in order. Two words are at most so many letters apart only if
/// dropping so many letters from each can give the same rest, so that groups meet at such rests.
fn almost_equal_pairs(tree: &Hierarchy, groups: &[NodeId]) -> Vec<(NodeId, NodeId)> {
    /// Groups compared for each rest; more would be quadratic work for made-up labels.
    const COMPARED: usize = 8;
    let mut meeting: HashMap<u64, Vec<NodeId>> = HashMap::new();
    let mut pairs = Vec::new();
    let mut seen = HashSet::new();
    for &group in groups {
        let label = tree.label(group);
        // Long labels are texts, not names.
        if label.len() > 200 || label.contains(char::is_numeric) {
            continue;
        }
        let words = words(label);
        for (place, word) in words.iter().enumerate() {
            let allowed = if groups.len() > MANY_GROUPS { 1 } else { 2 }.min(allowance(word.len()));
            if allowed == 0 {
                continue;
            }
            for rest in rests(word, allowed) {
                let mut hasher = DefaultHasher::new();
                (tree.depth(group), place, &words[..place], &rest, &words[place + 1..]).hash(&mut hasher);
                let met = meeting.entry(hasher.finish()).or_default();
                for &other in met.iter() {
                    if other != group && almost_equal(tree.label(other), label) && seen.insert((other, group)) {
                        pairs.push((other, group));
                    }
                }
                if met.len() < COMPARED && met.last() != Some(&group) {
                    met.push(group);
                }
            }
        }
    }
    pairs.order();
    pairs
}

/// A word and what is left of it when up to `dropped` letters are dropped.
fn rests(word: &[char], dropped: usize) -> Vec<Vec<char>> {
    let mut all = vec![word.to_vec()];
    let mut from = 0;
    for _ in 0..dropped {
        let until = all.len();
        for index in from..until {
            for place in 0..all[index].len() {
                let mut rest = all[index].clone();
                rest.remove(place);
                all.push(rest);
            }
        }
        from = until;
    }
    all.order();
    all.dedup();
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_of_one_name() {
        for (one, other) in [
            ("Europe", "Europa"),
            ("Eruope", "Europe"),
            ("North America", "north  america"),
            ("Non-Government", "Non Government"),
            ("Zürich", "Zurich"),
            ("Professional Education", "Profesional Education"),
            ("Undergraduate", "Undergradaute"),
            ("asia", "Asia "),
            ("20 - 24", "20-24"),
        ] {
            assert!(almost_equal(one, other), "{one} {other}");
        }
    }

    #[test]
    fn different_names() {
        for (one, other) in [
            ("20-24", "25-29"),
            ("1305*", "1306*"),
            ("North America", "South America"),
            ("Western Europe", "Eastern Europe"),
            ("Group A", "Group B"),
            ("Type I", "Type II"),
            ("Asia", "Asie"),
            ("Hypertension", "Hypotension"),
            ("Macrocytic", "Microcytic"),
            ("Government", "Non-Government"),
            ("spouse present", "spouse not present"),
            ("Austria", "Australia"),
            ("Slovakia", "Slovenia"),
            ("Primary education", "Secondary education"),
            ("ward 12", "ward 13"),
        ] {
            assert!(!almost_equal(one, other), "{one} {other}");
        }
    }
}
