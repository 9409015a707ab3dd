//! The path that all maps share.

/// The link \[Mbit/s\], its base RTT \[ms\], its buffer in bandwidth-delay products, and what UDP leaves of it to one flow.
pub(super) const MBPS: f64 = 20.0;
pub(super) const RTT_MS: f64 = 100.0;
pub(super) const BUFFER: f64 = 0.5;
pub(super) const FREE: f64 = 0.5;
/// Kτ \[packets\].
pub(super) const ROOM: f64 = MBPS * 1e6 / 8.0 * RTT_MS / 1e3 / 1500.0;
