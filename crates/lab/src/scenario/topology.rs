//! Links: the dumbbell of `[bottleneck]`, or the links of `[[link]]`.
//!
//! In a dumbbell every flow crosses a link of its own, the bottleneck, and another link of its own, all one way:
//!
//! ```text
//! sender ─ access ─ bottleneck ─ access ─ receiver        base RTT = 2 (delay + 2 · access delay)
//! ```
//!
//! With `[[link]]` a flow crosses exactly its `route`, and links of its own at both ends only if it gives `access_rate_mbps` or
//! `access_delay_ms`. Without an `ack_route` ACKs come back over a private mirror of the way there: links of the same rates (the
//! greatest of steps, a trace's mean) and delays, with room for whatever comes and without loss or jitter, so ACKs never wait for anyone.

use std::path::Path;

use symbiosis_base::{Bytes, Nanos, Rate};
use symbiosis_path::{CoDelSpec, Discipline, FqCoDelSpec, LinkSpec, QueueLimit, RateSpec, Steps, Trace};
use symbiosis_run::{LinkId, PlannedLink};

use super::error::Fault;
use super::file::{self, Link, RateOverTime};
use super::flows::Routed;
use super::locate::suggestion;

/// Name of the link that `[bottleneck]` makes.
pub(super) const BOTTLENECK: &str = "bottleneck";

/// The links as the file has them.
pub(super) struct Shape {
    /// One shared link with access links around it, instead of routes.
    pub dumbbell: bool,
    /// Path in the document, name, and values of each.
    pub links: Vec<(String, String, Link)>,
}

/// One of the two topologies.
pub(super) fn shape(bottleneck: Option<Link>, links: Vec<Link>) -> Result<Shape, Fault> {
    match (bottleneck, links.is_empty()) {
        (Some(link), true) => Ok(Shape { dumbbell: true, links: vec![(BOTTLENECK.into(), BOTTLENECK.into(), link)] }),
        (Some(_), false) => Err(Fault::at("link.0", "the scenario has both `[bottleneck]` and `[[link]]`")
            .help("give the shared link as `[bottleneck]`, or every link as `[[link]]` and a `route` to each flow")),
        (None, true) => Err(Fault::at("", "the scenario has neither `[bottleneck]` nor `[[link]]`")
            .help("add a `[bottleneck]` with `rate_mbps`, `delay_ms` and one of `queue_packets`, `queue_bytes`, `queue_bdp`")),
        (None, false) => {
            let mut named: Vec<(String, String, Link)> = Vec::new();
            for (at, link) in links.into_iter().enumerate() {
                let name = link.name.clone().expect("the table of keys requires a name");
                if named.iter().any(|(_, known, _)| *known == name) {
                    let what = format!("two links have the name \"{name}\"");
                    return Err(Fault::at(format!("link.{at}.name"), what).help("every link needs a name of its own: routes use it"));
                }
                named.push((format!("link.{at}"), name, link));
            }
            Ok(Shape { dumbbell: false, links: named })
        }
    }
}

impl Shape {
    /// The links of a route, which stands at `path` under `key`.
    pub fn route(&self, path: &str, key: &str, route: &[String]) -> Result<Vec<LinkId>, Fault> {
        if self.dumbbell {
            let what = format!("`{path}.{key}` is given, but the scenario has a `[bottleneck]`");
            return Err(
                Fault::at(format!("{path}.{key}"), what).help("with `[bottleneck]` everything crosses it; routes are for `[[link]]`")
            );
        }
        let mut ids = Vec::new();
        for (at, name) in route.iter().enumerate() {
            let here = format!("{path}.{key}.{at}");
            let Some(id) = self.links.iter().position(|(_, known, _)| known == name) else {
                let known = self.links.iter().map(|(_, known, _)| known.as_str());
                return Err(
                    Fault::at(here, format!("`{path}.{key}` names a link \"{name}\" that there is not")).help(suggestion(name, known))
                );
            };
            if ids.contains(&id) {
                return Err(Fault::at(here, format!("`{path}.{key}` crosses \"{name}\" twice")).help("a route crosses a link once"));
            }
            ids.push(id);
        }
        Ok(ids)
    }

    /// The route that a scenario with `[[link]]` must give, or the only one there is.
    pub fn data_route(&self, path: &str, route: Option<&Vec<String>>) -> Result<Vec<LinkId>, Fault> {
        match route {
            Some(route) => self.route(path, "route", route),
            None if self.dumbbell => Ok(vec![0]),
            None => Err(Fault::at(path, format!("`route` is missing from `{path}`"))
                .help("with `[[link]]` everything says which links it crosses: `route = [\"name\", …]`")),
        }
    }

    /// Propagation along a route, one way.
    pub fn delay(&self, route: &[LinkId]) -> Nanos {
        route.iter().fold(Nanos::ZERO, |sum, id| sum + millis(self.links[*id].2.delay_ms))
    }
}

/// The listed links with their queues resolved, and in words how each queue's limit came to be.
pub(super) fn links(shape: &Shape, flows: &[Routed<'_>], base: Option<&Path>) -> Result<(Vec<PlannedLink>, Vec<String>), Fault> {
    let mut planned = Vec::new();
    let mut rules = Vec::new();
    for (id, (path, name, link)) in shape.links.iter().enumerate() {
        let rate = rate(path, link, base)?;
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

fn rate(path: &str, link: &Link, base: Option<&Path>) -> Result<RateSpec, Fault> {
    match (&link.rate_mbps, &link.trace) {
        (Some(RateOverTime::Constant(mbps)), _) => Ok(RateSpec::Constant(Rate::from_mbps(*mbps))),
        (Some(RateOverTime::Steps(steps)), _) => Ok(RateSpec::Steps(to_steps(steps))),
        (None, Some(file)) => trace(&format!("{path}.trace"), file, base).map(RateSpec::Trace),
        (None, None) => Err(Fault::at(path, format!("`rate_mbps` is missing from `{path}`"))
            .help("how fast the link sends [Mbit/s]; or `trace`, the file of a Mahimahi trace")),
    }
}

fn trace(key: &str, file: &str, base: Option<&Path>) -> Result<Trace, Fault> {
    let path = base.unwrap_or(Path::new("")).join(file);
    let text = std::fs::read_to_string(&path).map_err(|error| {
        Fault::at(key, format!("`{key}` is \"{file}\", which cannot be read: {error}"))
            .help("the path is relative to the scenario's folder")
    })?;
    Trace::parse(&text).map_err(|error| {
        Fault::at(key, format!("`{key}` is \"{file}\", which is no Mahimahi trace: {error}"))
            .help("a line for each opportunity to send 1500 bytes: milliseconds since the start, ascending")
    })
}

fn queue(path: &str, link: &Link, rate: Rate, base_rtt: Option<Nanos>) -> Result<(QueueLimit, String), Fault> {
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

/// What a mirror, an access link's default and `queue_bdp` take for the rate: the greatest of steps, the mean of a trace.
pub(super) fn greatest(rate: &RateSpec) -> Rate {
    match rate {
        RateSpec::Constant(rate) => *rate,
        RateSpec::Steps(steps) => steps.max(),
        RateSpec::Trace(trace) => trace.mean(),
    }
}

pub(super) fn to_steps(steps: &[(f64, f64)]) -> Steps {
    let steps: Vec<(Nanos, Rate)> = steps.iter().map(|(at, mbps)| (Nanos::from_secs(*at), Rate::from_mbps(*mbps))).collect();
    Steps::new(&steps)
}

pub(super) fn millis(ms: f64) -> Nanos {
    Nanos::from_secs(ms / 1e3)
}
