//! What runs found, for readers: a page that opens anywhere, files for papers and tools, a table for a terminal, traces and captures.

mod cells;
mod clip;
mod drawn;
mod entry;
mod experiment;
pub mod figure;
pub mod files;
mod folder;
mod html;
mod measured;
mod number;
pub mod outcome;
mod page;
mod palette;
pub mod parts;
pub mod pcap;
mod results;
#[cfg(test)]
pub(crate) mod sample;
pub mod simulation;
pub mod svg;
pub mod table;
#[cfg(test)]
mod tests;
pub mod thin;
pub mod traces;
pub mod vega;

pub use entry::{Counts, Entry, figure_file, told};
pub use folder::write;
pub use page::page;
pub use results::json as results_json;
pub use simulation::simulation;
pub use table::table;
