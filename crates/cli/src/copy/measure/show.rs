//! What was measured, for people and for programs.

use serde_json::{Value, json};

use super::args::Args;
use super::load::{BLOCK, IDLE, Plan};
use super::sums::{Between, Spread, Stream, Sum, rtts, sum};
use crate::copy::handshake::Measured;
use crate::failure::Failure;
use crate::print::{pretty, print};

/// Tells how it goes.
pub struct Show {
    plan: Plan,
    every: f64,
    json: bool,
    /// Intervals that were told.
    told: u64,
}

/// What is known of the path.
struct Found {
    /// Of the direction that is loaded, forth before back: K, A \[Mbit/s\], and the part of the packets that was lost.
    capacity: Option<f64>,
    available: Option<f64>,
    lost: f64,
    base: Option<f64>,
    idle: Option<Spread>,
    loaded: Option<Spread>,
}

/// What all streams' senders say together.
fn senders(streams: &[Stream], forth: bool) -> impl Iterator<Item = &Measured> {
    streams.iter().filter_map(move |stream| if forth { stream.samples.last().map(|last| &last.here) } else { stream.other.as_ref() })
}

impl Found {
    fn of(streams: &[Stream], plan: &Plan) -> Found {
        let most = |of: fn(&Measured) -> Option<f64>| senders(streams, plan.forth).filter_map(of).reduce(f64::max);
        let count = |of: fn(&Measured) -> u64| senders(streams, plan.forth).map(of).sum::<u64>();
        let idle = rtts(streams, Between(-IDLE.as_secs_f64(), 0.0));
        let loaded = rtts(streams, Between(0.0, plan.seconds));
        // The least of all that was seen, the sender's own word on it included.
        let told = senders(streams, plan.forth).filter_map(|sender| sender.base_rtt_ms);
        let base = told.chain([&idle, &loaded].into_iter().flatten().map(|spread| spread.min)).reduce(f64::min);
        Found {
            capacity: most(|sender| sender.capacity_mbps),
            available: most(|sender| sender.available_mbps),
            lost: count(|sender| sender.lost) as f64 / count(|sender| sender.sent).max(1) as f64,
            base,
            idle,
            loaded,
        }
    }

    fn queue(&self) -> Option<f64> {
        Some((self.loaded.as_ref()?.median - self.base?).max(0.0))
    }
}

impl Show {
    pub fn new(plan: Plan, every: f64, json: bool) -> Show {
        Show { plan, every, json, told: 0 }
    }

    fn intervals(&self) -> u64 {
        if self.every > 0.0 { (self.plan.seconds / self.every + 1e-9) as u64 } else { 0 }
    }

    fn interval(&self, number: u64) -> Between {
        Between(number as f64 * self.every, (number + 1) as f64 * self.every)
    }

    /// Tells intervals that are over.
    pub fn looks(&mut self, streams: &[Stream]) -> Result<(), Failure> {
        while self.told < self.intervals() {
            let Between(from, to) = self.interval(self.told);
            if !streams.iter().all(|stream| stream.reaches(to)) {
                break;
            }
            if !self.json {
                if self.told == 0 {
                    print("time [s]        sent  received [Mbit/s]  RTT [ms]  lost\n")?;
                }
                print(&self.line(streams, Between(from, to)))?;
            }
            self.told += 1;
        }
        Ok(())
    }

    fn line(&self, streams: &[Stream], between: Between) -> String {
        let moved = sum(streams, between);
        let cell = |there: bool, bytes: f64| if there { format!("{:.1}", Sum::mbps(bytes, moved.seconds)) } else { String::new() };
        let rtt = rtts(streams, between).map_or(String::new(), |spread| format!("{:.1}", spread.median));
        let lost = if self.plan.forth { format!("{:.0}", moved.lost) } else { String::new() };
        let line = format!(
            "{:<12} {:>7}  {:>8} {:>18}  {lost:>4}",
            format!("{:.1}-{:.1}", between.0, between.1),
            cell(self.plan.forth, moved.forth),
            cell(self.plan.back, moved.back),
            rtt
        );
        format!("{}\n", line.trim_end())
    }

    /// Tells what was found.
    pub fn report(&self, streams: &[Stream], host: &str, args: &Args) -> Result<(), Failure> {
        let found = Found::of(streams, &self.plan);
        let all = sum(streams, Between(0.0, self.plan.seconds));
        if self.json {
            return print(&pretty(&self.object(streams, &found, &all, host, args)));
        }
        let mut rates = Vec::new();
        if self.plan.forth {
            rates.push(format!("sent {:.1} Mbit/s", Sum::mbps(all.forth, all.seconds)));
        }
        if self.plan.back {
            rates.push(format!("received {:.1} Mbit/s", Sum::mbps(all.back, all.seconds)));
        }
        let number = |value: Option<f64>, unit: &str| value.map_or("not known".into(), |value| format!("{value:.1} {unit}"));
        let spread = |spread: &Option<Spread>| {
            let told = spread.as_ref().map(|it| format!("{:.1} ms (95 % within {:.1}, most {:.1})", it.median, it.p95, it.max));
            told.unwrap_or("not known".into())
        };
        print(&format!(
            "{}\ncapacity   {}\navailable  {}\nlost       {:.3} %\nbase RTT   {}\nidle RTT   {}\nloaded RTT {}\nqueue      {}\n",
            rates.join(", "),
            number(found.capacity, "Mbit/s"),
            number(found.available, "Mbit/s"),
            100.0 * found.lost,
            number(found.base, "ms"),
            spread(&found.idle),
            spread(&found.loaded),
            number(found.queue(), "ms"),
        ))
    }

    /// As one object: iperf3's fields, irtt's, and the path's.
    fn object(&self, streams: &[Stream], found: &Found, all: &Sum, host: &str, args: &Args) -> Value {
        let moved = |between: Between, forth: bool| {
            let it = sum(streams, between);
            let bytes = if forth { it.forth } else { it.back };
            let rate = 1e6 * Sum::mbps(bytes, it.seconds);
            json!({"start": between.0, "end": between.1, "seconds": it.seconds, "bytes": bytes as u64, "bits_per_second": rate,
                "retransmits": if forth { Some(it.lost as u64) } else { None }, "sender": forth})
        };
        let intervals: Vec<Value> = (0..self.intervals())
            .map(|number| {
                let between = self.interval(number);
                let mut it = json!({"sum": moved(between, self.plan.forth), "rtt_ms": rtts(streams, between)});
                if self.plan.forth && self.plan.back {
                    it["sum_bidir_reverse"] = moved(between, false);
                }
                it
            })
            .collect();
        let whole = Between(0.0, self.plan.seconds);
        // What the stream counts is what arrived: it is sent and received alike.
        let mut end = json!({"sum_sent": moved(whole, self.plan.forth), "sum_received": moved(whole, self.plan.forth)});
        if self.plan.forth && self.plan.back {
            end["sum_sent_bidir_reverse"] = moved(whole, false);
            end["sum_received_bidir_reverse"] = moved(whole, false);
        }
        let began = streams.iter().filter_map(|stream| stream.samples.first()).map(|first| first.wall).min().unwrap_or(0);
        let mut object = json!({
            "start": {
                "version": concat!("symbiosis ", env!("CARGO_PKG_VERSION")),
                "connecting_to": {"host": host},
                "timestamp": {"timesecs": began / 1_000_000_000},
                "test_start": {"protocol": "QUIC", "num_streams": args.parallel, "blksize": BLOCK, "omit": 0, "duration": self.plan.seconds,
                    "reverse": u8::from(self.plan.back && !self.plan.forth), "bidir": u8::from(self.plan.back && self.plan.forth),
                    "target_bitrate": args.rate.map_or(0.0, |rate| 1e6 * rate)},
                "congestion": args.reach.control.name(),
            },
            "intervals": intervals,
            "end": end,
            "path": {"capacity_mbps": found.capacity, "available_mbps": found.available, "base_rtt_ms": found.base, "queue_ms": found.queue(),
                "lost_percent": 100.0 * found.lost, "idle_rtt_ms": found.idle, "loaded_rtt_ms": found.loaded},
        });
        irtt(&mut object, streams, found, all);
        object
    }
}

/// What irtt's readers want \[ns\]. One-way delays are not measured: half of a round trip stands for each.
fn irtt(object: &mut Value, streams: &[Stream], found: &Found, all: &Sum) {
    const MS: f64 = 1e6;
    let trips: Vec<(u64, f64)> = streams.iter().take(1).flat_map(Stream::fresh).map(|(sample, rtt)| (sample.wall, rtt)).collect();
    let changes: Vec<f64> = trips.windows(2).map(|pair| (pair[1].1 - pair[0].1).abs()).collect();
    let spread = Spread::of(trips.iter().map(|(_, rtt)| *rtt)).unwrap_or_default();
    let change = Spread::of(changes.iter().copied()).unwrap_or_default();
    let nanos = |spread: &Spread, part: f64| {
        let of = |value: f64| (value * part * MS) as u64;
        json!({"mean": of(spread.mean), "median": of(spread.median), "min": of(spread.min), "max": of(spread.max)})
    };
    let rate = |bytes: f64| json!({"bps": (1e6 * Sum::mbps(bytes, all.seconds)) as u64});
    object["stats"] = json!({
        "rtt": nanos(&spread, 1.0), "send_delay": nanos(&spread, 0.5), "receive_delay": nanos(&spread, 0.5),
        "ipdv_round_trip": nanos(&change, 1.0), "ipdv_send": nanos(&change, 0.5), "ipdv_receive": nanos(&change, 0.5),
        "packets_sent": trips.len(), "packets_received": trips.len(), "packet_loss_percent": 100.0 * found.lost,
        "send_rate": rate(all.forth), "receive_rate": rate(all.back),
    });
    let before = std::iter::once(0.0).chain(changes);
    let trip = |((number, (wall, rtt)), change): ((usize, (u64, f64)), f64)| {
        let rtt_ns = (rtt * MS) as u64;
        let change = (change * MS) as u64;
        json!({"seqno": number, "lost": "false",
            "timestamps": {"client": {"send": {"wall": wall.saturating_sub(rtt_ns)}, "receive": {"wall": wall}}},
            "delay": {"rtt": rtt_ns, "send": rtt_ns / 2, "receive": rtt_ns / 2},
            "ipdv": {"rtt": change, "send": change / 2, "receive": change / 2}})
    };
    object["round_trips"] = trips.into_iter().enumerate().zip(before).map(trip).collect();
}
