//! Which algorithm makes the release, as a policy names it (SPEC 8).

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::algorithms::lattice::Metric;
use crate::failure::Failure;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Algorithm {
    /// Full-domain recoding: the best node of the lattice of levels.
    Lattice { metric: Metric },
}

impl Default for Algorithm {
    fn default() -> Self {
        Algorithm::Lattice { metric: Metric::Discernibility }
    }
}

impl Metric {
    pub const ALL: [Metric; 6] = [
        Metric::Discernibility,
        Metric::Height,
        Metric::AverageClassSize,
        Metric::Loss,
        Metric::LossGeometric,
        Metric::KlDivergence,
    ];

    /// Its name in a policy file.
    pub fn name(self) -> &'static str {
        match self {
            Metric::Discernibility => "discernibility",
            Metric::Height => "height",
            Metric::AverageClassSize => "average-class-size",
            Metric::Loss => "loss",
            Metric::LossGeometric => "loss-geometric",
            Metric::KlDivergence => "kl-divergence",
        }
    }
}

/// Names of SPEC 8 that this version has no algorithm for.
const NOT_BUILT: [&str; 7] = ["k-member", "greedy-cka", "diva", "sweep", "one-d", "mondrian", "greedy-generalize"];

impl Algorithm {
    pub fn name(self) -> &'static str {
        match self {
            Algorithm::Lattice { .. } => "lattice",
        }
    }

    pub fn parse(value: &Value) -> Result<Algorithm, Failure> {
        let wrong = |key: &str, what: String| {
            Failure::policy(format!("The policy's algorithm{key} {what}."), "Correct it there.")
        };
        let Value::Object(keys) = value else { return Err(wrong("", "is not an object".into())) };
        let name = keys.get("name").and_then(Value::as_str).ok_or_else(|| wrong(".name", "is not a text".into()))?;
        let known: &[&str] = match name {
            "lattice" => &["name", "metric"],
            _ if NOT_BUILT.contains(&name) => {
                return Err(wrong(".name", format!("is {name}, which this version does not have yet")));
            }
            _ => return Err(wrong(".name", format!("must be lattice or one of {}", NOT_BUILT.join(", ")))),
        };
        if let Some(key) = keys.keys().find(|key| !known.contains(&key.as_str())) {
            return Err(wrong("", format!("has a key that {name} lacks: “{key}”")));
        }
        let metric = match keys.get("metric") {
            None => Metric::Discernibility,
            Some(metric) => {
                let named = |other: &Metric| metric.as_str() == Some(other.name());
                let names = Metric::ALL.map(Metric::name).join(", ");
                let unknown = || wrong(".metric", format!("must be one of {names}"));
                Metric::ALL.into_iter().find(named).ok_or_else(unknown)?
            }
        };
        Ok(Algorithm::Lattice { metric })
    }

    pub fn to_json(self) -> Value {
        let mut keys = Map::new();
        keys.insert("name".into(), json!(self.name()));
        match self {
            Algorithm::Lattice { metric } => keys.insert("metric".into(), json!(metric.name())),
        };
        Value::Object(keys)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_again_and_mistakes_named() {
        for metric in Metric::ALL {
            let algorithm = Algorithm::Lattice { metric };
            assert_eq!(Algorithm::parse(&algorithm.to_json()), Ok(algorithm));
        }
        let lattice = json!({"name": "lattice"});
        assert_eq!(Algorithm::parse(&lattice), Ok(Algorithm::default()));
        for (value, expected) in [
            (json!("lattice"), "algorithm is not an object"),
            (json!({}), "algorithm.name is not"),
            (json!({"name": "magic"}), "algorithm.name must be"),
            (json!({"name": "diva"}), "algorithm.name is diva, which"),
            (json!({"name": "lattice", "metric": "beauty"}), "algorithm.metric must be"),
            (json!({"name": "lattice", "k": 3}), "lattice lacks: “k”"),
        ] {
            let failure = Algorithm::parse(&value).unwrap_err();
            assert!(failure.what.contains(expected), "{}", failure.what);
        }
    }
}
