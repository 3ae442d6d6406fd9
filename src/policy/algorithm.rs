//! Which algorithm makes the release, as a policy names it (docs/spec.md §8).

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::failure::Failure;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Algorithm {
    /// Full-domain recoding: the best node of the lattice of levels.
    Lattice { metric: Metric },
    /// Local recoding: clusters of rows, each as it needs; the same in each class of the maximum allowed microdata
    /// (GreedyCKA), or by halving (Mondrian). Refined unless said otherwise.
    Local { method: Method, refine: bool },
    /// Local recoding that keeps the diversity constraints. Refined unless said otherwise.
    Diva { strategy: Strategy, refine: bool },
    /// (τ,ℓ)-diversity, for which sensitive values may be generalized, too. Refined thoroughly unless said otherwise.
    Sweep { refine: Refinement, attributes: Attributes },
}

/// What the lattice is searched for: the node where this is smallest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Metric {
    Discernibility,
    Height,
    AverageClassSize,
    Loss,
    LossGeometric,
    KlDivergence,
}

/// In which order DIVA colours constraints, and with what (§4.2).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Strategy {
    /// By chance.
    Naive,
    /// Those with the fewest candidates first.
    #[default]
    MinChoice,
    /// Those with the most neighbours that have no colour yet first.
    MaxFanOut,
}

/// An order of tuples, for groups along a line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Curve {
    #[default]
    Hilbert,
    /// By the first quasi-identifier, of equal ones by the second, and so on.
    Lexicographic,
}

/// How um is raised after the sweep.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Refinement {
    /// The paper's release.
    #[default]
    None,
    /// In about the time that the sweep takes.
    Quick,
    Thorough,
}

/// What a person says of the quasi-identifiers to the sweep.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Attributes {
    /// By column: of classes that retain equally much, those come first that keep the more important columns finer.
    /// Columns that are not named are 0; of equal ones, the first is more important.
    pub importance: BTreeMap<String, f64>,
    /// By column and value: how much keeping a value counts. Values that are not named count 1 if they occur.
    pub weights: BTreeMap<String, BTreeMap<String, f64>>,
}

/// How local recoding finds its classes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Method {
    KMember,
    GreedyCka,
    Mondrian,
    /// Groups along a line on which neighbours are alike.
    OneD(Curve),
    /// Classes of neighbours in the order of the columns, the smallest that hold ((ℓ,δ)-diversity, Algorithm 2).
    GreedyGeneralize,
}

impl Method {
    pub const ALL: [Method; 6] = [
        Method::KMember,
        Method::GreedyCka,
        Method::Mondrian,
        Method::OneD(Curve::Hilbert),
        Method::OneD(Curve::Lexicographic),
        Method::GreedyGeneralize,
    ];

    fn name(self) -> &'static str {
        match self {
            Method::KMember => "k-member",
            Method::GreedyCka => "greedy-cka",
            Method::Mondrian => "mondrian",
            Method::GreedyGeneralize => "greedy-generalize",
            Method::OneD(_) => "one-d",
        }
    }
}

impl Curve {
    pub const ALL: [Curve; 2] = [Curve::Hilbert, Curve::Lexicographic];

    /// Its name in a policy file.
    pub fn name(self) -> &'static str {
        match self {
            Curve::Hilbert => "hilbert",
            Curve::Lexicographic => "lexicographic",
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

impl Algorithm {
    /// One of each kind, as it is run unless somebody says otherwise.
    pub fn all() -> [Algorithm; 8] {
        let local = |method| Algorithm::Local { method, refine: true };
        [
            Algorithm::default(),
            local(Method::KMember),
            local(Method::GreedyCka),
            local(Method::Mondrian),
            Algorithm::Diva { strategy: Strategy::MinChoice, refine: true },
            Algorithm::Sweep { refine: Refinement::Thorough, attributes: Attributes::default() },
            local(Method::OneD(Curve::Hilbert)),
            local(Method::GreedyGeneralize),
        ]
    }

    pub fn name(&self) -> &'static str {
        match self {
            Algorithm::Lattice { .. } => "lattice",
            Algorithm::Local { method, .. } => method.name(),
            Algorithm::Diva { .. } => "diva",
            Algorithm::Sweep { .. } => "sweep",
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
            "sweep" => &["name", "refine", "importance", "weights"],
            "one-d" => &["name", "curve", "refine"],
            _ if method.is_some() => &["name", "refine"],
            _ => {
                let names = "lattice, k-member, greedy-cka, mondrian, one-d, greedy-generalize, sweep or diva";
                return Err(wrong(".name", format!("must be {names}")));
            }
        };
        if let Some(key) = keys.keys().find(|key| !known.contains(&key.as_str())) {
            return Err(wrong("", format!("has a key that {name} lacks: “{key}”")));
        }
        let told = keys.get("refine").unwrap_or(&Value::Bool(true));
        let quick = name == "sweep" && *told == json!("quick");
        let values = if name == "sweep" { "true, “quick” or false" } else { "true or false" };
        let refine =
            told.as_bool().or(quick.then_some(true)).ok_or_else(|| wrong(".refine", format!("must be {values}")))?;
        if name == "one-d" {
            let named = |other: &Curve| keys.get("curve").is_none_or(|name| name.as_str() == Some(other.name()));
            let curve = Curve::ALL.into_iter().find(named);
            let curve = curve.ok_or_else(|| wrong(".curve", "must be hilbert or lexicographic".into()))?;
            return Ok(Algorithm::Local { method: Method::OneD(curve), refine });
        }
        if let Some(method) = method {
            return Ok(Algorithm::Local { method, refine });
        }
        if name == "sweep" {
            let numbers = |key: &str, value: &Value| {
                figures(value).ok_or_else(|| wrong(key, "must have numbers of at least 0 by name".into()))
            };
            let importance = keys.get("importance").map(|value| numbers(".importance", value)).transpose()?;
            let mut weights = BTreeMap::new();
            match keys.get("weights") {
                None => {}
                Some(Value::Object(columns)) => {
                    for (column, value) in columns {
                        weights.insert(column.clone(), numbers(".weights", value)?);
                    }
                }
                Some(_) => return Err(wrong(".weights", "must have an object for each column".into())),
            }
            let attributes = Attributes { importance: importance.unwrap_or_default(), weights };
            let refine = match (refine, quick) {
                (false, _) => Refinement::None,
                (true, true) => Refinement::Quick,
                (true, false) => Refinement::Thorough,
            };
            return Ok(Algorithm::Sweep { refine, attributes });
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

    pub fn to_json(&self) -> Value {
        let mut keys = Map::new();
        let mut put = |key: &str, value: Value| keys.insert(key.to_owned(), value);
        put("name", json!(self.name()));
        match self {
            Algorithm::Lattice { metric } => {
                put("metric", json!(metric.name()));
            }
            Algorithm::Local { method: Method::OneD(curve), .. } => {
                put("curve", json!(curve.name()));
            }
            Algorithm::Local { .. } => {}
            Algorithm::Diva { strategy, .. } => {
                put("strategy", json!(strategy.name()));
            }
            Algorithm::Sweep { attributes: Attributes { importance, weights }, .. } => {
                if !importance.is_empty() {
                    put("importance", json!(importance));
                }
                if !weights.is_empty() {
                    put("weights", json!(weights));
                }
            }
        };
        match self {
            Algorithm::Local { refine: false, .. }
            | Algorithm::Diva { refine: false, .. }
            | Algorithm::Sweep { refine: Refinement::None, .. } => put("refine", json!(false)),
            Algorithm::Sweep { refine: Refinement::Quick, .. } => put("refine", json!("quick")),
            _ => None,
        };
        Value::Object(keys)
    }
}

/// Numbers of at least 0 by their names.
fn figures(value: &Value) -> Option<BTreeMap<String, f64>> {
    let mut figures = BTreeMap::new();
    for (name, value) in value.as_object()? {
        figures.insert(name.clone(), value.as_f64().filter(|figure| *figure >= 0.0)?);
    }
    Some(figures)
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
        for (told, refine) in [
            (json!({"name": "sweep"}), Refinement::Thorough),
            (json!({"name": "sweep", "refine": "quick"}), Refinement::Quick),
            (json!({"name": "sweep", "refine": false}), Refinement::None),
        ] {
            let algorithm = Algorithm::Sweep { refine, attributes: Attributes::default() };
            assert_eq!(algorithm.to_json(), told);
            assert_eq!(Algorithm::parse(&told), Ok(algorithm));
        }
        let importance = BTreeMap::from([("age".to_owned(), 2.0)]);
        let weights = BTreeMap::from([("sex".to_owned(), BTreeMap::from([("F".to_owned(), 0.5)]))]);
        let told = Algorithm::Sweep { refine: Refinement::None, attributes: Attributes { importance, weights } };
        assert_eq!(Algorithm::parse(&told.to_json()), Ok(told));
        let one_d = Algorithm::Local { method: Method::OneD(Curve::Hilbert), refine: true };
        assert_eq!(Algorithm::parse(&json!({"name": "one-d"})), Ok(one_d));
        let lattice = json!({"name": "lattice"});
        assert_eq!(Algorithm::parse(&lattice), Ok(Algorithm::default()));
        for (value, expected) in [
            (json!("lattice"), "algorithm is not an object"),
            (json!({}), "algorithm.name is not"),
            (json!({"name": "magic"}), "algorithm.name must be"),
            (json!({"name": "one-d", "curve": "round"}), "algorithm.curve must be"),
            (json!({"name": "sweep", "refine": "slow"}), "algorithm.refine must be true, “quick” or false"),
            (json!({"name": "diva", "refine": "quick"}), "algorithm.refine must be true or false"),
            (json!({"name": "sweep", "curve": "hilbert"}), "sweep lacks: “curve”"),
            (json!({"name": "sweep", "importance": {"age": -1}}), "algorithm.importance must have"),
            (json!({"name": "sweep", "weights": {"age": 1}}), "algorithm.weights must have numbers"),
            (json!({"name": "sweep", "weights": 1}), "algorithm.weights must have an object"),
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
