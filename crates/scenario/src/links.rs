//! The listed links as the plan has them: rates, queues and what manages them.

use symbiosis_base::{Bytes, Random, Rate, Span};
use symbiosis_path::{
    CakeSpec, CoDelSpec, Discipline, DualPi2Spec, FqCoDelSpec, FqPieSpec, LinkSpec, PieSpec, QueueLimit, RateSpec, RedSpec, Trace, Wifi,
};
use symbiosis_run::PlannedLink;

use super::error::Fault;
use super::file::{self, Link, RateOverTime};
use super::files::Files;
use super::flows::Routed;
use super::impair;
use super::topology::{Shape, greatest, millis, to_steps};

/// The listed links with their queues resolved, and in words how each queue's limit came to be.
pub(super) fn links(shape: &Shape, flows: &[Routed<'_>], files: Files<'_>) -> Result<(Vec<PlannedLink>, Vec<String>), Fault> {
    let mut planned = Vec::new();
    let mut rules = Vec::new();
    for (id, (path, name, link)) in shape.links.iter().enumerate() {
        let rate = rate(path, link, files)?;
        let crossing = || flows.iter().filter(|flow| flow.route.contains(&id));
        let (queue, rule) = queue(path, link, greatest(&rate), crossing().map(|flow| flow.base_rtt).max())?;
        let largest = crossing().map(|flow| flow.file.packet_bytes).max().unwrap_or(0);
        if let QueueLimit::Bytes(limit) = queue
            && limit.0 < largest
        {
            let key = if link.queue_bdp.is_some() { "queue_bdp" } else { "queue_bytes" };
            return Err(Fault::at(format!("{path}.{key}"), format!("`{path}.{key}` leaves room for {} bytes", limit.0))
                .help(format!("a packet of {largest} bytes could never wait; give more, or `queue_packets`")));
        }
        let discipline = discipline(path, link)?;
        let impair = impair::plan(&format!("{path}.impair"), &link.impair)?;
        let (delay, jitter) = (millis(link.delay_ms), millis(link.jitter_ms));
        let spec = LinkSpec { rate, delay, queue, discipline, loss: link.loss, jitter, impair };
        planned.push(PlannedLink { name: name.clone(), listed: true, spec });
        rules.push(rule);
    }
    Ok((planned, rules))
}

fn rate(path: &str, link: &Link, files: Files<'_>) -> Result<RateSpec, Fault> {
    match (&link.rate_mbps, &link.trace) {
        (Some(RateOverTime::Constant(mbps)), _) => Ok(RateSpec::Constant(Rate::from_mbps(*mbps))),
        (Some(RateOverTime::Steps(steps)), _) => Ok(RateSpec::Steps(to_steps(steps))),
        (None, Some(file)) => trace(&format!("{path}.trace"), file, files).map(RateSpec::Trace),
        (None, None) => match (&link.wifi, &link.cellular) {
            (Some(station), _) => Ok(RateSpec::Wifi(wifi(station))),
            (None, Some(station)) => Ok(RateSpec::Trace(cellular(station))),
            (None, None) => Err(Fault::at(path, format!("`rate_mbps` is missing from `{path}`"))
                .help("how fast the link sends [Mbit/s]; or `trace`, the file of a Mahimahi trace; or `wifi`, or `cellular`")),
        },
    }
}

/// 65535 bytes are an A-MPDU of IEEE 802.11n at its largest; 200 µs are a preamble, a block acknowledgement and a mean backoff of seven slots, with
/// nobody else on the air.
fn wifi(station: &file::Wifi) -> Wifi {
    Wifi {
        phy: Rate::from_mbps(station.phy_mbps),
        access: millis(station.access_us.unwrap_or(200.0) / 1e3),
        aggregate: Bytes(station.aggregate_bytes.unwrap_or(65_535)),
    }
}

/// How long fading lasts before it repeats.
const FADING: Span = Span::from_millis(60_000);

/// A coherence of 100 ms and a deviation of 0.5 are a pedestrian's: 4 dB of slow fading, and grants that others leave.
fn cellular(station: &file::Cellular) -> Trace {
    let mut random = Random::new(station.seed.unwrap_or(1), 0);
    let coherence = millis(station.coherence_ms.unwrap_or(100.0));
    Trace::cellular(Rate::from_mbps(station.mean_mbps), station.spread.unwrap_or(0.5), coherence, FADING, &mut random)
}

fn trace(key: &str, file: &str, files: Files<'_>) -> Result<Trace, Fault> {
    let text = files.read(file).map_err(|error| {
        Fault::at(key, format!("`{key}` is \"{file}\", which cannot be read: {error}"))
            .help("the path is relative to the scenario's folder")
    })?;
    Trace::parse(&text).map_err(|error| {
        Fault::at(key, format!("`{key}` is \"{file}\", which is no Mahimahi trace: {error}"))
            .help("a line for each opportunity to send 1500 bytes: milliseconds since the start, ascending")
    })
}

fn queue(path: &str, link: &Link, rate: Rate, base_rtt: Option<Span>) -> Result<(QueueLimit, String), Fault> {
    match (link.queue_packets, link.queue_bytes, link.queue_bdp) {
        (Some(packets), ..) => Ok((QueueLimit::Packets(packets), "as given".into())),
        (_, Some(bytes), _) => Ok((QueueLimit::Bytes(Bytes(bytes)), "as given".into())),
        (_, _, Some(bdp)) => {
            let Some(rtt) = base_rtt else {
                return Err(Fault::at(format!("{path}.queue_bdp"), format!("`{path}.queue_bdp` needs a flow that crosses the link"))
                    .help("it is a multiple of rate × the largest base RTT of these flows; without any give `queue_packets`"));
            };
            let rule = format!("queue_bdp {bdp} × {} Mbit/s × largest base RTT {} ms", rate.mbps(), rtt.millis());
            // Half a byte of slack: 0.1 × 100 Mbit/s × 100 ms is 125000 bytes, whatever the floats make of it.
            Ok((QueueLimit::Bytes(Bytes::from_f64(bdp * rate.times(rtt) + 0.5)), rule))
        }
        (None, None, None) => Err(Fault::at(path, format!("the queue's size is missing from `{path}`"))
            .help("give one of `queue_packets`, `queue_bytes`, or `queue_bdp` (a multiple of rate × the largest base RTT)")),
    }
}

/// The queue's management. A key that nothing would look at is a mistake.
fn discipline(path: &str, link: &Link) -> Result<Discipline, Fault> {
    let kind = |queue| format!("{queue:?}").to_lowercase();
    let (codel, fq, pie) = (&["codel", "fq-codel", "cake"][..], &["fq-codel", "fq-pie"][..], &["pie", "fq-pie"][..]);
    let (red, dualpi2) = (&["red"][..], &["dualpi2"][..]);
    let keys = [
        ("codel_target_ms", link.codel_target_ms.is_some(), codel),
        ("codel_interval_ms", link.codel_interval_ms.is_some(), codel),
        ("fq_flows", link.fq_flows.is_some(), fq),
        ("fq_quantum_bytes", link.fq_quantum_bytes.is_some(), &["fq-codel", "fq-pie", "cake"]),
        ("pie_target_ms", link.pie_target_ms.is_some(), pie),
        ("pie_update_ms", link.pie_update_ms.is_some(), pie),
        ("red_min_packets", link.red_min_packets.is_some(), red),
        ("red_max_packets", link.red_max_packets.is_some(), red),
        ("red_probability", link.red_probability.is_some(), red),
        ("red_weight", link.red_weight.is_some(), red),
        ("dualpi2_target_ms", link.dualpi2_target_ms.is_some(), dualpi2),
        ("dualpi2_step_ms", link.dualpi2_step_ms.is_some(), dualpi2),
    ];
    let mine = kind(link.queue);
    let is_mine = |queues: &[&str]| queues.iter().any(|queue| queue.replace('-', "") == mine);
    if let Some((key, _, queues)) = keys.iter().find(|(_, given, queues)| *given && !is_mine(queues)) {
        let what = format!("`{path}.{key}` is given, but the queue does not look at it");
        let wanted = queues.iter().map(|queue| format!("\"{queue}\"")).collect::<Vec<_>>().join(" or ");
        return Err(Fault::at(format!("{path}.{key}"), what).help(format!("it belongs to `queue = {wanted}`; leave it out, or give that")));
    }
    let usual = CoDelSpec::default();
    let codel = CoDelSpec {
        target: link.codel_target_ms.map_or(usual.target, millis),
        interval: link.codel_interval_ms.map_or(usual.interval, millis),
    };
    let usual = PieSpec::default();
    let pie = PieSpec { target: link.pie_target_ms.map_or(usual.target, millis), update: link.pie_update_ms.map_or(usual.update, millis) };
    let usual = FqCoDelSpec::default();
    let flows = link.fq_flows.map_or(usual.flows, |flows| flows as usize);
    let quantum = link.fq_quantum_bytes.map_or(usual.quantum, Bytes);
    Ok(match link.queue {
        file::Queue::DropTail => Discipline::DropTail,
        file::Queue::CoDel => Discipline::CoDel(codel),
        file::Queue::FqCoDel => Discipline::FqCoDel(FqCoDelSpec { codel, flows, quantum }),
        file::Queue::Pie => Discipline::Pie(pie),
        file::Queue::FqPie => Discipline::FqPie(FqPieSpec { pie, flows, quantum }),
        file::Queue::Red => Discipline::Red(self::red(path, link)?),
        file::Queue::DualPi2 => {
            let usual = DualPi2Spec::default();
            let target = link.dualpi2_target_ms.map_or(usual.target, millis);
            Discipline::DualPi2(DualPi2Spec { target, step: link.dualpi2_step_ms.map_or(usual.step, millis) })
        }
        file::Queue::Cake => Discipline::Cake(CakeSpec { codel, quantum }),
    })
}

fn red(path: &str, link: &Link) -> Result<RedSpec, Fault> {
    let usual = RedSpec::default();
    let min = link.red_min_packets.unwrap_or(usual.min);
    let max = link.red_max_packets.unwrap_or((3.0 * min).max(1.0));
    if max <= min {
        let what = format!("`{path}.red_max_packets` is {max}, and `red_min_packets` {min}");
        return Err(Fault::at(format!("{path}.red_max_packets"), what).help("it must be above `red_min_packets`"));
    }
    let (probability, weight) = (link.red_probability.unwrap_or(usual.probability), link.red_weight.unwrap_or(usual.weight));
    Ok(RedSpec { min, max, probability, weight })
}
