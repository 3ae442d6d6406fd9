//! l-diversity: the definitions of section 4 with their examples, and the theorems of section 5 by search.

#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

use throng::classes::Histogram;
use throng::classes::{Classes, Keys};
use throng::privacy::*;

const HEART_DISEASE: usize = 0;
const VIRAL_INFECTION: usize = 1;
const CANCER: usize = 2;

/// The conditions of Fig. 4, class by class.
const FIG_4: [[usize; 4]; 3] = [
    [HEART_DISEASE, VIRAL_INFECTION, CANCER, CANCER],
    [CANCER, HEART_DISEASE, VIRAL_INFECTION, VIRAL_INFECTION],
    [HEART_DISEASE, VIRAL_INFECTION, CANCER, CANCER],
];

/// The occupations of Adult, all 45,222 rows, as the experiments use them.
const OCCUPATIONS: [u32; 14] = [6020, 6008, 5984, 5540, 5408, 4808, 2970, 2316, 2046, 1480, 1420, 976, 232, 14];

fn with<T>(counts: &[u32], ask: impl Fn(&Histogram<'_>) -> T) -> T {
    let entries: Vec<(u32, u32)> =
        (0..).zip(counts).filter(|&(_, &count)| count > 0).map(|(value, &count)| (value, count)).collect();
    ask(&Histogram { size: counts.iter().sum(), counts: &entries })
}

fn holds(model: &dyn Model, counts: &[u32]) -> bool {
    with(counts, |class| model.holds(class))
}

fn close(one: f64, other: f64, digits: i32) -> bool {
    (one - other).abs() <= 0.5 * 10f64.powi(-digits)
}

fn entropy(l: f64, dont_care: &[u32]) -> EntropyL {
    EntropyL { l, dont_care: dont_care.to_vec() }
}

fn positive_disclosure(c: f64, l: u32, dont_care: &[u32]) -> NpdRecursiveCL {
    NpdRecursiveCL { c, l, dont_care: dont_care.to_vec(), no_negative: Vec::new(), c2: 0.0 }
}

/// Definition 4.1: "Figure 4 is actually 2.8-diverse".
#[test]
fn l_diversity_fig4_entropy() {
    for class in FIG_4 {
        let mut counts = [0; 3];
        class.iter().for_each(|&condition| counts[condition] += 1);
        let diversity = with(&counts, entropy_diversity);
        assert!(close(diversity, 2.828, 3), "{diversity}");
        // 2√2.
        assert!(holds(&entropy(8f64.sqrt(), &[]), &counts) && !holds(&entropy(2.83, &[]), &counts));
        assert!(holds(&DistinctL { l: 3 }, &counts));
    }
}

/// Definition 4.2: strict, ℓ = 1 always, fewer than ℓ values never.
#[test]
fn l_diversity_def4_2_recursive() {
    let class = [5, 3, 1, 1];
    let holding: Vec<(u32, u32)> = (1..=5)
        .flat_map(|l| (1..=6).map(move |c| (c, l)))
        .filter(|&(c, l)| holds(&RecursiveCL { c: f64::from(c), l }, &class))
        .collect();
    // 5 < c·5, 5 < c·2, 5 < c·1.
    let mut expected: Vec<(u32, u32)> = (1..=6).map(|c| (c, 1)).collect();
    expected.extend((2..=6).map(|c| (c, 2)));
    expected.extend((3..=6).map(|c| (c, 3)));
    expected.push((6, 4));
    assert_eq!(holding, expected);
}

/// Definition 4.3: with healthy a don't-care value, (c,2) says that fewer than c/(c+1) of the patients are sick. "At most"
/// is what the paper says; its bound is strict.
#[test]
fn l_diversity_def4_3_healthy() {
    for c in [0.03, 0.25, 1.0, 1.5, 3.0] {
        for sick in 0..=400u32 {
            let healthy = 400 - sick;
            let model = positive_disclosure(c, 2, &[0]);
            // In hundredths, to compare exactly.
            let below = u64::from(sick) * 100 < (c * 100.0).round() as u64 * u64::from(healthy);
            assert_eq!(holds(&model, &[healthy, sick]), below || sick == 0, "{c} {sick}");
            let share = f64::from(sick) / 400.0;
            if (share - c / (c + 1.0)).abs() > 1e-9 {
                assert_eq!(below, share < c / (c + 1.0));
            }
        }
    }
    // "If c = 0.03, at most 3 % are not healthy; if c = 1, at most half."
    assert!(holds(&positive_disclosure(0.03, 2, &[0]), &[98, 2]));
    assert!(!holds(&positive_disclosure(0.03, 2, &[0]), &[97, 3]));
    assert!(holds(&positive_disclosure(1.0, 2, &[0]), &[51, 49]));
    assert!(!holds(&positive_disclosure(1.0, 2, &[0]), &[50, 50]));
}

/// The remark before Definition 4.5, that Definition 4.3 lowers the more frequent don't-care values to the sensitive one
/// and then checks as usual, is right for c > 1. Up to 1 it is wrong where ℓ−1 values are more frequent than the sensitive
/// one: then lowering is stricter. All classes of up to 4 values with up to 6 rows.
#[test]
fn l_diversity_def4_3_lowering_is_not_the_same() {
    let mut differing = Vec::new();
    for code in 0..7u32.pow(4) {
        let class: [u32; 4] = std::array::from_fn(|place| code / 7u32.pow(place as u32) % 7);
        // The last two are sensitive.
        let most = class[2].max(class[3]);
        if most == 0 {
            continue;
        }
        let lowered = [class[0].min(most), class[1].min(most), class[2], class[3]];
        for c in [0.25, 0.5, 0.75, 1.0, 1.5, 2.0] {
            for l in 2..=4u32 {
                let by_definition = holds(&positive_disclosure(c, l, &[0, 1]), &class);
                let by_lowering = holds(&RecursiveCL { c, l }, &lowered);
                if by_definition != by_lowering {
                    let place = 1 + class.iter().filter(|&&count| count > most).count() as u32;
                    differing.push((by_definition, c, place > l - 1));
                }
            }
        }
    }
    assert!(differing.iter().all(|&(by_definition, c, behind)| by_definition && c <= 1.0 && behind));
    for c in [0.25, 0.5, 0.75, 1.0] {
        assert!(differing.iter().any(|&(_, other, _)| other == c), "{c}");
    }
}

/// Definition 4.4: every value of W in at least c2 percent of the rows of every class.
#[test]
fn l_diversity_def4_4_negative_disclosure() {
    let model = NpdRecursiveCL { c: 2.0, l: 2, dont_care: vec![0], no_negative: vec![1, 2], c2: 10.0 };
    assert!(holds(&model, &[80, 10, 10]));
    assert!(!holds(&model, &[81, 9, 10]) && !holds(&model, &[90, 10, 0]));
    // Frequent enough, but no longer pd-recursive.
    assert!(!holds(&model, &[20, 70, 10]));
}

/// Algorithm 1, the worked example.
#[test]
fn l_diversity_algorithm1_example() {
    let log_entropic_mean =
        |counts: &[f64]| counts.iter().map(|count| count * count.ln()).sum::<f64>() / counts.iter().sum::<f64>();
    assert!(close(log_entropic_mean(&[3.0, 4.0]), 1.2630, 4));
    assert!(close(log_entropic_mean(&[2.0, 3.0, 4.0]), 1.1364, 4));
    assert!(close(log_entropic_mean(&[2.0, 3.0, 3.0, 4.0]), 1.1269, 4));
    // Two sensitive values with 3 and 4 rows; don't-care values with 11, 10, 3 and 2.
    let class = [3, 4, 11, 10, 3, 2];
    let adjusted = with(&class, |class| adjusted_entropy_diversity(class, &[2, 3, 4, 5]));
    assert!(close(adjusted.ln(), 1.772971, 6) && close(adjusted, 5.888323, 6), "{adjusted}");
    assert!(close(with(&class, entropy_diversity), 4.902101, 6));
    // The normalized entropy of {e^1.127, e^1.127, 3, 2, 3, 4}.
    let lowered = log_entropic_mean(&[2.0, 3.0, 3.0, 4.0]).exp();
    let values = [lowered, lowered, 3.0, 2.0, 3.0, 4.0];
    let total: f64 = values.iter().sum();
    let normalized: f64 = values.iter().map(|value| -value / total * (value / total).ln()).sum();
    assert!(close(adjusted.ln(), normalized, 12));
    // Which only the adjusted entropy lets pass at ℓ = 5.
    assert!(holds(&entropy(5.0, &[2, 3, 4, 5]), &class) && !holds(&entropy(5.0, &[]), &class));
}

/// Definition 4.6: the block of two sensitive attributes, 3-diverse (even recursive (2,3)) in each alone.
#[test]
fn l_diversity_def4_6_two_attributes() {
    let classes = Classes::one(4);
    let first = [0, 0, 1, 2];
    let second = [0, 1, 2, 2];
    let sensitive = [(5, Keys { codes: &first, size: 3 }), (6, Keys { codes: &second, size: 3 })];
    for attribute in [5, 6] {
        let standing = |jointly, model: Box<dyn Model>| {
            check(&Requirement { attribute: Some(attribute), jointly, model }, &classes, &sensitive)
        };
        assert!(standing(false, Box::new(DistinctL { l: 3 })).holds);
        // r1 = 2 is not less than 2·1: the paper's "(2,3)-diverse" needs a c above 2.
        assert!(!standing(false, Box::new(RecursiveCL { c: 2.0, l: 3 })).holds);
        assert!(standing(false, Box::new(RecursiveCL { c: 2.1, l: 3 })).holds);
        // Who is known not to have s1 has v3.
        let jointly = standing(true, Box::new(DistinctL { l: 2 }));
        assert_eq!((jointly.holds, jointly.achieved, jointly.failing_rows), (false, 1.0, 4));
    }
}

/// §4.2: 700 of 1,000 men are healthy and 300 have hepatitis, 700 of 1,000 women are healthy and 300 have cancer. With
/// healthy a don't-care value that is 2-diverse; the unhealthy apart are not, unless gender is suppressed.
#[test]
fn l_diversity_section4_2_men_and_women() {
    let (men, women) = ([700, 300, 0], [700, 0, 300]);
    let models: [Box<dyn Model>; 2] = [Box::new(entropy(2.0, &[0])), Box::new(positive_disclosure(1.0, 2, &[0]))];
    for model in &models {
        assert!(holds(&**model, &men) && holds(&**model, &women), "{model:?}");
        assert!(!holds(&**model, &[0, 300, 0]) && !holds(&**model, &[0, 0, 300]), "{model:?}");
    }
    // Without gender: one class of 300 and 300.
    assert!(holds(&entropy(2.0, &[0]), &[0, 300, 300]) && holds(&positive_disclosure(1.1, 2, &[0]), &[0, 300, 300]));
    // And without the don't-care set not even the whole is.
    assert!(!holds(&entropy(2.0, &[]), &men));
}

/// All classes of three values with up to `most` rows each.
fn small_classes(most: u32) -> Vec<[u32; 3]> {
    let side = most + 1;
    (1..side.pow(3)).map(|code| [code % side, code / side % side, code / side / side]).collect()
}

/// No two classes that hold fail together. (Random classes by the 100,000 are in `tests/privacy_properties.rs`.)
/// Says how many hold.
fn is_monotone(model: &dyn Model, most: u32) -> usize {
    let holding: Vec<[u32; 3]> = small_classes(most).into_iter().filter(|class| holds(model, class)).collect();
    for one in &holding {
        for other in &holding {
            let merged = [one[0] + other[0], one[1] + other[1], one[2] + other[2]];
            assert!(holds(model, &merged), "{model:?} {one:?} {other:?}");
        }
    }
    holding.len()
}

#[test]
fn l_diversity_theorem5_2_entropy_is_monotone() {
    for l in [1.5, 2.0, 2.5, 2.9] {
        assert!(is_monotone(&entropy(l, &[]), 6) > 50);
    }
}

/// Below 1 as well, where the lowering of the text would differ.
#[test]
fn l_diversity_theorem5_3_recursive_is_monotone() {
    for c in [0.5, 0.9, 1.0, 1.1, 2.0] {
        for dont_care in [&[][..], &[0], &[0, 1], &[0, 1, 2]] {
            let holding: usize = (1..=3).map(|l| is_monotone(&positive_disclosure(c, l, dont_care), 4)).sum();
            let negative =
                |l| NpdRecursiveCL { no_negative: vec![2], c2: 15.0, ..positive_disclosure(c, l, dont_care) };
            let fewer: usize = (1..=3).map(|l| is_monotone(&negative(l), 4)).sum();
            assert!(fewer > 50 && fewer < holding, "{c} {dont_care:?}");
        }
    }
}

#[test]
fn l_diversity_theorem5_4_adjusted_entropy_is_monotone() {
    for l in [1.5, 2.0, 2.5, 2.9] {
        for dont_care in [&[0][..], &[0, 1], &[0, 1, 2]] {
            assert!(is_monotone(&entropy(l, dont_care), 5) > 20);
        }
    }
}

/// §6: "no table can be more than entropy 10.57-diverse", and none recursive (3,12)-diverse: since classes that hold do so
/// together, it is enough that the whole table as one class does not.
#[test]
fn l_diversity_section6_occupation() {
    assert_eq!(OCCUPATIONS.iter().sum::<u32>(), 45_222);
    let most = with(&OCCUPATIONS, entropy_diversity);
    assert!(close(most, 10.5669, 4), "{most}");
    assert!(holds(&entropy(10.56, &[]), &OCCUPATIONS) && !holds(&entropy(10.57, &[]), &OCCUPATIONS));
    let holding: Vec<u32> = (1..=14).filter(|&l| holds(&RecursiveCL { c: 3.0, l }, &OCCUPATIONS)).collect();
    assert_eq!(holding, (1..=11).collect::<Vec<u32>>());
    let of_every_l = with(&OCCUPATIONS, |class| SmallestC::default().of_every_l(class).to_vec());
    assert!(close(of_every_l[11 - 2], 2.2786, 4) && close(of_every_l[12 - 2], 4.9264, 4));
}
