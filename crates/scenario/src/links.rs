//! The listed links as the plan has them: rates, queues and what manages them.

use symbiosis_base::{Bytes, Rate, Span};
use symbiosis_path::{CoDelSpec, Discipline, FqCoDelSpec, LinkSpec, QueueLimit, RateSpec, Trace};
use symbiosis_run::PlannedLink;

use super::error::Fault;
use super::file::{self, Link, RateOverTime};
use super::files::Files;
use super::flows::Routed;
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
        let spec = LinkSpec { rate, delay: millis(link.delay_ms), queue, discipline, loss: link.loss, jitter: millis(link.jitter_ms) };
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
        (None, None) => Err(Fault::at(path, format!("`rate_mbps` is missing from `{path}`"))
            .help("how fast the link sends [Mbit/s]; or `trace`, the file of a Mahimahi trace")),
    }
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
    let codel = [("codel_target_ms", link.codel_target_ms.is_some()), ("codel_interval_ms", link.codel_interval_ms.is_some())];
    let fair = [("fq_flows", link.fq_flows.is_some()), ("fq_quantum_bytes", link.fq_quantum_bytes.is_some())];
    let (idle, wanted) = match link.queue {
        file::Queue::DropTail => (codel.iter().chain(&fair).find(|(_, given)| *given), "\"codel\" or \"fq-codel\""),
        file::Queue::CoDel => (fair.iter().find(|(_, given)| *given), "\"fq-codel\""),
        file::Queue::FqCoDel => (None, ""),
    };
    if let Some((key, _)) = idle {
        let what = format!("`{path}.{key}` is given, but the queue does not look at it");
        return Err(Fault::at(format!("{path}.{key}"), what).help(format!("it belongs to `queue = {wanted}`; leave it out, or give that")));
    }
    let usual = CoDelSpec::default();
    let codel = CoDelSpec {
        target: link.codel_target_ms.map_or(usual.target, millis),
        interval: link.codel_interval_ms.map_or(usual.interval, millis),
    };
    let usual = FqCoDelSpec::default();
    Ok(match link.queue {
        file::Queue::DropTail => Discipline::DropTail,
        file::Queue::CoDel => Discipline::CoDel(codel),
        file::Queue::FqCoDel => Discipline::FqCoDel(FqCoDelSpec {
            codel,
            flows: link.fq_flows.map_or(usual.flows, |flows| flows as usize),
            quantum: link.fq_quantum_bytes.map_or(usual.quantum, Bytes),
        }),
    })
}
