use super::*;

fn measured(mean: f64, ci95: f64) -> Measured {
    Measured { mean, ci95, seeds: 10 }
}

fn verdict(least: f64, most: f64, mean: f64, ci95: f64) -> Verdict {
    Bar { least, most }.verdict(measured(mean, ci95))
}

#[test]
fn an_interval_across_the_bar_decides_nothing() {
    assert_eq!(verdict(0.98, f64::INFINITY, 0.99, 0.01), Verdict::Holds);
    assert_eq!(verdict(0.98, f64::INFINITY, 0.99, 0.011), Verdict::Undecided);
    assert_eq!(verdict(0.98, f64::INFINITY, 0.96, 0.019), Verdict::Differs);
    assert_eq!(verdict(95.0, 105.0, 94.0, 3.0), Verdict::Undecided);
    assert_eq!(verdict(95.0, 105.0, 107.0, 1.0), Verdict::Differs);
    assert_eq!(verdict(95.0, 105.0, 107.0, 100.0), Verdict::Undecided);
    assert_eq!(verdict(0.0, 1.0, f64::NAN, 0.0), Verdict::Undecided);
    assert_eq!(verdict(0.0, 1.0, f64::INFINITY, f64::NAN), Verdict::Differs, "never, in one run");
}

#[test]
fn none_is_none() {
    assert_eq!(verdict(0.0, 0.0, 0.0, 0.0), Verdict::Holds);
    assert_eq!(verdict(0.0, 0.0, 0.5, 1.1), Verdict::Differs, "one of ten seeds loses five");
    assert_eq!(Bar { least: 0.0, most: 1.0 }.verdict(Measured::none()), Verdict::NotRun);
}

fn claim(mean: f64) -> Claim {
    let stated = (Reference { basis: Basis::Ours, place: String::new() }, String::new());
    Claim::new("", stated, (measured(mean, 0.0), ""), Bar { least: 1.0, most: 2.0 })
}

fn check(holds: bool) -> Check {
    let mean = if holds { 1.0 } else { 0.0 };
    Check { what: "one [1]".into(), measured: measured(mean, 0.1), bar: Bar { least: 0.5, most: f64::INFINITY } }
}

#[test]
fn a_confirmed_reason_takes_the_place_of_a_conjecture_and_what_holds_needs_none() {
    let reason = |claim: Claim| claim.reason.map(|reason| (reason.text, reason.check.is_some()));
    assert_eq!(reason(claim(3.0).supposing("a").because(check(false), "b").because(check(true), "c")), Some(("c".into(), true)));
    assert_eq!(reason(claim(3.0).because(check(true), "c").because(check(true), "d").supposing("a")), Some(("c".into(), true)));
    assert_eq!(reason(claim(3.0).supposing("a").because(check(false), "b")), Some(("a".into(), false)));
    assert_eq!(reason(claim(1.5).because(check(true), "c").supposing("a")), None);
}

#[test]
fn a_check_heeds_its_interval() {
    assert!(check(true).holds());
    assert!(!Check { measured: measured(1.0, 0.6), ..check(true) }.holds());
}

#[test]
fn what_was_not_run_says_why() {
    let claim = claim(1.5).not_run("no root");
    assert_eq!((claim.verdict(), claim.reason.map(|reason| reason.text)), (Verdict::NotRun, Some("no root".into())));
}
