//! `--limit`: a rate, or a timetable of rates.

use std::collections::BTreeMap;
use std::str::FromStr;

use chrono::{Datelike, Local, NaiveDateTime, Timelike};
use serde::{Deserialize, Serialize};
use symbiosis_base::{Rate, Span};
use symbiosis_quic::exchange::{Limit, WEEK};

const DAYS: [&str; 7] = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];
/// Seconds of a day.
const DAY: u32 = 24 * 3600;

/// Rates by the time of the week, as the user gives them. The last one of a week holds until the first one of the next.
#[derive(Clone, Debug, PartialEq)]
pub struct Timetable(BTreeMap<u32, Option<f64>>);

/// A timetable, and the time of the week at which it was told: how the other end hears of it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Limits {
    /// Seconds of the local week, from Monday 00:00 on.
    pub now_s: u32,
    /// From that second of the week on so many Mbit/s, or as many as there are.
    pub steps: Vec<(u32, Option<f64>)>,
}

/// A rate that is one.
pub fn mbps(text: &str) -> Result<f64, String> {
    text.parse().ok().filter(|rate: &f64| rate.is_finite() && *rate > 0.0).ok_or_else(|| "write Mbit/s, e.g. 50".into())
}

fn rate(text: &str) -> Option<Option<f64>> {
    if text == "off" { Some(None) } else { mbps(text).ok().map(Some) }
}

/// `HH:MM` or `Mon-HH:MM`: the day, if there is one, and the second of the day.
fn time(text: &str) -> Result<(Option<usize>, u32), String> {
    let (day, clock) = match text.split_once('-') {
        Some((day, clock)) => {
            let known = DAYS.iter().position(|known| day.eq_ignore_ascii_case(known));
            (Some(known.ok_or_else(|| format!("there is no day `{day}`: Mon, Tue, Wed, Thu, Fri, Sat, Sun"))?), clock)
        }
        None => (None, text),
    };
    let number = |text: &str, most: u32| -> Option<u32> {
        let digits = (1..=2).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
        text.parse().ok().filter(|number: &u32| digits && *number <= most)
    };
    let read = clock.split_once(':').and_then(|(hours, minutes)| Some(number(hours, 23)? * 3600 + number(minutes, 59)? * 60));
    Ok((day, read.ok_or_else(|| format!("`{clock}` is no time from 00:00 to 23:59"))?))
}

impl FromStr for Timetable {
    type Err = String;

    fn from_str(text: &str) -> Result<Timetable, String> {
        if !text.contains([',', ':']) {
            let steady = rate(text.trim()).ok_or("write Mbit/s, e.g. 50, or times and Mbit/s, e.g. '08:00,50 18:00,off'")?;
            return Ok(Timetable(BTreeMap::from([(0, steady)])));
        }
        let (mut daily, mut on_days) = (BTreeMap::new(), BTreeMap::new());
        for (at, entry) in text.split_whitespace().enumerate() {
            let fault = |why: String| format!("entry {}, `{entry}`: {why}", at + 1);
            let Some((when, how_fast)) = entry.split_once(',') else {
                return Err(fault("there is no `,` between a time and Mbit/s, as in 08:00,50".into()));
            };
            let (day, second) = time(when).map_err(fault)?;
            let how_fast = rate(how_fast).ok_or_else(|| fault(format!("`{how_fast}` is neither Mbit/s above 0 nor `off`")))?;
            let before = match day {
                Some(day) => on_days.insert(day as u32 * DAY + second, how_fast),
                None => daily.insert(second, how_fast),
            };
            if before.is_some() {
                return Err(fault(format!("{when} is there already")));
            }
        }
        let every = |(second, how_fast): (u32, Option<f64>)| (0..7).map(move |day| (day * DAY + second, how_fast));
        let mut steps: BTreeMap<u32, Option<f64>> = daily.into_iter().flat_map(every).collect();
        steps.extend(on_days);
        Ok(Timetable(steps))
    }
}

/// Seconds of the week, from Monday 00:00 on.
fn of_week(time: &NaiveDateTime) -> u32 {
    time.weekday().num_days_from_monday() * DAY + time.num_seconds_from_midnight()
}

impl Timetable {
    /// The same rate at any time.
    pub fn steady(mbps: f64) -> Timetable {
        Timetable(BTreeMap::from([(0, Some(mbps))]))
    }

    /// As the other end is told it now.
    pub fn now(&self) -> Limits {
        self.at(&Local::now().naive_local())
    }

    fn at(&self, time: &NaiveDateTime) -> Limits {
        Limits { now_s: of_week(time), steps: self.0.iter().map(|(second, rate)| (*second, *rate)).collect() }
    }
}

impl Limits {
    /// For a clock that starts now.
    ///
    /// # Errors
    /// Whoever told it means nothing.
    pub fn limit(&self) -> Result<Limit, String> {
        let span = |second: u32| Some(Span::from_millis(1000 * u64::from(second))).filter(|span| *span < WEEK);
        let step = |(second, mbps): &(u32, Option<f64>)| {
            let sound = mbps.is_none_or(|mbps| mbps.is_finite() && mbps > 0.0);
            span(*second).filter(|_| sound).map(|at| (at, mbps.map(Rate::from_mbps)))
        };
        let steps = self.steps.iter().map(step).collect::<Option<_>>();
        steps.zip(span(self.now_s)).map(|(steps, now)| Limit::by_time(steps, now)).ok_or_else(|| "the limit is none".into())
    }
}

#[cfg(test)]
mod tests {
    use chrono::NaiveDate;
    use symbiosis_base::Instant;

    use super::*;

    /// What holds so many hours after a time of November 2026, whose 23rd is a Monday, of a copy that begins then.
    fn holds(table: &str, (day, hour, minute): (u32, u32, u32), after_h: f64) -> Option<f64> {
        let table: Timetable = table.parse().unwrap();
        let clock = NaiveDate::from_ymd_opt(2026, 11, day).unwrap().and_hms_opt(hour, minute, 0).unwrap();
        let told = serde_json::to_string(&table.at(&clock)).unwrap();
        let limit = serde_json::from_str::<Limits>(&told).unwrap().limit().unwrap();
        limit.at(Instant::from_secs(3600.0 * after_h)).map(Rate::mbps)
    }

    #[test]
    fn a_timetable_is_kept_by_the_clock() {
        for table in ["50", " 50 "] {
            assert_eq!((holds(table, (23, 0, 0), 0.0), holds(table, (29, 23, 59), 300.0)), (Some(50.0), Some(50.0)));
        }
        assert_eq!(holds("off", (23, 0, 0), 0.0), None);
        let office = "18:00,off 08:00,50 8:30,12.5";
        for (at, after_h, mbps) in [
            ((23, 7, 59), 0.0, None),
            ((23, 8, 0), 0.0, Some(50.0)),
            ((23, 8, 30), 0.0, Some(12.5)),
            ((23, 17, 59), 0.0, Some(12.5)),
            ((23, 18, 0), 0.0, None),
            // From one day to the next, and from one week to the next.
            ((23, 17, 0), 0.5, Some(12.5)),
            ((23, 17, 0), 1.0, None),
            ((23, 17, 0), 15.0, Some(50.0)),
            ((29, 23, 0), 9.25, Some(50.0)),
            ((29, 23, 0), 24.0 * 21.0, None),
        ] {
            assert_eq!(holds(office, at, after_h), mbps, "{at:?} + {after_h} h");
        }
        let week = "08:00,50 18:00,off sat-08:00,off Sun-08:00,off SUN-20:00,9";
        for (at, mbps) in
            [((27, 8, 0), Some(50.0)), ((28, 8, 0), None), ((29, 19, 0), None), ((29, 20, 0), Some(9.0)), ((23, 7, 0), Some(9.0))]
        {
            assert_eq!(holds(week, at, 0.0), mbps, "{at:?}");
        }
    }

    #[test]
    fn what_is_no_timetable_is_named_by_its_entry() {
        for (table, says) in [
            ("", "write Mbit/s, e.g. 50, or times"),
            ("fast", "write Mbit/s, e.g. 50, or times"),
            ("-5", "write Mbit/s"),
            ("0", "write Mbit/s"),
            ("08:00", "entry 1, `08:00`: there is no `,`"),
            ("08:00,50 18:00", "entry 2, `18:00`: there is no `,`"),
            ("08:00,50 24:00,off", "entry 2, `24:00,off`: `24:00` is no time from 00:00 to 23:59"),
            ("08:60,50", "entry 1, `08:60,50`: `08:60` is no time"),
            ("8,50", "entry 1, `8,50`: `8` is no time"),
            ("008:00,50", "entry 1, `008:00,50`: `008:00` is no time"),
            ("+8:00,50", "entry 1, `+8:00,50`: `+8:00` is no time"),
            ("08:00,50 Day-09:00,5", "entry 2, `Day-09:00,5`: there is no day `Day`"),
            ("08:00,0", "entry 1, `08:00,0`: `0` is neither Mbit/s above 0 nor `off`"),
            ("08:00,512k", "entry 1, `08:00,512k`: `512k` is neither"),
            ("08:00,inf", "entry 1, `08:00,inf`: `inf` is neither"),
            ("08:00,50 8:00,off", "entry 2, `8:00,off`: 8:00 is there already"),
            ("Mon-08:00,5 mon-8:00,6", "entry 2, `mon-8:00,6`: mon-8:00 is there already"),
        ] {
            let said = table.parse::<Timetable>().unwrap_err();
            assert!(said.contains(says), "{table}: {said}");
        }
        for told in [
            Limits { now_s: 604_800, steps: vec![] },
            Limits { now_s: 0, steps: vec![(604_800, None)] },
            Limits { now_s: 0, steps: vec![(0, Some(0.0))] },
        ] {
            assert!(told.limit().is_err(), "{told:?}");
        }
    }
}
