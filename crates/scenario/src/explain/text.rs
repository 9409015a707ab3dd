//! The explanation for people.

use std::fmt::{self, Display, Formatter, Write};

use serde_json::Value;

use super::{Cross, Explanation, Flow, Hop, Link};

impl Display for Explanation {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(f, "scenario {}", self.scenario)?;
        line(f, "duration", format_args!("{} s", self.duration_s))?;
        line(f, "seed", self.seed)?;
        line(f, "measured", format_args!("from {} s to {} s", self.measure_s[0], self.measure_s[1]))?;
        if let Some(ms) = self.trace_every_ms {
            line(f, "traces", format_args!("a sample every {ms} ms"))?;
        }
        for link in &self.links {
            writeln!(f, "\nlink {}", link.name)?;
            self::link(f, link)?;
        }
        // Flows of one `count` differ only in their names.
        let bodies: Vec<String> = self.flows.iter().map(body).collect::<Result<_, _>>()?;
        for (first, alike) in runs(&bodies) {
            match alike.len() {
                1 => writeln!(f, "\nflow {}", self.flows[first].id)?,
                n => writeln!(f, "\nflows {} … {} ({n}, all alike)", self.flows[first].id, self.flows[first + n - 1].id)?,
            }
            f.write_str(&alike[0])?;
        }
        // So do sources.
        let bodies: Vec<String> = self.cross.iter().map(cross).collect::<Result<_, _>>()?;
        for (first, alike) in runs(&bodies) {
            match alike.len() {
                1 => writeln!(f, "\ncross traffic {first}")?,
                n => writeln!(f, "\ncross traffic {first} … {} ({n}, all alike)", first + n - 1)?,
            }
            f.write_str(&alike[0])?;
        }
        Ok(())
    }
}

/// Texts that follow one another and are equal, with the number of the first.
fn runs(texts: &[String]) -> impl Iterator<Item = (usize, &[String])> {
    texts.chunk_by(|a, b| a == b).scan(0, |at, alike| Some((std::mem::replace(at, *at + alike.len()), alike)))
}

fn line(f: &mut impl Write, name: &str, value: impl Display) -> fmt::Result {
    writeln!(f, "  {name:<16}{value}")
}

fn link(f: &mut impl Write, link: &Link) -> fmt::Result {
    line(f, "rate", rate(&link.rate_mbps))?;
    line(f, "delay", format_args!("{} ms one way", link.delay_ms))?;
    let limit = match (link.queue_packets, link.queue_bytes) {
        (Some(packets), _) => format!("{packets} packets"),
        (_, Some(bytes)) => format!("{bytes} bytes"),
        (None, None) => "without limit".into(),
    };
    line(f, "queue", format_args!("{limit} ({}); {}, the packet being sent not counted", link.queue_rule, queue(&link.queue)))?;
    line(f, "random loss", link.loss)?;
    line(f, "jitter", format_args!("{} ms (mean of an exponential delay; order is kept)", link.jitter_ms))?;
    link.impair.iter().try_for_each(|stage| line(f, "then", stage))
}

/// Management as [`super::discipline`] writes it.
fn queue(queue: &Value) -> String {
    let codel = |spec: &Value| format!("target {} ms, interval {} ms", plain(&spec["target_ms"]), plain(&spec["interval_ms"]));
    match (queue.get("codel"), queue.get("fq-codel")) {
        (Some(spec), _) => format!("CoDel, {}", codel(spec)),
        (_, Some(spec)) => {
            let (flows, quantum) = (plain(&spec["flows"]), plain(&spec["quantum_bytes"]));
            format!("FQ-CoDel, {flows} queues, quantum {quantum} bytes, {}", codel(&spec["codel"]))
        }
        (None, None) => plain(queue.get("other").unwrap_or(queue)),
    }
}

fn body(flow: &Flow) -> Result<String, fmt::Error> {
    let mut out = String::new();
    let f = &mut out;
    line(f, "controller", format_args!("{} ({})", flow.cc, flow.cc_about))?;
    for param in &flow.params {
        line(f, "", format_args!("{} = {} ({})", param.name, plain(&param.value), param.about))?;
    }
    line(f, "sends", format_args!("from {} s to {} s", flow.start_s, flow.stop_s))?;
    line(f, "amount", flow.bytes.map_or("endless".into(), |bytes| format!("{bytes} bytes of payload")))?;
    line(f, "packet", format_args!("{} bytes, of which header {}", flow.packet_bytes, flow.header_bytes))?;
    line(f, "ACK", format_args!("{} bytes", flow.ack_bytes))?;
    let xmtp = flow.transport == "xmtp";
    line(f, "transport", if xmtp { "XMTP: the receiver measures and reports" } else { "TCP" })?;
    let delayed = if xmtp {
        "reports, as often as the controller wants and whenever something is missing or urgent".into()
    } else if flow.delayed_ack {
        format!("one for two packets, or after {} ms", flow.ack_delay_ms)
    } else {
        "one for every packet".into()
    };
    line(f, "ACKs", format_args!("{delayed}; {} the receiver's times", if flow.receiver_times { "with" } else { "without" }))?;
    let timer = if flow.send_timer_us > 0.0 { format!("to {} µs", flow.send_timer_us) } else { "exactly".into() };
    let card = if flow.coalesce_us > 0.0 { format!("every {} µs at the most", flow.coalesce_us) } else { "with each packet".into() };
    line(f, "hosts", format_args!("paced packets leave {timer}; the receiver's network card interrupts {card}"))?;
    flow.hosts.iter().try_for_each(|what| line(f, "", what))?;
    flow.ack_impair.iter().try_for_each(|stage| line(f, "ACKs, then", stage))?;
    line(f, "initial window", format_args!("{} packets", flow.initial_window_packets))?;
    let reports = "a transmission is lost when three later ones have arrived";
    line(f, "loss recovery", if xmtp { reports } else { flow.recovery })?;
    let (least, most, first) = (flow.min_rto_ms, flow.max_rto_ms, flow.first_rto_ms);
    line(f, "RTO", format_args!("srtt + max({least} ms, 4 rttvar), at most {most} ms; {first} ms before the first measurement"))?;
    line(f, "base RTT", format_args!("{} ms (propagation alone)", flow.base_rtt_ms))?;
    line(f, "way of data", way(&flow.route))?;
    line(f, "way of ACKs", way(&flow.ack_route))?;
    Ok(out)
}

fn way(hops: &[Hop]) -> String {
    let hop = |hop: &Hop| match &hop.link {
        Some(name) => name.clone(),
        None => format!("own link ({} Mbit/s, {} ms)", hop.rate_mbps, hop.delay_ms),
    };
    hops.iter().map(hop).collect::<Vec<_>>().join(" → ")
}

fn cross(cross: &Cross) -> Result<String, fmt::Error> {
    let mut out = String::new();
    let f = &mut out;
    line(f, "kind", cross.kind)?;
    line(f, "rate", rate(&cross.rate_mbps))?;
    match &cross.packet_bytes {
        Value::String(mix) => line(f, "packets", format_args!("{mix} mix, {:.1} bytes on average", cross.mean_packet_bytes))?,
        bytes => line(f, "packets", format_args!("{bytes} bytes"))?,
    }
    match cross.gaps.get("pareto-on-off") {
        Some(spec) => {
            let (on, off, shape) = (plain(&spec["on_s"]), plain(&spec["off_s"]), plain(&spec["shape"]));
            line(f, "gaps", format_args!("constant while on: Pareto times, {on} s on and {off} s off on average, shape {shape}"))?;
        }
        None => line(f, "gaps", plain(&cross.gaps))?,
    }
    line(f, "crosses", cross.route.join(" → "))?;
    Ok(out)
}

/// A rate as [`super::link`] and [`super::steps`] write it.
fn rate(rate: &Value) -> String {
    match rate {
        Value::Array(steps) => {
            let step = |step: &Value| format!("{} Mbit/s from {} s", plain(&step[1]), plain(&step[0]));
            steps.iter().map(step).collect::<Vec<_>>().join(", ")
        }
        Value::Object(wifi) if wifi.contains_key("wifi_mean") => {
            let (phy, access, most) = (plain(&wifi["phy_mbps"]), plain(&wifi["access_us"]), plain(&wifi["aggregate_bytes"]));
            format!("a wireless LAN: aggregates of up to {most} bytes at {phy} Mbit/s, {access} µs for the medium each")
        }
        Value::Object(trace) => format!("a trace, {} Mbit/s on average", plain(&trace["trace_mean"])),
        constant => format!("{} Mbit/s", plain(constant)),
    }
}

/// Without JSON's quotes and without `.0`.
fn plain(value: &Value) -> String {
    match value {
        Value::String(word) => word.clone(),
        Value::Number(number) => number.as_f64().map_or_else(|| number.to_string(), |number| number.to_string()),
        other => other.to_string(),
    }
}
