//! All experiments: the table of what the papers show.
//!
//! Papers: **I** Iguchi et al. 2005; **S** Hasegawa and Murata 2006; **B** Kodama 2007; **T** Kodama 2009; **H** Magalhaes, HCC.

use super::{
    Experiment, Lab, b4, h0, h2, h3, h4, h5, h6, h7, h8, h9, h10, h11, i1, i4, linux, m1, m2, m3, m4, m5, m6, m7, m8, s1, s4, s7, s9, s11,
    s12, s14, t3, t5, t6, t10, t11, t12, t15, t18, worlds,
};
use crate::outcome::Outcome;

const fn experiment(id: &'static str, title: &'static str, source: &'static str, run: fn(&Lab) -> Outcome) -> Experiment {
    Experiment { id, also: &[], title, source, run }
}

impl Experiment {
    const fn also(self, also: &'static [&'static str]) -> Experiment {
        Experiment { also, ..self }
    }
}

/// Every experiment, in the order of the papers; M and W are ours.
pub const ALL: &[Experiment] = &[
    experiment("I1", "The discrete logistic equation", "I Fig 1", i1::run),
    experiment("S1", "Two species in competition", "I Fig 2, S Fig 1", s1::run).also(&["I2"]),
    experiment("I4", "One flow beside UDP", "I Fig 4", i4::run),
    experiment("I5", "Convergence time over bandwidth", "I Fig 5", s9::of_i),
    experiment("I6", "Five flows join and leave", "I Fig 6", s11::of_i),
    experiment("S4", "Share beside Reno over ε and buffer", "S Fig 4", s4::over_buffers),
    experiment("S5", "Share beside Reno over ε and capacity", "S Fig 5", s4::over_capacities),
    experiment("S7", "One flow, 100 Mbit/s", "S Fig 7", s7::at_100_mbps),
    experiment("S8", "One flow, 1 Gbit/s", "S Fig 8", s7::at_1_gbps),
    experiment("S9", "Convergence time over bandwidth", "S Fig 9", s9::over_bandwidths),
    experiment("S10", "Convergence time over delay", "S Fig 10", s9::over_delays),
    experiment("S11", "Five flows join and leave", "S Fig 11", s11::of_s),
    experiment("S12", "Steps of UDP: throughput and queue", "S Figs 12, 13", s12::run).also(&["S13"]),
    experiment("S14", "Different access links", "S Fig 14", s14::run),
    experiment("T3", "Two flows", "T Fig 3", t3::run),
    experiment("T5", "The laboratory: steps of A over four RTTs", "T Fig 5, B Fig 6", t5::laboratory).also(&["B6"]),
    experiment("T6", "Noise on A: γ = 0.95, 0.5, noise-aware", "T Figs 6-8", t6::run).also(&["T7", "T8"]),
    experiment("T10", "A drops and recovers", "T Figs 10, 14", t10::run).also(&["T14"]),
    experiment("T11", "Ten flows join and leave", "T Figs 11, 17", t11::run).also(&["T17"]),
    experiment("T12", "Degree of oscillation", "T Figs 12, 13", t12::run).also(&["T13"]),
    experiment("T15", "Probability of a timeout when A drops", "T Fig 15", t15::run),
    experiment("T16", "The same over the buffer", "T Fig 16", t15::over_buffers),
    experiment("T18", "Oscillation and noise-aware γ around other controllers", "ours (T §5)", t18::run),
    experiment("M1", "What symbiosis measures beside UDP", "ours", m1::run),
    experiment("M2", "What measurements read while nobody obeys them", "ours", m2::run),
    experiment("M3", "What disturbs the measurement", "ours", m3::run),
    experiment("M4", "Flows among themselves: two laws", "ours, S Eqs 19-21", m4::run),
    experiment("M5", "Share beside CUBIC over ε, buffer and capacity", "ours (S §III-D, Fig 4)", m5::run),
    experiment("M6", "Compound TCP and TCP-Adaptive Reno as opponents", "ours (B §5)", m6::run),
    experiment("M7", "Errors of K and A over γ", "ours (S §V)", m7::run),
    experiment("M8", "Filters for ImTCP's results", "ours (B §5)", m8::run),
    experiment("W3", "Three worlds", "ours", worlds::run),
    experiment("B4", "ImTCP's error over sub-ranges and stream length", "B Fig 4", b4::shapes),
    experiment("B5", "ImTCP's measurements a second over RTT", "B Fig 5", b4::rates),
    experiment("B9", "Osaka to Tokyo", "B Figs 8, 9", t5::osaka_tokyo).also(&["B8"]),
    experiment("B11", "Osaka to California", "B Figs 10, 11", t5::osaka_california).also(&["B10"]),
    experiment("B12", "Osaka to California, A fixed", "B Fig 12, Table 7", t5::fixed),
    experiment("H0", "HCC: the weight of a pair", "ours, on H Table 1", h0::run),
    experiment("H2", "One XMTP flow over delays", "H Fig 2", h2::run),
    experiment("H3", "XMTP beside CBR", "H Fig 3", h3::run),
    experiment("H4", "Five flows, some of them XMTP", "H Table 1", h4::run),
    experiment("H5", "A hundred flows, some of them XMTP", "H Table 2", h5::run),
    experiment("H6", "One TCP beside one XMTP", "H Figs 4, 5", h6::run),
    experiment("H7", "HCC: pairs by round trips", "ours, after H §9", h7::run),
    experiment("H8", "HCC: random loss, told from a queue's", "ours, after H §9", h8::run),
    experiment("H9", "HCC beside NewReno, CUBIC, Vegas, Symbiosis", "ours", h9::run),
    experiment("H10", "HCC from 1 Mbit/s to 1 Gbit/s", "ours, after H §9", h10::run),
    experiment("H11", "HCC: ImTCP in the place of pairs", "ours", h11::run),
];

/// The same with the kernel's own TCP, and what stands beside it in the other worlds.
pub const IN_KERNEL: &[Experiment] = &[
    experiment("T5", "The laboratory: steps of A over four RTTs", "T Fig 5, B Fig 6", linux::laboratory).also(&["B6"]),
    experiment("B9", "Osaka to Tokyo", "B Figs 8, 9", linux::osaka_tokyo).also(&["B8"]),
    experiment("B11", "Osaka to California", "B Figs 10, 11", linux::osaka_california).also(&["B10"]),
    experiment("B12", "Osaka to California, A fixed", "B Fig 12, Table 7", linux::fixed),
    experiment("W3", "Three worlds", "ours", worlds::run),
];
