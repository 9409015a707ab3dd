//! TCP flows: their names, their controllers, their ways through the links.

use std::collections::{BTreeMap, BTreeSet};

use symbiosis_base::{Bytes, Instant, Rate, Span};
use symbiosis_control::params::{ParamError, Value, Values};
use symbiosis_control::registry::Entry;
use symbiosis_path::LinkSpec;
use symbiosis_run::{EcnMode, FlowPlan, Hosts, LinkId, PlannedLink, Recovery};

use super::error::Fault;
use super::file::{self, Flow};
use super::impair;
use super::keys::MOST_FLOWS;
use super::locate::suggestion;
use super::target::Target;
use super::topology::{Shape, greatest, millis};

/// Most packets of one flow: the simulator numbers them in 32 bits, of which 7 % are left for what is sent again.
const MOST_PACKETS: u64 = 4_000_000_000;

/// A `[[flow]]` whose way is known.
pub(super) struct Routed<'a> {
    pub path: String,
    pub file: &'a Flow,
    /// Listed links that data crosses.
    pub route: Vec<LinkId>,
    /// Links that ACKs cross; a private mirror without.
    ack_route: Option<Vec<LinkId>>,
    /// Delay of the flow's own links, if it has any.
    access: Option<Span>,
    /// Propagation there and back.
    pub base_rtt: Span,
}

/// The ways of all flows.
pub(super) fn route<'a>(flows: &'a [Flow], shape: &Shape) -> Result<Vec<Routed<'a>>, Fault> {
    if flows.iter().map(|flow| flow.count).sum::<u64>() > MOST_FLOWS {
        return Err(Fault::at("flow.0.count", format!("the scenario has more than {MOST_FLOWS} flows")).help("lower the flows' `count`"));
    }
    let one = |(at, file): (usize, &'a Flow)| {
        let path = format!("flow.{at}");
        let route = shape.data_route(&path, file.route.as_ref())?;
        let ack_route = file.ack_route.as_ref().map(|names| shape.route(&path, "ack_route", names)).transpose()?;
        let given = file.access_rate_mbps.is_some() || file.access_delay_ms.is_some();
        let access = (shape.dumbbell || given).then(|| millis(file.access_delay_ms.unwrap_or(0.0)));
        let back = shape.delay(ack_route.as_ref().unwrap_or(&route));
        let base_rtt = shape.delay(&route) + back + access.unwrap_or_default() * 4;
        Ok(Routed { path, file, route, ack_route, access, base_rtt })
    };
    flows.iter().enumerate().map(one).collect()
}

/// Every flow. Their private links are added to `links`.
pub(super) fn plan(target: &Target, routed: Vec<Routed<'_>>, links: &mut Vec<PlannedLink>, end: Instant) -> Result<Vec<FlowPlan>, Fault> {
    let names = names(&routed)?;
    let mut names = names.into_iter();
    let (mut flows, mut addresses) = (Vec::new(), BTreeMap::new());
    for flow in &routed {
        let template = template(target, flow, end)?;
        let ack_impair = impair::plan(&format!("{}.ack_impair", flow.path), &flow.file.ack_impair)?;
        if !ack_impair.is_empty() && flow.ack_route.is_some() && flow.access.is_none() {
            let key = format!("{}.ack_impair", flow.path);
            return Err(Fault::at(&key, format!("`{key}` is given, and all links of `ack_route` are shared"))
                .help("give the last of them an `impair`, or the flow links of its own (`access_rate_mbps`)"));
        }
        for id in names.by_ref().take(flow.file.count as usize) {
            let (route, ack_route) = ways(flow, &id, links);
            few_enough(flow, &template, &route, links, end)?;
            if let (false, Some(last)) = (ack_impair.is_empty(), ack_route.last()) {
                links[*last].spec.impair.clone_from(&ack_impair);
            }
            let mut hosts = template.hosts.clone();
            hosts.address = flow.file.host.as_ref().map(|host| *addresses.entry(host).or_insert(flows.len() as u64));
            flows.push(FlowPlan { id, route, ack_route, hosts, ..template.clone() });
        }
    }
    Ok(flows)
}

/// Packets are numbered by 32 bits; the narrowest link says how many there can be.
fn few_enough(flow: &Routed<'_>, plan: &FlowPlan, route: &[LinkId], links: &[PlannedLink], end: Instant) -> Result<(), Fault> {
    let volumes = route.iter().map(|link| links[*link].spec.rate.volume(plan.start, plan.stop.min(end)));
    let packets = volumes.fold(f64::INFINITY, f64::min) / plan.packet.as_f64();
    if plan.bytes.is_none() && packets > MOST_PACKETS as f64 {
        let what = format!("`{}` could send {packets:.1e} packets, more than {MOST_PACKETS}", flow.path);
        return Err(Fault::at(&flow.path, what).help("shorten the run, or give the flow an amount of `bytes` to send"));
    }
    Ok(())
}

/// A name alone is kept; flows of the same name are numbered from 1.
fn names(routed: &[Routed<'_>]) -> Result<Vec<String>, Fault> {
    let base = |flow: &Routed<'_>| flow.file.name.clone().unwrap_or_else(|| flow.file.cc.clone());
    let total = |name: &str| routed.iter().filter(|flow| base(flow) == name).map(|flow| flow.file.count).sum::<u64>();
    let mut used = BTreeMap::new();
    let mut taken = BTreeSet::new();
    let mut names = Vec::new();
    for flow in routed {
        let base = base(flow);
        let total = total(&base);
        let next = used.entry(base.clone()).or_insert(0_u64);
        for _ in 0..flow.file.count {
            *next += 1;
            let name = if total == 1 { base.clone() } else { format!("{base}-{next}") };
            if !taken.insert(name.clone()) {
                let what = format!("two flows have the name \"{name}\"");
                return Err(Fault::at(format!("{}.name", flow.path), what)
                    .help("flows of one name are numbered; another has that number as its name"));
            }
            names.push(name);
        }
    }
    Ok(names)
}

/// All that flows of one `[[flow]]` have in common.
fn template(target: &Target, flow: &Routed<'_>, end: Instant) -> Result<FlowPlan, Fault> {
    let Routed { path, file, .. } = flow;
    let cc = target.controller(path, &file.cc)?;
    let (start, stop) = (Instant::from_secs(file.start_s), file.stop_s.map_or(end, Instant::from_secs));
    if start >= end {
        return Err(Fault::at(format!("{path}.start_s"), format!("`{path}` starts at {} s, after the end of the run", start.secs()))
            .help(format!("the run ends at {} s (`duration_s`)", end.secs())));
    }
    if start >= stop {
        return Err(Fault::at(format!("{path}.stop_s"), format!("`{path}` stops at {} s, but starts at {} s", stop.secs(), start.secs()))
            .help("`start_s` must lie before `stop_s`"));
    }
    if file.packet_bytes <= file.header_bytes {
        let key = if file.packet_bytes == file::packet() { "header_bytes" } else { "packet_bytes" };
        let what = format!("packets of {} bytes have no room behind a header of {} bytes", file.packet_bytes, file.header_bytes);
        return Err(Fault::at(format!("{path}.{key}"), what).help("`packet_bytes` counts the header too: at least `header_bytes` + 1"));
    }
    if let Some(bytes) = file.bytes
        && bytes / (file.packet_bytes - file.header_bytes) > MOST_PACKETS
    {
        return Err(Fault::at(format!("{path}.bytes"), format!("`{path}.bytes` is {bytes}: more than {MOST_PACKETS} packets"))
            .help("leave `bytes` out for an endless flow"));
    }
    repeats(path, file, stop.min(end) - start)?;
    Ok(FlowPlan {
        id: String::new(),
        cc,
        params: params(target, path, cc, &file.params)?,
        start,
        stop: stop.min(end),
        bytes: file.bytes.map(Bytes),
        packet: Bytes(file.packet_bytes),
        header: Bytes(file.header_bytes),
        ack: Bytes(file.ack_bytes),
        initial_window: file.initial_window,
        recovery: match file.recovery {
            Some(file::Recovery::Reno) => Recovery::Reno,
            Some(file::Recovery::NewReno) => Recovery::NewReno,
            Some(file::Recovery::Sack) => Recovery::Sack,
            Some(file::Recovery::Rack) => Recovery::Rack,
            Some(file::Recovery::RateHalving) => Recovery::RateHalving,
            None => cc.recovery,
        },
        delayed_ack: file.delayed_ack,
        ack_delay: millis(file.ack_delay_ms),
        min_rto: millis(file.min_rto_ms),
        receiver_times: file.receiver_times,
        send_timer: millis(file.send_timer_us / 1e3),
        coalesce: millis(file.coalesce_us / 1e3),
        hosts: Hosts {
            ecn: match file.ecn {
                file::Ecn::Off => EcnMode::Off,
                file::Ecn::Classic => EcnMode::Classic,
                file::Ecn::Accurate => EcnMode::Accurate,
                file::Ecn::L4s => EcnMode::L4s,
            },
            quick_acks: file.quick_acks,
            gso_packets: file.gso_packets,
            gro_packets: file.gro_packets,
            catch_up: millis(file.catch_up_us / 1e3),
            growth_limit: file.growth_limit,
            address: None,
            every: file.every_s.map(Span::from_secs),
            keeps_idle_window: file.idle_restart == Some(false),
        },
        route: Vec::new(),
        ack_route: Vec::new(),
    })
}

/// What a flow has anew, and how often, are there together, and few enough.
fn repeats(path: &str, file: &Flow, span: Span) -> Result<(), Fault> {
    let Some(every) = file.every_s else { return Ok(()) };
    let key = format!("{path}.every_s");
    let Some(bytes) = file.bytes else {
        return Err(Fault::at(&key, format!("`{key}` is given, but not what comes so often")).help("say by `bytes` how much a burst is"));
    };
    let packets = bytes.div_ceil(file.packet_bytes - file.header_bytes) as f64 * (span.secs() / every).ceil();
    if packets > MOST_PACKETS as f64 {
        let what = format!("`{path}` has {packets:.1e} packets to send, more than {MOST_PACKETS}");
        return Err(Fault::at(&key, what).help("let bursts be smaller or come less often"));
    }
    Ok(())
}

/// The controller's parameters, as given or by default.
pub(super) fn params(target: &Target, path: &str, cc: &'static Entry, params: &BTreeMap<String, toml::Value>) -> Result<Values, Fault> {
    let mut given = Vec::new();
    for (name, value) in params {
        let value = match value {
            toml::Value::Integer(n) => Value::Number(*n as f64),
            toml::Value::Float(n) if n.is_finite() => Value::Number(*n),
            toml::Value::String(word) => Value::Word(word.clone()),
            toml::Value::Boolean(flag) => Value::Flag(*flag),
            other => {
                return Err(Fault::at(format!("{path}.params.{name}"), format!("`{path}.params.{name}` is {other}"))
                    .help("a parameter is a finite number, a word in quotes, or true or false"));
            }
        };
        given.push((name.clone(), value));
    }
    let resolved = Values::resolve(cc.params, &given).and_then(|values| target.values(values));
    resolved.map_err(|error| {
        let key = format!("{path}.params.{}", error.name());
        let about = cc.params.iter().find(|param| param.name == error.name()).map_or("", |param| param.about);
        match &error {
            ParamError::Unknown { name, known } => Fault::at(key, format!("controller \"{}\" has no parameter `{name}`", cc.name))
                .help(if known.is_empty() { error.help() } else { suggestion(name, known.iter().copied()) }),
            ParamError::Value { value, .. } => {
                let what = format!("`{key}` is {value}");
                Fault::at(key, what).help(format!("{} — {about}", error.help()))
            }
            ParamError::Idle { .. } | ParamError::Simulated { .. } => {
                let what = error.to_string().replacen(error.name(), &key, 1);
                Fault::at(key, what).help(error.help())
            }
        }
    })
}

/// The ways there and back of one flow, its private links made on the way.
fn ways(flow: &Routed<'_>, id: &str, links: &mut Vec<PlannedLink>) -> (Vec<LinkId>, Vec<LinkId>) {
    let fastest = flow.route.iter().map(|id| greatest(&links[*id].spec.rate)).fold(Rate::ZERO, |a, b| if b > a { b } else { a });
    let access_rate = flow.file.access_rate_mbps.map_or(fastest * 10.0, Rate::from_mbps);
    let access = |links: &mut Vec<PlannedLink>, what: &str| {
        flow.access.map(|delay| private(links, format!("{id} {what}"), LinkSpec::ideal(access_rate, delay)))
    };
    let there: Vec<LinkId> =
        access(links, "from sender").into_iter().chain(flow.route.iter().copied()).chain(access(links, "to receiver")).collect();
    let first = access(links, "ACKs from receiver");
    let between = flow.ack_route.clone().unwrap_or_else(|| {
        let mirror = |id_there: &LinkId| {
            let PlannedLink { name, spec, .. } = &links[*id_there];
            let (name, spec) = (format!("{id} ACKs beside {name}"), LinkSpec::ideal(greatest(&spec.rate), spec.delay));
            private(links, name, spec)
        };
        flow.route.iter().rev().map(mirror).collect()
    });
    let last = access(links, "ACKs to sender");
    (there, first.into_iter().chain(between).chain(last).collect())
}

/// Adds a link of which results do not speak.
fn private(links: &mut Vec<PlannedLink>, name: String, spec: LinkSpec) -> LinkId {
    links.push(PlannedLink { name, listed: false, spec });
    links.len() - 1
}
