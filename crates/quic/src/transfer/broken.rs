//! Why a stream cannot go on.

/// The peer does not keep to the protocol, or has given the stream up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Broken(pub(crate) String);
