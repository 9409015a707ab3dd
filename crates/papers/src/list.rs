//! All experiments: the table of what the papers show.
//!
//! Papers: **I** Iguchi et al. 2005; **S** Hasegawa and Murata 2006; **B** Kodama 2007; **T** Kodama 2009; **H** Magalhaes, HCC.

use crate::experiment::Experiment;
use crate::toolkit::Lab;
use crate::world::World;
use crate::{b, h, i, ours, s, t};
use symbiosis_report::outcome::Outcome;

const fn experiment(id: &'static str, title: &'static str, source: &'static str, run: fn(&Lab) -> Outcome) -> Experiment {
    Experiment { id, also: &[], title, source, cpu_s: [1.0; 2], run }
}

impl Experiment {
    const fn also(self, also: &'static [&'static str]) -> Experiment {
        Experiment { also, ..self }
    }

    const fn takes(self, quick: f64, whole: f64) -> Experiment {
        Experiment { cpu_s: [quick, whole], ..self }
    }
}

/// Every experiment, in the order of the papers; M and W are ours.
pub const ALL: &[Experiment] = &[
    experiment("I1", "The discrete logistic equation", "I Fig 1", i::i1::run).takes(0.1, 0.1),
    experiment("S1", "Two species in competition", "I Fig 2, S Fig 1", s::s1::run).also(&["I2"]).takes(0.1, 0.1),
    experiment("I4", "One flow beside UDP", "I Fig 4", i::i4::run).takes(2.4, 37.7),
    experiment("I5", "Convergence time over bandwidth", "I Fig 5", i::i5::run).takes(1.6, 74.5),
    experiment("I6", "Five flows join and leave", "I Fig 6", i::i6::run).takes(3.1, 113.5),
    experiment("S4", "Share beside Reno over ε and buffer", "S Fig 4", s::s4::run).takes(0.6, 25.4),
    experiment("S5", "Share beside Reno over ε and capacity", "S Fig 5", s::s5::run).takes(0.8, 76.4),
    experiment("S7", "One flow, 100 Mbit/s", "S Fig 7", s::s7::run).takes(1.5, 11.1),
    experiment("S8", "One flow, 1 Gbit/s", "S Fig 8", s::s8::run).takes(5.3, 69.5),
    experiment("S9", "Convergence time over bandwidth", "S Fig 9", s::s9::run).takes(1.3, 80.3),
    experiment("S10", "Convergence time over delay", "S Fig 10", s::s10::run).takes(3.0, 66.2),
    experiment("S11", "Five flows join and leave", "S Fig 11", s::s11::run).takes(3.5, 174.1),
    experiment("S12", "Steps of UDP: throughput and queue", "S Figs 12, 13", s::s12::run).also(&["S13"]).takes(4.8, 47.1),
    experiment("S14", "Different access links", "S Fig 14", s::s14::run).takes(1.9, 65.9),
    experiment("T3", "Two flows", "T Fig 3", t::t3::run).takes(3.1, 26.7),
    experiment("T5", "The laboratory: steps of A over four RTTs", "T Fig 5, B Fig 6", t::t5::run).also(&["B6"]).takes(3.7, 49.3),
    experiment("T6", "Noise on A: γ = 0.95, 0.5, noise-aware", "T Figs 6-8", t::t6::run).also(&["T7", "T8"]).takes(3.2, 52.6),
    experiment("T10", "A drops and recovers", "T Figs 10, 14", t::t10::run).also(&["T14"]).takes(2.4, 12.3),
    experiment("T11", "Ten flows join and leave", "T Figs 11, 17", t::t11::run).also(&["T17"]).takes(3.0, 189.7),
    experiment("T12", "Degree of oscillation", "T Figs 12, 13", t::t12::run).also(&["T13"]).takes(2.6, 35.8),
    experiment("T15", "Probability of a timeout when A drops", "T Fig 15", t::t15::run).takes(3.2, 188.3),
    experiment("T16", "The same over the buffer", "T Fig 16", t::t16::run).takes(2.6, 88.7),
    experiment("T18", "Oscillation and noise-aware γ around other controllers", "ours (T §5)", ours::t18::run).takes(1.9, 39.3),
    experiment("M1", "What symbiosis measures beside UDP", "ours", ours::m1::run).takes(1.8, 8.9),
    experiment("M2", "What measurements read while nobody obeys them", "ours", ours::m2::run).takes(1.3, 64.9),
    experiment("M3", "What disturbs the measurement", "ours", ours::m3::run).takes(3.4, 23.1),
    experiment("M4", "Flows among themselves: two laws", "ours, S Eqs 19-21", ours::m4::run).takes(5.2, 120.5),
    experiment("M5", "Share beside CUBIC over ε, buffer and capacity", "ours (S §III-D, Fig 4)", ours::m5::run).takes(2.0, 66.3),
    experiment("M6", "Compound TCP and TCP-Adaptive Reno as opponents", "ours (B §5)", ours::m6::run).takes(1.7, 68.6),
    experiment("M7", "Errors of K and A over γ", "ours (S §V)", ours::m7::run).takes(1.4, 109.6),
    experiment("M8", "Filters for ImTCP's results", "ours (B §5)", ours::m8::run).takes(1.4, 59.7),
    experiment("W3", "Three worlds", "ours", ours::w3::run).takes(2.6, 32.2),
    experiment("B4", "ImTCP's error over sub-ranges and stream length", "B Fig 4", b::b4::run).takes(2.5, 18.8),
    experiment("B5", "ImTCP's measurements a second over RTT", "B Fig 5", b::b5::run).takes(0.6, 9.0),
    experiment("B9", "Osaka to Tokyo", "B Figs 8, 9", b::b9::run).also(&["B8"]).takes(1.8, 24.6),
    experiment("B11", "Osaka to California", "B Figs 10, 11", b::b11::run).also(&["B10"]).takes(2.2, 37.1),
    experiment("B12", "Osaka to California, A fixed", "B Fig 12, Table 7", b::b12::run).takes(4.2, 63.1),
    experiment("H0", "HCC: the weight of a pair", "ours, on H Table 1", ours::h0::run).takes(0.6, 7.0),
    experiment("H2", "One XMTP flow over delays", "H Fig 2", h::h2::run).takes(0.1, 0.1),
    experiment("H3", "XMTP beside CBR", "H Fig 3", h::h3::run).takes(0.1, 0.1),
    experiment("H4", "Five flows, some of them XMTP", "H Table 1", h::h4::run).takes(0.4, 0.4),
    experiment("H5", "A hundred flows, some of them XMTP", "H Table 2", h::h5::run).takes(3.1, 9.0),
    experiment("H6", "One TCP beside one XMTP", "H Figs 4, 5", h::h6::run).takes(0.3, 0.6),
    experiment("H7", "HCC: pairs by round trips", "ours, after H §9", ours::h7::run).takes(0.8, 2.6),
    experiment("H8", "HCC: random loss, told from a queue's", "ours, after H §9", ours::h8::run).takes(1.1, 3.6),
    experiment("H9", "HCC beside NewReno, CUBIC, Vegas, Symbiosis", "ours", ours::h9::run).takes(0.9, 5.9),
    experiment("H10", "HCC from 1 Mbit/s to 1 Gbit/s", "ours, after H §9", ours::h10::run).takes(2.1, 24.4),
    experiment("H11", "HCC: ImTCP in the place of pairs", "ours", ours::h11::run).takes(0.6, 2.0),
];

/// The same with the kernel's own TCP, and what stands beside it in the other worlds.
pub const IN_KERNEL: &[Experiment] = &[
    experiment("T5", "The laboratory: steps of A over four RTTs", "T Fig 5, B Fig 6", t::t5::in_kernel).also(&["B6"]),
    experiment("B9", "Osaka to Tokyo", "B Figs 8, 9", b::b9::in_kernel).also(&["B8"]),
    experiment("B11", "Osaka to California", "B Figs 10, 11", b::b11::in_kernel).also(&["B10"]),
    experiment("B12", "Osaka to California, A fixed", "B Fig 12, Table 7", b::b12::in_kernel),
    experiment("W3", "Three worlds", "ours", ours::w3::run),
    experiment("W4", "Reno, CUBIC and BBR in the simulator and in Linux", "ours", ours::w4::run),
];

/// The experiments of a world.
pub fn of_world(world: World) -> &'static [Experiment] {
    match world {
        World::Simulator => ALL,
        World::Kernel => IN_KERNEL,
    }
}

/// The experiment of a world of that name, or of which that figure is a part, whatever the case of its letters.
pub fn find(world: World, id: &str) -> Option<&'static Experiment> {
    let named = |name: &&str| name.eq_ignore_ascii_case(id);
    of_world(world).iter().find(|experiment| named(&experiment.id) || experiment.also.iter().any(named))
}
