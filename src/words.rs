//! Figures as a person reads them, in the page, the runner and failures alike.

/// `1234567` as `1,234,567`.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// `counted(1, "row")` is `1 row`, `counted(1200, "row")` is `1,200 rows`, and classes are counted, too.
pub fn counted(number: u64, noun: &str) -> String {
    let plural = if noun.ends_with('s') { "es" } else { "s" };
    format!("{} {noun}{}", grouped(number), if number == 1 { "" } else { plural })
}

/// Things by their numbers from 1: `numbered("line", &[0, 1, 3])` is `lines 1, 2 and 4`.
pub fn numbered(noun: &str, places: &[usize]) -> String {
    let numbers: Vec<String> = places.iter().map(|place| (place + 1).to_string()).collect();
    match numbers.split_last() {
        None => "nothing".into(),
        Some((only, [])) => format!("{noun} {only}"),
        Some((last, before)) => format!("{noun}s {} and {last}", before.join(", ")),
    }
}

/// A text as the start of a sentence.
pub fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// At most four digits behind the point, none that is 0 at the end: 2.5, 10, 0.3333.
pub fn figure(value: f64) -> String {
    rounded(value, f64::round)
}

/// Like [`figure`], but never more than the value: for bounds from above.
pub fn figure_at_most(value: f64) -> String {
    // What is whole but for rounding errors stays whole.
    rounded(value, |scaled| if (scaled.round() - scaled).abs() < 1e-5 { scaled.round() } else { scaled.floor() })
}

/// Like [`figure`], but never less than the value: for bounds from below.
pub fn figure_at_least(value: f64) -> String {
    rounded(value, |scaled| if (scaled.round() - scaled).abs() < 1e-5 { scaled.round() } else { scaled.ceil() })
}

/// Like [`figure`], but what is not 0 is never told as 0.
pub fn figure_of_tau(tau: f64) -> String {
    if tau < 1e-4 { format!("{tau:e}") } else { figure(tau) }
}

fn rounded(value: f64, round: impl Fn(f64) -> f64) -> String {
    if value.is_infinite() {
        return "∞".to_owned();
    }
    let text = format!("{:.4}", round(value * 1e4) / 1e4);
    let short = text.trim_end_matches('0').trim_end_matches('.');
    match short.split_once('.') {
        Some((whole, digits)) => format!("{}.{digits}", whole.parse().map_or(whole.to_owned(), grouped)),
        None => short.parse().map_or(short.to_owned(), grouped),
    }
}

/// `0.125` as `12.5 %`.
pub fn percent(share: f64) -> String {
    let text = format!("{:.2}", share * 100.0);
    format!("{} %", text.trim_end_matches('0').trim_end_matches('.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_are_grouped() {
        let cases = [(0, "0"), (999, "999"), (1000, "1,000"), (45222, "45,222"), (1234567, "1,234,567")];
        for (number, text) in cases {
            assert_eq!(grouped(number), text);
        }
        assert_eq!([counted(1, "row"), counted(2, "row"), counted(2, "class")], ["1 row", "2 rows", "2 classes"]);
        assert_eq!(numbered("line", &[0]), "line 1");
        assert_eq!(capital(&numbered("line", &[0, 1, 3])), "Lines 1, 2 and 4");
    }

    #[test]
    fn figures_and_bounds() {
        assert_eq!([2.0, 10.0, 0.3333333, 0.0, 45222.0].map(figure), ["2", "10", "0.3333", "0", "45,222"]);
        assert_eq!([10.56699, 3.0, 2.9999999999].map(figure_at_most), ["10.5669", "3", "3"]);
        assert_eq!([0.12341, 3.0, 3.0000000001].map(figure_at_least), ["0.1235", "3", "3"]);
        assert_eq!([0.00001, 0.0001, 0.25].map(figure_of_tau), ["1e-5", "0.0001", "0.25"]);
        assert_eq!(figure(f64::INFINITY), "∞");
        assert_eq!([0.125, 1.0, 2.0 / 3.0].map(percent), ["12.5 %", "100 %", "66.67 %"]);
    }
}
