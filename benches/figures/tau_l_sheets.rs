//! What §IV's figures show, as lines of text: the tables and plots are not drawn yet.

use super::tau_l::{Case, Point, RUNS};

pub fn sheets(cases: &[Case], points: &[Vec<Point>]) -> Result<(), String> {
    for (case, points) in cases.iter().zip(points) {
        println!("{}", case.name);
        for point in points {
            print!("({}, {})", point.tau, point.l);
            for ((name, made), seconds) in RUNS.iter().zip(&point.made).zip(&point.seconds) {
                match made {
                    Some(made) => print!(
                        "  {name}: e {:.3} um {:.4} dt {:.3} gen {} {seconds:.3}s |",
                        made.excess, made.um, made.ratio, made.generalized
                    ),
                    None => print!("  {name}: none |"),
                }
            }
            println!();
        }
    }
    Ok(())
}
