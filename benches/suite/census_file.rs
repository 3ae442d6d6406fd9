//! The census data of the DIVA paper's experiments, from the folder that `THRONG_DATA` names; decompressed by gzip.

use std::process::Command;

/// Sex, class of worker, marital stat, household stat, race, country of birth: 7,439 distinct tuples in 299,285 rows.
pub const QUASI: [&str; 6] =
    ["sex", "class_of_worker", "marital_stat", "detailed_household_and_family_stat", "race", "country_of_birth_self"];

pub fn csv() -> Result<Vec<u8>, String> {
    let folder = std::env::var("THRONG_DATA").unwrap_or_else(|_| "../shared/data".to_owned());
    let path = format!("{folder}/census_kdd.csv.gz");
    if !std::path::Path::new(&path).exists() {
        return Err(format!("{path} is not there: set THRONG_DATA to the folder of the tables"));
    }
    let output = Command::new("gzip").args(["-dc", &path]).output().map_err(|_| "gzip is missing".to_owned())?;
    if output.status.success() { Ok(output.stdout) } else { Err(format!("gzip can't read {path}")) }
}
