use super::census_file::QUASI;
use super::data::{census, place};
use super::diva::measure;
use super::diva_case::{Case, ON};
use throng::constraints::generate::Class;
use throng::table::Table;

pub fn diva() -> Result<(), String> {
    let all = census()?;
    let mut columns = Vec::new();
    for name in QUASI {
        columns.push(all.columns[place(&all, name)?].clone());
    }
    let case = Case::new(Table { columns, rows: all.rows })?;
    for class in Class::ALL {
        for k in [10, 20, 50] {
            for count in [4, 12, 20] {
                let sigma = case.constraints(class, &ON, Some(count), k, 1)?;
                if k == 10 && count == 20 {
                    for c in &sigma {
                        println!("    {}", c.text(&case.table));
                    }
                }
                let start = std::time::Instant::now();
                measure(class.name().to_owned(), &case, k, &sigma, 0.0, true);
                println!("   {:?}", start.elapsed());
            }
        }
    }
    Ok(())
}
