//! What a table achieves under every model, as it is: the audit of one that came anonymized, or of one that did not.
//!
//! Rows are grouped once and every sensitive column gets its histograms once; all figures are read off them. Where cells are
//! groups or unknown, they are those of the worst filling (docs/models.md).
//! Complexity: O(rows · columns + values of the classes · log).

mod beliefs;
mod change;
mod class_card;
mod class_map;
mod classes;
mod person;
mod room;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::attack::background::{self, Fallen};
use crate::attack::homogeneity;
use crate::classes::Histograms;
use crate::failure::Failure;
use crate::findings::Finding;
use crate::grouped::{Grouped, SizeBand, bands};
use crate::policy::{Demand, Distance, Mistake, Setup, with_sensitive};
use crate::privacy::{Better, Reference, SmallestC, check, distinct, entropy_diversity, largest_share};
use crate::progress::{Progress, Report};
use crate::sorting::{Sorting, filled};
use crate::table::{Table, ValueCount, most_frequent, shortened};

pub use beliefs::{BeliefAudit, BreachView};
pub use change::{Bar, ColumnChange, Side};
pub use class_card::{ClassCard, ClassStanding};
pub use class_map::{ClassMap, MapClass};
pub use classes::{ClassOrder, ClassRow, ClassesPage, Listing};
pub use person::{PersonValue, PersonView};
pub use room::{NEAR, Rooms, is_near};

/// Values of a sensitive column that are named with their counts.
const MOST_VALUES: usize = 16;

/// All that is told of a table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Audit {
    pub rows: u64,
    pub classes: u64,
    /// The size of the smallest class; 0 for a table without rows.
    pub k: u32,
    pub quasi: Vec<String>,
    pub sizes: Vec<SizeBand>,
    pub sensitive: Vec<SensitiveAudit>,
    /// The demands of the policy, in its order.
    pub demands: Vec<DemandAudit>,
    /// What a person has to know and decide; the engine's.
    pub findings: Vec<Finding>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SensitiveAudit {
    pub column: u32,
    pub name: String,
    /// Different values in the whole table.
    pub distinct: u64,
    pub distinct_l: u32,
    pub entropy_l: f64,
    /// What c must exceed for ℓ = 2, 3, … in every class; ends where no c is enough.
    pub recursive_c: Vec<f64>,
    /// Distances from the whole table's distribution; those that need an order or a hierarchy only where there is one.
    pub t_equal: f64,
    pub t_ordered: Option<f64>,
    pub t_hierarchical: Option<f64>,
    /// The largest share that one value has of a class.
    pub largest_share: f64,
    /// Classes of one value.
    pub homogeneous: Exposure,
    /// Classes of which one value has at least 95 %, the former among them.
    pub nearly_homogeneous: Exposure,
    /// What falls to who can rule out 0, 1, 2, … values.
    pub fallen: Vec<Fallen>,
    /// The most frequent values of the whole table.
    pub values: Vec<ValueCount>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Exposure {
    pub classes: u64,
    pub rows: u64,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DemandAudit {
    pub demand: Demand,
    pub outcome: Result<DemandStanding, Mistake>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DemandStanding {
    pub holds: bool,
    pub achieved: f64,
    pub violating_classes: u64,
    pub violating_rows: u64,
    /// The first failing class and why it fails. The sentence may quote values, so it is for the page only.
    pub example: Option<(u32, String)>,
}

impl Audit {
    pub async fn of(
        table: &Table,
        setup: &Setup,
        grouped: &Grouped,
        progress: &Progress<'_>,
    ) -> Result<Audit, Failure> {
        let total = grouped.sensitive.len() + setup.privacy.len();
        let step = |done: usize| {
            move || Report {
                phase: "Checking the table".into(),
                fraction: Some(done as f64 / total.max(1) as f64),
                detail: format!("{done} of {total} checks"),
            }
        };
        let mut columns = Vec::new();
        for (place, _) in &grouped.sensitive {
            progress.checkpoint(step(columns.len())).await?;
            columns.extend(grouped.histograms(*place).map(|histograms| sensitive(table, setup, *place, histograms)));
        }
        let mut demands = Vec::new();
        for demand in &setup.privacy {
            progress.checkpoint(step(columns.len() + demands.len())).await?;
            demands.push(audit_demand(table, setup, grouped, demand));
        }
        Ok(Audit {
            rows: table.rows as u64,
            classes: grouped.classes.sizes.len() as u64,
            k: grouped.classes.sizes.iter().copied().min().unwrap_or(0),
            quasi: grouped.quasi.iter().map(|&place| table.columns[place].name.clone()).collect(),
            sizes: bands(&grouped.classes),
            sensitive: columns,
            demands,
            findings: Vec::new(),
        })
    }

    /// What `throng check --json` prints and the page saves (docs/spec.md §10).
    pub fn to_json(&self) -> String {
        let column = |audit: &SensitiveAudit| {
            let c: Map<String, Value> =
                filled((2..).zip(&audit.recursive_c).map(|(l, &c): (usize, _)| (l.to_string(), json!(c))));
            let mut entry = json!({
                "distinct_l": audit.distinct_l,
                "entropy_l": audit.entropy_l,
                "recursive_c": c,
                "t_equal": audit.t_equal,
                "largest_share": audit.largest_share,
                "homogeneous_classes": audit.homogeneous.classes,
                "homogeneous_rows": audit.homogeneous.rows,
                "nearly_homogeneous_classes": audit.nearly_homogeneous.classes,
                "nearly_homogeneous_rows": audit.nearly_homogeneous.rows,
            });
            for (name, t) in [("t_ordered", audit.t_ordered), ("t_hierarchical", audit.t_hierarchical)] {
                if let Some(t) = t {
                    entry[name] = json!(t);
                }
            }
            (audit.name.clone(), entry)
        };
        let demand = |audit: &DemandAudit| {
            let mut entry = audit.demand.to_json();
            match &audit.outcome {
                Ok(standing) => {
                    entry["holds"] = json!(standing.holds);
                    entry["achieved"] = json!(standing.achieved);
                    entry["violating_classes"] = json!(standing.violating_classes);
                    entry["violating_rows"] = json!(standing.violating_rows);
                }
                Err(mistake) => entry["mistake"] = json!(format!("{} {}", mistake.key, mistake.what)),
            }
            entry
        };
        let audit = json!({
            "rows": self.rows,
            "k": self.k,
            "classes": self.classes,
            "sensitive": filled::<_, Map<String, Value>>(self.sensitive.iter().map(column)),
            "privacy": self.demands.iter().map(demand).collect::<Vec<_>>(),
            "findings": self.findings.iter().map(Finding::to_json).collect::<Vec<_>>(),
        });
        // Serializing plain data to a string can't fail.
        serde_json::to_string_pretty(&audit).unwrap_or_default() + "\n"
    }
}

/// `shown` are the histograms of what cells show, `histograms` those of the worst filling.
fn sensitive(
    table: &Table,
    setup: &Setup,
    place: usize,
    (shown, histograms): (&Histograms, &Histograms),
) -> SensitiveAudit {
    let column = &table.columns[place];
    let mut figures = SensitiveAudit {
        column: place as u32,
        name: column.name.clone(),
        distinct: column.distinct() as u64,
        distinct_l: if histograms.is_empty() { 0 } else { u32::MAX },
        entropy_l: if histograms.is_empty() { 0.0 } else { f64::INFINITY },
        recursive_c: vec![0.0; column.distinct().saturating_sub(1)],
        t_equal: 0.0,
        t_ordered: None,
        t_hierarchical: None,
        largest_share: 0.0,
        homogeneous: Exposure { classes: 0, rows: 0 },
        nearly_homogeneous: Exposure { classes: 0, rows: 0 },
        fallen: background::fallen(histograms),
        values: most_frequent(column, MOST_VALUES)
            .into_iter()
            .map(|code| ValueCount {
                value: shortened(column.dictionary.text(code)),
                count: u64::from(column.counts[code as usize]),
            })
            .collect(),
    };
    let mut smallest_c = SmallestC::default();
    for class in histograms.iter() {
        figures.distinct_l = figures.distinct_l.min(distinct(&class));
        lower(&mut figures.entropy_l, entropy_diversity(&class));
        raise(&mut figures.largest_share, largest_share(&class));
        let of_l = smallest_c.of_every_l(&class);
        // A class with fewer values meets no c for larger ℓ.
        figures.recursive_c.truncate(of_l.len());
        for (most, &c) in figures.recursive_c.iter_mut().zip(of_l) {
            raise(most, c);
        }
        let exposed = |exposure: &mut Exposure| {
            exposure.classes += 1;
            exposure.rows += u64::from(class.size);
        };
        if homogeneity::has_one_value(&class) {
            exposed(&mut figures.homogeneous);
        }
        if homogeneity::has_nearly_one_value(&class) {
            exposed(&mut figures.nearly_homogeneous);
        }
    }
    figures.measure_distances(shown, |distance| setup.reference(table, place, distance));
    figures
}

impl SensitiveAudit {
    /// The distance of the class that is farthest from what it is compared with.
    fn measure_distances(&mut self, shown: &Histograms, reference: impl Fn(Distance) -> Option<Reference>) {
        let farthest = |distance: Distance| {
            let reference = reference(distance)?;
            let mut farthest = 0.0;
            for class in shown.iter() {
                raise(&mut farthest, reference.distance(&class));
            }
            Some(farthest)
        };
        // Where no cell is known to be a value, a class may be as far away as can be.
        self.t_equal = farthest(Distance::Equal).unwrap_or(1.0);
        self.t_ordered = farthest(Distance::Ordered);
        self.t_hierarchical = farthest(Distance::Hierarchical);
    }
}

impl Audit {
    /// Of a release: measures its classes against the table that it was made from, as the demands do.
    pub fn compare_with(&mut self, original: &Table, setup: &Setup, released: &Table, grouped: &Grouped) {
        for audit in &mut self.sensitive {
            let of_original = original.columns.iter().position(|column| column.name == audit.name);
            let Some((place, (shown, _))) = of_original.zip(grouped.histograms(audit.column as usize)) else {
                continue;
            };
            let seen = &released.columns[audit.column as usize];
            audit.measure_distances(shown, |distance| setup.reference_on(original, place, seen, distance));
        }
    }
}

fn raise(most: &mut f64, figure: f64) {
    if figure > *most {
        *most = figure;
    }
}

fn lower(least: &mut f64, figure: f64) {
    if figure < *least {
        *least = figure;
    }
}

fn audit_demand(table: &Table, setup: &Setup, grouped: &Grouped, demand: &Demand) -> DemandAudit {
    let outcome = setup.require_of_release(demand, table).map(|requirements| {
        let mut worst: Option<f64> = None;
        let mut failing: Vec<u32> = Vec::new();
        let mut example = None;
        for requirement in &requirements {
            let standing = with_sensitive(setup, table, |columns| check(requirement, &grouped.classes, columns));
            let worse = worst.is_none_or(|worst| match requirement.model.better() {
                Better::Higher => standing.achieved < worst,
                Better::Lower => standing.achieved > worst,
            });
            if worse {
                worst = Some(standing.achieved);
            }
            if example.is_none() && !requirement.jointly {
                example = standing.failing_classes.first().and_then(|&class| {
                    let histograms = grouped.sensitive.iter().find(|(place, _)| Some(*place) == requirement.attribute);
                    let size = grouped.classes.sizes[class as usize];
                    let histogram = histograms
                        .map_or(crate::classes::Histogram { size, counts: &[] }, |(_, all)| all.class(class as usize));
                    let name = |code: u32| match requirement.attribute.map(|place| &table.columns[place].dictionary) {
                        Some(values) if (code as usize) < values.len() => format!("“{}”", shortened(values.text(code))),
                        _ => String::new(),
                    };
                    Some((class, requirement.model.explain(&histogram, &name)?))
                });
            }
            failing.extend(standing.failing_classes);
        }
        failing.order();
        failing.dedup();
        let rows = failing.iter().map(|&class| u64::from(grouped.classes.sizes[class as usize])).sum();
        DemandStanding {
            holds: failing.is_empty(),
            achieved: worst.unwrap_or(0.0),
            violating_classes: failing.len() as u64,
            violating_rows: rows,
            example,
        }
    });
    DemandAudit { demand: demand.clone(), outcome }
}
