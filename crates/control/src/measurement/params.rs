//! The parameters of whatever carries a measurement, and the measurement they ask for.

use alloc::boxed::Box;

use super::Measurement;
use super::filter::{Smoothing, filtered};
use super::imtcp::ImTcp;
use super::imtcp_published::PublishedImTcp;
use super::imtcp_published::trend::Trend;
use super::oracle::{Errors, Oracle};
use crate::params::{Param, Values, joined};
use crate::{Setup, Span};

/// Words of `measurement` that ask for what only a simulator knows.
const SIMULATED: &[&str] = &["oracle", "capacity", "imtcp-published-k-given"];
/// Those that err as they are told.
const ERRING: &[&str] = &["oracle", "capacity"];
/// Those with streams.
const WITH_STREAMS: &[&str] = &["imtcp-published", "imtcp-published-k-given"];
const ABOUT: &str = "where K and A come from: the data packets themselves, by our estimator or by the published one; a simulator's \
                     own knowledge; or of that K alone, with A = K (S §III-D) or with A by the published one (I §4)";

/// Our own measurement, unless told otherwise.
const OURS: Param = Param::choice("measurement", &["imtcp", "imtcp-published", "oracle", "capacity"], ABOUT).simulated(SIMULATED);
/// The published measurement, unless told otherwise.
const PUBLISHED: Param =
    Param::choice("measurement", &["imtcp-published", "imtcp-published-k-given", "imtcp", "oracle", "capacity"], ABOUT)
        .simulated(SIMULATED);

/// How the oracle errs: what only a simulator can give.
const ORACLE: [Param; 5] = [
    Param::number("noise", 0.0, 0.0, 10.0, "relative standard deviation of K − A (T §3.2)").only_if("measurement", &["oracle"]),
    Param::number("noise_doubles_s", 0.0, 0.0, 1e6, "the noise doubles whenever this time has passed [s] (T §3.1: 100); 0: never")
        .only_if_positive("noise"),
    Param::number("k_bias", 0.0, -0.9, 3.0, "relative error of K, the same in every reading (S §V)").only_if("measurement", ERRING),
    Param::number("k_noise", 0.0, 0.0, 1.0, "standard deviation of the relative error of K, new in every reading (S §V)")
        .only_if("measurement", ERRING),
    Param::number("a_bias", 0.0, -1.0, 3.0, "relative error of A, the same in every reading (S §V)").only_if("measurement", &["oracle"]),
];

/// Sub-ranges of the published search and packets of a stream. 4 × 5 is what ImTCP's authors simulate with, and so S, T and I; B finds 10 × 20 best on its hosts, whose
/// timers are coarse.
pub(crate) const SUBRANGES: usize = 4;
pub(crate) const STREAM_PACKETS: usize = 5;

/// Streams of the published measurement.
const STREAMS: [Param; 3] = [
    Param::number("subranges", SUBRANGES as f64, 2.0, 30.0, "sub-ranges of the search, a stream for each (B §3.2: 10 on coarse timers)")
        .only_if("measurement", WITH_STREAMS),
    Param::number("stream_packets", STREAM_PACKETS as f64, 5.0, 50.0, "packets of a stream (B §3.2: 20 on coarse timers)")
        .only_if("measurement", WITH_STREAMS),
    Param::choice("trend", &["pathload", "raw"], "whether Pathload's tests see a stream's delays as medians of √N groups, or one by one")
        .only_if("measurement", WITH_STREAMS),
];

/// Smoothing of results.
const FILTER: [Param; 2] = [
    Param::choice(
        "filter",
        &["none", "mean", "median", "kalman"],
        "how results of the measurement are smoothed before the law has them (B §5)",
    ),
    Param::number("filter_window", 8.0, 2.0, 64.0, "how many results a filter remembers; the Kalman filter's least gain is one over it")
        .only_if("filter", &["mean", "median", "kalman"]),
];

/// Of a controller that measures by our estimator, unless told otherwise.
pub const MEASURED: &[Param] = &joined::<11>(&[&[OURS], &ORACLE, &STREAMS, &FILTER]);
/// Of a controller that measures by the published one, unless told otherwise.
pub const MEASURED_AS_PUBLISHED: &[Param] = &joined::<11>(&[&[PUBLISHED], &ORACLE, &STREAMS, &FILTER]);

/// The measurement that a parameter names, under the filter that another does; ours is made by `imtcp`.
pub fn measurement(setup: &Setup, values: &Values, imtcp: fn(&Setup) -> ImTcp) -> Box<dyn Measurement> {
    let whole = |name| values.number(name) as usize;
    let raw: Box<dyn Measurement> = match values.word("measurement") {
        "oracle" => Box::new(Oracle::new(errors(values), setup.seed)),
        "capacity" => Box::new(Oracle::of_capacity(errors(values), setup.seed)),
        "imtcp" => Box::new(imtcp(setup)),
        word @ ("imtcp-published" | "imtcp-published-k-given") => {
            let trend = if values.word("trend") == "pathload" { Trend::Pathload } else { Trend::Raw };
            let measured = PublishedImTcp::new(setup, whole("subranges"), whole("stream_packets"), trend);
            Box::new(if word == "imtcp-published" { measured } else { measured.with_capacity_given() })
        }
        other => unreachable!("the parameter's declaration does not allow {other}"),
    };
    let smoothing = match values.word("filter") {
        "mean" => Smoothing::Mean,
        "median" => Smoothing::Median,
        "kalman" => Smoothing::Kalman,
        _ => return raw,
    };
    filtered(smoothing, whole("filter_window"), raw)
}

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
