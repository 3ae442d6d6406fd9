//! The page.

#[cfg(target_arch = "wasm32")]
fn main() {
    throng::app::start();
}

/// The page is for the browser only; cargo builds every program for every target.
#[cfg(not(target_arch = "wasm32"))]
fn main() {}
