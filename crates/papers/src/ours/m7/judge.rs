//! What the maps are held to.

use super::cell::{Cell, Found, Kind, who};
use super::path::{BUFFER, FREE, MBPS, ROOM, RTT_MS};
use crate::toolkit::claims::{at_least, at_most, claim, derived};
use symbiosis_report::outcome::{Measured, Outcome};

const HARMONIC: &str = "S Eq 9 goes by 1/K', whose mean is above 1/K: to second order windows rest as if K were (1 − s²)K, and of readings with s = 0.5 some are a \
                        tenth of K, to which A' is cut, too";

/// The room that bursts need, over Kτ. Several flows: a sixth of the buffer for their packets' clusters. Beside UDP: four deviations of the queue, which
/// Poisson traffic of rate λ makes and a fixed window takes back within τ + q, `σ² = λ(τ + q)/2`.
fn bursts(n: u32) -> f64 {
    if n > 1 {
        return 0.15 * BUFFER;
    }
    let udp = MBPS * (1.0 - FREE) * 1e6 / 8.0 / 1500.0;
    let back = RTT_MS / 1e3 * (1.0 + BUFFER);
    4.0 * (udp * back / 2.0).sqrt() / ROOM
}

/// The cell that is farthest from what it should be, and by how much.
pub fn farthest<'a>(cells: &'a [Cell], results: &[Found], away: impl Fn(&Cell, &Found) -> Option<Measured>) -> (String, Measured) {
    let name = |cell: &'a Cell| {
        format!("{} {:+.2}{}", cell.kind.name, cell.error, cell.gamma.map_or(String::new(), |gamma| format!(", γ = {gamma}")))
    };
    let worst =
        cells.iter().zip(results).filter_map(|(cell, found)| Some((cell, away(cell, found)?))).max_by(|a, b| a.1.mean.total_cmp(&b.1.mean));
    worst.map_or((String::new(), Measured::none()), |(cell, off)| (name(cell), off))
}

/// The claims about a map.
pub fn judge(kind: &Kind, n: u32, cells: &[Cell], results: &[Found], found: &mut Outcome) {
    let name = format!("{}, {}", kind.name, who(n));
    let overflows = |cell: &Cell| cell.theory().queue + bursts(n) > BUFFER;
    let (at, off) = farthest(cells, results, |cell, found| (!overflows(cell)).then(|| found.throughput.off(cell.theory().throughput)));
    let law = if kind.is_bias { "S Eq 11 with what is read" } else { "S Eq 11 without noise" };
    found.claims.push(claim(
        format!("{name}: throughput within 5 % of K of {law}, wherever that does not overflow; the farthest is {at}"),
        derived("S §II-B, Eq 11", "0"),
        off,
        "of K",
        at_most(0.05),
        if kind.is_bias {
            "where little or nothing is meant to wait, clusters and Poisson traffic leave the link idle now and then, or are heard as other traffic"
        } else if kind.param == "k_noise" {
            HARMONIC
        } else {
            "noise is cut off at A' = K' and A' = 0, and an idle link is not made up for by a queue"
        },
    ));
    let (at, off) = farthest(cells, results, |cell, found| (!overflows(cell)).then(|| found.queue.off(cell.theory().queue)));
    found.claims.push(claim(
        format!("{name}: queue within 0.1 Kτ of {law}, wherever that does not overflow; the farthest is {at}"),
        derived("S §II-B, Eq 11", "0"),
        off,
        "Kτ",
        at_most(0.1),
        if kind.is_bias {
            "unpaced windows stand before the link as clusters, and each reads what is free when its own returns"
        } else if kind.param == "k_noise" {
            HARMONIC
        } else {
            "a window that noise moves makes a queue when it is high, and takes none away when it is low"
        },
    ));
    if !kind.is_bias {
        return;
    }
    let should = |cell: &Cell| {
        let queue = cell.theory().queue;
        if queue > 1.15 * BUFFER { Some(true) } else { (queue + bursts(n) < BUFFER).then_some(false) }
    };
    let clear: Vec<(bool, &Found)> = cells.iter().zip(results).filter_map(|(cell, found)| Some((should(cell)?, found))).collect();
    // Of the starts of each cell, one for each seed.
    let right = |start: usize| clear.iter().filter(|(should, found)| *should == (found.losses[start] > 0.01)).count();
    let starts = results.first().map_or(0, |found| found.losses.len());
    let right: Vec<f64> = (0..starts).map(|start| 100.0 * right(start) as f64 / clear.len().max(1) as f64).collect();
    found.claims.push(claim(
        format!(
            "{name}: packets are lost where S Eq 11's queue exceeds the buffer by 15 %, and none of ten thousand where it leaves room for bursts, {:.2} Kτ",
            bursts(n)
        ),
        derived("S §II-B, Eq 11", "100"),
        Measured::over(&right),
        "% of the cells",
        at_least(95.0),
        "a cluster of an unpaced window needs room of its own",
    ));
}
