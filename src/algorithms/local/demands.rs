//! What every class must meet, ready for classes that change row by row.
//!
//! All requirements on one sensitive column share a histogram (a *view*) of the class. For a requirement of several
//! sensitive columns jointly (Definition 4.6 of l-diversity) the view counts pairs of a block (what the others say) and
//! a value, and each block must hold. Complexity: that of the models, plus O(values of the class); of classes with many values
//! t-closeness takes O(height · log) for each row that comes or goes ([`Running`]).

use std::borrow::Cow;

use crate::classes::Histogram;
use crate::classes::{Classes, Keys};
use crate::privacy::{Better, Model, Monotone, Requirement, Running, ValueChange, at_most};
use crate::sorting::Sorting;

use super::space::{Item, Space};

/// Counts of values (or of pairs of block and value), ascending.
pub type Counts = Vec<(u32, u32)>;

/// Different values from which on a class is measured as its rows come and go; of fewer all are looked at each time.
pub const MANY: usize = 64;

/// What a view counts in a class, and what is kept of it to measure it when rows come or go.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    pub counts: Counts,
    /// Of each model that can be measured so; empty where the class has few values.
    running: Vec<Running>,
}

impl Tally {
    fn changed(&self, changes: &[ValueChange]) -> Cow<'_, Counts> {
        if changes.is_empty() {
            return Cow::Borrowed(&self.counts);
        }
        let mut counts = self.counts.clone();
        changes.iter().for_each(|&change| apply(&mut counts, change));
        Cow::Owned(counts)
    }
}

pub struct Demands<'a> {
    /// No class smaller than this holds.
    pub least_size: u32,
    by_size: Vec<&'a dyn Model>,
    pub views: Vec<View<'a>>,
    /// The strongest of what all requirements allow.
    pub monotone: Monotone,
    /// A requirement is about a column that is not sensitive here, so nothing can be said for it.
    unanswerable: bool,
}

pub struct View<'a> {
    attribute: usize,
    jointly: bool,
    models: Vec<&'a dyn Model>,
    /// The value (or the pair) of each item.
    value_of_item: Vec<u32>,
    /// Of pairs: the block and the value.
    pairs: Vec<(u32, u32)>,
    /// The first item of each value (or pair). Values have numbers by who came first in the input, which must decide
    /// nothing; items stand in an order of their own.
    first_item: Vec<Item>,
}

impl<'a> Demands<'a> {
    pub fn new(requirements: impl IntoIterator<Item = &'a Requirement>, rows: usize) -> Self {
        let mut demands = Demands {
            least_size: 1,
            by_size: Vec::new(),
            views: Vec::new(),
            monotone: Monotone::Growing,
            unanswerable: false,
        };
        for requirement in requirements {
            demands.monotone = weaker(demands.monotone, requirement.monotone());
            let model = requirement.model.as_ref();
            let Some(attribute) = requirement.attribute else {
                match model.monotone() {
                    Monotone::Growing => demands.least_size = demands.least_size.max(least_size(model, rows)),
                    _ => demands.by_size.push(model),
                }
                continue;
            };
            let same = |view: &&mut View<'_>| view.attribute == attribute && view.jointly == requirement.jointly;
            match demands.views.iter_mut().find(same) {
                Some(view) => view.models.push(model),
                None => demands.views.push(View {
                    attribute,
                    jointly: requirement.jointly,
                    models: vec![model],
                    value_of_item: Vec::new(),
                    pairs: Vec::new(),
                    first_item: Vec::new(),
                }),
            }
        }
        demands
    }

    /// Which of the sensitive columns distinguish items: those looked at, and all when some are looked at jointly.
    pub fn looks_at(&self, attribute: usize) -> bool {
        self.views.iter().any(|view| view.jointly || view.attribute == attribute)
    }

    /// Notes what each item shows. `sensitive` has the codes of all sensitive columns by their places in the table.
    pub fn bind(&mut self, space: &Space<'_>, sensitive: &[(usize, Keys<'_>)]) {
        for view in &mut self.views {
            let Some((_, own)) = sensitive.iter().find(|(place, _)| *place == view.attribute) else {
                self.unanswerable = true;
                continue;
            };
            let of_items = |keys: &Keys<'_>| -> Vec<u32> {
                space.row_of_item.iter().map(|&row| keys.codes[row as usize]).collect()
            };
            let values = of_items(own);
            if !view.jointly {
                view.value_of_item = values;
                view.find_first_items();
                continue;
            }
            let others = sensitive.iter().filter(|(place, _)| *place != view.attribute);
            let codes: Vec<(Vec<u32>, u32)> = others.map(|(_, keys)| (of_items(keys), keys.size)).collect();
            let keys: Vec<Keys> = codes.iter().map(|(codes, size)| Keys { codes, size: *size }).collect();
            let blocks = Classes::group(space.items(), &keys).of_row;
            let mut pairs: Vec<(u32, u32)> = blocks.iter().copied().zip(values.iter().copied()).collect();
            pairs.order();
            pairs.dedup();
            let number = |pair: (u32, u32)| pairs.binary_search(&pair).unwrap_or(0) as u32;
            view.value_of_item = blocks.into_iter().zip(values).map(number).collect();
            view.pairs = pairs;
            view.find_first_items();
        }
    }

    /// The view of a column; `None` when there is none, or when some look at several columns jointly.
    pub fn view_of(&self, attribute: usize) -> Option<&View<'a>> {
        let jointly = self.views.iter().any(|view| view.jointly);
        self.views.iter().find(|view| view.attribute == attribute).filter(|_| !jointly)
    }

    /// What each view counts in some rows. O(n · log n).
    pub fn count(&self, parts: &[(Item, u32)]) -> Vec<Counts> {
        let of_view = |view: &View<'_>| {
            let mut counts: Counts = parts.iter().map(|&(item, count)| (view.value(item), count)).collect();
            counts.sort_unstable();
            counts.dedup_by(|next, kept| {
                let same = next.0 == kept.0;
                if same {
                    kept.1 += next.1;
                }
                same
            });
            counts
        };
        self.views.iter().map(of_view).collect()
    }

    /// The same, to be changed row by row.
    pub fn tally(&self, parts: &[(Item, u32)]) -> Vec<Tally> {
        self.views.iter().zip(self.count(parts)).map(|(view, counts)| view.tally(counts)).collect()
    }

    /// Whether a class of just these rows holds.
    pub fn hold_for(&self, parts: &[(Item, u32)]) -> bool {
        let size = parts.iter().map(|&(_, count)| count).sum();
        self.hold_by_size(size) && self.hold(size, &self.count(parts))
    }

    /// Whether a class of this size and these counts (one list a view) holds.
    pub fn hold(&self, size: u32, counts: &[Counts]) -> bool {
        self.hold_by_size(size) && self.views.iter().zip(counts).all(|(view, counts)| view.holds(size, counts))
    }

    /// Whether a class of this size that was counted row by row holds.
    pub fn hold_now(&self, size: u32, tallies: &[Tally]) -> bool {
        self.hold_by_size(size)
            && self.views.iter().zip(tallies).all(|(view, tally)| view.holds_changed(size, tally, &[]))
    }

    /// No class with fewer rows holds.
    pub fn least_rows(&self) -> u32 {
        let of_views = self.views.iter().filter(|view| !view.jointly).flat_map(|view| &view.models);
        of_views.map(|model| model.least_rows()).max().unwrap_or(1).max(self.least_size)
    }

    pub fn hold_by_size(&self, size: u32) -> bool {
        let class = Histogram { size, counts: &[] };
        size >= self.least_size && !self.unanswerable && self.by_size.iter().all(|model| model.holds(&class))
    }
}

impl View<'_> {
    pub fn value(&self, item: Item) -> u32 {
        self.value_of_item[item as usize]
    }

    fn find_first_items(&mut self) {
        let values = self.value_of_item.iter().max().map_or(0, |&value| value as usize + 1);
        self.first_item = vec![Item::MAX; values];
        for (item, &value) in (0..).zip(&self.value_of_item) {
            let first = &mut self.first_item[value as usize];
            *first = item.min(*first);
        }
    }

    /// What decides between values that are equal otherwise.
    pub fn first_item(&self, value: u32) -> Item {
        self.first_item.get(value as usize).copied().unwrap_or(Item::MAX)
    }

    /// The counts of a class, to be changed row by row.
    pub fn tally(&self, counts: Counts) -> Tally {
        let mut tally = Tally { counts, running: Vec::new() };
        self.measure(&mut tally);
        tally
    }

    /// Begins to measure a class that has many values now, and stops where it has few again.
    fn measure(&self, tally: &mut Tally) {
        if tally.running.is_empty() && tally.counts.len() >= MANY && !self.jointly {
            let ways = self.models.iter().filter_map(|model| model.running());
            tally.running = ways.map(|(ways, _)| Running::new(ways, &tally.counts)).collect();
        } else if tally.counts.len() < MANY / 2 {
            tally.running.clear();
        }
    }

    /// Lets rows of a value come to a class, or go.
    pub fn change(&self, tally: &mut Tally, (value, by): ValueChange) {
        apply(&mut tally.counts, (value, by));
        let ways = self.models.iter().filter_map(|model| model.running());
        for (running, (ways, _)) in tally.running.iter_mut().zip(ways) {
            running.change(ways, (value, by));
        }
        self.measure(tally);
    }

    /// Whether a class holds after some changes; `size` is what it has then.
    pub fn holds_changed(&self, size: u32, tally: &Tally, changes: &[ValueChange]) -> bool {
        let mut running = tally.running.iter();
        let mut changed: Option<Cow<'_, Counts>> = None;
        self.models.iter().all(|model| {
            if let Some((ways, most)) = model.running()
                && let Some(running) = running.next()
            {
                return at_most(running.distance_changed(ways, changes), most);
            }
            let counts = changed.get_or_insert_with(|| tally.changed(changes));
            self.all_blocks(size, counts, &mut |class| model.holds(class))
        })
    }

    /// What the models achieve after some changes: see [`View::achieved`].
    pub fn achieved_changed(&self, size: u32, tally: &Tally, changes: &[ValueChange]) -> Vec<f64> {
        let mut running = tally.running.iter();
        let mut changed: Option<Cow<'_, Counts>> = None;
        let figure = |model: &&dyn Model| {
            if let Some((ways, _)) = model.running()
                && let Some(running) = running.next()
            {
                return -running.distance_changed(ways, changes);
            }
            let counts = changed.get_or_insert_with(|| tally.changed(changes));
            self.achieved_by(*model, size, counts)
        };
        self.models.iter().map(figure).collect()
    }

    pub fn holds(&self, size: u32, counts: &[(u32, u32)]) -> bool {
        self.models.iter().all(|model| self.all_blocks(size, counts, &mut |class| model.holds(class)))
    }

    /// How near the models are to holding: the figure that each achieves in its worst block, higher being better.
    pub fn achieved(&self, size: u32, counts: &[(u32, u32)]) -> Vec<f64> {
        self.models.iter().map(|model| self.achieved_by(*model, size, counts)).collect()
    }

    fn achieved_by(&self, model: &dyn Model, size: u32, counts: &[(u32, u32)]) -> f64 {
        let mut worst = model.better().best();
        self.all_blocks(size, counts, &mut |class| {
            let figure = model.achieved(class);
            if model.better().is_worse(figure, worst) {
                worst = figure;
            }
            true
        });
        match model.better() {
            Better::Higher => worst,
            Better::Lower => -worst,
        }
    }

    /// Of blocks that must hold each for itself: a value of one that fails, and its rows there.
    pub fn in_failing_block(&self, counts: &[(u32, u32)]) -> Option<(u32, u32)> {
        if !self.jointly {
            return None;
        }
        let block = |pair: u32| self.pairs[pair as usize].0;
        let mut blocks = counts.chunk_by(|one, other| block(one.0) == block(other.0));
        let failing = blocks.find(|part| !self.holds(0, part))?;
        failing.iter().copied().min_by_key(|&(value, _)| self.first_item(value))
    }

    fn all_blocks(&self, size: u32, counts: &[(u32, u32)], holds: &mut dyn FnMut(&Histogram<'_>) -> bool) -> bool {
        if !self.jointly {
            return holds(&Histogram { size, counts });
        }
        let block = |pair: u32| self.pairs[pair as usize].0;
        counts.chunk_by(|one, other| block(one.0) == block(other.0)).all(|part| {
            let own: Counts = part.iter().map(|&(pair, count)| (self.pairs[pair as usize].1, count)).collect();
            holds(&Histogram { size: own.iter().map(|&(_, count)| count).sum(), counts: &own })
        })
    }
}

fn weaker(one: Monotone, other: Monotone) -> Monotone {
    match (one, other) {
        (Monotone::Never, _) | (_, Monotone::Never) => Monotone::Never,
        (Monotone::Merging, _) | (_, Monotone::Merging) => Monotone::Merging,
        _ => Monotone::Growing,
    }
}

/// The size from which on a model that only counts rows holds: growing, so found by halving.
fn least_size(model: &dyn Model, rows: usize) -> u32 {
    let (mut fails, mut holds) = (0u32, (rows as u32).saturating_add(1));
    while holds - fails > 1 {
        let size = fails + (holds - fails) / 2;
        if model.holds(&Histogram { size, counts: &[] }) { holds = size } else { fails = size }
    }
    holds
}

fn apply(counts: &mut Counts, (value, by): ValueChange) {
    match by {
        ..0 => decrease(counts, value, by.unsigned_abs() as u32),
        _ => increase(counts, value, by as u32),
    }
}

/// Adds rows of a value.
pub fn increase(counts: &mut Counts, value: u32, by: u32) {
    match counts.binary_search_by_key(&value, |&(value, _)| value) {
        Ok(place) => counts[place].1 += by,
        Err(place) => counts.insert(place, (value, by)),
    }
}

/// Takes rows of a value away; there must be as many.
pub fn decrease(counts: &mut Counts, value: u32, by: u32) {
    if let Ok(place) = counts.binary_search_by_key(&value, |&(value, _)| value) {
        counts[place].1 -= by.min(counts[place].1);
        if counts[place].1 == 0 {
            counts.remove(place);
        }
    }
}
