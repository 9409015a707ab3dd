//! What runs found, for readers: a page that opens anywhere, files for papers and tools, a table for a terminal, traces and captures.

mod cells;
mod clip;
mod drawn;
mod entry;
pub mod figure;
pub mod files;
mod folder;
pub mod frame;
mod html;
mod measured;
mod number;
mod numbers;
pub mod outcome;
mod palette;
pub mod parts;
pub mod pcap;
mod results;
#[cfg(test)]
pub(crate) mod sample;
mod shared_axes;
pub mod simulation;
mod site;
pub mod svg;
pub mod table;
#[cfg(test)]
mod tests;
pub mod thin;
pub mod traces;
pub mod vega;

pub use entry::{Counts, Entry, figure_file, told};
pub use folder::write;
pub use results::json as results_json;
pub use simulation::simulation;
pub use site::{Chapter, Page, Report, pages};
pub use table::table;
