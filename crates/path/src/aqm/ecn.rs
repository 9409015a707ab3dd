//! The ECN field of a packet.

/// What the field says (RFC 3168 §5, RFC 9331).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ecn {
    /// The ends do not answer marks.
    #[default]
    NotCapable,
    /// They answer a mark as a loss: ECT(0).
    Classic,
    /// They answer marks in proportion: ECT(1).
    L4s,
    /// A queue has marked it: CE.
    Marked,
}

impl Ecn {
    /// Whether a queue may mark the packet in place of dropping it.
    pub fn is_capable(self) -> bool {
        self != Ecn::NotCapable
    }
}
