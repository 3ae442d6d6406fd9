//! Diversity constraints (the DIVA paper), §3: axioms, implication, satisfiability, minimal cover.

use throng::constraints::axioms::{self, Range};
use throng::constraints::exact::{Decision, Implication, Reasoner, Witness};
use throng::constraints::program::Budget;
use throng::constraints::{Constraint, Target, World, cover};
use throng::progress::{NativeSink, Progress, block_on};

/// σ = (X[t], λl, λr); columns are numbered in this order.
fn sigma(values: &[(&str, &str)], least: u64, most: Option<u64>) -> Constraint {
    let number = |name: &str| ["GEN", "ETH", "CTY", "A", "B"].iter().position(|other| *other == name).unwrap();
    let target = |&(name, value): &(&str, &str)| Target { column: number(name), value: value.to_owned() };
    let mut target: Vec<Target> = values.iter().map(target).collect();
    target.sort();
    Constraint { target, least, most }
}

fn derived(given: &[Constraint], wanted: &Constraint) -> Option<axioms::Derivation> {
    axioms::implies(given.iter().enumerate(), wanted)
}

fn decide(given: &[Constraint], wanted: &Constraint) -> Implication {
    let (sink, world, budget) = (NativeSink::new(|_| {}), World::default(), Budget::default());
    let which: Vec<usize> = (0..given.len()).collect();
    block_on(Reasoner::new(given, &world, &budget).implies(&which, wanted, &Progress::new(&sink))).unwrap()
}

fn satisfiable(given: &[Constraint]) -> Decision {
    let (sink, world, budget) = (NativeSink::new(|_| {}), World::default(), Budget::default());
    let which: Vec<usize> = (0..given.len()).collect();
    block_on(Reasoner::new(given, &world, &budget).satisfiable(&which, &Progress::new(&sink))).unwrap()
}

fn exact_cover(given: &[Constraint]) -> Vec<usize> {
    let (sink, world, budget) = (NativeSink::new(|_| {}), World::default(), Budget::default());
    let (all, reasoner): (Vec<usize>, _) = ((0..given.len()).collect(), Reasoner::new(given, &world, &budget));
    let (cover, proved) = block_on(cover::exact(&reasoner, &all, &Progress::new(&sink))).unwrap();
    assert!(proved);
    cover
}

fn count(witness: &Witness, constraint: &Constraint) -> u64 {
    let shows = |(shown, _): &&(Vec<Target>, u64)| constraint.target.iter().all(|target| shown.contains(target));
    witness.iter().filter(shows).map(|(_, rows)| rows).sum()
}

/// Both methods say that `wanted` follows, the axioms by these steps.
fn follows(given: &[Constraint], wanted: &Constraint, axioms_used: &[u8]) {
    let derivation = derived(given, wanted).expect("follows by the axioms");
    assert_eq!(derivation.steps.iter().map(|step| step.axiom).collect::<Vec<_>>(), axioms_used, "{derivation:?}");
    assert_eq!(derivation.range(), wanted.range());
    assert_eq!(decide(given, wanted), Implication::Implied);
}

fn does_not_follow(given: &[Constraint], wanted: &Constraint) {
    assert_eq!(derived(given, wanted), None);
    let Implication::Counterexample(witness) = decide(given, wanted) else { panic!() };
    assert!(given.iter().all(|given| given.holds(count(&witness, given))));
    assert!(!wanted.holds(count(&witness, wanted)));
}

#[test]
fn diversity_constraints_axiom_1_fixed_attributes() {
    let female = |least, most| sigma(&[("GEN", "Female")], least, Some(most));
    follows(&[female(2, 4)], &female(1, 5), &[1, 1]);
    does_not_follow(&[female(1, 5)], &female(2, 4));
}

#[test]
fn diversity_constraints_axiom_2_attribute_extension() {
    let female = sigma(&[("GEN", "Female")], 1, Some(5));
    let both = |least, most| sigma(&[("GEN", "Female"), ("ETH", "Caucasian")], least, most);
    follows(std::slice::from_ref(&female), &both(0, Some(5)), &[2]);
    // "cannot state there is at least one Caucasian"
    does_not_follow(std::slice::from_ref(&female), &both(1, Some(5)));
    does_not_follow(&[female], &both(0, Some(4)));
}

#[test]
fn diversity_constraints_axiom_3_attribute_reduction() {
    let both = sigma(&[("GEN", "Female"), ("ETH", "Caucasian")], 1, Some(5));
    let female = |least, most| sigma(&[("GEN", "Female")], least, most);
    follows(std::slice::from_ref(&both), &female(1, None), &[3]);
    // "we cannot claim the number of females in R is limited to 5"
    does_not_follow(&[both], &female(1, Some(5)));
}

#[test]
fn diversity_constraints_axiom_4_range_intersection() {
    let female = |least, most| sigma(&[("GEN", "Female")], least, Some(most));
    let given = [female(1, 5), female(3, 7)];
    follows(&given, &female(3, 5), &[1, 1, 4]);
    // As printed, any range *inside* the intersection would follow; it is any that *contains* it.
    does_not_follow(&given, &female(4, 4));
    follows(&given, &female(2, 6), &[1, 1, 4, 1]);
}

fn example_3_4() -> ([Constraint; 2], Constraint) {
    let given = [
        sigma(&[("CTY", "Calgary")], 2, Some(10)),
        sigma(&[("GEN", "Female"), ("ETH", "Caucasian"), ("CTY", "Calgary")], 4, Some(7)),
    ];
    (given, sigma(&[("ETH", "Caucasian"), ("CTY", "Calgary")], 5, Some(8)))
}

#[test]
fn diversity_constraints_example_3_4_refuted() {
    let (given, wanted) = example_3_4();
    // δ = [4, 10] as the paper says, but it is not inside [5, 8]: the inclusion is the wrong way round.
    let derivation = axioms::bounds(given.iter().enumerate(), &wanted.target);
    assert_eq!(derivation.range(), Range { least: 4, most: Some(10) });
    assert!(!derivation.range().is_within(wanted.range()) && wanted.range().is_within(derivation.range()));
    does_not_follow(&given, &wanted);
    // Four Caucasian women in Calgary and nobody else: Σ holds, σ does not.
    let Implication::Counterexample(witness) = decide(&given, &wanted) else { panic!() };
    assert_eq!(count(&witness, &wanted), 4);
    // What does follow is exactly δ.
    let delta = Constraint { least: 4, most: Some(10), ..wanted.clone() };
    follows(&given, &delta, &[3, 2, 4]);
    for narrower in [(5, 10), (4, 9)] {
        does_not_follow(&given, &Constraint { least: narrower.0, most: Some(narrower.1), ..wanted.clone() });
    }
}

#[test]
fn diversity_constraints_algorithm_1_lines_4_and_5_are_swapped() {
    let (given, wanted) = example_3_4();
    // As printed: X ⊂ X′ gives [0, λr′], X′ ⊂ X gives [λl′, ∞).
    let (mut least, mut most) = (0, u64::MAX);
    for other in &given {
        if other.extends(&wanted.target) {
            most = most.min(other.most.unwrap());
        } else {
            least = least.max(other.least);
        }
    }
    // That is not the [4, 10] of Example 3.4, and it is wrong: eight Caucasian men beside the four women satisfy Σ.
    assert_eq!((least, most), (2, 7));
    does_not_follow(&given, &Constraint { least, most: Some(most), ..wanted });
}

#[test]
fn diversity_constraints_example_3_5_unsatisfiable() {
    let given =
        [sigma(&[("ETH", "Caucasian"), ("CTY", "Calgary")], 6, Some(8)), sigma(&[("CTY", "Calgary")], 1, Some(5))];
    let (place, derivation) = axioms::contradiction(&given).unwrap();
    assert!(derivation.range().is_empty());
    assert_eq!((place, derivation.premises()), (0, vec![0, 1]));
    // The paper's false constraint on Calgary itself: at least 6 by Axiom 3, at most 5.
    let of_city = axioms::bounds(given.iter().enumerate(), &given[1].target);
    assert_eq!(of_city.range(), Range { least: 6, most: Some(5) });
    let Decision::No(Some(sum)) = satisfiable(&given) else { panic!() };
    assert_eq!((sum.least, sum.most), (vec![(0, 1)], vec![(1, 1)]));
    assert!(
        matches!(satisfiable(&given[..1]), Decision::Yes(_)) && matches!(satisfiable(&given[1..]), Decision::Yes(_))
    );
}

#[test]
fn diversity_constraints_section_3_4_minimal_cover() {
    let (given, wanted) = example_3_4();
    // {σ′, σ″} is minimal, as said.
    assert_eq!(cover::by_axioms(&given), [0, 1]);
    assert_eq!(exact_cover(&given), [0, 1]);
    // So is Σ ∪ {σ}, against the paper: σ does not follow.
    let all = [given[0].clone(), given[1].clone(), wanted.clone()];
    assert_eq!(cover::by_axioms(&all), [0, 1, 2]);
    assert_eq!(exact_cover(&all), [0, 1, 2]);
    // With a σ that does follow, it is redundant.
    let all = [given[0].clone(), given[1].clone(), Constraint { least: 4, most: Some(10), ..wanted }];
    assert_eq!(cover::by_axioms(&all), [0, 1]);
    assert_eq!(exact_cover(&all), [0, 1]);
}

fn sum_case() -> [Constraint; 2] {
    [sigma(&[("A", "a"), ("B", "b1")], 3, None), sigma(&[("A", "a"), ("B", "b2")], 4, None)]
}

#[test]
fn diversity_constraints_theorem_3_3_completeness_refuted() {
    let given = sum_case();
    let at_least = |least| sigma(&[("A", "a")], least, None);
    // Different values of B are different rows, so their counts add up: that no axiom says.
    assert_eq!(decide(&given, &at_least(7)), Implication::Implied);
    assert_eq!(derived(&given, &at_least(7)), None);
    assert_eq!(axioms::bounds(given.iter().enumerate(), &at_least(7).target).range(), Range { least: 4, most: None });
    does_not_follow(&given, &at_least(8));
    // With an upper bound below the sum there is no table, which the axioms miss as well.
    let all = [given[0].clone(), given[1].clone(), sigma(&[("A", "a")], 0, Some(5))];
    assert_eq!(axioms::contradiction(&all), None);
    let Decision::No(Some(sum)) = satisfiable(&all) else { panic!() };
    assert_eq!((sum.least, sum.most), (vec![(0, 1), (1, 1)], vec![(2, 1)]));
    // A cover that the axioms can't reduce.
    let all = [given[0].clone(), given[1].clone(), at_least(6)];
    assert_eq!(cover::by_axioms(&all), [0, 1, 2]);
    assert_eq!(exact_cover(&all), [0, 1]);
}
