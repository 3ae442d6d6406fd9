//! What a policy says of findings (`crate::findings`): which of them were accepted and why, and whether the others stop a
//! release.

use serde::{Deserialize, Serialize};

use crate::failure::Failure;

/// What can be found and accepted; the names of `"accept"` in a policy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FindingKind {
    NearlyUnique,
    IdentifierPattern,
    SinglesOut,
    MissingToken,
    MissingValue,
    ShownUnchanged,
    NoModel,
}

impl FindingKind {
    /// As it stands in a policy.
    pub fn name(self) -> &'static str {
        match self {
            FindingKind::NearlyUnique => "nearly-unique",
            FindingKind::IdentifierPattern => "identifier-pattern",
            FindingKind::SinglesOut => "singles-out",
            FindingKind::MissingToken => "missing-token",
            FindingKind::MissingValue => "missing-value",
            FindingKind::ShownUnchanged => "shown-unchanged",
            FindingKind::NoModel => "no-model",
        }
    }

    /// For a heading, without figures.
    pub fn title(self) -> &'static str {
        match self {
            FindingKind::NearlyUnique => "kept though nearly unique",
            FindingKind::IdentifierPattern => "released though it looks like an identifier",
            FindingKind::SinglesOut => "kept though it singles out rows",
            FindingKind::MissingToken => "keeps what looks like a missing value",
            FindingKind::MissingValue => "missing cells count as a value",
            FindingKind::ShownUnchanged => "shown unchanged though nearly unique",
            FindingKind::NoModel => "no privacy model is demanded",
        }
    }

    /// Whether it can be about no column in particular.
    fn may_lack_column(self) -> bool {
        matches!(self, FindingKind::SinglesOut | FindingKind::NoModel)
    }

    /// Whether it can be about a column.
    fn may_have_column(self) -> bool {
        self != FindingKind::NoModel
    }
}

/// A finding that somebody accepted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Acceptance {
    pub finding: FindingKind,
    /// Left out: all kept columns together, or the policy.
    #[serde(default)]
    pub column: Option<String>,
    pub why: String,
}

/// What a policy says of findings.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Decisions {
    /// Releases may be made of a file that had to be repaired.
    pub repairs_accepted: bool,
    /// Open findings hold a release back.
    pub stop: bool,
    pub accept: Vec<Acceptance>,
}

impl Decisions {
    /// A reason is a reason, and each finding is accepted once.
    pub fn check(&self) -> Result<(), Failure> {
        let wrong = |place: usize, key: &str, what: &str| {
            let what = format!("The policy's accept[{place}]{key} {what}.");
            Err(Failure::policy(what, "Say in a sentence why the finding is no harm, once for each finding."))
        };
        for (place, acceptance) in self.accept.iter().enumerate() {
            if acceptance.why.trim().is_empty() {
                return wrong(place, ".why", "is empty");
            }
            if acceptance.column.is_none() && !acceptance.finding.may_lack_column() {
                return wrong(place, ".column", "is missing");
            }
            if acceptance.column.is_some() && !acceptance.finding.may_have_column() {
                return wrong(place, ".column", "is not for this finding");
            }
            let same = |other: &Acceptance| (other.finding, &other.column) == (acceptance.finding, &acceptance.column);
            if self.accept[..place].iter().any(same) {
                return wrong(place, "", "is there twice");
            }
        }
        Ok(())
    }
}
