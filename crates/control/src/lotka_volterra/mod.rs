//! The Lotka-Volterra competition model as a congestion controller's law, and everything the papers derive from it.
//!
//! A connection's window is the population of a species; the path is its habitat with carrying capacity `Kτ`, and everybody else's
//! traffic, `K − A`, is the competitor:
//!
//! ```text
//! dw/dt = ε (1 − (w + γ(K − A)τ) / (Kτ)) w                                        S Eq 9, T Eq 9
//! ```
//!
//! `w` window \[bytes\], `τ` base round-trip time, `K` capacity of the narrowest link, `A` what others leave free, `ε` growth rate
//! \[1/s\], `γ` competition coefficient. The unit of `ε` is per second, so that convergence does not depend on the round-trip time.
//!
//! Papers: **S** Hasegawa, Murata: TCP Symbiosis: Congestion Control Mechanisms of TCP based on Lotka-Volterra Competition Model
//! (2006). **T** Kodama: Increasing robustness to environmental changes for congestion control mechanisms (master's thesis, 2009).
//! **B** Kodama: インライン計測に基づいた TCP 輻輳制御方式の実ネットワークにおける性能評価 (performance of TCP congestion control
//! based on inline measurement in a real network, 2007). **I** Iguchi, Hasegawa, Murata: A New Congestion Control Mechanism of TCP with
//! Inline Network Measurement (2005).
//!
//! Where the text is wrong: S Eq 10 prints a stray factor, `K − γ(K−A)τ` for `{K − γ(K−A)}τ`; T Eq 10 is right and is what
//! [`LotkaVolterra::step`] computes. B Eq 9 prints `{(1−γ)K + γ}A` for Eq 11's `{(1−γ)K + γA}τ`. S Eqs 19–21, 26 and 27 have faults of
//! their own, told in [`facts`], [`reno_rivalry`] and [`capacities`].

pub mod capacities;
pub mod crowded;
pub mod cubic_rivalry;
pub mod facts;
pub mod misread;
mod model;
mod ode;
pub mod populations;
pub mod reno_rivalry;
pub mod stationary;

pub use model::{Bandwidth, LotkaVolterra, logistic};
