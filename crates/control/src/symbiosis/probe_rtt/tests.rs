mod leaving;

use alloc::vec::Vec;

use super::*;

const TAU: Span = Span::from_millis(60);
const THETA: f64 = 0.008;

/// Flows with fixed windows in one queue, as a fluid: the link serves a byte a unit of time, and windows are counted in the time it takes them.
struct Fluid {
    now: Instant,
    flows: Vec<(ProbeRtt, f64)>,
    /// Round-trip times under way, one a millisecond.
    seen: Vec<Span>,
    tau: Span,
    probes: usize,
}

impl Fluid {
    /// `n` flows that came within a second, each with a window a third too large, which leave a queue of `Kθ ln n` in the end.
    fn new(n: usize) -> Fluid {
        let mut fluid = Fluid { now: Instant::START, flows: Vec::new(), seen: Vec::new(), tau: TAU, probes: 0 };
        for _ in 0..n {
            fluid.join(4.0 / 3.0 * TAU.secs() / n as f64);
            fluid.run(900 / n as u64);
        }
        fluid.share();
        fluid
    }

    /// Equal windows, and a queue of `Kθ ln n`.
    fn share(&mut self) {
        let n = self.flows.len() as f64;
        self.flows.iter_mut().for_each(|(_, window)| *window = (TAU.secs() + THETA * libm::log(n)) / n);
    }

    /// A flow whose first round-trip time is of the queue that it finds.
    fn join(&mut self, window: f64) {
        self.flows.push((ProbeRtt::new(Span::from_millis(10_000), false), window));
    }

    fn standing(&self) -> Span {
        Span::from_secs(self.flows.iter().map(|(_, window)| window).sum::<f64>()).max(self.tau)
    }

    /// A millisecond: every flow has the round-trip time that the flights of a base round-trip time ago made.
    fn step(&mut self) {
        let smoothed = self.standing();
        self.now += Span::from_millis(1);
        let now = self.now;
        let part = |probe: &ProbeRtt| probe.part(now, || TAU, smoothed);
        let flight: f64 = self.flows.iter().map(|(probe, window)| window * part(probe)).sum();
        self.seen.push(Span::from_secs(flight).max(self.tau));
        let Some(before) = self.seen.len().checked_sub(self.tau.0 as usize / 1_000_000) else { return };
        let rtt = self.seen[before];
        for (probe, window) in &mut self.flows {
            let was = probe.is_heard();
            probe.acked(
                now,
                rtt,
                Some(&Share {
                    service: Span::from_micros(120),
                    flight: Span::from_secs(*window),
                    acked: Span::ZERO,
                    smoothed,
                    mean: smoothed,
                    own_kind_rtt: smoothed,
                    contested: false,
                    competes: false,
                    bridge: Span::ZERO,
                }),
            );
            self.probes += usize::from(probe.is_heard() && !was);
        }
    }

    fn run(&mut self, ms: u64) {
        (0..ms).for_each(|_| self.step());
    }

    fn taus(&self) -> (Span, Span) {
        let taus = || self.flows.iter().map(|(probe, _)| probe.tau().unwrap());
        (taus().min().unwrap(), taus().max().unwrap())
    }
}

/// The later ones over-read τ by the queue, and none of them alone could empty it. The first who probes calls the others.
#[test]
fn flows_that_came_into_a_queue_find_tau_together() {
    for n in [5, 10, 50] {
        let mut fluid = Fluid::new(n);
        assert!(fluid.taus().1 > TAU, "{n}: {:?}", fluid.taus());
        fluid.run(12_000);
        assert_eq!(fluid.taus(), (TAU, TAU), "{n}");
        // One common probe every 10 s, at the most.
        let before = fluid.probes;
        fluid.run(40_000);
        assert!(fluid.probes - before <= 5 * n, "{n}: {} probes", fluid.probes - before);
    }
}

/// A joiner of whom the others know nothing: its first probe, sixteen round-trip times after it came, is the others' too, whenever theirs was.
#[test]
fn a_joiner_knows_tau_within_two_seconds() {
    for n in [2, 5] {
        for later in [5_000, 8_300, 11_100, 14_700] {
            let mut fluid = Fluid::new(n);
            fluid.run(later);
            fluid.join(0.0);
            fluid.run(60);
            fluid.share();
            fluid.run(2_000);
            assert_eq!(fluid.taus(), (TAU, TAU), "{n} at {later}");
        }
    }
}

#[test]
fn who_is_alone_never_probes() {
    let mut fluid = Fluid::new(1);
    fluid.run(60_000);
    assert_eq!((fluid.probes, fluid.taus()), (0, (TAU, TAU)));
}

/// τ is a fifth longer from one moment to the next: a queue to all appearance, but what a probe gives up was not in it.
#[test]
fn a_longer_route_is_believed_after_two_probes() {
    for n in [1, 2, 5] {
        let mut fluid = Fluid::new(n);
        fluid.run(3_000);
        let longer = TAU.scale(1.2);
        fluid.tau = longer;
        // Who thinks that a queue stands has no more in flight than before.
        fluid.flows.iter_mut().for_each(|(_, window)| *window = TAU.secs() / n as f64);
        fluid.run(if n == 1 { 12_000 } else { 13_000 });
        assert_eq!(fluid.taus().1, longer, "{n}");
    }
}

/// A probe of one of ten, in which nobody joins, tells it nothing: τ is neither what it found, nor believed to be longer.
#[test]
fn a_probe_of_one_among_many_raises_nothing() {
    let mut fluid = Fluid::new(10);
    fluid.run(12_000);
    assert_eq!(fluid.taus(), (TAU, TAU));
    let standing = fluid.standing();
    let (probe, window) = &mut fluid.flows[0];
    for ms in 1..60_000u64 {
        let now = fluid.now + Span::from_millis(ms);
        let share = Share {
            service: Span::from_micros(120),
            flight: Span::from_secs(*window),
            acked: Span::ZERO,
            smoothed: standing,
            mean: standing,
            own_kind_rtt: standing,
            contested: false,
            competes: false,
            bridge: Span::ZERO,
        };
        let given = *window * (1.0 - probe.part(now, || TAU, standing));
        probe.acked(now, standing - Span::from_secs(given), Some(&share));
    }
    assert_eq!(probe.tau(), Some(TAU));
}

/// What a flow that has this part of a `standing` round-trip time in flight knows, an ACK a millisecond, where there is reason to ask whose the queue is.
fn share(standing: Span, part: f64) -> Share {
    Share {
        service: Span::from_micros(120),
        flight: standing.scale(part),
        acked: Span::from_millis(1).scale(part),
        smoothed: standing,
        mean: standing,
        own_kind_rtt: standing,
        contested: true,
        competes: false,
        bridge: Span::ZERO,
    }
}

/// CUBIC's queue falls every 5 s, which looks like a probe of somebody's. An own probe comes in between all the same, by its own clock of 10 s.
#[test]
fn who_joins_in_an_opponents_losses_has_probes_of_its_own() {
    let mut probe = ProbeRtt::new(Span::from_millis(10_000), true);
    probe.acked(Instant::START, TAU, None);
    let (mut own, mut joined) = (0, 0);
    for ms in 1..120_000u64 {
        let standing = TAU + Span::from_secs(0.020 + 0.020 * (ms % 5_000) as f64 / 5_000.0);
        let share = share(standing, 0.25);
        let was = probe.is_heard();
        probe.acked(Instant::START + Span::from_millis(ms), standing, Some(&share));
        if probe.is_heard() && !was {
            *(if ms % 5_000 < 100 { &mut joined } else { &mut own }) += 1;
        }
    }
    assert!(joined >= 5 && own >= 8, "{joined} joined in and {own} of its own in two minutes");
}

/// Who competes has lost, and opponents too: for 6 s there is no queue, which tells of nobody. A probe comes when one has stood for half of the least time between probes.
#[test]
fn who_competes_asks_when_a_queue_stands() {
    let mut probe = ProbeRtt::new(Span::from_millis(10_000), true);
    probe.acked(Instant::START, TAU, None);
    let share = |competes| Share { competes, ..share(TAU + Span::from_millis(30), 0.5) };
    let mut began = Vec::new();
    for ms in 1..15_000 {
        let queue = Span::from_millis(if (4_000..10_000).contains(&ms) { 0 } else { 30 });
        let was = probe.is_heard();
        probe.acked(Instant::from_millis(ms), TAU + queue, Some(&share(ms > 3_000)));
        if probe.is_heard() && !was {
            began.push(ms);
        }
    }
    let next = began.iter().position(|at| *at > 4_000).unwrap();
    assert!((10_500..11_000).contains(&began[next]) && began[next] - began[next - 1] < 10_000, "{began:?} ms");
}

/// After a flow's own probe another's goes on for 100 ms, in which the queue is empty. The next probe of somebody's, 2 s later, takes half of the queue: the flow
/// sees it, and joins in.
#[test]
fn a_dip_is_seen_though_the_queue_was_empty_since_the_last_probe() {
    let mut probe = ProbeRtt::new(Span::from_millis(10_000), true);
    probe.acked(Instant::START, TAU, None);
    let standing = TAU + Span::from_millis(20);
    let share = Share { contested: false, ..share(standing, 0.25) };
    let mut now = Instant::START;
    let mut run = |probe: &mut ProbeRtt, ms: u64, queue: Span| {
        for _ in 0..ms {
            now += Span::from_millis(1);
            let given = if probe.under_way(now) { Span::from_millis(10) } else { Span::ZERO };
            probe.acked(now, TAU + (queue - given), Some(&share));
            if probe.is_heard() {
                return true;
            }
        }
        false
    };
    let queue = Span::from_millis(20);
    // The newcomer's own probe, and until all of it is back.
    assert!(run(&mut probe, 2_000, queue));
    (0..2_000).for_each(|_| _ = run(&mut probe, 1, queue));
    // The second, 2 s later.
    while !run(&mut probe, 1, queue) {}
    while run(&mut probe, 1, queue) {}
    assert!(!run(&mut probe, 100, Span::from_millis(1)), "too soon after the last");
    assert!(!run(&mut probe, 1_900, queue), "nothing falls due within 4 s");
    assert!(run(&mut probe, 50, Span::from_millis(10)), "half of the queue is gone");
}

/// A queue runs empty after 12 s, and is back after so many milliseconds more. Whether flows of the kind have not emptied it for 12.5 s, as the last probe of 25 s has it.
#[test]
fn an_opponents_loss_is_no_queue_that_flows_of_the_kind_have_emptied() {
    let long = |back: u64| {
        let mut probe = ProbeRtt::new(Span::from_millis(10_000), true);
        probe.acked(Instant::START, TAU, None);
        let mut last = None;
        for ms in 1..25_000u64 {
            let since = ms.saturating_sub(12_000);
            let queue = match since {
                0..300 => 40 - since.min(40),
                since if since < back => 15,
                _ => 40,
            };
            let standing = TAU + Span::from_millis(40);
            let share = share(standing, 0.1);
            last = probe.acked(Instant::START + Span::from_millis(ms), TAU + Span::from_millis(queue), Some(&share)).or(last);
        }
        last.unwrap().long
    };
    assert_eq!([800, 5_000].map(long), [false, true]);
}

/// A connection that begins when a clock has long run has not yet seen that a queue stands.
#[test]
fn what_was_before_a_flow_began_is_nothing_that_stood() {
    let mut probe = ProbeRtt::new(Span::from_millis(10_000), true);
    let began = Instant::from_millis(1_000_000);
    probe.acked(began, TAU, None);
    assert!(!probe.stood(began + Span::from_millis(100), TAU) && probe.stood(began + Span::from_millis(1_000), TAU));
    assert_eq!(probe.emptied.by_own_kind(), began);
}

/// What a flow holds its flight at after its second probe, the first that tells of others, that takes 6 ms of a queue of 40, which others let come back early, or not.
fn held(others: impl Fn(u64) -> u64) -> Option<super::Verdict> {
    let mut probe = ProbeRtt::new(Span::from_millis(10_000), true);
    probe.acked(Instant::START, TAU, None);
    let standing = TAU + Span::from_millis(40);
    let (mut began, mut heard) = (None, false);
    for ms in 1..15_000u64 {
        let now = Instant::START + Span::from_millis(ms);
        let share = share(standing, 0.1);
        if probe.is_heard() && !heard {
            began = Some(ms);
        }
        heard = probe.is_heard();
        let queue = began.map_or(40, |began| others(ms - began));
        if let Some(verdict) = probe.acked(now, TAU + Span::from_millis(queue), Some(&share)) {
            return Some(verdict);
        }
    }
    None
}

/// Others who are out of step come back while the flight is held, which takes 450 ms after the first 200: that is no queue of opponents'.
#[test]
fn a_queue_that_comes_back_while_the_flight_is_held_was_others_probe() {
    let in_step = held(|ms| if (100..700).contains(&ms) { 2 } else { 40 }).unwrap();
    assert!(!in_step.early && in_step.left == Span::from_millis(2), "{in_step:?}");
    let opponents = held(|ms| if (100..700).contains(&ms) { 30 } else { 40 }).unwrap();
    assert!(!opponents.early && opponents.left == Span::from_millis(30), "{opponents:?}");
    let out_of_step = held(|ms| if (100..300).contains(&ms) { 5 } else { 40 }).unwrap();
    assert!(out_of_step.early && out_of_step.left == Span::from_millis(40), "{out_of_step:?}");
    assert!(!opponents.seen, "a tenth of the flight is no dip");
}

/// From its release until the queue is back, 200 ms and 450 after the probe began, and no longer than four round trips.
#[test]
fn what_a_probe_took_goes_back_in_a_round_trip_as_short_as_it_found() {
    let mut probe = ProbeRtt::new(Span::from_millis(10_000), true);
    probe.acked(Instant::START, TAU, None);
    let (mut began, mut refills) = (None, Vec::new());
    for ms in 1..2_000u64 {
        let now = Instant::from_millis(ms);
        let queue = if began.is_some_and(|began| (100..800).contains(&(ms - began))) { 2 } else { 40 };
        probe.acked(now, TAU + Span::from_millis(queue), Some(&Share { contested: true, ..share(TAU + Span::from_millis(40), 0.5) }));
        began = began.or(probe.is_heard().then_some(ms));
        refills.extend(probe.refill_rtt(now).map(|rtt| (ms - began.unwrap(), rtt)));
    }
    let (first, last) = (refills[0].0, refills[refills.len() - 1].0);
    assert!(first >= 649 && (790..=801).contains(&last), "{first} to {last} ms");
    assert!(refills.iter().all(|(_, rtt)| *rtt == TAU + Span::from_millis(2)));
}

/// Others join in 300 ms later: the last of them is released as much later, and the queue of all is not there before.
#[test]
fn who_joined_in_late_is_released_late() {
    let soon = held(|ms| if (100..1_500).contains(&ms) { 2 } else { 40 }).unwrap();
    let late = held(|ms| if (400..1_500).contains(&ms) { 2 } else { 40 }).unwrap();
    let [soon, late] = [soon, late].map(|verdict| (verdict.released - verdict.asked).millis());
    assert!((750.0..753.0).contains(&soon), "{soon}: a probe takes 200 ms, and its hold 450");
    assert!((late - soon - 300.0).abs() < 2.0, "{late}");
}

/// A newcomer in a queue of 40 ms and a round-trip time of 100: .8 s, and 1.6 s from then on.
#[test]
fn a_newcomers_first_probe_comes_soon_and_tells_of_nobody() {
    let mut probe = ProbeRtt::new(Span::from_millis(10_000), true);
    let standing = TAU + Span::from_millis(40);
    probe.acked(Instant::START, standing - Span::from_millis(5), None);
    let (mut began, mut told) = (Vec::new(), Vec::new());
    for ms in 1..4_000 {
        let heard = probe.is_heard();
        // Its tenth of the flight is all that is missing in a probe.
        let queue = Span::from_millis(if heard { 34 } else { 40 });
        if let Some(verdict) = probe.acked(Instant::from_millis(ms), TAU + queue, Some(&share(standing, 0.1))) {
            told.push(verdict.asked);
        }
        if probe.is_heard() && !heard {
            began.push(ms);
        }
    }
    assert!(began[0] == 800 && began[1] >= 2_400, "{began:?}");
    assert_eq!(told[0], Instant::from_millis(began[1]), "{told:?}");
}

/// One of n that gives up half of what the path holds shortens the queue by `(q + τ)/n − τ/2n`, a quarter of `q` for n = 12 at `q = τ/4` and for 8 at `q = τ/2`.
#[test]
fn probes_of_one_of_many_are_no_dips() {
    for (queue, n) in [(15, 12.0), (30, 8.0)] {
        let (queue, tau) = (f64::from(queue) / 1e3, TAU.secs());
        let gives_up = (queue + tau) / n - PROBE_RTT_CWND_GAIN * tau / n;
        assert!((gives_up - DIP * queue).abs() < 1e-9);
        assert!((unseen(TAU, Span::from_secs(queue)) - n).abs() < 1e-6);
    }
    assert_eq!(unseen(TAU, Span::ZERO), unseen(TAU, NOISE), "without a queue nobody is a crowd");
}
