//! Flows with different access links on one bottleneck (S §IV-E, Fig 14): `K_i = min(bw_i, BW)` differs, and who gets what?
//!
//! S Eq 27 says shares in proportion to `K_i`, "using Equation (8)". Eq 8 with the rivals' rates in it (S Eq 17) says otherwise:
//! [`Shared::fluid`]. Eq 27 is right for another reason, which S does not give: the queue stands whenever the `K_i` exceed `BW` together,
//! and a flow that measures correctly then reads its own delivery rate as available: [`Shared::measured`].

use alloc::vec::Vec;

use symbiosis_base::Rate;

/// Access links that feed one bottleneck; nobody else sends, and nothing is lost.
#[derive(Clone, Debug)]
pub struct Shared {
    /// Capacity of the bottleneck (`BW`).
    pub bottleneck: Rate,
    /// Capacity of each flow's access link (`bw_i`).
    pub access: Vec<Rate>,
    /// Competition coefficient (`γ`), within (0, 1).
    pub gamma: f64,
}

/// Where the model comes to rest.
#[derive(Clone, Debug)]
pub struct Rest {
    /// Each flow's window over its base round-trip time (`N_i = w_i/τ_i`), which is a sending rate only while no queue stands.
    pub offered: Vec<Rate>,
    /// What the bottleneck delivers of each: a FIFO queue serves the flows in proportion to their windows.
    pub delivered: Vec<Rate>,
    /// `ΣN_i − BW`, zero while the link has room. Times the round-trip time it is the standing queue in bytes.
    pub excess: Rate,
}

impl Shared {
    /// `K_i = min(bw_i, BW)`, the narrowest link of each flow's path.
    pub fn capacities(&self) -> Vec<Rate> {
        self.access.iter().map(|bw| bw.clamp(Rate::ZERO, self.bottleneck)).collect()
    }

    /// S's claim, `N_i = BW · K_i/ΣK` (S Eq 27), and no more than `K_i` where the link has room for all.
    pub fn claimed(&self) -> Vec<Rate> {
        self.delivered(&self.capacities())
    }

    /// The rest of S Eq 8, `N_i = K_i − γ(K_i − A_i)`, when `A_i = min(bw_i, BW − Σ_{j≠i} N_j)`, at least zero.
    ///
    /// With `S = ΣN`, each `A_i` is `K_i − (S − BW)/(1−γ)` held within `[0, K_i]`, so each `N_i` falls with S and `ΣN_i(S) = S` has one
    /// solution. While no `A_i` is zero it is `N_i = K_i − γ(ΣK − BW)/(1 + (n−1)γ)`: equal differences, not equal ratios.
    pub fn fluid(&self) -> Rest {
        let capacities = self.capacities();
        let all = sum(&capacities);
        let offers = |excess: f64| -> Vec<Rate> {
            let below = Rate::from_bytes_per_s((excess / (1.0 - self.gamma)).max(0.0));
            // Subtraction of rates stops at zero, as A does.
            capacities.iter().map(|k| *k * (1.0 - self.gamma) + (*k - below) * self.gamma).collect()
        };
        // Bisection on the excess S − BW, down to neighbouring numbers. An excess of zero is where the link just has room.
        let (mut low, mut high) = (0.0, (all - self.bottleneck).bytes_per_s());
        loop {
            let excess = low + (high - low) / 2.0;
            if excess <= low || excess >= high {
                break;
            }
            let offered = sum(&offers(excess)).bytes_per_s() - self.bottleneck.bytes_per_s();
            *(if offered > excess { &mut low } else { &mut high }) = excess;
        }
        self.rest(offers(high))
    }

    /// The rest of S Eq 8 when each flow measures correctly in a standing queue, `A_i = BW · N_i/ΣN`.
    ///
    /// `ΣN = γBW + (1−γ)ΣK`, and every flow keeps the same multiple of its `K_i`: S Eq 27, exactly. Where the `K_i` fit into the
    /// bottleneck no queue stands, and each has its `K_i`.
    pub fn measured(&self) -> Rest {
        let capacities = self.capacities();
        let all = sum(&capacities);
        if all <= self.bottleneck {
            return self.rest(capacities);
        }
        let sum = self.bottleneck * self.gamma + all * (1.0 - self.gamma);
        self.rest(capacities.iter().map(|k| *k * (sum / all)).collect())
    }

    fn rest(&self, offered: Vec<Rate>) -> Rest {
        Rest { delivered: self.delivered(&offered), excess: sum(&offered) - self.bottleneck, offered }
    }

    /// What a FIFO queue delivers of these rates.
    fn delivered(&self, offered: &[Rate]) -> Vec<Rate> {
        let all = sum(offered);
        let share = if all > self.bottleneck { self.bottleneck / all } else { 1.0 };
        offered.iter().map(|rate| *rate * share).collect()
    }
}

fn sum(rates: &[Rate]) -> Rate {
    rates.iter().fold(Rate::ZERO, |sum, rate| sum + *rate)
}

#[cfg(test)]
mod tests;
