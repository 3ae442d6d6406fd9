//! Shapes of values: what a text looks like, whatever its column is called.

use std::net::IpAddr;

/// Longer texts are none of the short shapes.
const LONGEST: usize = 320;
/// Words of a text that are looked at.
const MOST_WORDS: usize = 200;

pub fn has_digit(text: &str) -> bool {
    text.bytes().any(|byte| byte.is_ascii_digit())
}

/// Words of a text, up to as many as make it certainly long.
pub fn words(text: &str) -> usize {
    text.split_whitespace().take(MOST_WORDS).count()
}

/// Whether an e-mail address is in the text.
pub fn has_email(text: &str) -> bool {
    text.split(|sign: char| sign.is_whitespace() || matches!(sign, '<' | '>' | '(' | ')' | ',' | ';'))
        .take(MOST_WORDS)
        .any(is_email)
}

fn is_email(text: &str) -> bool {
    let Some((local, domain)) = text.split_once('@') else { return false };
    let Some((host, top)) = domain.trim_end_matches('.').rsplit_once('.') else { return false };
    let name = |part: &str| !part.is_empty() && part.chars().all(|sign| sign.is_alphanumeric() || "-._".contains(sign));
    text.len() <= LONGEST && !local.is_empty() && name(host) && top.len() >= 2 && top.chars().all(char::is_alphabetic)
}

pub fn is_url(text: &str) -> bool {
    let starts = |start: &str| text.get(..start.len()).is_some_and(|head| head.eq_ignore_ascii_case(start));
    ["http://", "https://", "ftp://", "www."].into_iter().any(|start| starts(start) && text.len() > start.len())
}

pub fn is_ip_address(text: &str) -> bool {
    text.len() < 50 && text.parse::<IpAddr>().is_ok()
}

pub fn is_social_security_number(text: &str) -> bool {
    mask(text).is_some_and(|mask| mask == "999-99-9999")
}

/// Digits in groups, and enough of them: `+49 30 1234567`, `(030) 123456`, `555-123-4567`. Two groups without a leading
/// zero, plus or parenthesis are more likely a range.
pub fn is_phone(text: &str) -> bool {
    let digits = text.bytes().filter(u8::is_ascii_digit).count();
    let signs = text.bytes().all(|byte| byte.is_ascii_digit() || b"+-()/. ".contains(&byte));
    let groups = text.split(|sign: char| !sign.is_ascii_digit()).filter(|group| !group.is_empty()).count();
    let marked = text.starts_with(['+', '(']) || (text.starts_with('0') && groups > 1);
    text.len() <= 25 && signs && (marked && (7..=15).contains(&digits) || groups > 2 && (9..=15).contains(&digits))
}

/// `E11`, `E11.9`, `S72.001A`: the codes of ICD-10 and its clinical modifications.
pub fn is_icd_code(text: &str) -> bool {
    let (category, rest) = text.split_once('.').unwrap_or((text, "0"));
    let category = matches!(category.as_bytes(), [letter, digit, last]
        if letter.is_ascii_alphabetic() && digit.is_ascii_digit() && last.is_ascii_alphanumeric());
    let rest = rest.trim_end_matches(['*', '+', '!']);
    category && (1..=4).contains(&rest.len()) && rest.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

/// British, Canadian, Dutch and long American postcodes, and codes of four or five digits; these last only where some
/// begin with zero, since otherwise their column is one of whole numbers.
pub fn is_postcode(text: &str) -> bool {
    const MASKS: [&str; 11] = [
        "A9 9AA",
        "A99 9AA",
        "AA9 9AA",
        "AA99 9AA",
        "A9A 9AA",
        "AA9A 9AA",
        "A9A 9A9",
        "9999 AA",
        "99999-9999",
        "99999",
        "9999",
    ];
    mask(text).is_some_and(|mask| MASKS.contains(&mask.as_str()))
}

/// The text with every letter as `A` and every digit as `9`.
fn mask(text: &str) -> Option<String> {
    let sign = |sign: char| match sign {
        'A'..='Z' | 'a'..='z' => 'A',
        '0'..='9' => '9',
        other => other,
    };
    (text.len() <= 16).then(|| text.chars().map(sign).collect())
}

/// Whether the values are a yes and no, in words or figures.
pub fn are_flags(values: &[&str]) -> bool {
    const FLAGS: [&str; 21] = [
        "yes", "no", "y", "n", "true", "false", "t", "f", "0", "1", "ja", "nein", "j", "oui", "non", "o", "si", "sí",
        "none", "unknown", "x",
    ];
    (1..=4).contains(&values.len()) && values.iter().all(|value| FLAGS.contains(&value.to_lowercase().as_str()))
}

/// Whether the values are words or letters for the sexes: a pair, and besides it only words for neither.
pub fn are_sexes(values: &[&str]) -> bool {
    const PAIRS: [[&str; 2]; 13] = [
        ["m", "f"],
        ["m", "w"],
        ["h", "f"],
        ["male", "female"],
        ["man", "woman"],
        ["men", "women"],
        ["mann", "frau"],
        ["männlich", "weiblich"],
        ["homme", "femme"],
        ["masculin", "féminin"],
        ["hombre", "mujer"],
        ["masculino", "femenino"],
        ["varón", "mujer"],
    ];
    const NEITHER: [&str; 14] = [
        "d",
        "x",
        "u",
        "o",
        "divers",
        "diverse",
        "other",
        "unknown",
        "unk",
        "unbekannt",
        "inconnu",
        "desconocido",
        "non-binary",
        "nonbinary",
    ];
    if !(2..=6).contains(&values.len()) {
        return false;
    }
    let values: Vec<String> = values.iter().map(|value| value.to_lowercase()).collect();
    PAIRS.iter().any(|pair| {
        pair.iter().all(|sex| values.iter().any(|value| value == sex))
            && values.iter().all(|value| pair.contains(&value.as_str()) || NEITHER.contains(&value.as_str()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(is: impl Fn(&str) -> bool, yes: &[&str], no: &[&str]) {
        for text in yes {
            assert!(is(text), "{text}");
        }
        for text in no {
            assert!(!is(text), "{text}");
        }
    }

    #[test]
    fn addresses_of_the_net() {
        check(
            has_email,
            &["a@b.de", "jo.doe+x@mail.example.com", "Jo Doe <jo@x.org>", "write to jo@x.org.", "ü@ü.de"],
            &["", "@", "a@b", "@b.de", "a@.de", "a@b.1", "a b.de", "5 @ 3.50"],
        );
        check(is_url, &["http://a.b", "HTTPS://x", "www.x.org"], &["", "www.", "http", "wwwx", "ä", "see http://a.b"]);
        check(
            is_ip_address,
            &["1.2.3.4", "255.0.0.1", "::1", "2001:db8::ff00:42:8329"],
            &["1.2.3", "256.1.1.1", "12:30", ""],
        );
    }

    #[test]
    fn telephone_and_social_security_numbers() {
        check(
            is_phone,
            &["+49 30 1234567", "+4917012345", "(030) 123456", "555-123-4567", "030/1234567", "01 23 45 67 89"],
            &[
                "",
                "5551234567",
                "1000-2000",
                "2019-2020",
                "2024-03-01",
                "0123456789",
                "12.5",
                "1-2-3",
                "+1",
                "13/01/2024",
            ],
        );
        check(is_social_security_number, &["123-45-6789"], &["123456789", "12-345-6789", "abc-de-fghi", ""]);
    }

    #[test]
    fn codes() {
        check(
            is_icd_code,
            &["E11.9", "e11", "S72.001A", "C4A.0", "Z38.00", "A09.9!"],
            &["", "E1", "11.9", "E11.", "E119.5", "E11.12345", "Flu", "ABC"],
        );
        check(
            is_postcode,
            &["01067", "SW1A 1AA", "m1 1ae", "K1A 0B1", "1234 AB", "12345-6789", "8001"],
            &["", "123", "123456", "Berlin", "A1"],
        );
    }

    #[test]
    fn small_sets() {
        let sexes: [&[&str]; 6] = [
            &["M", "F"],
            &["female", "Male"],
            &["w", "m", "d"],
            &["Homme", "Femme"],
            &["Mann", "Frau"],
            &["f", "m", "U"],
        ];
        for values in sexes {
            assert!(are_sexes(values), "{values:?}");
        }
        let others: [&[&str]; 5] = [&["M"], &["m", "d"], &["S", "M", "L"], &["h", "m", "l"], &["m", "f", "g"]];
        for values in others {
            assert!(!are_sexes(values), "{values:?}");
        }
        assert!(are_flags(&["Yes", "no"]) && are_flags(&["0", "1"]) && are_flags(&["yes", "none"]));
        assert!(!are_flags(&[]) && !are_flags(&["yes", "maybe"]) && !are_flags(&["0", "1", "2"]));
    }
}
