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

use symbiosis_base::{Instant, Rate, Span};
use symbiosis_path::{RateSpec, Steps};
use symbiosis_run::LinkId;

use super::error::Fault;
use super::file::Link;
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
    pub fn delay(&self, route: &[LinkId]) -> Span {
        route.iter().fold(Span::ZERO, |sum, id| sum + millis(self.links[*id].2.delay_ms))
    }
}

/// What a mirror, an access link's default and `queue_bdp` take for the rate: the greatest of steps, the mean of a trace.
pub(super) fn greatest(rate: &RateSpec) -> Rate {
    match rate {
        RateSpec::Constant(rate) => *rate,
        RateSpec::Steps(steps) => steps.max(),
        RateSpec::Trace(trace) => trace.mean(),
        RateSpec::Wifi(wifi) => wifi.mean(),
    }
}

pub(super) fn to_steps(steps: &[(f64, f64)]) -> Steps {
    let steps: Vec<(Instant, Rate)> = steps.iter().map(|(at, mbps)| (Instant::from_secs(*at), Rate::from_mbps(*mbps))).collect();
    Steps::new(&steps)
}

pub(super) fn millis(ms: f64) -> Span {
    Span::from_secs(ms / 1e3)
}
