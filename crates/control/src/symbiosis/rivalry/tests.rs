mod window;

use alloc::vec;
use alloc::vec::Vec;

use super::super::probe_rtt::{ProbeRtt, Share};
use super::*;
use crate::Instant;

const TAU: Span = Span::from_millis(60);
const THETA: f64 = 0.008;
const INTERVAL: Span = Span::from_millis(10_000);
const BOUNDS: Bounds = Bounds {
    harmless: Span::from_millis(5),
    most: Span::from_millis(32),
    crowd: Span::from_millis(16),
    tau: Span::from_millis(60),
    lost: true,
    interval: INTERVAL,
    round: Span::from_millis(100),
};

/// A probe of a queue of `before` found `left` of it \[ms\], and nothing else of note.
fn verdict(before: u64, left: u64) -> Verdict {
    Verdict {
        asked: Instant::START,
        released: Instant::START,
        before: Span::from_millis(before),
        left: Span::from_millis(left),
        stood: true,
        long: false,
        back: true,
        early: false,
        seen: true,
        company: true,
    }
}

/// A flow of the kind with the window that its state gives it, in the time that the link takes for it.
struct Flow {
    probe: ProbeRtt,
    rivalry: Rivalry,
    window: f64,
    smoothed: Span,
}

/// Flows of the kind, and a window that nobody yields, in one queue, as a fluid: one that goes on standing where the flows are, whatever CUBIC's own motion.
struct Fluid {
    now: Instant,
    flows: Vec<Flow>,
    others: f64,
    seen: Vec<Span>,
    /// What part of what left the link at a time was each flow's.
    parts: Vec<Vec<f64>>,
}

impl Fluid {
    /// `n` flows, `competing` or not, that share a queue of `queue` seconds with `others`; the clock of each probes' is behind by so many milliseconds.
    fn new(behind: &[u64], competing: bool, queue: f64, others: f64) -> Fluid {
        let n = behind.len() as f64;
        let window = (TAU.secs() + queue - others) / n;
        let flow = || {
            let mut probe = ProbeRtt::new(Span::from_millis(10_000), true);
            // τ was seen before the others came.
            probe.acked(Instant::START, TAU, None);
            probe.spare(competing);
            let rivalry = Rivalry { competing, ..Rivalry::default() };
            Flow { probe, rivalry, window, smoothed: Span::from_secs(TAU.secs() + queue) }
        };
        let mut fluid = Fluid { now: Instant::START, flows: vec![], others, seen: vec![], parts: vec![] };
        let last = behind.iter().max().copied().unwrap_or(0);
        fluid.flows = behind.iter().map(|_| flow()).collect();
        for ms in 0..last {
            fluid.step(&|i| behind[i] <= ms);
        }
        fluid
    }

    /// A millisecond, for the flows that are `awake`.
    fn step(&mut self, awake: &dyn Fn(usize) -> bool) {
        self.now += Span::from_millis(1);
        let now = self.now;
        let n = self.flows.len() as f64;
        let flight = |flow: &Flow| {
            let part = flow.probe.part(now, || Span::from_secs(flow.window), flow.smoothed);
            flow.window * part.min(1.0)
        };
        let flights: Vec<f64> = self.flows.iter().map(flight).collect();
        let all: f64 = flights.iter().sum::<f64>() + self.others;
        self.parts.push(flights.iter().map(|flight| flight / all.max(TAU.secs())).collect());
        self.seen.push(Span::from_secs(all).max(TAU));
        let Some(before) = self.seen.len().checked_sub(TAU.0 as usize / 1_000_000) else { return };
        let rtt = self.seen[before];
        for (i, flow) in self.flows.iter_mut().enumerate().filter(|(i, _)| awake(*i)) {
            if !flow.probe.is_heard() {
                flow.smoothed = Span((flow.smoothed.0 * 15 + rtt.0) / 16);
            }
            // What comes back in a probe's first round trip left before it, in the queue that stood.
            let left = self.parts.len().saturating_sub((flow.smoothed.0 / 1_000_000) as usize);
            let share = Share {
                service: Span::from_micros(120),
                flight: Span::from_secs(flow.window),
                acked: Span::from_secs(0.001 * self.parts[left][i]),
                smoothed: flow.smoothed,
                mean: flow.smoothed,
                own_kind_rtt: if flow.rivalry.competes() { flow.smoothed } else { flow.smoothed.min(TAU + BOUNDS.most) },
                contested: true,
                competes: flow.rivalry.competes(),
                bridge: Span::ZERO,
            };
            if !flow.rivalry.competes() && flow.rivalry.misses(now, rtt, INTERVAL) {
                flow.rivalry.begins();
                flow.window = flow.window.max(self.others);
            }
            let Some(verdict) = flow.probe.acked(now, rtt, Some(&share)) else { continue };
            let change = flow.rivalry.judged(&verdict, &BOUNDS);
            match change {
                Change::Ends => flow.window = (TAU.secs() + THETA * libm::log(n)) / n,
                Change::Begins => flow.window = flow.window.max(self.others),
                Change::None => {}
            }
            flow.probe.spare(flow.rivalry.competes() && flow.rivalry.is_sure());
            if flow.rivalry.asks_again(&verdict, &BOUNDS) {
                flow.probe.hasten();
            }
        }
    }

    fn run(&mut self, ms: u64) {
        (0..ms).for_each(|_| self.step(&|_| true));
    }

    fn competing(&self) -> usize {
        self.flows.iter().filter(|flow| flow.rivalry.competes()).count()
    }
}

/// Every phase of `n` flows to one another, in thirds of four seconds.
fn phases(n: usize) -> impl Iterator<Item = Vec<u64>> {
    (0..3_u64.pow(n as u32)).map(move |code| (0..n as u32).map(|i| code / 3_u64.pow(i) % 3 * 1_333).collect())
}

/// Model check: wherever flows of the kind stand to one another, however long a queue they have built among themselves, they find out that there is nobody else.
#[test]
fn flows_of_the_kind_do_not_lock_each_other_in() {
    let mut checked = 0;
    for n in 1..=3 {
        for behind in phases(n) {
            for queue in [0.015, 0.06, 0.12] {
                let mut fluid = Fluid::new(&behind, true, queue, 0.0);
                fluid.run(30_000);
                assert_eq!(fluid.competing(), 0, "{n} flows, behind by {behind:?} ms, a queue of {queue} s");
                checked += 1;
            }
        }
    }
    assert_eq!(checked, 3 * (3 + 9 + 27));
}

/// Nor do they ever think each other an opponent while their clocks agree, even where the buffer overflows.
#[test]
fn flows_of_the_kind_do_not_compete_with_each_other() {
    for n in 1..=8 {
        let mut fluid = Fluid::new(&vec![0; n], false, THETA * libm::log(n as f64), 0.0);
        for _ in 0..30 {
            fluid.run(1_000);
            assert_eq!(fluid.competing(), 0, "{n} flows at {:?}", fluid.now);
        }
    }
}

/// A window that does not yield holds half of the flight.
#[test]
fn who_fills_the_buffer_is_found_and_not_lost_sight_of() {
    for n in [1, 2, 4] {
        for queue in [0.02, 0.06, 0.12] {
            let others = (TAU.secs() + queue) / 2.0;
            let mut fluid = Fluid::new(&vec![0; n], false, queue, others);
            // Where nobody of the kind sees a probe of one alone, longer than the time between probes.
            fluid.run(25_000);
            assert_eq!(fluid.competing(), n, "{n} flows, a queue of {queue} s");
            let mut fluid = Fluid::new(&vec![0; n], true, queue, others);
            for _ in 0..30 {
                fluid.run(1_000);
                assert_eq!(fluid.competing(), n, "{n} flows, a queue of {queue} s, at {:?}", fluid.now);
            }
        }
    } // What it costs to take no notice of probes out of step: four with an eighth each are too small to be seen in such a queue, and what three put back is more than a
    // quarter of it.
    let mut fluid = Fluid::new(&[0; 4], false, 0.04, 0.05);
    fluid.run(25_000);
    assert_eq!(fluid.competing(), 0);
}

#[test]
fn without_an_overflow_only_a_queue_that_no_flows_of_the_kind_leave_is_an_opponents() {
    let verdict = |left: u64| verdict(40, left);
    let bounds = Bounds { lost: false, ..BOUNDS };
    let mut rivalry = Rivalry::default();
    assert_eq!([1, 2, 3].map(|_| rivalry.judged(&verdict(20), &bounds)), [Change::None; 3]);
    assert!(!rivalry.doubts());
    assert_eq!(rivalry.judged(&verdict(33), &bounds), Change::None);
    assert_eq!(rivalry.judged(&verdict(20), &bounds), Change::None, "anybody's queue is no reason to doubt, nor to be sure again");
    assert!(rivalry.doubts());
    assert_eq!([33, 33].map(|left| rivalry.judged(&verdict(left), &bounds)), [Change::None, Change::Begins], "three in a row");
    let mut rivalry = Rivalry::default();
    let standing = [10, 11, 12, 13].map(|at| Verdict { long: true, asked: Instant::from_secs(f64::from(at)), ..verdict(20) });
    let found = [Change::None, Change::None, Change::None, Change::Begins];
    assert_eq!(
        standing.map(|verdict| rivalry.judged(&verdict, &bounds)),
        found,
        "flows of the kind had emptied it, a newcomer has settled"
    );
    let crowd = Verdict { stood: false, ..verdict(33) };
    let mut rivalry = Rivalry::default();
    assert_eq!([1, 2, 3].map(|_| rivalry.judged(&crowd, &BOUNDS)), [Change::None; 3], "who has just emptied the queue is no opponent");
    let mut rivalry = Rivalry::default();
    let _ = [33; 3].map(|left| rivalry.judged(&verdict(left), &bounds));
    let twice = [2, 20, 2, 2].map(|left| rivalry.judged(&verdict(left), &bounds));
    assert_eq!(twice, [Change::None, Change::None, Change::None, Change::Ends], "two in a row");
}

#[test]
fn a_queue_that_fell_and_did_not_come_back_tells_of_an_opponents_loss_alone() {
    let verdict = |left: u64, back: bool| Verdict { back, ..verdict(40, left) };
    let mut rivalry = Rivalry::default();
    let changes = [(33, true), (0, false), (33, true), (33, true)].map(|(left, back)| rivalry.judged(&verdict(left, back), &BOUNDS));
    assert_eq!(changes, [Change::None, Change::None, Change::None, Change::Begins], "no doubt is over for it");
    // Who competes has filled the queue itself, and may be as slow as its window.
    let changes = [(0, false), (0, false)].map(|(left, back)| rivalry.judged(&verdict(left, back), &BOUNDS));
    assert_eq!(changes, [Change::None, Change::Ends]);
}

/// A queue that all had emptied and that is missing eight round trips after it is an opponent's as one that is left is: three in a row, whichever they are, or two from two rounds of probes. One that was back
/// ends the row.
#[test]
fn a_queue_that_is_missing_counts_as_one_that_is_left() {
    let probes = |probes: &[(f64, u64, bool)]| {
        let mut rivalry = Rivalry::default();
        // Its first verdict, two seconds before anything counts as missing, was that of a newcomer.
        rivalry.judged(&verdict(40, 2), &BOUNDS);
        let begins = probes.iter().find(|(asked, left, back)| {
            let asked = Instant::from_secs(*asked);
            let verdict = Verdict { asked, released: asked + Span::from_millis(600), back: *back, ..verdict(40, *left) };
            let begins = rivalry.judged(&verdict, &BOUNDS) == Change::Begins;
            begins || rivalry.misses(asked + Span::from_millis(2_000), TAU, INTERVAL)
        });
        begins.map(|(asked, ..)| *asked)
    };
    let (missing, left, back) = ((0, false), (33, true), (0, true));
    let at = |found: &[(f64, (u64, bool))]| probes(&found.iter().map(|(asked, (left, back))| (*asked, *left, *back)).collect::<Vec<_>>());
    assert_eq!(at(&[(2.0, missing), (4.0, missing), (7.0, missing)]), Some(7.0));
    assert_eq!(at(&[(1.9, missing), (4.0, missing), (7.0, missing)]), None, "slow starts had filled it");
    assert_eq!(at(&[(2.0, left), (4.0, missing), (7.0, left)]), Some(7.0));
    assert_eq!(at(&[(2.0, missing), (12.0, missing)]), Some(12.0));
    assert_eq!(at(&[(2.0, missing), (4.0, missing), (7.0, back), (10.0, missing), (13.0, missing)]), None);
}

/// Flows of the kind that are out of step leave no more than many of them have, whatever they take for τ.
#[test]
fn a_queue_longer_than_any_of_the_kind_needs_one_verdict() {
    let mut rivalry = Rivalry::default();
    assert_eq!(rivalry.judged(&verdict(200, 92), &BOUNDS), Change::None, "60 and 32 ms");
    let mut rivalry = Rivalry::default();
    assert_eq!(rivalry.judged(&verdict(200, 93), &BOUNDS), Change::Begins);
    assert!(rivalry.is_sure(), "and no probe to make sure");
}

#[test]
fn what_others_out_of_step_leave_tells_nothing() {
    let early = Verdict { early: true, seen: false, ..verdict(40, 33) };
    for competing in [false, true] {
        let mut rivalry = Rivalry { competing, contrary: 1, ..Rivalry::default() };
        assert_eq!([1, 2, 3].map(|_| rivalry.judged(&early, &BOUNDS)), [Change::None; 3]);
        assert!(rivalry.doubts(), "whatever was known before");
    }
    let mut rivalry = Rivalry::default();
    assert_eq!(
        rivalry.judged(&Verdict { early: true, ..verdict(200, 93) }, &BOUNDS),
        Change::Begins,
        "but what nobody of the kind can leave"
    );
}

/// A lone probe of one of many finds the queue of all others.
#[test]
fn who_has_given_up_too_little_to_be_seen_does_not_ask_again_alone() {
    let unseen = |left: u64| Verdict { seen: false, ..verdict(40, left) };
    let again = |competing: bool, verdict: &Verdict| Rivalry { competing, contrary: 1, ..Rivalry::default() }.asks_again(verdict, &BOUNDS);
    assert!(!again(false, &unseen(20)));
    assert!(again(false, &verdict(40, 20)) && again(false, &unseen(33)) && again(true, &unseen(20)));
    assert!(!Rivalry::default().asks_again(&verdict(40, 20), &BOUNDS), "who has no doubts does not");
}

/// Of a crowd that is still coming many overflow the buffer, and probe when it suits them: what one of them finds alone says nothing, and what it finds twice in
/// one round of probes is one finding.
#[test]
fn who_is_not_seen_needs_company_and_two_rounds_of_probes() {
    let at = |times: [u64; 3], verdict: Verdict| {
        let mut rivalry = Rivalry::default();
        times.map(|ms| rivalry.judged(&Verdict { asked: Instant::from_millis(ms), ..verdict }, &BOUNDS))
    };
    let judge = |verdict| at([0, 9_999, 10_000], verdict);
    let unseen = Verdict { seen: false, ..verdict(40, 30) };
    assert_eq!(judge(unseen), [Change::None, Change::None, Change::Begins]);
    assert_eq!(judge(Verdict { company: false, ..unseen }), [Change::None; 3], "nobody else probed, and nobody could see it");
    let long = judge(Verdict { company: false, long: true, ..unseen });
    assert_eq!(long, [Change::None, Change::None, Change::Begins], "but somebody should have, by then");
    let (mut rivalry, alone) = (Rivalry::default(), Verdict { company: false, ..unseen });
    let judged = [3.0, 7.0, 15.0].map(|s| rivalry.judged(&Verdict { asked: Instant::from_secs(s), long: s > 12.5, ..alone }, &BOUNDS));
    assert_eq!(judged[1..], [Change::None, Change::Begins], "the first round came before it was long");
    let seen = at([0, 5_000, 9_999], verdict(40, 30));
    assert_eq!(seen, [Change::None, Change::None, Change::Begins], "who is seen has called the others each time");
    let few = Verdict { seen: false, company: false, ..verdict(16, 10) };
    assert_eq!(judge(few), [Change::None; 3], "nor of a shorter queue");
    assert_eq!(at([0, 5_000, 9_999], Verdict { company: true, ..few })[2], Change::Begins, "but for company one round does");
}

/// Opponents leave, and the queue is empty for two seconds; windows that go on growing fill it again. From then on it takes two probes.
#[test]
fn a_queue_that_ran_empty_is_asked_about_as_soon_as_it_stands_again() {
    let mut fluid = Fluid::new(&[0, 0], true, 0.06, 0.06);
    fluid.run(21_000);
    assert_eq!(fluid.competing(), 2);
    fluid.others = 0.0;
    fluid.run(2_000);
    fluid.flows.iter_mut().for_each(|flow| flow.window += 0.02);
    fluid.run(4_000);
    assert_eq!(fluid.competing(), 0);
}

/// One CUBIC beside nine of the kind has a tenth of the flight, and leaves a tenth of the queue when they yield.
#[test]
fn one_opponent_among_many_of_the_kind_is_not_lost_sight_of() {
    let queue = 0.12;
    let mut fluid = Fluid::new(&[0; 9], true, queue, (TAU.secs() + queue) / 10.0);
    fluid.run(30_000);
    assert_eq!(fluid.competing(), 9);
    let judged = |competing: bool, before: u64, left: u64| {
        let mut rivalry = Rivalry { competing, ..Rivalry::default() };
        let changes = [0, 2_000, 4_000].map(|at| {
            let asked = Instant::from_millis(at);
            rivalry.judged(&Verdict { asked, ..verdict(before, left) }, &BOUNDS)
        });
        changes[if competing { 1 } else { 2 }]
    };
    assert_eq!([31, 30].map(|left| judged(false, 80, left)), [Change::Begins, Change::None], "three eighths, of who does not compete");
    assert_eq!([33, 32].map(|left| judged(false, 200, left)), [Change::Begins, Change::None], "and no more than many of the kind leave");
    assert_eq!([8, 7].map(|left| judged(true, 120, left)), [Change::None, Change::Ends], "a sixteenth, of who does");
}

#[test]
fn who_competes_takes_only_noise_for_an_empty_queue() {
    let judged = |before: u64, left: u64| {
        let verdict = verdict(before, left);
        let mut rivalry = Rivalry { competing: true, ..Rivalry::default() };
        [(); 2].map(|()| rivalry.judged(&verdict, &BOUNDS))[1]
    };
    assert_eq!([3, 2].map(|left| judged(8, left)), [Change::None, Change::Ends], "3 of 8 ms would harm nobody, but are an opponent's");
}

/// A verdict that no other follows within two rounds of the probes of all is past. Who competes probes more rarely the longer a round trip is, and keeps its doubts.
#[test]
fn a_verdict_that_no_other_follows_is_past() {
    let at = |competing: bool, left: u64, times: [u64; 2]| {
        let mut rivalry = Rivalry { competing, ..Rivalry::default() };
        times.map(|ms| rivalry.judged(&Verdict { asked: Instant::from_millis(ms), ..verdict(40, left) }, &BOUNDS))[1]
    };
    assert_eq!(at(false, 20, [1_000, 21_000]), Change::Begins);
    assert_eq!(at(false, 20, [1_000, 21_001]), Change::None);
    assert_eq!(at(true, 0, [1_000, 61_000]), Change::Ends);
}
