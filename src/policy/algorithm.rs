//! Which algorithm makes the release, as a policy names it (SPEC 8).

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::algorithms::diva::Strategy;
use crate::algorithms::lattice::Metric;
use crate::failure::Failure;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Algorithm {
    /// Full-domain recoding: the best node of the lattice of levels.
    Lattice { metric: Metric },
    /// Local recoding: clusters of rows, each as it needs; the same in each class of the maximum allowed microdata
    /// (GreedyCKA), or by halving (Mondrian). Refined unless said otherwise.
    Local { method: Method, refine: bool },
    /// Local recoding that keeps the diversity constraints. Refined unless said otherwise.
    Diva { strategy: Strategy, refine: bool },
}

/// How local recoding finds its classes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Method {
    KMember,
    GreedyCka,
    Mondrian,
    /// Classes of neighbours in the order of the columns, the smallest that hold ((ℓ,δ)-diversity, Algorithm 2).
    GreedyGeneralize,
}

impl Method {
    pub const ALL: [Method; 4] = [Method::KMember, Method::GreedyCka, Method::Mondrian, Method::GreedyGeneralize];

    fn name(self) -> &'static str {
        match self {
            Method::KMember => "k-member",
            Method::GreedyCka => "greedy-cka",
            Method::Mondrian => "mondrian",
            Method::GreedyGeneralize => "greedy-generalize",
        }
    }
}

impl Strategy {
    pub const ALL: [Strategy; 3] = [Strategy::Naive, Strategy::MinChoice, Strategy::MaxFanOut];

    /// Its name in a policy file.
    pub fn name(self) -> &'static str {
        match self {
            Strategy::Naive => "naive",
            Strategy::MinChoice => "min-choice",
            Strategy::MaxFanOut => "max-fan-out",
        }
    }
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
const NOT_BUILT: [&str; 2] = ["sweep", "one-d"];

impl Algorithm {
    pub fn name(self) -> &'static str {
        match self {
            Algorithm::Lattice { .. } => "lattice",
            Algorithm::Local { method, .. } => method.name(),
            Algorithm::Diva { .. } => "diva",
        }
    }

    pub fn parse(value: &Value) -> Result<Algorithm, Failure> {
        let wrong = |key: &str, what: String| {
            Failure::policy(format!("The policy's algorithm{key} {what}."), "Correct it there.")
        };
        let Value::Object(keys) = value else { return Err(wrong("", "is not an object".into())) };
        let name = keys.get("name").and_then(Value::as_str).ok_or_else(|| wrong(".name", "is not a text".into()))?;
        let method = Method::ALL.into_iter().find(|method| method.name() == name);
        let known: &[&str] = match name {
            "lattice" => &["name", "metric"],
            "diva" => &["name", "strategy", "refine"],
            _ if method.is_some() => &["name", "refine"],
            _ if NOT_BUILT.contains(&name) => {
                return Err(wrong(".name", format!("is {name}, which this version does not have yet")));
            }
            _ => {
                return Err(wrong(
                    ".name",
                    "must be lattice, k-member, greedy-cka, mondrian, greedy-generalize or diva".into(),
                ));
            }
        };
        if let Some(key) = keys.keys().find(|key| !known.contains(&key.as_str())) {
            return Err(wrong("", format!("has a key that {name} lacks: “{key}”")));
        }
        let refine = keys.get("refine").map_or(Some(true), Value::as_bool);
        let refine = refine.ok_or_else(|| wrong(".refine", "must be true or false".into()))?;
        if let Some(method) = method {
            return Ok(Algorithm::Local { method, refine });
        }
        if name == "diva" {
            let named = |other: &Strategy| keys.get("strategy").is_none_or(|name| name.as_str() == Some(other.name()));
            let strategy = [Strategy::default()].into_iter().chain(Strategy::ALL).find(named);
            let names = Strategy::ALL.map(Strategy::name).join(", ");
            let strategy = strategy.ok_or_else(|| wrong(".strategy", format!("must be one of {names}")))?;
            return Ok(Algorithm::Diva { strategy, refine });
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
            Algorithm::Local { refine: false, .. } => keys.insert("refine".into(), json!(false)),
            Algorithm::Local { .. } => None,
            Algorithm::Diva { strategy, refine } => {
                if !refine {
                    keys.insert("refine".into(), json!(false));
                }
                keys.insert("strategy".into(), json!(strategy.name()))
            }
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
        for method in Method::ALL {
            for refine in [true, false] {
                let algorithm = Algorithm::Local { method, refine };
                assert_eq!(Algorithm::parse(&algorithm.to_json()), Ok(algorithm));
            }
        }
        for strategy in Strategy::ALL {
            for refine in [true, false] {
                let algorithm = Algorithm::Diva { strategy, refine };
                assert_eq!(Algorithm::parse(&algorithm.to_json()), Ok(algorithm));
            }
        }
        let lattice = json!({"name": "lattice"});
        assert_eq!(Algorithm::parse(&lattice), Ok(Algorithm::default()));
        for (value, expected) in [
            (json!("lattice"), "algorithm is not an object"),
            (json!({}), "algorithm.name is not"),
            (json!({"name": "magic"}), "algorithm.name must be"),
            (json!({"name": "sweep"}), "algorithm.name is sweep, which"),
            (json!({"name": "diva", "strategy": "bold"}), "algorithm.strategy must be"),
            (json!({"name": "lattice", "metric": "beauty"}), "algorithm.metric must be"),
            (json!({"name": "lattice", "k": 3}), "lattice lacks: “k”"),
            (json!({"name": "mondrian", "metric": "loss"}), "mondrian lacks: “metric”"),
            (json!({"name": "mondrian", "refine": 1}), "algorithm.refine must be"),
        ] {
            let failure = Algorithm::parse(&value).unwrap_err();
            assert!(failure.what.contains(expected), "{}", failure.what);
        }
    }
}
