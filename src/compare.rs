//! Runs of one table beside each other: all algorithms on a policy, or a policy with one of its numbers changed step by
//! step, and the measures to compare them by.
//!
//! A variant changes the set-up; whoever runs it (the page's workers, the runner) does it the one way there is. Guarantee:
//! it differs from the policy in the algorithm and the swept number alone.

use serde::{Deserialize, Serialize};

use crate::failure::Failure;
use crate::policy::{Algorithm, Demand, ModelDemand, Setup};
use crate::run::RunView;

/// A number of a policy that can be changed step by step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Axis {
    K,
    L,
    Tau,
    SuppressionLimit,
}

impl Axis {
    pub const ALL: [Axis; 4] = [Axis::K, Axis::L, Axis::Tau, Axis::SuppressionLimit];

    pub fn name(self) -> &'static str {
        match self {
            Axis::K => "k",
            Axis::L => "l",
            Axis::Tau => "tau",
            Axis::SuppressionLimit => "suppression_limit",
        }
    }

    /// Its name for a person.
    pub fn title(self) -> &'static str {
        match self {
            Axis::K => "k",
            Axis::L => "ℓ",
            Axis::Tau => "τ",
            Axis::SuppressionLimit => "suppression limit",
        }
    }

    /// What is looked at unless somebody says otherwise: from, to, by.
    pub fn usual(self) -> (f64, f64, f64) {
        match self {
            Axis::K => (2.0, 50.0, 4.0),
            Axis::L => (2.0, 8.0, 1.0),
            Axis::Tau => (0.2, 0.9, 0.1),
            Axis::SuppressionLimit => (0.0, 0.1, 0.01),
        }
    }

    /// Whether a policy has the number at all.
    pub fn applies(self, demands: &[Demand]) -> bool {
        let has = |demand: &Demand| self.set(&mut demand.model.clone(), 1.0);
        self == Axis::SuppressionLimit || demands.iter().any(has)
    }

    /// Whether it counts something.
    pub fn whole(self) -> bool {
        matches!(self, Axis::K | Axis::L)
    }

    /// Whether the model has the number, which is then changed.
    fn set(self, model: &mut ModelDemand, value: f64) -> bool {
        match (self, model) {
            (Axis::K, ModelDemand::KAnonymity { k }) => *k = value as u32,
            (
                Axis::L,
                ModelDemand::DistinctL { l } | ModelDemand::RecursiveCL { l, .. } | ModelDemand::TauL { l, .. },
            ) => *l = value as u32,
            (Axis::L, ModelDemand::EntropyL { l, .. }) => *l = value,
            (Axis::Tau, ModelDemand::TauL { tau, .. }) => *tau = value,
            _ => return false,
        }
        true
    }

    /// The values from one to another, both meant; a refusal says what is wrong with them.
    pub fn values(self, from: f64, to: f64, by: f64) -> Result<Vec<f64>, Failure> {
        let refused =
            |what: &str| Err(Failure::refused(what, "Give a start, an end that is not below it, and a step."));
        if !(from.is_finite() && to.is_finite() && by.is_finite()) || by <= 0.0 || to < from {
            return refused("These are no steps.");
        }
        let (least, most) = match self {
            Axis::K | Axis::L => (1.0, f64::from(u32::MAX)),
            Axis::Tau | Axis::SuppressionLimit => (0.0, 1.0),
        };
        if from < least || to > most || (self.whole() && (from.fract() != 0.0 || by.fract() != 0.0)) {
            return refused(&format!("These are no values of {}.", self.title()));
        }
        let steps = ((to - from) / by + 1e-9).floor();
        if steps >= MOST_STEPS as f64 {
            return refused(&format!("These are more than {MOST_STEPS} steps."));
        }
        // Rounded, so that 0.1 three times is 0.3.
        Ok((0..=steps as u32).map(|step| ((from + f64::from(step) * by) * 1e9).round() / 1e9).collect())
    }
}

/// Runs of one sweep: as many as a plot shows.
pub const MOST_STEPS: usize = 200;

/// How a policy is changed: another algorithm, and another value of one of its numbers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Variant {
    pub algorithm: Algorithm,
    pub at: Option<(Axis, f64)>,
}

impl Variant {
    /// A set-up changed so.
    pub fn of(&self, setup: &Setup) -> Setup {
        let mut setup = Setup { algorithm: self.algorithm.clone(), ..setup.clone() };
        if let Some((axis, value)) = self.at {
            for demand in &mut setup.privacy {
                axis.set(&mut demand.model, value);
            }
            if axis == Axis::SuppressionLimit {
                setup.suppression_limit = Some(value);
            }
        }
        setup
    }
}

/// Each algorithm with each value of the axis, or with the policy's own.
pub fn variants(algorithms: &[Algorithm], sweep: Option<(Axis, &[f64])>) -> Vec<Variant> {
    let places: Vec<Option<(Axis, f64)>> = match sweep {
        None => vec![None],
        Some((axis, values)) => values.iter().map(|&value| Some((axis, value))).collect(),
    };
    let variant = |algorithm: &Algorithm, at| Variant { algorithm: algorithm.clone(), at };
    algorithms.iter().flat_map(|algorithm| places.iter().map(move |&at| variant(algorithm, at))).collect()
}

/// A figure of a run to compare it by.
pub struct Measure {
    /// Its name in files.
    pub name: &'static str,
    pub title: &'static str,
    pub less_is_better: bool,
    pub of: fn(&RunView) -> Option<f64>,
}

fn share(part: u64, whole: u64) -> f64 {
    part as f64 / whole.max(1) as f64
}

/// Measures of risk; the first are those that plots begin with.
pub const RISKS: [Measure; 4] = [
    Measure {
        name: "highest_risk",
        title: "highest risk",
        less_is_better: true,
        of: |view| (view.smallest > 0).then(|| 1.0 / f64::from(view.smallest)),
    },
    Measure {
        name: "average_risk",
        title: "average risk",
        less_is_better: true,
        of: |view| Some(share(view.verified.classes, view.verified.rows)),
    },
    Measure {
        name: "share_above_0.09",
        title: "rows of a risk above 0.09 (classes below 12)",
        less_is_better: true,
        of: |view| Some(share(view.risk_after.above_public, view.verified.rows)),
    },
    Measure {
        name: "smallest_class",
        title: "smallest class",
        less_is_better: false,
        of: |view| Some(view.smallest.into()),
    },
];

/// Measures of what was lost or kept.
pub const COSTS: [Measure; 13] = [
    Measure { name: "loss", title: "information loss", less_is_better: true, of: |view| Some(view.metrics.loss) },
    Measure {
        name: "suppressed",
        title: "rows left out",
        less_is_better: true,
        of: |view| Some(view.verified.suppressed as f64),
    },
    Measure {
        name: "discernibility",
        title: "discernibility",
        less_is_better: true,
        of: |view| Some(view.metrics.discernibility as f64),
    },
    Measure {
        name: "average_class_size",
        title: "average class size",
        less_is_better: true,
        of: |view| Some(view.metrics.average_class_size),
    },
    Measure { name: "classes", title: "classes", less_is_better: false, of: |view| Some(view.verified.classes as f64) },
    Measure { name: "ncp", title: "NCP", less_is_better: true, of: |view| Some(view.metrics.ncp) },
    Measure {
        name: "information_loss",
        title: "information loss IL",
        less_is_better: true,
        of: |view| Some(view.metrics.information_loss),
    },
    Measure { name: "utility", title: "utility um", less_is_better: false, of: |view| Some(view.metrics.utility) },
    Measure {
        name: "kl_divergence",
        title: "KL-divergence",
        less_is_better: true,
        of: |view| Some(view.metrics.kl_divergence),
    },
    Measure { name: "stars", title: "stars", less_is_better: true, of: |view| Some(view.metrics.stars as f64) },
    Measure {
        name: "excessive_protection",
        title: "excessive protection",
        less_is_better: true,
        of: |view| view.metrics.excessive_protection,
    },
    Measure {
        name: "decision_tree",
        title: "decision tree, of the original’s",
        less_is_better: false,
        of: |view| view.metrics.decision_trees.first().map(|tree| tree.release / tree.original.max(1e-9)),
    },
    Measure { name: "milliseconds", title: "search, ms", less_is_better: true, of: |view| Some(view.milliseconds[0]) },
];

/// All measures.
pub fn measures() -> impl Iterator<Item = &'static Measure> {
    RISKS.iter().chain(&COSTS)
}

/// A line of [`csv`]: what was run, and its figures or why there are none.
pub struct Line<'a> {
    pub name: &'a str,
    pub at: Option<(Axis, f64)>,
    pub outcome: Result<&'a RunView, &'a Failure>,
}

/// Runs as a table for a spreadsheet, one a line.
pub fn csv(lines: &[Line<'_>]) -> String {
    let quoted = |text: &str| match text.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", text.replace('"', "\"\"")),
        false => text.to_owned(),
    };
    let axis = lines.iter().find_map(|line| line.at).map(|(axis, _)| axis.name());
    let mut text = format!("run{},rows", axis.map(|axis| format!(",{axis}")).unwrap_or_default());
    for measure in measures() {
        text += &format!(",{}", measure.name);
    }
    text += ",why_not\n";
    for line in lines {
        text += &quoted(line.name);
        if axis.is_some() {
            text += &format!(",{}", line.at.map(|(_, value)| value.to_string()).unwrap_or_default());
        }
        text += &format!(",{}", line.outcome.map(|view| view.verified.rows.to_string()).unwrap_or_default());
        for measure in measures() {
            let value = line.outcome.ok().and_then(measure.of);
            text += &format!(",{}", value.map(|value| value.to_string()).unwrap_or_default());
        }
        text += &format!(",{}\n", line.outcome.err().map(|failure| quoted(&failure.what)).unwrap_or_default());
    }
    text
}
