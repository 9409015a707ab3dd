use super::*;
use crate::Instant;

const PACKET: Bytes = Bytes(1500);

/// A link of constant rate that others use at a constant rate as if they were a fluid: the world of the equations, without noise.
struct Fluid {
    imtcp: PublishedImTcp,
    now: Instant,
    number: u64,
    capacity: f64,
    others: f64,
    /// When the link has sent what came so far, in seconds.
    free_at: f64,
    flying: std::collections::VecDeque<(u64, Instant, Instant)>,
    results: Vec<Bandwidth>,
}

const DELAY: f64 = 0.1;

impl Fluid {
    fn new(k: usize, n: usize) -> Fluid {
        Fluid::on_a_host(k, n, Span::ZERO)
    }

    /// On a host whose timer ticks.
    fn on_a_host(k: usize, n: usize, timer: Span) -> Fluid {
        let setup = Setup::new(PACKET).with_initial_window(PACKET).with_timer(timer).with_seed(1);
        Fluid {
            imtcp: PublishedImTcp::new(&setup, k, n, Trend::Pathload),
            now: Instant::START,
            number: 0,
            capacity: 12.5e6,
            others: 0.0,
            free_at: 0.0,
            flying: std::collections::VecDeque::new(),
            results: Vec::new(),
        }
    }

    /// A packet joins the backlog.
    fn leave(&mut self) {
        let arrived = self.free_at.max(self.now.secs()) + PACKET.as_f64() / self.capacity;
        self.free_at = arrived;
        self.flying.push_back((self.number, self.now, Instant::from_secs(arrived + DELAY)));
        let in_flight = Bytes(self.flying.len() as u64 * PACKET.0);
        self.imtcp.sent(&Sent {
            now: self.now,
            number: self.number,
            bytes: PACKET,
            in_flight,
            ready_at: self.now,
            retransmission: false,
            app_limited: false,
        });
        self.number += 1;
    }

    /// A packet every `gap` when nothing else is wanted, for `span`.
    fn run(&mut self, span: f64, gap: f64) {
        let end = self.now.secs() + span;
        let mut paced = self.now;
        loop {
            let departs = match self.imtcp.departure() {
                Departure::Now => paced.max(self.now),
                Departure::At(at) | Departure::IgnoreWindow(at) => at.max(self.now),
            };
            let back = self.flying.front().map_or(Instant::NEVER, |(_, _, back)| *back);
            let before = self.now;
            self.now = departs.min(back);
            if self.now.secs() > end {
                return;
            }
            // While a backlog lasts others add to it at their rate, so that it runs down at K − U.
            let used = self.others / self.capacity;
            let backlog = (self.free_at - before.secs()).max(0.0);
            self.free_at += (backlog / (1.0 - used)).min((self.now - before).secs()) * used;
            if departs < back {
                self.leave();
                paced = paced.max(self.now) + Span::from_secs(gap);
            } else {
                let (number, sent_at, now) = self.flying.pop_front().unwrap();
                let ack = Acked {
                    now,
                    number,
                    bytes: PACKET,
                    sent_at,
                    received_at: None,
                    rtt: Some(now - sent_at),
                    answered_late: Span::ZERO,
                    in_flight: Bytes(self.flying.len() as u64 * PACKET.0),
                    app_limited: false,
                    recovering: false,
                    grows: true,
                };
                self.results.extend(self.imtcp.acked(&ack).map(|reading| reading.bandwidth));
            }
        }
    }

    fn gauge(&self, wanted: &str) -> f64 {
        let mut found = f64::NAN;
        self.imtcp.gauges(&mut |name, value| {
            if name == wanted {
                found = value;
            }
        });
        found
    }
}

fn near(results: &[Bandwidth], a: f64, within: f64) {
    assert!(!results.is_empty());
    for result in results {
        assert!((result.available.mbps() - a).abs() < within, "{result:?}");
    }
}

#[test]
fn a_fluid_is_measured_right() {
    for others in [2.5e6, 5e6] {
        let mut fluid = Fluid::new(10, 20);
        fluid.others = others;
        fluid.run(5.0, 0.4e-3);
        let a = 100.0 - others * 8e-6;
        near(&fluid.results, a, 3.0);
        for cause in ["missing", "late", "early", "merged", "size"] {
            let name = std::format!("streams_{cause}");
            assert_eq!(fluid.gauge(&name), 0.0, "{name}");
        }
        // 250 packets in flight: a result within four round trips.
        assert!(fluid.results.len() >= 12, "{} results in 5 s", fluid.results.len());
    }
}

#[test]
fn a_jump_is_found_again() {
    let mut fluid = Fluid::new(10, 20);
    fluid.others = 2.5e6;
    fluid.run(3.0, 0.4e-3);
    near(&fluid.results[fluid.results.len() - 1..], 80.0, 3.0);
    fluid.others = 7.5e6;
    fluid.run(5.0, 0.4e-3);
    near(&fluid.results[fluid.results.len() - 1..], 40.0, 3.0);
    fluid.others = 2.5e6;
    fluid.run(5.0, 0.4e-3);
    near(&fluid.results[fluid.results.len() - 1..], 80.0, 3.0);
}

#[test]
fn a_timeout_discards_everything() {
    let mut fluid = Fluid::new(5, 10);
    fluid.run(2.0, 0.4e-3);
    assert!(fluid.gauge("range_low_mbps") > 0.0);
    fluid.imtcp.forget();
    assert!(fluid.gauge("range_low_mbps").is_nan() && fluid.imtcp.capacity.estimate().is_none());
    assert_eq!(fluid.imtcp.departure(), Departure::Now);
}

#[test]
fn a_small_flight_is_left_alone() {
    let mut fluid = Fluid::new(10, 20);
    // 30 packets in flight, where two streams take 42.
    for _ in 0..100 {
        fluid.run(0.1, 1.0 / 300.0);
        assert_eq!(fluid.imtcp.departure(), Departure::Now);
    }
    assert!(fluid.results.is_empty());
}

#[test]
fn a_coarse_timer_tells_the_rates_that_it_can_do_and_no_more_than_two_ticks_say() {
    // Gaps of 2, 3, 4, 5 … ticks of 50 µs: 120, 80, 60, 48, 40, 34.3, 30 Mbit/s. What is told is the fastest of them that is not above A.
    for (others, told) in [(2.5e6, 80.0), (5e6, 60.0), (6.5e6, 48.0)] {
        let mut fluid = Fluid::on_a_host(10, 20, Span::from_micros(50));
        fluid.others = others;
        fluid.run(5.0, 0.4e-3);
        near(&fluid.results[fluid.results.len() - 3..], told, 0.1);
    }
    // Nobody else is there, and K is 1 Gbit/s: the timer tells 120 Mbit/s.
    let mut fluid = Fluid::on_a_host(10, 20, Span::from_micros(50));
    fluid.capacity = 125e6;
    fluid.run(5.0, 0.1e-3);
    near(&fluid.results[fluid.results.len() - 1..], 120.0, 0.1);
}

#[test]
fn a_given_capacity_is_taken_and_no_pair_is_asked() {
    let mut fluid = Fluid::new(10, 20);
    (fluid.others, fluid.imtcp.given) = (5e6, Some(None));
    fluid.run(2.0, 0.4e-3);
    assert!(fluid.results.is_empty(), "K is not known");
    let k = Rate::from_mbps(90.0);
    assert_eq!(fluid.imtcp.report(&Report::Path { now: fluid.now, capacity: k, available: Rate::ZERO }), None, "A is measured");
    fluid.run(2.0, 0.4e-3);
    near(&fluid.results, 60.0, 3.0);
    assert!(fluid.results.iter().all(|result| result.capacity == k));
}
