//! The two settings as the registry has them: parameters, and how a controller is put together from them.

use alloc::boxed::Box;

use crate::entry::{Entry, Feedback};
use crate::measurement::Measurement;
use crate::measurement::filter::{FILTER, FILTER_WINDOW, filtered};
use crate::measurement::imtcp::ImTcp;
use crate::measurement::imtcp_published::PublishedImTcp;
use crate::measurement::oracle::{Errors, Oracle};
use crate::oscillation::{OSCILLATION, oscillating};
use crate::params::{Param, Values};
use crate::{Setup, Span};

use super::gamma::Gamma;
use super::law::{self, Law};
use super::{Settings, Symbiosis};

/// Growth rate of the papers (S §IV-A, I §4, B) \[1/s\].
pub const EPSILON: f64 = 1.95;
/// Competition coefficient of S, B and I; T §3 takes 0.95.
pub const GAMMA: f64 = 0.9;

const EPSILON_PARAM: Param = Param::number("epsilon", EPSILON, 0.001, 1000.0, "growth rate ε of the model [1/s] (S §IV-A: 1.95)");
const GAMMA_PARAM: Param = Param::number("gamma", GAMMA, 0.001, 0.999, "competition coefficient γ (S §IV-A: 0.9)");
const GAMMA_RULE: Param = Param::choice("gamma_rule", &["fixed", "noise-aware"], "γ as given, or lowered by measurement noise (T Eq 15)");
/// Where K and A come from; our own measurement unless told otherwise.
pub(crate) const MEASUREMENT: Param = Param::choice("measurement", &["imtcp", "imtcp-published", "oracle", "capacity"], ABOUT_MEASUREMENT);
/// The same, the published measurement unless told otherwise.
pub(crate) const PUBLISHED_MEASUREMENT: Param =
    Param::choice("measurement", &["imtcp-published", "imtcp", "oracle", "capacity"], ABOUT_MEASUREMENT);
const ABOUT_MEASUREMENT: &str = "where K and A come from: the data packets themselves, by our estimator or by the published one; a simulator's \
                                 own knowledge; or of that K alone, with A = K (S §III-D)";
pub(crate) const NOISE: Param = Param::number("noise", 0.0, 0.0, 10.0, "oracle: relative standard deviation of K − A (T §3.2)");
pub(crate) const NOISE_DOUBLES: Param =
    Param::number("noise_doubles_s", 0.0, 0.0, 1e6, "oracle: the noise doubles whenever this time has passed [s] (T §3.1: 100); 0: never");
pub(crate) const K_BIAS: Param = Param::number("k_bias", 0.0, -0.9, 3.0, "oracle: relative error of K, the same in every reading (S §V)");
pub(crate) const K_NOISE: Param =
    Param::number("k_noise", 0.0, 0.0, 1.0, "oracle: standard deviation of the relative error of K, new in every reading (S §V)");
pub(crate) const A_BIAS: Param = Param::number("a_bias", 0.0, -1.0, 3.0, "oracle: relative error of A, the same in every reading (S §V)");

pub(crate) const SUBRANGES: Param =
    Param::number("subranges", 10.0, 2.0, 30.0, "imtcp-published: sub-ranges of the search, a stream for each (B §3.2: 10 × 20 is best)");
pub(crate) const STREAM_PACKETS: Param =
    Param::number("stream_packets", 20.0, 5.0, 50.0, "imtcp-published: packets of a stream (5 to 10 in the published simulations)");

/// The best we can make.
pub const OURS: Entry = Entry {
    name: "symbiosis",
    about: "TCP Symbiosis with pacing, a corrected model input, drains and a fast start",
    params: &[
        EPSILON_PARAM,
        GAMMA_PARAM,
        GAMMA_RULE,
        MEASUREMENT,
        NOISE,
        NOISE_DOUBLES,
        K_BIAS,
        K_NOISE,
        A_BIAS,
        SUBRANGES,
        STREAM_PACKETS,
        FILTER,
        FILTER_WINDOW,
        Param::number("pacing", 1.25, 0.0, 100.0, "packets leave at this multiple of window/srtt; 0: when ACKs come"),
        Param::choice("law", &["logarithmic", "lotka-volterra"], "where the window goes: w* = Aτ + θ·x·ln(K/x), or the papers' law"),
        Param::number(
            "theta_ms",
            law::THETA.0 as f64 / 1e6,
            0.1,
            1000.0,
            "logarithmic: the queue that a flow asks for when it has 1/e of the link [ms]",
        ),
        Param::flag("correction", true, "feed the model (K − A)·srtt/τ, so that a standing queue stays as short as S Eq 20 says"),
        Param::number("drain_s", 10.0, 0.0, 1e6, "mean time between drains [s], which keep τ true; 0: none"),
        Param::flag("keep", true, "a loss takes no more from the window than is over Aτ: what is free is not congested"),
        Param::number("start", 0.8, 0.0, 1.0, "slow start up to this part of the model's equilibrium; 0: none"),
        OSCILLATION,
    ],
    feedback: Feedback::Acks,
    build: |setup, values| {
        let settings = Settings {
            pacing: Some(values.number("pacing")).filter(|gain| *gain > 0.0),
            drain: Some(values.number("drain_s")).filter(|period| *period > 0.0).map(Span::from_secs),
            start: values.number("start"),
            keep: values.flag("keep"),
        };
        let law = match values.word("law") {
            "logarithmic" => Law::Logarithmic { theta: Span::from_secs(values.number("theta_ms") / 1e3), packet: setup.packet },
            _ => lotka_volterra(values, values.flag("correction")),
        };
        oscillating(setup, values, Symbiosis::new(setup, values, law, settings))
    },
};

/// The papers to the letter.
pub const PAPER: Entry = Entry {
    name: "symbiosis-paper",
    about: "TCP Symbiosis as published: the closed form from ACK to ACK, lifetime minimum RTT, no pacing (S §II, T §2.2)",
    params: &[
        EPSILON_PARAM,
        GAMMA_PARAM,
        GAMMA_RULE,
        PUBLISHED_MEASUREMENT,
        NOISE,
        NOISE_DOUBLES,
        K_BIAS,
        K_NOISE,
        A_BIAS,
        SUBRANGES,
        STREAM_PACKETS,
        FILTER,
        FILTER_WINDOW,
        OSCILLATION,
    ],
    feedback: Feedback::Acks,
    build: |setup, values| oscillating(setup, values, Symbiosis::new(setup, values, lotka_volterra(values, false), Settings::default())),
};

/// By how much the oracle is to err.
fn errors(values: &Values) -> Errors {
    Errors {
        capacity_bias: values.number("k_bias"),
        capacity_noise: values.number("k_noise"),
        available_bias: values.number("a_bias"),
        noise: values.number("noise"),
        doubles: Span::from_secs(values.number("noise_doubles_s")),
    }
}

/// The measurement of the name that a parameter gives, under the filter that another does.
pub(crate) fn measurement(setup: &Setup, values: &Values) -> Box<dyn Measurement> {
    let raw: Box<dyn Measurement> = match values.word("measurement") {
        "oracle" => Box::new(Oracle::new(errors(values), setup.seed)),
        "capacity" => Box::new(Oracle::of_capacity(errors(values), setup.seed)),
        "imtcp" => Box::new(ImTcp::new(setup)),
        "imtcp-published" => {
            let whole = |name| values.number(name) as usize;
            Box::new(PublishedImTcp::new(setup, whole("subranges"), whole("stream_packets")))
        }
        other => unreachable!("the parameter's declaration does not allow {other}"),
    };
    filtered(values, raw)
}

/// The papers' law with the constants that the parameters ask for.
fn lotka_volterra(values: &Values, correction: bool) -> Law {
    let gamma = values.number("gamma");
    let gamma = if values.word("gamma_rule") == "fixed" { Gamma::Fixed(gamma) } else { Gamma::noise_aware(gamma) };
    Law::LotkaVolterra { epsilon: values.number("epsilon"), gamma, correction }
}
