//! For how many of an ACK's packets a window grows: appropriate byte counting (RFC 3465).

/// Most packets of one ACK for which a window grows: two, because that is what a delayed ACK answers (L of RFC 3465 §2.2, §2.3).
pub const ABC_L: u32 = 2;

/// What one ACK may still let a window grow for: simulator and QUIC decide [`crate::Acked::grows`] by one of these for each ACK. Linux'
/// TCP has no such limit, since receive offload answers dozens of packets with one ACK.
#[derive(Clone, Copy, Debug)]
pub struct GrowthLimit(u32);

impl GrowthLimit {
    /// For the packets of one ACK. In loss recovery a window does not grow.
    #[inline]
    pub fn of_ack(recovering: bool) -> GrowthLimit {
        GrowthLimit::at_most(ABC_L, recovering)
    }

    /// The same for a host that has another limit than [`ABC_L`].
    #[inline]
    pub fn at_most(packets: u32, recovering: bool) -> GrowthLimit {
        GrowthLimit(if recovering { 0 } else { packets })
    }

    /// Whether the window may grow for the next packet of the ACK: only for one that is acknowledged in order (RFC 5681 §3.2), and for no
    /// more than the limit of them.
    #[inline]
    pub fn grows(&mut self, in_order: bool) -> bool {
        let grows = in_order && self.0 > 0;
        self.0 -= u32::from(grows);
        grows
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grown(recovering: bool, in_order: [bool; 5]) -> [bool; 5] {
        let mut limit = GrowthLimit::of_ack(recovering);
        in_order.map(|in_order| limit.grows(in_order))
    }

    #[test]
    fn a_window_grows_for_two_packets_of_an_ack_that_are_in_order() {
        assert_eq!(grown(false, [true; 5]), [true, true, false, false, false]);
        assert_eq!(grown(false, [false, true, false, true, true]), [false, true, false, true, false]);
        assert_eq!(grown(false, [false; 5]), [false; 5]);
    }

    #[test]
    fn it_does_not_in_recovery() {
        assert_eq!(grown(true, [true; 5]), [false; 5]);
    }
}
