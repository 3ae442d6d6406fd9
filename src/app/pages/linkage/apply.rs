//! The plan applied to a table: what is missing to N, what the plan has never seen, and the release.

use web_sys::{File, HtmlInputElement, HtmlSelectElement};
use yew::prelude::*;

use crate::app::components::{DropZone, FailureBox, button, heads, option, says};
use crate::app::{Handle, Message, use_handle};
use crate::linkage::apply::{AppliedClass, AppliedView, Unseen, UnseenValues};
use crate::protocol::{Request, Response};
use crate::words::{counted, figure, grouped};

#[component]
pub fn ApplyPanel() -> Html {
    let handle = use_handle();
    let planning = &handle.state.linkage.plan;
    let Some(plan) = &planning.plan else { return Html::default() };
    let busy = handle.state.task.is_some();
    let table = handle.state.loaded.as_ref().map(|loaded| (loaded.summary.name.clone(), loaded.summary.rows));
    let to_open = {
        let (handle, table) = (handle.clone(), table.clone());
        Callback::from(move |_: MouseEvent| {
            if let Some((name, _)) = table.clone() {
                apply(&handle, name, Vec::new());
            }
        })
    };
    let onfiles = {
        let handle = handle.clone();
        Callback::from(move |mut files: Vec<File>| {
            files.truncate(1);
            if let Some(name) = files.first().map(File::name) {
                apply(&handle, name, files);
            }
        })
    };
    let onfail = handle.changing(|linkage, failure| linkage.plan.apply_failure = Some(failure));
    let onunseen = handle.changing(|linkage, event: Event| {
        let order = event.target_unchecked_into::<HtmlSelectElement>().selected_index() == 1;
        linkage.plan.apply.unseen = if order { Unseen::Order } else { Unseen::Refuse };
    });
    let onearly = handle.changing(|linkage, event: Event| {
        linkage.plan.apply.early = event.target_unchecked_into::<HtmlInputElement>().checked();
    });
    let onrepairs = handle.changing(|linkage, event: Event| {
        linkage.plan.apply.accept_repairs = event.target_unchecked_into::<HtmlInputElement>().checked();
    });
    let short = table.as_ref().filter(|(_, rows)| *rows < plan.rows);
    html! {
        <section class="panel apply">
            <h2>{ "Apply it" }</h2>
            <div class="fields">
                <label class="field">{ "values that the plan has never seen" }
                    <select class="small" onchange={onunseen}>{ option(planning.apply.unseen == Unseen::Refuse, "refuse") }{ option(planning.apply.unseen == Unseen::Order, "place by the order") }</select></label>
                <label class="field"><input type="checkbox" checked={planning.apply.early} onchange={onearly} />{ "release before there are N rows" }</label>
                <label class="field"><input type="checkbox" checked={planning.apply.accept_repairs} onchange={onrepairs} />{ "release a repaired file" }</label>
            </div>
            if let Some((name, rows)) = short {
                { says("note warn", &format!("{name} has {}: {} missing to N = {}.", counted(*rows, "row"), grouped(plan.rows - rows), grouped(plan.rows))) }
            }
            <p class="actions">
                <DropZone small=true {onfiles} {onfail} disabled={busy} label="Apply the plan to another table"><span class="btn">{ "Apply to another table…" }</span></DropZone>
                if let Some((name, _)) = &table { <button class="btn p" disabled={busy} onclick={to_open}>{ format!("Apply to {name}") }</button> }
            </p>
            if let Some(failure) = planning.apply_failure.clone() {
                <FailureBox {failure} ondismiss={handle.changing(|linkage, ()| linkage.plan.apply_failure = None)} />
            }
            if let Some((name, view)) = &planning.applied { { applied(&handle, name, view) } }
        </section>
    }
}

fn apply(handle: &Handle, name: String, files: Vec<File>) {
    let settings = handle.state.linkage.plan.apply;
    let title = format!("Applying the plan to {name}");
    handle.ask_linkage(title, Request::ApplyPlan(settings), files, move |linkage, outcome| {
        linkage.applied(name, outcome);
    });
}

fn applied(handle: &Handle, name: &str, view: &AppliedView) -> Html {
    let planning = &handle.state.linkage.plan;
    let toggle = handle.changing(|linkage, event: Event| {
        linkage.plan.protected = event.target_unchecked_into::<HtmlInputElement>().checked();
    });
    let export = {
        let (handle, protected, name) =
            (handle.clone(), planning.protected, format!("{}.by-plan.csv", name.trim_end_matches(".csv")));
        Callback::from(move |_: MouseEvent| {
            let call = handle.client.request(Request::ExportApplied { protected }, &[], |_, _| {});
            let (send, name) = (handle.send.clone(), name.clone());
            wasm_bindgen_futures::spawn_local(async move {
                send.emit(match call.outcome().await {
                    Ok(Response::File(bytes)) => Message::SaveBytes { name, bytes },
                    other => Message::Fail(super::state::failure_of(other)),
                });
            });
        })
    };
    let promise = match view.missing {
        0 => format!(
            "It has the N = {} rows of the plan: it is {}-diverse but for a probability of {}.",
            grouped(view.needed),
            view.asked_l,
            figure(view.delta)
        ),
        missing => format!(
            "{} missing to N = {}: the plan's promise does not hold for it.",
            counted(missing, "row"),
            grouped(view.needed)
        ),
    };
    let unseen = |unseen: &UnseenValues| {
        let left = match unseen.left_out {
            0 => "all placed by the order".to_owned(),
            rows => format!("{} left out, since no class at their place covers them", counted(rows, "row")),
        };
        says(
            "note warn",
            &format!(
                "Column “{}” has {} that the plan has never seen, in {}: {left}.",
                unseen.column,
                counted(unseen.values, "value"),
                counted(unseen.rows, "row")
            ),
        )
    };
    let class = |class: &AppliedClass| {
        html! {
            <tr><th scope="row">{ grouped(class.class) }</th><td class="n">{ grouped(class.rows) }</td><td class={classes!("n", (class.l < view.asked_l).then_some("bad-text"))}>{ class.l }</td></tr>
        }
    };
    html! {
        <div class="stack applied" role="status">
            <div class={classes!("seal", (view.missing > 0 || view.below > 0).then_some("warn"))}>
                <div><b>{ format!("{} of {name} in {} of {}", counted(view.released, "row"), counted(view.classes, "class"), grouped(view.plan_classes)) }</b>
                    <p>{ promise }{ " Every cell was read back and covers what it stands for." }</p></div>
                <label class="field"><input type="checkbox" checked={planning.protected} onchange={toggle} />{ "safe for spreadsheets" }</label>
                { button("btn p", "Export the release", export) }
            </div>
            if view.below > 0 { <p class="note bad">{ format!("{} fewer than ℓ = {} values.", if view.below == 1 { "1 class has".to_owned() } else { format!("{} classes have", grouped(view.below)) }, view.asked_l) }</p> }
            { for view.unseen.iter().map(unseen) }
            { for view.findings.iter().map(|finding| says("note warn", &finding.sentence)) }
            if !view.dropped.is_empty() { { says("faint", &format!("Not in the release, since the plan says nothing of them: {}.", view.dropped.join(", "))) } }
            <details class="more"><summary>{ format!("Its classes: ℓ = {} at least", view.l) }</summary>
                <div class="scroll tall" tabindex="0" role="region" aria-label="Classes of the release">
                    <table class="achieved pair">{ heads("class | #rows | #ℓ") }<tbody>{ for view.shown.iter().take(200).map(class) }</tbody></table>
                </div></details>
        </div>
    }
}
