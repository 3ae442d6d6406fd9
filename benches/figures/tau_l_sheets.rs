//! What §IV's figures show.
use super::tau_l::{Case, Point, RUNS};
pub fn sheets(cases: &[Case], points: &[Vec<Point>]) -> Result<(), String> {
    for (case, points) in cases.iter().zip(points) {
        println!("{}", case.name);
        for point in points {
            print!("({}, {})", point.tau, point.l);
            for run in 0..4 {
                match point.made[run] {
                    Some(made) => print!(
                        "  {}: e {:.3} um {:.4} dt {:.3} gen {} {:.3}s |",
                        RUNS[run], made.excess, made.um, made.ratio, made.generalized, point.seconds[run]
                    ),
                    None => print!("  {}: none |", RUNS[run]),
                }
            }
            println!();
        }
    }
    Ok(())
}
