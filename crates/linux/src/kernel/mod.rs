//! TCP Symbiosis for every socket of the machine.
//!
//! A congestion control in BPF, registered under the name `symbiosis`, and an agent that runs the controllers of `symbiosis-control` on
//! what the kernel tells of each ACK. The kernel moves the window from ACK to ACK; the agent says where to.
