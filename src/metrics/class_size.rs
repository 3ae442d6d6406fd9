//! Average class size = kept rows ÷ classes, and C_AVG = average class size ÷ k: 1 when no class is larger than it must be.

/// 0 when nothing is kept.
pub fn average(sizes: &[u32]) -> f64 {
    let kept: u64 = sizes.iter().map(|&size| u64::from(size)).sum();
    if sizes.is_empty() { 0.0 } else { kept as f64 / sizes.len() as f64 }
}

pub fn c_avg(average_class_size: f64, k: u32) -> f64 {
    average_class_size / f64::from(k.max(1))
}
