//! Trees of files from one end to another.
//!
//! A [`Sender`] walks what it is to give, and tells of every entry; a [`Receiver`] looks what of it is there already, asks for the rest, and writes
//! it below one folder. Both are ends of an exchange ([`symbiosis_quic::exchange::End`]), which carries their frames. Files are read, hashed
//! and resumed by groups of 1 MiB, which are subtrees of BLAKE3 ([`groups`]). Either end takes the other for hostile.
#![deny(missing_docs)]

mod compare;
mod filter;
pub mod groups;
mod job;
mod journal;
mod message;
mod name;
mod packing;
mod part;
mod place;
mod reading;
mod receiver;
mod removal;
mod sender;
mod tally;
#[cfg(test)]
mod tests;
mod walk;

pub use filter::Filter;
pub use job::{Bytes, Compress, Options};
pub use message::Totals;
pub use name::shown;
pub use receiver::{Receiver, Target};
pub use sender::{Sender, Sources};
pub use tally::{Listed, Progress, Tally};
