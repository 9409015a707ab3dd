//! Opponents that have left, and a flow that does.

use super::*;

/// When a flow of some `part` of the link probes first after 3 s in which nothing was due, where its queue of 30 ms is `then` \[ms\].
fn probes_after_3_s(part: f64, competes: bool, then: u64, meanwhile: impl Fn(&mut ProbeRtt)) -> Option<u64> {
    let mut probe = ProbeRtt { interval: Span::from_millis(10_000), ..ProbeRtt::new(Span::from_millis(10_000), true) };
    probe.acked(Instant::START, TAU, None);
    let share = |part| Share { competes, ..share(TAU + Span::from_millis(30), part) };
    let hears = |probe: &mut ProbeRtt, ms, queue, part| {
        probe.acked(Instant::from_millis(ms), TAU + Span::from_millis(queue), Some(&share(part)));
        probe.is_heard()
    };
    assert!(!(1..3_000).any(|ms| hears(&mut probe, ms, 30, 0.5)));
    meanwhile(&mut probe);
    (3_000..20_000).find(|ms| hears(&mut probe, *ms, then, part))
}

/// By the clock that who competes have in common, after twice five seconds in a queue that stands as it was; at once, 16 round trips after the last, if the link is one's own.
#[test]
fn who_competes_and_has_the_link_alone_asks_at_once() {
    let sure = |probe: &mut ProbeRtt| probe.spare(true);
    assert_eq!([15.0 / 16.0, 0.93].map(|part| probes_after_3_s(part, true, 30, sure)), [Some(3_000), Some(10_000)]);
}

#[test]
fn who_leaves_takes_the_fall_of_its_queue_for_nobodys_probe() {
    let leaves = |probe: &mut ProbeRtt| probe.leaves(Instant::from_millis(3_000));
    assert_eq!(probes_after_3_s(0.5, false, 10, |_| {}), Some(3_000), "a dip");
    assert!(probes_after_3_s(0.5, false, 10, leaves).is_none_or(|at| at >= 8_000));
}
