//! Texts that stand for a missing cell, as one line that a person can type: `NA, k.A., not known, "a, b"`.
//!
//! They are parted by commas; one with a comma or a quote in it stands in quotes, as in CSV. Guarantee: what [`shown`]
//! writes, [`typed`] reads back, but for blanks around a text, which never count. The empty text is left to its own field.

/// The texts as a line, without the empty one.
pub fn shown(tokens: &[String]) -> String {
    let plain = |token: &str| !token.contains([',', '"', '\r', '\n']);
    let token =
        |token: &str| if plain(token) { token.to_owned() } else { format!("\"{}\"", token.replace('"', "\"\"")) };
    let trimmed = tokens.iter().map(|token| token.trim_ascii()).filter(|token| !token.is_empty());
    trimmed.map(token).collect::<Vec<_>>().join(", ")
}

/// The texts of a line, each once, without the empty one. A quote that is never closed ends with the line.
pub fn typed(line: &str) -> Vec<String> {
    let mut tokens: Vec<String> = Vec::new();
    let mut rest = line.trim_ascii();
    while !rest.is_empty() {
        let mut token = String::new();
        if let Some(mut quoted) = rest.strip_prefix('"') {
            loop {
                let (text, behind) = quoted.split_once('"').unwrap_or((quoted, ""));
                token += text;
                rest = behind;
                match behind.strip_prefix('"') {
                    Some(more) => {
                        token.push('"');
                        quoted = more;
                    }
                    None => break,
                }
            }
        }
        let (text, behind) = rest.split_once(',').unwrap_or((rest, ""));
        token += text;
        rest = behind.trim_ascii_start();
        let token = token.trim_ascii();
        if !token.is_empty() && tokens.iter().all(|other| other != token) {
            tokens.push(token.to_owned());
        }
    }
    tokens
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read_as_a_person_means_them() {
        let cases = [
            ("", &[][..]),
            ("NA", &["NA"]),
            ("NA, k.A.,9999", &["NA", "k.A.", "9999"]),
            (" not known ,  keine Angabe, NA", &["not known", "keine Angabe", "NA"]),
            (",, NA,,NA,", &["NA"]),
            ("\"a, b\", c", &["a, b", "c"]),
            ("\"say \"\"no\"\"\", \"\"", &["say \"no\""]),
            ("5\" disk, x", &["5\" disk", "x"]),
            ("\"never closed, x", &["never closed, x"]),
            ("\"a\"b, c", &["ab", "c"]),
            ("ä, –, ?", &["ä", "–", "?"]),
        ];
        for (line, tokens) in cases {
            assert_eq!(typed(line), tokens, "{line}");
        }
    }

    #[test]
    fn what_is_shown_is_read_back() {
        let signs = ['a', ' ', ',', '"', '.', 'ä'];
        let words: Vec<String> = (0..1296usize)
            .map(|number| [1, 6, 36, 216].map(|place| signs[number / place % 6]).iter().collect())
            .collect();
        for pair in words.windows(2) {
            let mut tokens: Vec<String> = pair.iter().map(|token| token.trim_ascii().to_owned()).collect();
            tokens.retain(|token| !token.is_empty());
            tokens.dedup();
            let line = shown(pair);
            assert_eq!(typed(&line), tokens, "{line}");
        }
    }
}
