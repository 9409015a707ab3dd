//! Transfers in virtual time.

mod common;

use common::{Way, goodput, run};
use symbiosis_quic::transfer::{Pattern, Task};

#[test]
fn every_controller_carries_a_file() {
    for cc in symbiosis_quic::choice::Choice::names() {
        let mut world = Way::new(20.0, 40, 100).one(cc, Task::Drain { source: Box::new(Pattern(10_000_000)) });
        let progress = run(&mut world, 60);
        println!("{cc}: {progress:?} {:.2}", goodput(&progress));
        assert_eq!(progress.files, 1, "{cc}: {progress:?}");
    }
}
