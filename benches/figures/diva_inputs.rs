//! What the DIVA paper's experiments vary: constraints that conflict more or less, and how a population is distributed.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use throng::algorithms::diva::Strategy;
use throng::constraints::generate::Class;
use throng::constraints::{Binder, Constraint, conflict};
use throng::progress::{Progress, block_on};
use throng::table::{Column, DictionaryBuilder, Table};

use super::data::Quiet;
use super::diva_case::{Ask, BUDGET, Case, IMPOSSIBLE};

/// Seeds that are tried for constraints that can be met.
const TRIES: u64 = 12;

/// Constraints that DIVA-MinChoice can meet ("we generate a set of satisfiable diversity constraints"): those of the
/// first seed of which it makes a release, and how many it found none for before, not counting those that it proved
/// impossible. If it never does, those of seed 1.
pub fn satisfiable(
    case: &Case,
    k: u32,
    make: impl Fn(u64) -> Result<Vec<Constraint>, String>,
) -> Result<(Vec<Constraint>, u64), String> {
    let mut given_up = 0;
    for seed in 1..=TRIES {
        let constraints = make(seed)?;
        let ask = Ask { k, strategy: Some(Strategy::MinChoice), refined: false, seed: 1, budget: BUDGET };
        match case.solve(ask, &constraints, &Progress::new(&Quiet)) {
            Ok(_) => return Ok((constraints, given_up)),
            Err(why) => {
                given_up += u64::from(!why.starts_with(IMPOSSIBLE));
                println!("  k = {k}, |Σ| = {}, seed {seed}: {why}", constraints.len());
            }
        }
    }
    Ok((make(1)?, given_up))
}

/// cf(Σ).
pub fn rate(case: &Case, constraints: &[Constraint]) -> Result<f64, String> {
    let binder = Binder::new(&case.setup, &case.table);
    let sets = block_on(conflict::relevant(&binder, constraints, &Progress::new(&Quiet)));
    Ok(conflict::total(&conflict::rates(&sets.map_err(|failure| failure.to_string())?)))
}

/// Constraints on one to three columns that enough rows can show, and the conflict rate of each pair.
pub struct Pool {
    constraints: Vec<Constraint>,
    rates: Vec<Vec<f64>>,
}

/// Constraints that fewer rows than one in so many can show are left out.
const ONE_IN: u64 = 100;

/// Two constraints of which so few rows can show one alone are not both taken: no class could be made of these.
const ALONE: u64 = 500;

/// Exchanges that are tried to come near to a rate.
const EXCHANGES: usize = 20_000;

impl Pool {
    pub fn new(case: &Case, class: Class, k: u32) -> Result<Pool, String> {
        let columns = case.table.columns.len() as u32;
        let subsets = (1..1u32 << columns).filter(|subset| subset.count_ones() <= 3);
        let on: Vec<Vec<u32>> =
            subsets.map(|subset| (0..columns).filter(|column| subset >> column & 1 == 1).collect()).collect();
        let binder = Binder::new(&case.setup, &case.table);
        let mut constraints: Vec<Constraint> = Vec::new();
        let mut sets = Vec::new();
        for columns in &on {
            // Columns with thousands of values together get no constraints, and would have none that are frequent.
            let Ok(made) = case.constraints(class, &[columns], None, k, 1) else { continue };
            // Their bounds are the rows' share: those of the other classes say nothing about the rows.
            let shares = case.constraints(Class::Proportion, &[columns], None, k, 1)?;
            let frequent = |share: &Constraint| share.least * ONE_IN >= case.table.rows as u64;
            let made: Vec<Constraint> =
                made.into_iter().zip(shares).filter(|(_, share)| frequent(share)).map(|(made, _)| made).collect();
            let relevant = block_on(conflict::relevant(&binder, &made, &Progress::new(&Quiet)));
            sets.extend(relevant.map_err(|failure| failure.to_string())?);
            constraints.extend(made);
        }
        let rate = |one: &conflict::RowSet, other: &conflict::RowSet| {
            let alone = one.len() + other.len() - 2 * one.shared(other);
            if (1..ALONE).contains(&alone) { f64::NAN } else { conflict::rate(one, other) }
        };
        let rates = sets.iter().map(|one| sets.iter().map(|other| rate(one, other)).collect()).collect();
        Ok(Pool { constraints, rates })
    }

    /// `count` constraints whose cf(Σ) is as near to `wanted` as exchanging them one by one brings it.
    pub fn choose(&self, count: usize, wanted: f64, seed: u64) -> Vec<Constraint> {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let mut below = |bound: usize| ((u64::from(random.next_u32()) * bound as u64) >> 32) as usize;
        let missed = |chosen: &[usize]| (self.rate(chosen) - wanted).abs();
        let mut chosen: Vec<usize> = Vec::new();
        for _ in 0..EXCHANGES {
            let drawn = below(self.constraints.len());
            let mut next = chosen.clone();
            match chosen.len() < count {
                true => next.push(drawn),
                false => next[below(count)] = drawn,
            }
            let now = missed(&next);
            // NaN marks what is not allowed, and is never nearer.
            let nearer = if chosen.len() < count { !now.is_nan() } else { now < missed(&chosen) };
            if nearer && !chosen.contains(&drawn) {
                chosen = next;
            }
        }
        chosen.sort_unstable();
        chosen.into_iter().map(|place| self.constraints[place].clone()).collect()
    }

    fn rate(&self, chosen: &[usize]) -> f64 {
        let pairs =
            chosen.iter().enumerate().flat_map(|(at, one)| chosen[at + 1..].iter().map(move |other| (one, other)));
        conflict::total(&pairs.map(|(&one, &other)| self.rates[one][other]).collect::<Vec<f64>>())
    }
}

/// How the target columns' values are drawn.
#[derive(Clone, Copy)]
pub enum Distribution {
    Zipfian,
    Gaussian,
    Uniform,
}

/// Columns of the population (Pop-Syn) and how many values they have: 25,600 tuples, the paper's table has 24,630.
const POPULATION: [(&str, u32); 7] =
    [("age", 4), ("education", 5), ("race", 5), ("gender", 2), ("income", 4), ("marital status", 4), ("occupation", 8)];

/// Those that follow the distribution: education, race and occupation. The others are uniform.
pub const POPULATION_ON: [&[u32]; 3] = [&[1], &[2], &[6]];

pub fn population(rows: usize, distribution: Distribution) -> Table {
    let mut random = ChaCha8Rng::seed_from_u64(1);
    let column = |(place, (name, values)): (usize, (&str, u32))| {
        let is_target = POPULATION_ON.iter().any(|on| on.contains(&(place as u32)));
        let weight = |value: u32| match distribution {
            Distribution::Zipfian if is_target => 1.0 / f64::from(value + 1),
            Distribution::Gaussian if is_target => {
                let away = (f64::from(value) + 0.5) / f64::from(values) - 0.5;
                (-(away * away) / (2.0 * 0.2 * 0.2)).exp()
            }
            _ => 1.0,
        };
        let weights: Vec<f64> = (0..values).map(weight).collect();
        let all: f64 = weights.iter().sum();
        let mut builder = DictionaryBuilder::default();
        let mut draw = |_| {
            let mut left = f64::from(random.next_u32()) / 2f64.powi(32) * all;
            let over = |&weight: &f64| {
                left -= weight;
                left < 0.0
            };
            let value = weights.iter().position(over).unwrap_or(0);
            builder.code(format!("{name} {value}").as_bytes()).map_or(0, |coded| coded.code)
        };
        let codes = (0..rows).map(&mut draw).collect();
        Column::new(name.to_owned(), builder.finish(), codes, &[])
    };
    Table { columns: POPULATION.into_iter().enumerate().map(column).collect(), rows }
}
