//! Column names that a mistyped one may have meant.
//!
//! Only names that are near are offered: the same but for case, blanks and signs, or a few letters apart. Where a file has
//! no header its first line is taken for names; those are then data, and a policy's name is near them only if it is
//! nearly the same text. Complexity: O(columns · length²), with long names passed over.

use crate::sorting::Sorting;

/// As many names as are offered for one.
const MOST: usize = 3;
/// Characters of the longest name that is compared.
const LONGEST: usize = 64;

/// The nearest of `names`, the nearest first: those at most a third of the letters (of the longer name) away.
pub fn nearest<'a>(name: &str, names: &[&'a str]) -> Vec<&'a str> {
    let wanted = letters(name);
    let mut near: Vec<(usize, &str)> = Vec::new();
    for &other in names {
        let letters = letters(other);
        let longer = wanted.len().max(letters.len());
        if longer == 0 || longer > LONGEST || wanted.len().abs_diff(letters.len()) * 3 > longer {
            continue;
        }
        let distance = distance(&wanted, &letters);
        if distance * 3 <= longer {
            near.push((distance, other));
        }
    }
    near.order_by_key(|&(distance, _)| distance);
    near.truncate(MOST);
    near.into_iter().map(|(_, name)| name).collect()
}

/// What is left of a name without capitals, blanks, signs, accents and widths, however these are written: names that differ in
/// nothing else are alike. `None` where nothing is left.
pub fn essence(name: &str) -> Option<String> {
    let plain: String = plain(name).collect();
    (!plain.is_empty()).then_some(plain)
}

fn letters(name: &str) -> Vec<char> {
    plain(name).take(LONGEST + 1).collect()
}

/// Letters and figures in small ones, without accents: names that differ in nothing else are the same. An accent that is a
/// sign of its own is neither letter nor figure.
fn plain(name: &str) -> impl Iterator<Item = char> + '_ {
    name.chars().map(narrow).flat_map(char::to_lowercase).filter(|sign| sign.is_alphanumeric()).map(unaccented)
}

/// Full-width signs as usual ones.
fn narrow(sign: char) -> char {
    match sign {
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(u32::from(sign) - 0xfee0).unwrap_or(sign),
        _ => sign,
    }
}

/// The letters of the European languages that have an accent as one sign.
fn unaccented(letter: char) -> char {
    const ACCENTED: [(&str, char); 19] = [
        ("àáâãäåāăąǎ", 'a'),
        ("çćĉċč", 'c'),
        ("ďđ", 'd'),
        ("èéêëēĕėęě", 'e'),
        ("ĝğġģ", 'g'),
        ("ĥħ", 'h'),
        ("ìíîïĩīĭįıǐ", 'i'),
        ("ĵ", 'j'),
        ("ķ", 'k'),
        ("ĺļľŀł", 'l'),
        ("ñńņňŉ", 'n'),
        ("òóôõöøōŏőǒ", 'o'),
        ("ŕŗř", 'r'),
        ("śŝşšșſ", 's'),
        ("ţťŧț", 't'),
        ("ùúûüũūŭůűųǔ", 'u'),
        ("ŵ", 'w'),
        ("ýÿŷ", 'y'),
        ("źżž", 'z'),
    ];
    if letter.is_ascii() {
        return letter;
    }
    ACCENTED.iter().find(|(accented, _)| accented.contains(letter)).map_or(letter, |(_, plain)| *plain)
}

/// How many letters must be put in, left out, changed or swapped with the next.
fn distance(one: &[char], other: &[char]) -> usize {
    // Three lines of the table: of two letters ago, of the last, and of this.
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=other.len()).collect();
    for (row, letter) in one.iter().enumerate() {
        let mut line = vec![row + 1];
        for (place, against) in other.iter().enumerate() {
            let changed = last[place] + usize::from(letter != against);
            let mut least = changed.min(last[place + 1] + 1).min(line[place] + 1);
            if row > 0 && place > 0 && *letter == other[place - 1] && one[row - 1] == *against {
                least = least.min(before[place - 1] + 1);
            }
            line.push(least);
        }
        before = std::mem::replace(&mut last, line);
    }
    last.last().copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_a_slip_away_are_offered_and_no_others() {
        let names = ["Name", "zip code", "age", "diagnosis", "Diagnose", ""];
        assert_eq!(nearest("name", &names), ["Name"]);
        assert_eq!(nearest("ZipCode", &names), ["zip code"]);
        assert_eq!(nearest("aeg", &names), ["age"]);
        assert_eq!(nearest("diagnosi", &names), ["diagnosis", "Diagnose"]);
        assert_eq!(nearest("salary", &names), [] as [&str; 0]);
        assert_eq!(nearest("", &names), [] as [&str; 0]);
        assert_eq!(nearest(&"x".repeat(100_000), &names), [] as [&str; 0]);
    }

    #[test]
    fn names_are_alike_however_their_signs_are_written() {
        let alike = |one: &str, other: &str| essence(one).is_some_and(|own| Some(own) == essence(other));
        for other in ["Name", " name ", "NAME", "name\u{a0}", "\u{feff}name", "na_me", "ｎａｍｅ", "na\u{200b}me"] {
            assert!(alike("name", other), "{other:?}");
        }
        assert!(alike("prénom", "pre\u{301}nom") && alike("Größe", "GRÖßE") && alike("İd", "id"));
        for (one, other) in [("name", "names"), ("id", "id2"), ("", ""), ("-", "_"), ("名", "名前")] {
            assert!(!alike(one, other), "{one} {other}");
        }
    }

    #[test]
    fn distances_are_those_of_the_definition() {
        let cases = [("", "", 0), ("a", "", 1), ("abc", "abd", 1), ("abcd", "acbd", 1), ("kitten", "sitting", 3)];
        for (one, other, expected) in cases {
            let [one, other] = [one, other].map(|text| text.chars().collect::<Vec<_>>());
            assert_eq!(distance(&one, &other), expected);
        }
    }
}
