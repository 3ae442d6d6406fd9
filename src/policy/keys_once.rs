//! JSON in which no object has a key twice: of two words on one thing, neither should be passed over in silence.
//!
//! Most readers of JSON let the last of equal keys win. This looks through a whole text before it is read, at any depth,
//! and names the way to the second key. Below `weights` keys are values of the data: none is named there, at any
//! depth, but the columns right below `algorithm.weights`.
//! Complexity: O(bytes · log of the keys of one object); depth is bounded by `serde_json`.

use std::collections::BTreeSet;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};

/// How the error of a second key begins.
pub const TWICE: &str = "a key stands twice: ";
/// Objects with keys that are values of a column.
const OF_VALUES: &str = "weights";
/// The one of them whose own keys are columns, with values below.
const OF_COLUMNS: &str = "algorithm.weights";

/// Fails at the second of two equal keys, or where the text is no JSON.
pub fn check(text: &str) -> Result<(), serde_json::Error> {
    let mut source = serde_json::Deserializer::from_str(text);
    let mut way = String::new();
    Unique { way: &mut way, keys: Keys::Named }.deserialize(&mut source)?;
    source.end()
}

/// Some value, and the way to it: `privacy[1].weights`.
struct Unique<'a> {
    way: &'a mut String,
    keys: Keys,
}

/// What the keys of an object are.
#[derive(Clone, Copy)]
enum Keys {
    Named,
    /// Columns, each with an object of values.
    Columns,
    /// Values of the data, or something below one.
    Values,
}

impl<'de> DeserializeSeed<'de> for Unique<'_> {
    type Value = ();
    fn deserialize<D: Deserializer<'de>>(self, source: D) -> Result<(), D::Error> {
        source.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Unique<'_> {
    type Value = ();

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "JSON")
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        Ok(())
    }

    fn visit_str<E>(self, _: &str) -> Result<(), E> {
        Ok(())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        let length = self.way.len();
        for place in 0usize.. {
            self.way.push_str(&format!("[{place}]"));
            let keys = if matches!(self.keys, Keys::Named) { Keys::Named } else { Keys::Values };
            let item = items.next_element_seed(Unique { way: self.way, keys })?;
            self.way.truncate(length);
            if item.is_none() {
                break;
            }
        }
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<(), A::Error> {
        let length = self.way.len();
        let mut keys = BTreeSet::new();
        while let Some(key) = entries.next_key::<String>()? {
            let named = if matches!(self.keys, Keys::Values) { "…" } else { &key };
            if length > 0 {
                self.way.push('.');
            }
            self.way.push_str(named);
            if keys.contains(&key) {
                return Err(A::Error::custom(format!("{TWICE}“{}”", self.way)));
            }
            let below = match self.keys {
                Keys::Named if key == OF_VALUES && self.way == OF_COLUMNS => Keys::Columns,
                Keys::Named if key != OF_VALUES => Keys::Named,
                Keys::Named | Keys::Columns | Keys::Values => Keys::Values,
            };
            entries.next_value_seed(Unique { way: self.way, keys: below })?;
            self.way.truncate(length);
            keys.insert(key);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_key_is_told_with_its_way_and_line() {
        let cases = [
            ("{\"a\": 1,\n\"a\": 2}", "“a” at line 2"),
            ("{\"a\": {\"b\": [0, {\"c\": 1, \"c\": 1}]}}", "“a.b[1].c” at line 1"),
            ("[[{}, {\"x\": null, \"y\": {}, \"x\": {}}]]", "“[0][1].x”"),
            ("{\"weights\": {\"HIV\": 1, \"HIV\": 2}}", "“weights.…”"),
        ];
        for (text, told) in cases {
            let error = check(text).unwrap_err().to_string();
            assert!(error.starts_with(TWICE) && error.contains(told) && !error.contains("HIV"), "{error}");
        }
    }

    #[test]
    fn a_value_that_is_a_key_is_never_named_and_its_column_is() {
        let cases = [
            (r#"{"algorithm": {"weights": {"sex": {"HIV": 1, "HIV": 2}}}}"#, "“algorithm.weights.sex.…”"),
            (r#"{"algorithm": {"weights": {"sex": {}, "sex": {"HIV": 2}}}}"#, "“algorithm.weights.sex”"),
            (r#"{"algorithm": {"weights": {"sex": {"HIV": {"HIV": 1, "HIV": 2}}}}}"#, "“algorithm.weights.sex.….…”"),
            (r#"{"algorithm": {"weights": [{"HIV": 1, "HIV": 2}]}}"#, "“algorithm.weights[0]"),
            (r#"{"privacy": [{"weights": {"HIV": {"HIV": 1, "HIV": 2}}}]}"#, "“privacy[0].weights.….…”"),
            (r#"{"privacy": [{"weights": {"HIV": 1, "HIV": 2}}]}"#, "“privacy[0].weights.…”"),
            (r#"{"weights": [[{"HIV": [{"HIV": 1, "HIV": 2}]}]]}"#, "“weights[0][0]"),
        ];
        for (text, told) in cases {
            let error = check(text).unwrap_err().to_string();
            assert!(error.starts_with(TWICE) && error.contains(told) && !error.contains("HIV"), "{error}");
        }
    }

    #[test]
    fn other_json_passes_and_what_is_none_fails() {
        for text in ["{}", "[]", "1", "-1.5e3", "\"a\"", "null", "{\"a\": {\"a\": {\"a\": [true]}}, \"b\": {\"a\": 1}}"]
        {
            assert!(check(text).is_ok(), "{text}");
        }
        for text in ["", "{", "{} {}", "{\"a\"}", "[1,]"] {
            assert!(check(text).is_err(), "{text}");
        }
        // As deep as anybody likes: an error, not an overflow.
        assert!(check(&"[".repeat(1_000_000)).is_err());
    }
}
