//! Two ends that talk over one stream: frames forth and back, each a message with bytes behind it.
//!
//! What is said is the business of an [`End`] on either side, which knows nothing of QUIC. An end reads and writes files, which takes time, so
//! [`Beside`] gives it a thread of its own, and the loop of the connection stays exact. How long each side waited for what is counted
//! ([`Waits`]).

mod beside;
mod end;
mod framing;
mod limit;
mod moved;
mod session;
mod socket;
mod still;
mod talk;
mod waits;

pub use beside::Beside;
pub use end::{BODY, End, Frame, HEAD, Inline, Polled, Step, Work};
pub use limit::{Limit, WEEK};
pub use moved::Moved;
pub use session::{Exchange, Offer};
pub use socket::{Answering, Calling, answer, call};
pub use waits::Waits;

/// The protocol's name (ALPN).
pub const COPIES: &str = "symbiosis-copy/3";
