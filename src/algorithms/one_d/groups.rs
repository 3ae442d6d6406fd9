//! Groups of tuples that are near each other on a line and together hold.

use std::cmp::Reverse;

use super::Curve;
use crate::algorithms::local::clusters::{Clusters, Part};
use crate::algorithms::local::demands::{Counts, Demands, decrease, increase};
use crate::algorithms::local::space::Item;
use crate::failure::Failure;
use crate::progress::{Progress, Report};
use crate::sorting::Sorting;
use crate::words::counted;

/// How the next row of a group is chosen.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Choice {
    /// Of the values that the group has least of, the one whose next row comes first.
    Nearest,
    /// Of those, the one with the most rows left.
    Frequent,
    /// Whichever row comes first.
    First,
}

/// Groups with so many rows of every value, or so many times the least size, are given up if they do not hold, unless
/// they take whichever row comes first.
const PATIENCE: u32 = 4;

/// Rows of one value, in order.
struct Bucket {
    /// Places on the line, items and their rows.
    rows: Vec<(u32, Item, u32)>,
}

/// What is left of a bucket.
#[derive(Clone, Copy)]
struct Rest {
    first: usize,
    /// Rows of the first that are gone.
    gone: u32,
    left: u32,
}

/// The rows that are left.
struct Line<'a> {
    demands: &'a Demands<'a>,
    buckets: Vec<Bucket>,
    rests: Vec<Rest>,
    size: u32,
    counts: Vec<Counts>,
}

/// Divides rows that hold together into clusters that hold.
pub async fn divide(
    clusters: &mut Clusters<'_>,
    mut rows: Vec<Part>,
    curve: Curve,
    progress: &Progress<'_>,
) -> Result<(), Failure> {
    curve.sort(clusters.space, &mut rows);
    let mut line = Line::new(clusters.demands, &rows);
    let all = line.size;
    let choices = match line.buckets.len() {
        0 | 1 => &[Choice::First][..],
        _ => &[Choice::Nearest, Choice::Frequent, Choice::First],
    };
    while line.size > 0 {
        progress.checkpoint(|| report(all, line.size)).await?;
        let group = choices.iter().find_map(|&choice| line.group(choice));
        clusters.open(&group.unwrap_or_else(|| line.take_all()));
    }
    Ok(())
}

fn report(all: u32, left: u32) -> Report {
    let fraction = Some(f64::from(all - left) / f64::from(all.max(1)));
    Report {
        phase: "Grouping along the line".into(),
        fraction,
        detail: format!("{} left", counted(left.into(), "row")),
    }
}

impl<'a> Line<'a> {
    fn new(demands: &'a Demands<'a>, rows: &[Part]) -> Self {
        let value = |item: Item| demands.views.first().map_or(0, |view| view.value(item));
        let mut values: Vec<u32> = rows.iter().map(|&(item, _)| value(item)).collect();
        values.order();
        values.dedup();
        let mut buckets: Vec<Bucket> = values.iter().map(|_| Bucket { rows: Vec::new() }).collect();
        for (place, &(item, count)) in (0..).zip(rows) {
            buckets[values.binary_search(&value(item)).unwrap_or(0)].rows.push((place, item, count));
        }
        let left = |bucket: &Bucket| bucket.rows.iter().map(|&(_, _, count)| count).sum();
        let rests = buckets.iter().map(|bucket| Rest { first: 0, gone: 0, left: left(bucket) }).collect();
        let size = rows.iter().map(|&(_, count)| count).sum();
        Line { demands, buckets, rests, size, counts: demands.count(rows) }
    }

    /// Takes the next group by a choice, if it holds and so does what it leaves.
    fn group(&mut self, choice: Choice) -> Option<Vec<Part>> {
        let least = self.demands.least_rows();
        let patient = least.max(self.buckets.len() as u32).saturating_mul(PATIENCE);
        let most = if choice == Choice::First { self.size } else { self.size.min(patient) };
        let mut rests = self.rests.clone();
        let mut has = vec![0u32; rests.len()];
        let mut parts: Vec<Part> = Vec::new();
        // The part of each bucket's last row.
        let mut part_of = vec![usize::MAX; rests.len()];
        let mut counts: Vec<Counts> = vec![Counts::new(); self.counts.len()];
        for size in 1..=most {
            let bucket = self.next(&rests, &has, choice)?;
            has[bucket] += 1;
            let item = take(&self.buckets[bucket], &mut rests[bucket]);
            match parts.get_mut(part_of[bucket]) {
                Some((other, count)) if *other == item => *count += 1,
                _ => {
                    part_of[bucket] = parts.len();
                    parts.push((item, 1));
                }
            }
            for (view, counts) in self.demands.views.iter().zip(&mut counts) {
                increase(counts, view.value(item), 1);
            }
            if size < least || !self.demands.hold(size, &counts) {
                continue;
            }
            let mut left = self.counts.clone();
            for (left, counts) in left.iter_mut().zip(&counts) {
                counts.iter().for_each(|&(value, count)| decrease(left, value, count));
            }
            if size < self.size && !self.demands.hold(self.size - size, &left) {
                // More rows that come next may leave something better; more that are chosen for it hardly.
                if choice == Choice::First { continue } else { return None }
            }
            (self.rests, self.counts) = (rests, left);
            self.size -= size;
            return Some(parts);
        }
        None
    }

    /// The bucket that the next row comes from.
    fn next(&self, rests: &[Rest], has: &[u32], choice: Choice) -> Option<usize> {
        let place = |bucket: usize| self.buckets[bucket].rows[rests[bucket].first].0;
        let key = |&bucket: &usize| match choice {
            Choice::Nearest => (has[bucket], Reverse(0), place(bucket)),
            Choice::Frequent => (has[bucket], Reverse(rests[bucket].left), place(bucket)),
            Choice::First => (0, Reverse(0), place(bucket)),
        };
        (0..rests.len()).filter(|&bucket| rests[bucket].left > 0).min_by_key(key)
    }

    /// All that is left.
    fn take_all(&mut self) -> Vec<Part> {
        let mut parts = Vec::new();
        for (bucket, rest) in self.buckets.iter().zip(&mut self.rests) {
            for (nth, &(_, item, count)) in bucket.rows[rest.first..].iter().enumerate() {
                parts.push((item, count - if nth == 0 { rest.gone } else { 0 }));
            }
            rest.first = bucket.rows.len();
        }
        self.size = 0;
        parts
    }
}

/// Takes a row out of what is left of a bucket, which must be something.
fn take(bucket: &Bucket, rest: &mut Rest) -> Item {
    let (_, item, count) = bucket.rows[rest.first];
    rest.left -= 1;
    rest.gone += 1;
    if rest.gone == count {
        (rest.first, rest.gone) = (rest.first + 1, 0);
    }
    item
}
