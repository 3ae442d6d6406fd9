//! The models of a policy as a person states them, in the terms of docs/spec.md §8: names and values are text, nothing has been
//! compared with a table yet.
//!
//! In JSON a demand is one flat object (`{"model": "entropy-l-diversity", "attribute": "diagnosis", "l": 2.5}`).
//! It is read key by key so that a mistake is told with the place of the key: `privacy[1].l`.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::failure::Failure;
use crate::sorting::filled;

/// One model, and what it is asked of.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Demand {
    pub model: ModelDemand,
    /// The sensitive column; `None` means every sensitive column.
    pub attribute: Option<String>,
    /// Definition 4.6 of the ℓ-diversity paper: the other sensitive columns join the quasi-identifiers.
    pub jointly: bool,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum ModelDemand {
    KAnonymity { k: u32 },
    DistinctL { l: u32 },
    EntropyL { l: f64, dont_care: Vec<String> },
    RecursiveCL { c: f64, l: u32, dont_care: Vec<String>, no_negative: Vec<String>, c2: Option<f64> },
    TauL { tau: f64, l: u32, weights: BTreeMap<String, f64> },
    TCloseness { t: f64, distance: Distance },
    PSensitive { p: u32 },
    AlphaK { alpha: f64, values: Vec<String> },
}

/// How far apart two values of a sensitive column are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Distance {
    /// Any two are equally far apart.
    #[default]
    Equal,
    /// By their ranks.
    Ordered,
    /// By the height of their lowest common group.
    Hierarchical,
}

impl Distance {
    pub const ALL: [Distance; 3] = [Distance::Equal, Distance::Ordered, Distance::Hierarchical];

    pub fn name(self) -> &'static str {
        match self {
            Distance::Equal => "equal",
            Distance::Ordered => "ordered",
            Distance::Hierarchical => "hierarchical",
        }
    }
}

impl ModelDemand {
    /// The values that it names.
    pub(super) fn names_mut(&mut self) -> impl Iterator<Item = &mut String> {
        let (some, others) = match self {
            ModelDemand::EntropyL { dont_care, .. } => (Some(dont_care), None),
            ModelDemand::RecursiveCL { dont_care, no_negative, .. } => (Some(dont_care), Some(no_negative)),
            ModelDemand::AlphaK { values, .. } => (Some(values), None),
            _ => (None, None),
        };
        some.into_iter().chain(others).flatten()
    }

    /// The model's name in a policy file.
    pub fn name(&self) -> &'static str {
        match self {
            ModelDemand::KAnonymity { .. } => "k-anonymity",
            ModelDemand::DistinctL { .. } => "distinct-l-diversity",
            ModelDemand::EntropyL { .. } => "entropy-l-diversity",
            ModelDemand::RecursiveCL { .. } => "recursive-cl-diversity",
            ModelDemand::TauL { .. } => "tau-l-diversity",
            ModelDemand::TCloseness { .. } => "t-closeness",
            ModelDemand::PSensitive { .. } => "p-sensitive",
            ModelDemand::AlphaK { .. } => "alpha-k",
        }
    }

    /// The bound that what a class achieves is held against: the parameter the model is named for.
    pub fn bound(&self) -> f64 {
        match self {
            ModelDemand::KAnonymity { k } => f64::from(*k),
            ModelDemand::DistinctL { l } => f64::from(*l),
            ModelDemand::EntropyL { l, .. } => *l,
            ModelDemand::RecursiveCL { c, .. } => *c,
            ModelDemand::TauL { tau, .. } => *tau,
            ModelDemand::TCloseness { t, .. } => *t,
            ModelDemand::PSensitive { p } => f64::from(*p),
            ModelDemand::AlphaK { alpha, .. } => *alpha,
        }
    }
}

impl Demand {
    pub fn of_rows(k: u32) -> Demand {
        Demand { model: ModelDemand::KAnonymity { k }, attribute: None, jointly: false }
    }

    /// The largest k that k-anonymity is demanded with.
    pub fn largest_k<'a>(demands: impl IntoIterator<Item = &'a Demand>) -> Option<u32> {
        let k = |demand: &Demand| match demand.model {
            ModelDemand::KAnonymity { k } => Some(k),
            _ => None,
        };
        demands.into_iter().filter_map(k).max()
    }

    /// Reads the demand at `place` of the policy's list.
    pub fn parse(value: &Value, place: usize) -> Result<Demand, Failure> {
        let mut keys = Keys::new(value, place)?;
        let Some(name) = keys.text("model")? else { return Err(keys.wrong("model", "is missing")) };
        let about_rows = name == "k-anonymity";
        let model = match name.as_str() {
            "k-anonymity" => ModelDemand::KAnonymity { k: keys.needed_whole("k")? },
            "distinct-l-diversity" => ModelDemand::DistinctL { l: keys.needed_whole("l")? },
            "entropy-l-diversity" => {
                ModelDemand::EntropyL { l: keys.needed_number("l")?, dont_care: keys.texts("dont_care")? }
            }
            "recursive-cl-diversity" => ModelDemand::RecursiveCL {
                c: keys.needed_number("c")?,
                l: keys.needed_whole("l")?,
                dont_care: keys.texts("dont_care")?,
                no_negative: keys.texts("no_negative")?,
                c2: keys.number("c2")?,
            },
            "tau-l-diversity" => ModelDemand::TauL {
                tau: keys.needed_number("tau")?,
                l: keys.needed_whole("l")?,
                weights: keys.weights("weights")?,
            },
            "t-closeness" => ModelDemand::TCloseness { t: keys.needed_number("t")?, distance: keys.distance()? },
            "p-sensitive" => ModelDemand::PSensitive { p: keys.needed_whole("p")? },
            "alpha-k" => ModelDemand::AlphaK { alpha: keys.needed_number("alpha")?, values: keys.texts("values")? },
            _ => {
                return Err(keys.wrong(
                    "model",
                    "must be one of k-anonymity, distinct-l-diversity, entropy-l-diversity, recursive-cl-diversity, \
                     tau-l-diversity, t-closeness, p-sensitive and alpha-k",
                ));
            }
        };
        let attribute = if about_rows { None } else { keys.text("attribute")? };
        let jointly = if about_rows { false } else { keys.flag("jointly")? };
        keys.finish()?;
        Ok(Demand { model, attribute, jointly })
    }

    pub fn to_json(&self) -> Value {
        let mut entry = Map::new();
        let mut put = |key: &str, value: Value| {
            let empty = match &value {
                Value::Null => true,
                Value::Array(values) => values.is_empty(),
                Value::Object(values) => values.is_empty(),
                Value::Bool(flag) => !flag,
                _ => false,
            };
            if !empty {
                entry.insert(key.to_owned(), value);
            }
        };
        put("model", json!(self.model.name()));
        put("attribute", json!(self.attribute));
        match &self.model {
            ModelDemand::KAnonymity { k } => put("k", json!(k)),
            ModelDemand::DistinctL { l } => put("l", json!(l)),
            ModelDemand::EntropyL { l, dont_care } => {
                put("l", json!(l));
                put("dont_care", json!(dont_care));
            }
            ModelDemand::RecursiveCL { c, l, dont_care, no_negative, c2 } => {
                put("c", json!(c));
                put("l", json!(l));
                put("dont_care", json!(dont_care));
                put("no_negative", json!(no_negative));
                put("c2", json!(c2));
            }
            ModelDemand::TauL { tau, l, weights } => {
                put("tau", json!(tau));
                put("l", json!(l));
                put("weights", json!(weights));
            }
            ModelDemand::TCloseness { t, distance } => {
                put("t", json!(t));
                put("distance", json!(distance.name()));
            }
            ModelDemand::PSensitive { p } => put("p", json!(p)),
            ModelDemand::AlphaK { alpha, values } => {
                put("alpha", json!(alpha));
                put("values", json!(values));
            }
        }
        put("jointly", json!(self.jointly));
        Value::Object(entry)
    }
}

/// The keys of one demand, taken one after the other; what is left over at the end is unknown.
struct Keys<'a> {
    place: usize,
    left: BTreeMap<&'a str, &'a Value>,
}

impl<'a> Keys<'a> {
    fn new(value: &'a Value, place: usize) -> Result<Self, Failure> {
        match value {
            Value::Object(entry) => {
                Ok(Keys { place, left: filled(entry.iter().map(|(key, value)| (key.as_str(), value))) })
            }
            _ => {
                let what = format!("The policy's privacy[{place}] is not an object.");
                Err(Failure::policy(what, "Write it as {\"model\": …, …}."))
            }
        }
    }

    fn wrong(&self, key: &str, what: &str) -> Failure {
        Failure::policy(format!("The policy's privacy[{}].{key} {what}.", self.place), "Correct it there.")
    }

    fn take<T>(
        &mut self,
        key: &'static str,
        kind: &str,
        read: impl FnOnce(&Value) -> Option<T>,
    ) -> Result<Option<T>, Failure> {
        match self.left.remove(key) {
            None => Ok(None),
            Some(value) => read(value).map(Some).ok_or_else(|| self.wrong(key, &format!("must be {kind}"))),
        }
    }

    fn text(&mut self, key: &'static str) -> Result<Option<String>, Failure> {
        self.take(key, "a text", |value| value.as_str().map(str::to_owned))
    }

    fn flag(&mut self, key: &'static str) -> Result<bool, Failure> {
        Ok(self.take(key, "true or false", Value::as_bool)?.unwrap_or(false))
    }

    fn number(&mut self, key: &'static str) -> Result<Option<f64>, Failure> {
        self.take(key, "a number", Value::as_f64)
    }

    fn needed_number(&mut self, key: &'static str) -> Result<f64, Failure> {
        self.number(key)?.ok_or_else(|| self.wrong(key, "is missing"))
    }

    fn needed_whole(&mut self, key: &'static str) -> Result<u32, Failure> {
        // 3.0 is as whole as 3.
        let whole = |value: &Value| {
            let number = value.as_f64()?;
            let whole = number as u32;
            (f64::from(whole) == number).then_some(whole)
        };
        let number = self.take(key, "a whole number of at least 0", whole)?;
        number.ok_or_else(|| self.wrong(key, "is missing"))
    }

    fn texts(&mut self, key: &'static str) -> Result<Vec<String>, Failure> {
        let texts = |value: &Value| {
            let texts = value.as_array()?.iter().map(|text| text.as_str().map(str::to_owned));
            texts.collect()
        };
        Ok(self.take(key, "a list of texts", texts)?.unwrap_or_default())
    }

    fn weights(&mut self, key: &'static str) -> Result<BTreeMap<String, f64>, Failure> {
        let weights = |value: &Value| {
            let mut weights = BTreeMap::new();
            for (value, weight) in value.as_object()? {
                weights.insert(value.clone(), weight.as_f64()?);
            }
            Some(weights)
        };
        Ok(self.take(key, "an object of values and their weights", weights)?.unwrap_or_default())
    }

    fn distance(&mut self) -> Result<Distance, Failure> {
        let named = |value: &Value| {
            let name = value.as_str()?;
            Distance::ALL.into_iter().find(|distance| distance.name() == name)
        };
        Ok(self.take("distance", "equal, ordered or hierarchical", named)?.unwrap_or_default())
    }

    fn finish(self) -> Result<(), Failure> {
        match self.left.keys().next() {
            None => Ok(()),
            Some(key) => {
                let what = format!("The policy's privacy[{}] has a key that its model lacks: “{key}”.", self.place);
                Err(Failure::policy(what, "Correct or remove it."))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Demand, String> {
        Demand::parse(&serde_json::from_str(text).unwrap(), 1).map_err(|failure| failure.what)
    }

    #[test]
    fn what_is_written_is_read_again() {
        let demands = [
            r#"{"model":"k-anonymity","k":5}"#,
            r#"{"model":"distinct-l-diversity","attribute":"a","l":3,"jointly":true}"#,
            r#"{"model":"entropy-l-diversity","attribute":"a","l":2.5,"dont_care":["x"]}"#,
            r#"{"model":"recursive-cl-diversity","c":0.5,"l":3,"dont_care":["x"],"no_negative":["y"],"c2":2.0}"#,
            r#"{"model":"tau-l-diversity","tau":0.5,"l":3,"weights":{"x":0.25}}"#,
            r#"{"model":"t-closeness","t":0.2,"distance":"ordered"}"#,
            r#"{"model":"p-sensitive","p":2}"#,
            r#"{"model":"alpha-k","alpha":0.5,"values":["x"]}"#,
        ];
        for text in demands {
            let value: Value = serde_json::from_str(text).unwrap();
            assert_eq!(Demand::parse(&value, 0).unwrap().to_json(), value);
        }
    }

    #[test]
    fn mistakes_name_their_key() {
        for (text, key) in [
            ("[]", "privacy[1] is not"),
            ("{}", "privacy[1].model is missing"),
            (r#"{"model":"k-anonymity"}"#, "privacy[1].k is missing"),
            (r#"{"model":"k-anonymity","k":2.5}"#, "privacy[1].k must be a whole"),
            (r#"{"model":"k-anonymity","k":-1}"#, "privacy[1].k must be a whole"),
            (r#"{"model":"k-anonymity","k":1e99}"#, "privacy[1].k must be a whole"),
            (r#"{"model":"k-anonymity","k":2,"attribute":"a"}"#, "“attribute”"),
            (r#"{"model":"k-anonymity","k":2,"l":1}"#, "“l”"),
            (r#"{"model":"l-diversity","l":2}"#, "privacy[1].model must be one of"),
            (r#"{"model":"entropy-l-diversity","l":"2"}"#, "privacy[1].l must be a number"),
            (r#"{"model":"entropy-l-diversity","l":2,"dont_care":"x"}"#, "privacy[1].dont_care must be a list"),
            (r#"{"model":"tau-l-diversity","tau":1,"l":2,"weights":{"x":"y"}}"#, "privacy[1].weights must be"),
            (r#"{"model":"t-closeness","t":1,"distance":"far"}"#, "privacy[1].distance must be equal"),
            (r#"{"model":"p-sensitive","p":2,"jointly":1}"#, "privacy[1].jointly must be true"),
        ] {
            let what = parse(text).unwrap_err();
            assert!(what.contains(key), "{text}: {what}");
        }
    }
}
