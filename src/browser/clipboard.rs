//! Putting text where a person can paste it.

/// Offers `text` for pasting; does nothing where the page may not.
pub fn copy(text: &str) {
    if let Some(window) = web_sys::window() {
        // It settles after we are done with it; there is nothing to do if it fails.
        let _ = window.navigator().clipboard().write_text(text);
    }
}
