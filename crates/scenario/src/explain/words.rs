//! What has no table of its own, in words.

use symbiosis_base::Span;
use symbiosis_path::{Discipline, Impairment};
use symbiosis_run::{EcnMode, Hosts, Plan};

/// A stage of what a path does to packets.
pub(super) fn impairment(stage: &Impairment) -> String {
    let again = |every: &Option<Span>| every.map_or(String::new(), |every| format!(", again every {} s", every.secs()));
    match stage {
        Impairment::GilbertElliott { good_packets, bad_packets, good_loss, bad_loss } => {
            format!("loss of {good_loss} in runs of {good_packets} packets and of {bad_loss} in runs of {bad_packets}, on average")
        }
        Impairment::Corruption { per_bit } => format!("a bit flips with probability {per_bit}"),
        Impairment::Reordering { probability, by } => format!("a packet is held back by {} ms with probability {probability}", by.millis()),
        Impairment::Duplication { probability, by } => format!("a copy follows after {} ms with probability {probability}", by.millis()),
        Impairment::Policer { rate, burst } => format!("a token bucket of {} Mbit/s and {} bytes", rate.mbps(), burst.0),
        Impairment::Delay { steps, every } => {
            let steps: Vec<String> = steps.iter().map(|(at, delay)| format!("{} ms from {} s", delay.millis(), at.secs())).collect();
            format!("more delay: {}{}", steps.join(", "), again(every))
        }
        Impairment::Outage { at, lasts, every } => format!("everything lost from {} s for {} s{}", at.secs(), lasts.secs(), again(every)),
        Impairment::Aggregation { every } => format!("packets come out together every {} ms", every.millis()),
        Impairment::Thinning { group, within } => {
            format!("of {group} packets within {} ms of one another the last passes", within.millis())
        }
    }
}

/// A managed queue that has no table of its own.
pub(super) fn discipline(discipline: &Discipline) -> String {
    match discipline {
        Discipline::Pie(spec) => format!("PIE, target {} ms, update {} ms", spec.target.millis(), spec.update.millis()),
        Discipline::FqPie(spec) => {
            let (target, update) = (spec.pie.target.millis(), spec.pie.update.millis());
            format!("FQ-PIE, {} queues, quantum {} bytes, target {target} ms, update {update} ms", spec.flows, spec.quantum.0)
        }
        Discipline::Red(spec) => {
            format!("RED, from {} packets on, probability {} at {}, weight {}", spec.min, spec.probability, spec.max, spec.weight)
        }
        Discipline::DualPi2(spec) => format!("DualPI2, target {} ms, L4S marks from {} ms on", spec.target.millis(), spec.step.millis()),
        Discipline::Cake(spec) => {
            let (target, interval) = (spec.codel.target.millis(), spec.codel.interval.millis());
            format!("CAKE-like, quantum {} bytes to a host, CoDel, target {target} ms, interval {interval} ms", spec.quantum.0)
        }
        Discipline::DropTail | Discipline::CoDel(_) | Discipline::FqCoDel(_) => String::new(),
    }
}

/// What hosts do beside timers and interrupts.
pub(super) fn hosts(plan: &Plan, hosts: &Hosts) -> Vec<String> {
    let host = hosts.address.and_then(|address| plan.flows.get(address as usize)).map_or("", |flow| &flow.id);
    let ecn = match hosts.ecn {
        EcnMode::Off => "",
        EcnMode::Classic => "marks come back once in a round trip (ECN, RFC 3168)",
        EcnMode::Accurate => "marks come back counted (ECN, RFC 9768)",
        EcnMode::L4s => "marks come back counted, for a controller that answers in proportion (L4S, RFC 9331)",
    };
    let all = [
        (hosts.ecn != EcnMode::Off, ecn.into()),
        (hosts.quick_acks > 0, format!("the first {} packets have an ACK each", hosts.quick_acks)),
        (hosts.gso_packets > 1, format!("packets leave in bursts of {}", hosts.gso_packets)),
        (hosts.gro_packets > 1, format!("up to {} packets seen together share an ACK", hosts.gro_packets)),
        (hosts.catch_up > Span::ZERO, format!("the timer makes up to {} µs of its lateness", hosts.catch_up.millis() * 1e3)),
        (hosts.growth_limit.is_some(), format!("a window grows for {} packets of an ACK", hosts.growth_limit.unwrap_or(0))),
        (!host.is_empty(), format!("on the host of flow {host}")),
        (hosts.every.is_some(), format!("the amount comes anew every {} s", hosts.every.unwrap_or_default().secs())),
        (hosts.keeps_idle_window, "after silence the window is what it was".into()),
    ];
    all.into_iter().filter(|(given, _)| *given).map(|(_, words)| words).collect()
}
