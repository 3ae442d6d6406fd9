//! Figures and values in the sentences that say why a class fails.

use crate::classes::Histogram;

/// `a`, `a and b`, `a, b and c`; of more than three values, the first three and how many more there are.
pub fn list(names: &[String]) -> String {
    match names {
        [] => "none".to_owned(),
        [one] => one.clone(),
        [most @ .., last] if names.len() <= 3 => format!("{} and {last}", most.join(", ")),
        [first, second, third, rest @ ..] => format!("{first}, {second}, {third} and {} more", rest.len()),
        [..] => names.join(", "),
    }
}

/// The sentence for a class with too few different values.
pub fn too_few_values(class: &Histogram<'_>, needed: &str, name: &dyn Fn(u32) -> String) -> String {
    let names: Vec<String> = class.counts.iter().map(|&(value, _)| name(value)).collect();
    match names.as_slice() {
        [only] => format!("All its rows have {only}; {needed} different values are needed."),
        _ => format!("It has only {} different values, {}; {needed} are needed.", names.len(), list(&names)),
    }
}

/// The value with the most rows, the first of several, and how many rows that is.
pub fn most_frequent(class: &Histogram<'_>, among: impl Fn(u32) -> bool) -> Option<(u32, u32)> {
    class.counts.iter().copied().filter(|&(value, _)| among(value)).reduce(
        |best, next| {
            if next.1 > best.1 { next } else { best }
        },
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists() {
        let names: Vec<String> = ["a", "b", "c", "d", "e"].map(String::from).to_vec();
        let texts: Vec<String> = (0..=5).map(|count| list(&names[..count])).collect();
        assert_eq!(texts, ["none", "a", "a and b", "a, b and c", "a, b, c and 1 more", "a, b, c and 2 more"]);
    }
}
