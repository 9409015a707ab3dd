//! What a plot shows of the controller.

use super::Symbiosis;
use crate::Span;

impl Symbiosis {
    pub(super) fn plots(&self, plot: &mut dyn FnMut(&'static str, f64)) {
        self.law.gauges(plot);
        if self.settings.competes {
            plot("rivalry", f64::from(self.rivalry.competes()) + 0.5 * f64::from(self.rivalry.doubts()));
            plot("jitter", self.jitter.part());
        }
        if let Some(tau) = self.tau() {
            plot("tau_ms", tau.millis());
        }
        if let Some(path) = self.path() {
            plot("equilibrium_packets", self.law.rest(&path) / self.packet.as_f64());
            let bridge = self.bridge();
            if bridge > Span::ZERO {
                plot("bridge_ms", bridge.millis());
            }
        }
        self.host.gauges(plot);
    }
}
