//! The two settings as the registry has them: parameters, and how a controller is put together from them.

use crate::Span;
use crate::entry::{Entry, Feedback, Recovery};
use crate::measurement::imtcp::ImTcp;
use crate::measurement::params::{MEASURED, MEASURED_AS_PUBLISHED, measurement};
use crate::oscillation::{OSCILLATION, oscillating};
use crate::params::{Param, Values, joined};

use super::Symbiosis;
use super::builder::{EPSILON, GAMMA, PACING, PROBE_RTT_INTERVAL, SLOW_START_TARGET};
use super::gamma::Gamma;
use super::law::THETA;

const EPSILON_PARAM: Param = Param::number("epsilon", EPSILON, 0.001, 1000.0, "growth rate ε of the model [1/s] (S §IV-A: 1.95)");
const GAMMA_PARAM: Param = Param::number("gamma", GAMMA, 0.001, 0.999, "competition coefficient γ (S §IV-A: 0.9)");
const GAMMA_RULE: Param = Param::choice("gamma_rule", &["fixed", "noise-aware"], "γ as given, or lowered by measurement noise (T Eq 15)");

/// What `symbiosis` adds to the papers. The constants of the papers' law apply where that law is chosen.
const ADDED: [Param; 11] = [
    Param::choice("law", &["logarithmic", "lotka-volterra"], "where the window goes: w* = Aτ + θ·x·ln(K/x), or the papers' law"),
    EPSILON_PARAM.only_if("law", &["lotka-volterra"]),
    GAMMA_PARAM.only_if("law", &["lotka-volterra"]),
    GAMMA_RULE.only_if("law", &["lotka-volterra"]),
    Param::flag("correction", true, "feed the model (K − A)·srtt/τ, so that a standing queue stays as short as S Eq 20 says")
        .only_if("law", &["lotka-volterra"]),
    Param::number("theta_ms", THETA.0 as f64 / 1e6, 0.1, 1000.0, "the queue that a flow asks for when it has 1/e of the link [ms]")
        .only_if("law", &["logarithmic"]),
    Param::number("pacing", PACING, 0.0, 100.0, "packets leave at this multiple of window/srtt; 0: when ACKs come"),
    Param::number(
        "probe_rtt_interval_s",
        PROBE_RTT_INTERVAL.0 as f64 / 1e9,
        0.0,
        1e6,
        "mean time between min-RTT probes [s], which keep τ true; 0: none",
    ),
    Param::flag("loss_floor", true, "a loss takes no more from the window than is over Aτ: what is free is not congested"),
    Param::flag("compete", true, "beside flows that fill the buffer the window is CUBIC's; needs min-RTT probes")
        .only_if("law", &["logarithmic"]),
    Param::number("slow_start_target", SLOW_START_TARGET, 0.0, 1.0, "slow start up to this part of the model's equilibrium; 0: none"),
];

/// The best we can make.
pub const OURS: Entry = Entry {
    name: "symbiosis",
    about: "TCP Symbiosis with pacing, a corrected model input, min-RTT probes and a fast start",
    params: &joined::<23>(&[&ADDED, MEASURED, &[OSCILLATION]]),
    recovery: Recovery::Rack,
    feedback: Feedback::Acks,
    build: |setup, values| {
        let positive = |name| Some(values.number(name)).filter(|number| *number > 0.0);
        let builder = Symbiosis::builder()
            .measurement(measurement(setup, values, ImTcp::for_window))
            .pacing(positive("pacing"))
            .probe_rtt_interval(positive("probe_rtt_interval_s").map(Span::from_secs))
            .slow_start_target(values.number("slow_start_target"))
            .loss_floor(values.flag("loss_floor"))
            .competes(values.flag("compete"));
        let builder = match values.word("law") {
            "logarithmic" => builder.logarithmic(Span::from_secs(values.number("theta_ms") / 1e3)),
            _ => builder.lotka_volterra(values.number("epsilon"), gamma(values), values.flag("correction")),
        };
        oscillating(setup, values, builder.build(setup))
    },
};

/// What the papers describe.
pub const PAPER: Entry = Entry {
    name: "symbiosis-paper",
    about: "TCP Symbiosis as published: the closed form from ACK to ACK, lifetime minimum RTT, no pacing (S §II, T §2.2)",
    params: &joined::<15>(&[&[EPSILON_PARAM, GAMMA_PARAM, GAMMA_RULE], MEASURED_AS_PUBLISHED, &[OSCILLATION]]),
    recovery: Recovery::Rack,
    feedback: Feedback::Acks,
    build: |setup, values| {
        let builder = Symbiosis::published().measurement(measurement(setup, values, ImTcp::for_window));
        oscillating(setup, values, builder.lotka_volterra(values.number("epsilon"), gamma(values), false).build(setup))
    },
};

/// γ by the rule that the parameters ask for.
fn gamma(values: &Values) -> Gamma {
    let gamma = values.number("gamma");
    if values.word("gamma_rule") == "fixed" { Gamma::Fixed(gamma) } else { Gamma::noise_aware(gamma) }
}
