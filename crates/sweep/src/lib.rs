//! Sweeps: a scenario over axes and seeds, on all cores or on many machines, interrupted or not, with the same bytes of results.
//!
//! A [`Sweep`] numbers its runs. Runs that follow each other are a chunk, and a chunk is what is carried out ([`run_chunk`]), kept
//! ([`Store::keep`]), sent to another machine and tried again. A [`Store`] turns chunks into a dataset of Parquet files.
//!
//! ```
//! use symbiosis_sweep::{Changes, Sweep};
//!
//! let text = r#"
//!     seeds = 10
//!     [axes]
//!     bottleneck.rate_mbps = [10, 100]
//!     flow.0.cc = ["reno", "cubic", "symbiosis"]
//!     [scenario]
//!     duration_s = 10
//!     bottleneck = { delay_ms = 25, queue_bdp = 1.0 }
//!     flow = [{ cc = "reno" }]
//! "#;
//! let sweep = Sweep::parse(&symbiosis_scenario::SIMULATOR, text, "sweep.toml", None, &Changes::default()).unwrap();
//! sweep.check().unwrap();
//! assert_eq!(sweep.runs(), 60);
//! ```

mod axis;
mod cell;
mod dataset;
mod definition;
mod execute;
mod fault;
mod filter;
mod grid;
mod local;
mod merge;
mod parquet;
mod record;
mod shard;
mod store;
mod sweep;
mod table;

pub use axis::Axis;
pub use cell::{Cell, Kind};
pub use execute::{Ended, chunk_length, chunks, run, run_chunk, throw};
pub use grid::{Grid, Point};
pub use local::run_local;
pub use merge::{MergeError, merge};
pub use record::{Record, decode, encode};
pub use shard::Shard;
pub use store::{Done, Store, StoreError};
pub use sweep::{Changes, Sweep};
pub use table::{Column, Data, Table, Tables};

#[cfg(test)]
mod tests;
