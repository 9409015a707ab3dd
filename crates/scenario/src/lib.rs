//! Scenarios: a TOML text becomes a [`Plan`](symbiosis_run::Plan) in which every value is resolved.
//!
//! ```
//! let text = r#"
//!     duration_s = 10
//!     [bottleneck]
//!     rate_mbps = 100
//!     delay_ms = 25
//!     queue_bdp = 1.0
//!     [[flow]]
//!     cc = "reno"
//! "#;
//! let scenario = symbiosis_scenario::Scenario::parse(text, "example.toml", None, &[]).unwrap();
//! assert_eq!(scenario.plan.flows[0].id, "reno");
//! ```

mod check;
mod cross;
mod error;
mod explain;
mod file;
mod files;
mod flows;
mod impair;
mod keys;
mod links;
mod locate;
mod resolve;
mod scenario;
mod set;
mod target;
mod topology;

pub use error::ScenarioError;
pub use explain::Explanation;
pub use files::Files;
pub use keys::words;
pub use locate::{place, suggestion};
pub use scenario::{Scenario, changed};
pub use target::{Hosts, SIMULATOR, Target};

#[cfg(test)]
mod tests;
