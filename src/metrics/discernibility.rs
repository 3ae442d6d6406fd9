//! Discernibility (ℓ-diversity paper §6, after Bayardo and Agrawal): DM = Σ |E|² over classes E + suppressed rows · |D|.
//!
//! Every row pays for the rows it can't be told from: those of its class, or all of the table when it is suppressed.
//! Normalized: DM ÷ |D|², which is 1 for a single class and for nothing kept.

/// What a class costs.
pub fn of_class(size: u32) -> u64 {
    u64::from(size) * u64::from(size)
}

/// What suppressed rows cost in a table of `rows`.
pub fn of_suppressed(suppressed: u64, rows: u64) -> u64 {
    suppressed * rows
}

pub fn of(sizes: &[u32], suppressed: u64, rows: u64) -> u64 {
    sizes.iter().map(|&size| of_class(size)).sum::<u64>() + of_suppressed(suppressed, rows)
}

/// 0 for a table without rows.
pub fn normalized(discernibility: u64, rows: u64) -> f64 {
    if rows == 0 { 0.0 } else { discernibility as f64 / (rows as f64 * rows as f64) }
}
