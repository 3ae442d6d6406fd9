//! Models as the definitions of l-diversity say them.

use throng::classes::Histogram;
use throng::privacy::{Better, Model, Monotone, Requirement};

#[derive(Clone, Copy, Debug)]
pub enum Kind {
    Size(u32),
    Distinct(usize),
    Entropy(f64),
    Recursive(f64, usize),
    /// Not monotone in any way: at most so many rows with value 0.
    Few(u32),
}

impl Model for Kind {
    fn holds(&self, class: &Histogram<'_>) -> bool {
        let mut counts: Vec<f64> = class.counts.iter().map(|&(_, count)| f64::from(count)).collect();
        counts.sort_by(|one, other| other.total_cmp(one));
        let size = f64::from(class.size);
        match *self {
            Kind::Size(k) => class.size >= k,
            Kind::Distinct(l) => counts.len() >= l,
            Kind::Entropy(l) => {
                let entropy: f64 = counts.iter().map(|count| -count / size * libm::log(count / size)).sum();
                entropy >= libm::log(l) - 1e-9
            }
            Kind::Recursive(c, l) => l == 1 || counts.len() >= l && counts[0] < c * counts[l - 1..].iter().sum::<f64>(),
            Kind::Few(most) => class.counts.iter().all(|&(value, count)| value != 0 || count <= most),
        }
    }

    fn monotone(&self) -> Monotone {
        match self {
            Kind::Size(_) | Kind::Distinct(_) => Monotone::Growing,
            Kind::Entropy(_) | Kind::Recursive(..) => Monotone::Merging,
            Kind::Few(_) => Monotone::Never,
        }
    }

    fn achieved(&self, _: &Histogram<'_>) -> f64 {
        0.0
    }

    fn better(&self) -> Better {
        Better::Higher
    }

    fn explain(&self, _: &Histogram<'_>, _: &dyn Fn(u32) -> String) -> Option<String> {
        None
    }
}

impl Kind {
    pub fn on(self, attribute: usize, jointly: bool) -> Requirement {
        let attribute = (!matches!(self, Kind::Size(_))).then_some(attribute);
        Requirement { attribute, jointly: jointly && attribute.is_some(), model: Box::new(self) }
    }

    /// The smallest class that can meet it.
    pub fn least_rows(self) -> u32 {
        match self {
            Kind::Size(k) => k,
            Kind::Distinct(l) | Kind::Recursive(_, l) => l as u32,
            Kind::Entropy(l) => (l - 1e-6).ceil() as u32,
            Kind::Few(_) => 1,
        }
    }
}
