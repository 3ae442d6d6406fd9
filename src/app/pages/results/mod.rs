//! Results: what came out, verified; every class and column of it; what an attacker makes of it; runs to compare; all
//! that can be saved.

mod attack;
mod classes;
mod colouring;
mod columns;
mod constraints;
mod peers;
mod release;
mod runs;
mod save;
mod spread;
mod sweep;
mod tau_l;
mod what_if;
mod without_limits;

use web_sys::HtmlInputElement;
use yew::prelude::*;

use crate::app::components::{TAB_PANEL, Tabs, button, tab_id};
use crate::app::pages::findings::{Findings, Holding, holding, of_release, of_run};
use crate::app::state::{Loaded, Ran, Step};
use crate::app::{Message, go, use_handle};
use crate::findings::Finding;
use crate::io::csv_write::Written;
use crate::policy::ModelDemand;
use crate::run::RunView;
use crate::words::{counted, figure, figure_at_least, figure_at_most};

/// The parts of the page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Part {
    #[default]
    Release,
    Classes,
    Columns,
    Attack,
    Runs,
    Save,
}

impl Part {
    pub const ALL: [Part; 6] = [Part::Release, Part::Classes, Part::Columns, Part::Attack, Part::Runs, Part::Save];

    fn name(self) -> &'static str {
        match self {
            Part::Release => "Release",
            Part::Classes => "Classes",
            Part::Columns => "Columns",
            Part::Attack => "Attack",
            Part::Runs => "Runs",
            Part::Save => "Save",
        }
    }
}

/// What a part is of.
#[derive(Properties, PartialEq)]
pub struct PartProps {
    pub loaded: Loaded,
    pub run: Ran,
}

#[component]
pub fn ResultsPage() -> Html {
    let handle = use_handle();
    let protected = use_state(|| true);
    let found = handle.state.loaded.as_ref().and_then(|loaded| Some((loaded, loaded.run.as_ref()?)));
    let Some((loaded, run)) = found else {
        // Runs that other workers made, or that were made before the engine was lost.
        if let Some(loaded) = handle.state.loaded.as_ref().filter(|loaded| !loaded.runs.is_empty()) {
            return html! {
                <>
                    <h1>{ "Results" }</h1>
                    <p class="lead">{ "Open a run to see its release, attack it and export it." }</p>
                    <runs::RunsPart loaded={loaded.clone()} />
                </>
            };
        }
        return html! {
            <>
                <h1>{ "Results" }</h1>
                <p class="lead">{ "Nothing was released yet." }</p>
                <p>{ button("btn p", "Go to Run", go(&handle.send, Step::Run)) }</p>
            </>
        };
    };
    let toggle = {
        let protected = protected.clone();
        Callback::from(move |event: Event| protected.set(event.target_unchecked_into::<HtmlInputElement>().checked()))
    };
    let export = {
        let protected = *protected;
        handle.send.reform(move |_: MouseEvent| Message::Export { protected })
    };
    let part = handle.state.part;
    let names: Vec<_> = Part::ALL.iter().map(|part| part.name()).collect();
    let now = Part::ALL.iter().position(|other| *other == part).unwrap_or(0);
    // What holds the release back stands above.
    let held = holding(loaded, of_run(loaded));
    let told: Vec<Finding> = of_release(loaded).into_iter().filter(|finding| !held.contains(finding)).collect();
    let (loaded, run) = (loaded.clone(), run.clone());
    html! {
        <>
            <h1 class="sr-only">{ "Results" }</h1>
            <div class="seal">
                <svg width="26" height="26" viewBox="0 0 24 24" aria-hidden="true"><path fill="none" stroke="currentColor" stroke-width="2.4" d="M4 12l5 5L20 6" /></svg>
                <div><b>{ "Verified release" }</b><p>{ seal(&run.view) }</p></div>
                <label class="field"><input type="checkbox" checked={*protected} onchange={toggle} />{ "safe for spreadsheets" }</label>
                { button("btn p", "Export CSV", export) }
            </div>
            if loaded.revision != run.revision {
                <p class="note warn">{ "The policy or the columns changed since this release was made; it is still the one that was verified. " }
                    { button("link", "Run again", handle.send.reform(|_| Message::Run)) }</p>
            }
            <Holding loaded={loaded.clone()} released=true />
            <Tabs label="Parts of the results" {names} {now} onchoose={handle.send.reform(|place: usize| Message::ShowPart(Part::ALL[place]))} />
            <div role="tabpanel" id={TAB_PANEL} aria-labelledby={tab_id(part.name())} class="stack part">
                { match part {
                    Part::Release => html! {
                        <>
                            <Findings loaded={loaded.clone()} title="Findings in the release" findings={told} />
                            <release::ReleasePart {loaded} {run} />
                        </>
                    },
                    Part::Classes => html! { <classes::ClassesPart {loaded} {run} /> },
                    Part::Columns => html! { <columns::ColumnsPart {loaded} {run} /> },
                    Part::Attack => html! { <attack::AttackPart {loaded} {run} /> },
                    Part::Runs => html! { <runs::RunsPart {loaded} /> },
                    Part::Save => html! { <save::SavePanel written={Written { protected: *protected, row_numbers: false }} /> },
                } }
            </div>
        </>
    }
}

/// What the verifier found, in one line.
fn seal(view: &RunView) -> String {
    let achieved = |achieved: &crate::verify::Achieved| {
        let value = achieved.achieved;
        Some(match &view.demands.get(achieved.demand)?.model {
            ModelDemand::KAnonymity { .. } => format!("k = {}", figure(value)),
            ModelDemand::DistinctL { .. } => format!("distinct ℓ = {}", figure(value)),
            ModelDemand::EntropyL { .. } => format!("entropy ℓ = {}", figure_at_most(value)),
            ModelDemand::RecursiveCL { l, .. } => format!("recursive c > {} with ℓ = {l}", figure_at_least(value)),
            ModelDemand::TauL { l, .. } => format!("τ = {} with ℓ = {l}", figure_at_least(value)),
            ModelDemand::TCloseness { .. } => format!("t = {}", figure_at_least(value)),
            ModelDemand::PSensitive { .. } => format!("p = {}", figure(value)),
            ModelDemand::AlphaK { .. } => format!("α = {}", figure_at_least(value)),
        })
    };
    let achieved: Vec<String> = view.verified.requirements.iter().filter_map(achieved).collect();
    let constraints = match view.diversity.len() {
        0 => String::new(),
        constraints => format!(", {}", counted(constraints as u64, "diversity constraint")),
    };
    format!(
        "{}; limits{constraints} kept, every value truthful. Recomputed from the output alone.",
        achieved.join(", ")
    )
}

/// How far this step is, for the rail.
pub fn standing(loaded: &Loaded) -> (String, Option<&'static str>) {
    match &loaded.run {
        None if !loaded.runs.is_empty() => {
            (format!("{} to open", counted(loaded.runs.len() as u64, "release")), Some("warn"))
        }
        None => ("no release yet".into(), None),
        Some(run) if run.revision == loaded.revision => ("verified".into(), Some("ok")),
        Some(_) => ("verified, out of date".into(), Some("warn")),
    }
}
