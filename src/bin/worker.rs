//! The web worker of the page.

#[cfg(target_arch = "wasm32")]
fn main() {
    throng::browser::worker::start();
}

/// The worker is for the browser only; cargo builds every program for every target.
#[cfg(not(target_arch = "wasm32"))]
fn main() {}
