//! The headless runner: the engine of the page, without the page.

#[cfg(not(target_arch = "wasm32"))]
fn main() -> std::process::ExitCode {
    throng::runner::main()
}

/// The runner is native only; cargo builds every program for every target.
#[cfg(target_arch = "wasm32")]
fn main() {}
