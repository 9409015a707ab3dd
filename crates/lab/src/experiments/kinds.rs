//! Flows that experiments compare.

/// Parameters that hand a controller of the Symbiosis family the true K and A; nothing for others.
pub fn oracle(cc: &str) -> &'static str {
    if cc.starts_with("symbiosis") { "measurement = \"oracle\"" } else { "" }
}
