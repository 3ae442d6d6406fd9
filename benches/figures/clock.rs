//! Time that others on the same machine disturb little.

use std::hint::black_box;
use std::time::{Duration, Instant};

/// Work shorter than this is repeated.
const LEAST: Duration = Duration::from_millis(20);

/// The least seconds that `work` takes the processor, of `times` tries.
pub fn least_seconds<T>(times: usize, mut work: impl FnMut() -> T) -> f64 {
    let once = |_| {
        let (start, started) = (processor_seconds(), Instant::now());
        let mut runs = 0;
        while runs == 0 || started.elapsed() < LEAST {
            black_box(work());
            runs += 1;
        }
        (processor_seconds() - start) / f64::from(runs)
    };
    (0..times).map(once).fold(f64::INFINITY, f64::min)
}

/// Seconds that the processor gave this thread, as Linux counts them; elsewhere, seconds that passed.
fn processor_seconds() -> f64 {
    // The count is brought up to date when the thread gives the processor away.
    std::thread::sleep(Duration::from_nanos(1));
    let counted = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanoseconds = counted.and_then(|text| text.split(' ').next()?.parse::<f64>().ok()).filter(|&count| count > 0.0);
    static START: std::sync::OnceLock<Instant> = std::sync::OnceLock::new();
    nanoseconds.map_or_else(|| START.get_or_init(Instant::now).elapsed().as_secs_f64(), |count| count / 1e9)
}
