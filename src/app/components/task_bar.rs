//! What is under way, how far, and the way to stop it.

use yew::prelude::*;

use crate::app::state::Task;

#[derive(Properties, PartialEq)]
pub struct Props {
    pub task: Task,
    pub oncancel: Callback<()>,
}

#[component]
pub fn TaskBar(Props { task, oncancel }: &Props) -> Html {
    let fraction = task.report.as_ref().and_then(|report| report.fraction);
    let detail = task.report.as_ref().map(|report| report.detail.clone()).unwrap_or_default();
    let percent = fraction.map(|fraction| (fraction * 100.0).floor());
    let title = match (task.cancelling, task.keeping) {
        (true, _) => "Cancelling…".to_owned(),
        (false, true) => "Keeping the best so far".to_owned(),
        (false, false) => task.title.clone(),
    };
    html! {
        <div class="task panel" role="group" aria-label="Work under way">
            <div class="task-text">
                <b>{ title }</b>
                <span>{ detail }</span>
                if let Some(percent) = percent { <span class="percent">{ format!("{percent} %") }</span> }
            </div>
            <progress max="1" value={fraction.map(|fraction| fraction.to_string())} aria-label={task.title.clone()} />
            <button class="btn" disabled={task.cancelling} onclick={oncancel.reform(|_| ())}>{ if task.keeping { "Drop it" } else { "Cancel" } }</button>
        </div>
    }
}
