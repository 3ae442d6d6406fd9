//! What an attacker gets out of a release (ℓ-diversity paper, §1.1 and §3): the same classes, seen from the other side.
//!
//! [`homogeneity`]: classes that give their value away. [`background`]: which values a neighbour must rule out to be sure.
//! [`belief`]: the Bayes-optimal attacker, who knows how values are distributed. All of them work on classes and
//! histograms, so that a finished release without its original can be attacked, too. [`reach`], [`target`] and
//! [`exposure`] attack a release beside its original: which classes a person may be in, what is learned of one, and of
//! how many.

pub mod background;
pub mod belief;
pub mod exposure;
pub mod homogeneity;
pub mod reach;
pub mod target;
