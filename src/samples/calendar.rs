//! Dates as day numbers (0 is 1970-01-01) in the proleptic Gregorian calendar, by Hinnant's integer formulas.

use crate::random::push_number;

#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Date {
    pub year: i32,
    pub month: u32,
    pub day: u32,
}

pub fn day_number(Date { year, month, day }: Date) -> i32 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let month_from_march = (month as i32 + 9) % 12;
    let day_of_year = (153 * month_from_march + 2) / 5 + day as i32 - 1;
    era * 146_097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719_468
}

pub fn date(day_number: i32) -> Date {
    let days = day_number + 719_468;
    let day_of_era = days.rem_euclid(146_097);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let month = (month_from_march + 2) % 12 + 1;
    let year = days.div_euclid(146_097) * 400 + year_of_era + i32::from(month <= 2);
    Date { year, month: month as u32, day: (day_of_year - (153 * month_from_march + 2) / 5 + 1) as u32 }
}

/// The day numbers on which someone who is `age` years old on `today` can be born, both included.
pub fn birth_days(today: Date, age: u32) -> (i32, i32) {
    let last = years_before(today, age as i32);
    (years_before(today, age as i32 + 1) + 1, last)
}

/// The same day of an earlier year; 28 February for the 29th where there is none.
fn years_before(Date { year, month, day }: Date, years: i32) -> i32 {
    let year = year - years;
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let day = if month == 2 && day == 29 && !leap { 28 } else { day };
    day_number(Date { year, month, day })
}

/// Appends `1957-03-09`.
pub fn push_date(Date { year, month, day }: Date, out: &mut Vec<u8>) {
    push_number(year.unsigned_abs(), 4, out);
    out.push(b'-');
    push_number(month, 2, out);
    out.push(b'-');
    push_number(day, 2, out);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn day_numbers_and_dates_are_inverse() {
        assert_eq!(day_number(Date { year: 1970, month: 1, day: 1 }), 0);
        assert_eq!(day_number(Date { year: 2000, month: 3, day: 1 }), 11_017);
        let mut before = date(-30_000);
        for number in -29_999..30_000 {
            let today = date(number);
            assert!(today > before);
            assert_eq!(day_number(today), number);
            before = today;
        }
    }

    #[test]
    fn birth_days_around_a_leap_day() {
        let leap_day = Date { year: 2024, month: 2, day: 29 };
        let (first, last) = birth_days(leap_day, 1);
        assert_eq!(date(first), Date { year: 2022, month: 3, day: 1 });
        assert_eq!(date(last), Date { year: 2023, month: 2, day: 28 });
    }
}
