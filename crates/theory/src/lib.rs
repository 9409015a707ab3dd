//! What the papers derive from the Lotka-Volterra competition model, each equation with its number and a test.
//!
//! The model itself, `dw/dt = ε (1 − (w + γ(K − A)τ) / (Kτ)) w` (S Eq 9, T Eq 9), is a controller's law and stands in
//! [`symbiosis_control::lotka_volterra`]. Nothing here runs in a controller: experiments and tests hold what they measure against it.
//!
//! Papers: **S** Hasegawa, Murata: TCP Symbiosis: Congestion Control Mechanisms of TCP based on Lotka-Volterra Competition Model
//! (2006). **T** Kodama: Increasing robustness to environmental changes for congestion control mechanisms (master's thesis, 2009).
//! **B** Kodama: インライン計測に基づいた TCP 輻輳制御方式の実ネットワークにおける性能評価 (performance of TCP congestion control
//! based on inline measurement in a real network, 2007). **I** Iguchi, Hasegawa, Murata: A New Congestion Control Mechanism of TCP with
//! Inline Network Measurement (2005).
//!
//! Where the text is wrong: B Eq 9 prints `{(1−γ)K + γ}A` for Eq 11's `{(1−γ)K + γA}τ`. S Eqs 19–21, 26 and 27 have faults of their own,
//! told in [`facts`], [`reno_rivalry`] and [`capacities`].
//!
//! ```
#![doc = include_str!("../examples/fixed_points.rs")]
//! ```
#![no_std]

extern crate alloc;
#[cfg(test)]
extern crate std;

pub mod capacities;
#[cfg(test)]
mod closed_form;
pub mod competing;
pub mod crowded;
pub mod cubic_rivalry;
pub mod facts;
pub mod misread;
mod ode;
pub mod populations;
pub mod reno_rivalry;
pub mod stationary;
