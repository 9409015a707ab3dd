//! The simulator for pages: a [`Run`] is made from a scenario's text, advances as far as it is told, and hands over what it has sampled
//! since it was last asked.
//!
//! ```
//! let text = "duration_s = 2\n[bottleneck]\nrate_mbps = 10\ndelay_ms = 20\nqueue_bdp = 1\n[[flow]]\ncc = \"reno\"\n";
//! let mut run = symbiosis_web::Run::new(text, &Default::default(), None).unwrap();
//! run.advance(1.0);
//! assert!(run.flow(0).last().is_some());
//! assert!(run.finish().contains("goodput_mbps"));
//! ```

mod columns;
mod description;
#[cfg(target_arch = "wasm32")]
mod exports;
mod run;

pub use description::{controllers, queues};
pub use run::{Problem, Run};

#[cfg(test)]
mod tests;
