//! How bad linkage can be: ℓ_[t], the least diversity left when t ℓ-diverse releases with a person in common are linked
//! ((ℓ,δ)-diversity, Proposition 3.1, without its condition that t divides |S| − 1).
//!
//! Each release may lack at most |S| − ℓ values, and the person's own value is in all of them: no more than
//! min(t(|S| − ℓ), |S| − 1) values can be ruled out, and [`construction`] rules out so many. Complexity: O(t · |S|).

/// ℓ_[t] = max(1, |S| − t(|S| − ℓ)); ℓ is drawn into 1..=|S|.
pub fn worst_case(values: u32, l: u32, releases: u32) -> u32 {
    let lacking = values - l.clamp(1, values.max(1)).min(values);
    let left = u64::from(values).saturating_sub(u64::from(releases) * u64::from(lacking));
    (left as u32).max(1)
}

/// A class of each release, as the values that it has, whose linkage leaves just [`worst_case`] values. The person's own
/// value is 0; the others are ruled out one release after the other.
pub fn construction(values: u32, l: u32, releases: u32) -> Vec<Vec<u32>> {
    let others = values.saturating_sub(1);
    let lacking = values - l.clamp(1, values.max(1)).min(values);
    let class = |release: u32| {
        let lacks = |value: u32| {
            let place = u64::from(value - 1);
            let first = u64::from(release) * u64::from(lacking) % u64::from(others.max(1));
            (place + u64::from(others) - first) % u64::from(others.max(1)) < u64::from(lacking)
        };
        (0..values).filter(|&value| value == 0 || !lacks(value)).collect()
    };
    (0..releases).map(class).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_construction_attains_it() {
        for values in 1..=9 {
            for (l, releases) in (1..=values).flat_map(|l| (1..=5).map(move |releases| (l, releases))) {
                let classes = construction(values, l, releases);
                assert!(classes.iter().all(|class| class.len() as u32 == l), "{values} {l} {releases}");
                let left = (0..values).filter(|value| classes.iter().all(|class| class.contains(value))).count();
                assert_eq!(left as u32, worst_case(values, l, releases), "{values} {l} {releases}");
            }
        }
        assert_eq!((worst_case(0, 3, 2), worst_case(5, 0, 2), worst_case(5, 9, 2)), (1, 1, 5));
    }
}
