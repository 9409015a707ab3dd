//! How fast an end may send: always the same, or by the time of the week.

use symbiosis_base::{Instant, Rate, Span};

/// After this much time the same limits hold again.
pub const WEEK: Span = Span::from_millis(7 * 24 * 3_600_000);

/// How fast an end may send. Without any limit as fast as it can.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Limit {
    /// Each holds from its time of the week until that of the next one; before the first the last one holds. In order of time.
    steps: Vec<(Span, Option<Rate>)>,
    /// The time of the week at which the clock starts.
    begins: Span,
}

impl Limit {
    /// The same at any time.
    pub fn steady(rate: Rate) -> Limit {
        Limit { steps: vec![(Span::ZERO, Some(rate))], begins: Span::ZERO }
    }

    /// By the time of the week, for a clock that starts at `begins`.
    pub fn by_time(mut steps: Vec<(Span, Option<Rate>)>, begins: Span) -> Limit {
        steps.sort_by_key(|(at, _)| *at);
        Limit { steps, begins }
    }

    /// What holds now.
    pub fn at(&self, now: Instant) -> Option<Rate> {
        let time = Span((now.since_start().0 + self.begins.0) % WEEK.0);
        let after = self.steps.partition_point(|(at, _)| *at <= time);
        let step = after.checked_sub(1).map_or(self.steps.last(), |at| self.steps.get(at));
        step.and_then(|(_, rate)| *rate)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_holds_from_its_time_to_the_next_ones_and_over_the_end_of_the_week() {
        let hours = |hours: u64| Span::from_millis(3_600_000 * hours);
        let at = |limit: &Limit, time: Span| limit.at(Instant::after(time)).map(Rate::mbps);
        assert_eq!(at(&Limit::default(), hours(5)), None);
        assert_eq!(at(&Limit::steady(Rate::from_mbps(7.0)), hours(500)), Some(7.0));
        let steps = || vec![(hours(20), None), (hours(8), Some(Rate::from_mbps(50.0)))];
        let limit = Limit::by_time(steps(), Span::ZERO);
        let ms = Span::from_millis(1);
        for (time, mbps) in [
            (Span::ZERO, None),
            (hours(8) - ms, None),
            (hours(8), Some(50.0)),
            (hours(20) - ms, Some(50.0)),
            (hours(20), None),
            (WEEK, None),
            (WEEK + hours(8), Some(50.0)),
        ] {
            assert_eq!(at(&limit, time), mbps, "{time:?}");
        }
        // The clock starts at 19:30.
        let limit = Limit::by_time(steps(), hours(19) + hours(1).scale(0.5));
        assert_eq!((at(&limit, Span::ZERO), at(&limit, hours(1))), (Some(50.0), None));
    }
}
