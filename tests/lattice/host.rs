//! What a host may do to a search: cancel it, give it a budget, ask it again; and a lattice too large to list.

use std::cell::Cell;
use std::future::Future;
use std::pin::Pin;

use throng::algorithms::lattice::{Budget, Input, Lattice, Metric, Outcome, Question, Stop};
use throng::failure::{Failure, FailureKind};
use throng::hierarchy::{Hierarchy, ROOT};
use throng::policy::Quasi;
use throng::privacy::{KAnonymity, Requirement};
use throng::progress::{Progress, Report, Sink, block_on};

/// A host whose clock is the number of times it was looked at, and who cancels at a moment.
struct Host {
    looks: Cell<u32>,
    cancel_at: u32,
}

impl Host {
    fn new(cancel_at: u32) -> Self {
        Host { looks: Cell::new(0), cancel_at }
    }
}

impl Sink for Host {
    fn now(&self) -> f64 {
        self.looks.set(self.looks.get() + 1);
        f64::from(self.looks.get())
    }
    fn report(&self, _: Report) {}
    fn cancelled(&self) -> bool {
        self.looks.get() >= self.cancel_at
    }
    fn breathe(&self) -> Pin<Box<dyn Future<Output = ()> + '_>> {
        Box::pin(std::future::ready(()))
    }
}

/// `columns` columns of 16 values each, in four levels of pairs.
fn table(rows: usize, columns: usize) -> (Vec<Quasi>, Vec<Vec<u32>>) {
    let lines: Vec<Vec<String>> = (0..16)
        .map(|leaf| {
            let mut line: Vec<String> = (0..4).map(|level| format!("{level}:{}", leaf >> level)).collect();
            line.push("*".to_owned());
            line
        })
        .collect();
    let tree = Hierarchy::from_rows(&lines).expect("a tree");
    let quasi = |column| Quasi {
        column,
        tree: tree.clone(),
        leaf_of_code: tree.leaves().to_vec(),
        limit_of_code: vec![ROOT; 16],
    };
    let mut state = 1u64;
    let mut code = || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        // The lower values are the commoner ones.
        ((state >> 33) % 16).min((state >> 50) % 16) as u32
    };
    ((0..columns).map(quasi).collect(), (0..columns).map(|_| (0..rows).map(|_| code()).collect()).collect())
}

fn search(rows: usize, columns: usize, budget: Budget, host: &Host) -> Result<Outcome, Failure> {
    let (quasi, codes) = table(rows, columns);
    let codes: Vec<&[u32]> = codes.iter().map(Vec::as_slice).collect();
    let requirements = [Requirement { attribute: None, jointly: false, model: Box::new(KAnonymity { k: 3 }) }];
    let suppression_limit = rows as u64 / 20;
    let question =
        Question { requirements: &requirements, least_rows: 1, suppression_limit, metric: Metric::Discernibility };
    let input = Input { rows, quasi: &quasi, codes: &codes, sensitive: &[] };
    let progress = Progress::new(host);
    let lattice = block_on(Lattice::new(&input, &question, &progress))?;
    block_on(lattice.best(&question, budget, &progress))
}

const NEVER: u32 = u32::MAX;

#[test]
fn a_lattice_too_large_to_list_is_explored_within_a_budget() {
    let budget = |nodes| Budget { nodes: Some(nodes), milliseconds: None };
    // 100 bits a tuple: more than one word.
    let few = search(500, 20, budget(50), &Host::new(NEVER)).expect("an outcome");
    let many = search(500, 20, budget(600), &Host::new(NEVER)).expect("an outcome");
    assert_eq!(many.counts.nodes, 5u64.pow(20));
    assert_eq!((many.stopped, many.proved, many.counts.computed), (Some(Stop::Nodes), false, 600));
    let (few, many_best) = (few.best.expect("a node"), many.best.as_ref().expect("a node"));
    assert!(many_best.value < few.value && few.value < 500.0 * 500.0);
    assert!(500.0 <= many.lower_bound && many.lower_bound <= many_best.value);
    let again = search(500, 20, budget(600), &Host::new(NEVER)).expect("an outcome");
    assert_eq!(again.best, many.best);
}

#[test]
fn a_cancelled_search_keeps_the_best_so_far() {
    let all = search(20_000, 6, Budget::default(), &Host::new(NEVER)).expect("an outcome");
    let all_best = all.best.expect("a node");
    assert!(all.proved);
    let mut kept = 0;
    for cancel_at in [1, 5, 20, 40, 80, 160, 320] {
        match search(20_000, 6, Budget::default(), &Host::new(cancel_at)) {
            Err(failure) => assert_eq!(failure.kind, FailureKind::Cancelled),
            Ok(outcome) if outcome.stopped.is_some() => {
                assert_eq!((outcome.stopped, outcome.proved), (Some(Stop::Cancelled), false));
                assert!(outcome.lower_bound <= all_best.value);
                let map = outcome.map.expect("a map");
                assert!(map.states.contains(&throng::algorithms::lattice::State::Open));
                if let Some(best) = outcome.best {
                    kept += 1;
                    assert!(best.value >= all_best.value);
                }
            }
            Ok(outcome) => assert_eq!(outcome.best.as_ref(), Some(&all_best)),
        }
    }
    assert!(kept > 0);
}

#[test]
fn a_time_budget_ends_a_search() {
    let budget = Budget { nodes: None, milliseconds: Some(30.0) };
    let outcome = search(20_000, 6, budget, &Host::new(NEVER)).expect("an outcome");
    assert_eq!((outcome.stopped, outcome.proved), (Some(Stop::Time), false));
}
