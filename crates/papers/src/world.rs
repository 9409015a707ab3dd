//! Where experiments are carried out.

use symbiosis_control::registry::Entry;
use symbiosis_linux::testbed::{MOST_FLOWS, NATIVE};
use symbiosis_quic::noq_controllers;
use symbiosis_scenario::{Hosts, SIMULATOR, Target};

/// Where a scenario is carried out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum World {
    /// The simulator.
    Simulator,
    /// Linux' own TCP over an emulated path.
    Kernel,
}

impl World {
    /// What a scenario may ask for there. The simulator has noq's controllers beside ours.
    pub const fn target(self) -> &'static Target {
        match self {
            World::Simulator => &Target { more: noq_controllers::ALL, elsewhere: NATIVE, ..SIMULATOR },
            World::Kernel => {
                &Target { more: NATIVE, elsewhere: noq_controllers::ALL, hosts: Hosts::Kernel { most_flows: MOST_FLOWS as u64 } }
            }
        }
    }

    /// Its controllers.
    pub fn controllers(self) -> Vec<&'static Entry> {
        self.target().controllers()
    }
}
