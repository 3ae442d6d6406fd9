//! What is kept in the browser: settings, never data.

use gloo::storage::{LocalStorage, Storage};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Theme {
    /// As the system has it.
    #[default]
    System,
    Light,
    Dark,
}

const POLICY: &str = "throng.policy";
/// A policy larger than this is not kept: browsers give a page a few megabytes.
const LARGEST_POLICY: usize = 1 << 20;

/// The policy as it was last: what a person set up, kept so that nothing is lost when the tab is.
pub fn stored_policy() -> Option<String> {
    LocalStorage::raw().get_item(POLICY).ok().flatten()
}

pub fn store_policy(policy: &str) {
    if policy.len() <= LARGEST_POLICY {
        let _ = LocalStorage::raw().set_item(POLICY, policy);
    }
}

pub fn forget_policy() {
    LocalStorage::delete(POLICY);
}

/// `static/boot.js` reads the same key, as JSON, before the first paint.
const THEME: &str = "throng.theme";

impl Theme {
    pub fn stored() -> Self {
        match LocalStorage::raw().get_item(THEME).ok().flatten().as_deref() {
            Some("\"light\"") => Theme::Light,
            Some("\"dark\"") => Theme::Dark,
            _ => Theme::System,
        }
    }

    pub fn store(self) {
        // A browser that keeps nothing (private mode, full) still works; the choice just does not outlive the tab.
        let _ = match self {
            Theme::System => LocalStorage::raw().remove_item(THEME),
            Theme::Light => LocalStorage::raw().set_item(THEME, "\"light\""),
            Theme::Dark => LocalStorage::raw().set_item(THEME, "\"dark\""),
        };
        let root =
            web_sys::window().and_then(|window| window.document()).and_then(|document| document.document_element());
        let Some(root) = root else { return };
        let _ = match self {
            Theme::System => root.remove_attribute("data-theme"),
            Theme::Light => root.set_attribute("data-theme", "light"),
            Theme::Dark => root.set_attribute("data-theme", "dark"),
        };
    }

    pub fn next(self) -> Self {
        match self {
            Theme::System => Theme::Light,
            Theme::Light => Theme::Dark,
            Theme::Dark => Theme::System,
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            Theme::System => "as the system",
            Theme::Light => "light",
            Theme::Dark => "dark",
        }
    }
}
