//! What leaves the browser (nothing), how to check it, and the keys.

use web_sys::HtmlElement;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct Props {
    pub onclose: Callback<()>,
    pub onforget: Callback<()>,
}

#[component]
pub fn Help(Props { onclose, onforget }: &Props) -> Html {
    let close = use_node_ref();
    use_effect_with(close.clone(), |close| {
        if let Some(close) = close.cast::<HtmlElement>() {
            let _ = close.focus();
        }
    });
    let keys = [
        ("?", "this help"),
        ("Alt + 1 … 7", "go to a step"),
        ("Ctrl + Z", "undo a change of the columns"),
        ("Ctrl + Shift + Z", "redo it"),
        ("Esc", "cancel what is running, close this"),
        ("Tab", "everything can be reached"),
    ];
    let row =
        |(key, what): &(&str, &str)| html! { <tr><th scope="row"><kbd>{ *key }</kbd></th><td>{ *what }</td></tr> };
    html! {
        <div class="veil">
            <div class="panel dialog" role="dialog" aria-modal="true" aria-labelledby="help-title">
                <h2 id="help-title">{ "Nothing leaves this tab" }</h2>
                <p>{ "Your file is read, held and worked on inside this browser tab. There is no server to send it to: \
                      the page's security policy forbids any connection to another origin, and no row of your data is stored. Your set-up (roles, \
                      hierarchies, limits) is kept in this browser so that it outlives the tab." }</p>
                <p>{ "Convince yourself: " }</p>
                <ul>
                    <li>{ "open the developer tools, look at the network tab, load a table: no request is made;" }</li>
                    <li>{ "or cut the network now: everything goes on working." }</li>
                </ul>
                <h2>{ "Keys" }</h2>
                <table class="keys"><tbody>{ for keys.iter().map(row) }</tbody></table>
                <div class="actions"><button class="btn" onclick={onforget.reform(|_| ())}>{ "Forget the kept set-up" }</button><button class="btn p" ref={close} onclick={onclose.reform(|_| ())}>{ "Close" }</button></div>
            </div>
        </div>
    }
}
