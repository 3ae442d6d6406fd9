//! What follows from all constraints together: possible or not and why, and which of them say nothing new.

use yew::prelude::*;

use crate::app::components::{button, says};
use crate::constraints::ConstraintsView;
use crate::constraints::view::{Contradiction, Method, Scope, Verdict};
use crate::words::{capital, counted, numbered};

pub fn verdict(view: &ConstraintsView, set: &Callback<(Vec<String>, bool)>) -> Html {
    let faulty: Vec<usize> = (0..view.lines.len()).filter(|place| view.lines[*place].constraint.is_none()).collect();
    if faulty.len() == view.lines.len() {
        return Html::default();
    }
    let unread = match faulty.is_empty() {
        true => String::new(),
        false => format!("{} can't be read. ", capital(&numbered("line", &faulty))),
    };
    let (them, fine) = if faulty.is_empty() { ("all of them", "ok") } else { ("all others", "warn") };
    // What follows from the others is told at its line; here is the way to be rid of it.
    let redundant: Vec<usize> = (0..view.lines.len())
        .filter(|place| view.lines[*place].constraint.is_some() && !view.cover.contains(place))
        .collect();
    let kept = view.lines.iter().enumerate().filter(|(place, _)| !redundant.contains(place));
    let kept: Vec<String> = kept.map(|(_, line)| line.text.clone()).collect();
    let (class, words) = match view.verdicts {
        _ if view.mistake.is_some() && !view.verdicts.contains(&Verdict::Impossible) => {
            ("warn", "A privacy demand has a mistake: nothing can be said of releases.".to_owned())
        }
        [Verdict::Impossible, ..] => ("bad", "These can't hold together in any table.".to_owned()),
        [_, Verdict::Impossible, _] => ("bad", format!("These can't hold together in classes of {} rows.", view.k)),
        [_, _, Verdict::Impossible] => ("bad", "No release of this table can keep all of them.".to_owned()),
        [_, _, Verdict::Possible] if view.proved => (fine, format!("A release that keeps {them} exists: proved.")),
        [_, _, Verdict::Possible] => (fine, format!("Nothing speaks against {them}.")),
        _ => ("warn", "Too many to be decided exactly; a run will tell.".to_owned()),
    };
    let drop = {
        let set = set.clone();
        Callback::from(move |_: MouseEvent| set.emit((kept.clone(), false)))
    };
    let contradictory = !view.contradictions.is_empty();
    html! {
        <div class="verdict">
            <p class={classes!("note", class)}>{ unread }{ words }</p>
            { for view.contradictions.iter().map(|contradiction| why(contradiction, view)) }
            if !redundant.is_empty() && !contradictory {
                <p class="fields">{ button("btn small", &format!("Drop {}", counted(redundant.len() as u64, "redundant line")), drop) }
                    <span class="soft">{ format!("{} say{} nothing new.", capital(&numbered("line", &redundant)), if redundant.len() == 1 { "s" } else { "" }) }</span></p>
            }
            if !view.cover_proved { { says("soft", "Whether more lines are redundant is too large to decide.") } }
            { derivations(view) }
        </div>
    }
}

/// Which lines contradict each other, and the sums that show it.
fn why(contradiction: &Contradiction, view: &ConstraintsView) -> Html {
    if contradiction.lines.is_empty() {
        return html! { <div class="why">{ says("", &format!("{}: widen the limits of a column, lower k, or allow more rows to be suppressed.", capital(&view.without_release()))) }</div> };
    }
    let scope = within(contradiction.scope, view.k);
    let method = match contradiction.method {
        Method::Axioms => "by the paper's axioms",
        Method::Exact => "exactly, by integer programming",
    };
    let times = |&(place, times): &(usize, u64)| {
        let line = view.lines.get(place).map(|line| line.text.as_str()).unwrap_or_default();
        if times == 1 { line.to_owned() } else { format!("{times} × ({line})") }
    };
    let sum = |of: &[(usize, u64)]| of.iter().map(times).collect::<Vec<_>>().join("  +  ");
    let steps = contradiction
        .derivation
        .as_ref()
        .map(|(_, derivation)| derivation.sentences(|place| format!("line {}", place + 1)))
        .unwrap_or_default();
    html! {
        <div class="why">
            <p>{ format!("{} contradict{} {}{scope} ({method}{}).", capital(&numbered("line", &contradiction.lines)), if contradiction.lines.len() == 1 { "s" } else { "" }, if contradiction.lines.len() == 1 { "itself" } else { "each other" }, fewer(contradiction.minimal)) }</p>
            if !contradiction.least.is_empty() {
                <p class="soft">{ "The lower bounds " }<code>{ sum(&contradiction.least) }</code>{ " add up to more than " }
                    if contradiction.most.is_empty() { { "there is" } } else { <code>{ sum(&contradiction.most) }</code>{ " allows" } }{ "." }</p>
            }
            if !steps.is_empty() { <ol class="derivation">{ for steps.iter().map(|step| html! { <li>{ step }</li> }) }</ol> }
        </div>
    }
}

/// Where a statement is true.
pub fn within(scope: Scope, k: u64) -> String {
    match scope {
        Scope::Alone => String::new(),
        Scope::Classes => format!(" in classes of {}", counted(k, "row")),
        Scope::Table => " on this table".to_owned(),
    }
}

/// What is said of a set that was too large to be made minimal.
fn fewer(minimal: bool) -> &'static str {
    if minimal { "" } else { "; perhaps fewer lines are enough" }
}

/// Why a line follows from others, step by step, where the axioms show it.
fn derivations(view: &ConstraintsView) -> Html {
    let implied = view
        .lines
        .iter()
        .enumerate()
        .filter_map(|(place, line)| Some((place, line.constraint.as_ref()?.implied.as_ref()?)));
    let one = |(place, implied): (usize, &crate::constraints::view::Implied)| {
        let method = match implied.method {
            Method::Axioms => "by the paper's axioms",
            Method::Exact => "exactly: the axioms alone do not show it",
        };
        let steps = implied
            .derivation
            .as_ref()
            .map(|derivation| derivation.sentences(|place| format!("line {}", place + 1)))
            .unwrap_or_default();
        html! {
            <li>{ format!("Line {} follows from {}{} ({method}{}).", place + 1, numbered("line", &implied.by), within(implied.scope, view.k), fewer(implied.minimal)) }
                if !steps.is_empty() { <ol class="derivation">{ for steps.iter().map(|step| html! { <li>{ step }</li> }) }</ol> }</li>
        }
    };
    let all: Vec<Html> = implied.filter(|(_, implied)| !implied.by.is_empty()).map(one).collect();
    if all.is_empty() {
        return Html::default();
    }
    html! { <details class="more"><summary>{ "What follows from what" }</summary><ul>{ for all }</ul></details> }
}
