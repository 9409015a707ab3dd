//! S Eq 11 fed with a wrong K and a wrong A: where windows rest, what they carry and which queue they leave (S §V asks for it).
//!
//! The window is `w = {(1−γ)K' + γA'}τ` of what is read. The path does not mind what is read: a window that is more than the flow can carry
//! stands in the queue, one that is less leaves the link idle. A reading of A is never more than that of K.

/// What is read, and how much it counts.
#[derive(Clone, Copy, Debug)]
pub struct Misread {
    /// γ.
    pub gamma: f64,
    /// K' over K.
    pub capacity: f64,
    /// A' over A.
    pub available: f64,
}

/// Where flows rest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rest {
    /// What all of them carry together, as a part of K.
    pub throughput: f64,
    /// The queue that they leave, as a multiple of Kτ.
    pub queue: f64,
}

impl Misread {
    /// The window over Kτ where A is this part of K.
    fn window(&self, free: f64) -> f64 {
        (1.0 - self.gamma) * self.capacity + self.gamma * (self.available * free).min(self.capacity)
    }

    /// One flow beside traffic that does not yield and leaves this part of K. A full link gives it A, and `w = A(τ + q)`.
    pub fn alone(&self, free: f64) -> Rest {
        let window = self.window(free);
        if window <= free { Rest { throughput: window, queue: 0.0 } } else { Rest { throughput: free, queue: window / free - 1.0 } }
    }

    /// `n` equal flows. On a full link a correct A is `K/n`, so `Kτ + Q = n{(1−γ)K' + γA'}τ`. If that is less than Kτ the link is idle in part, and
    /// each reads what the others leave of it, `A = K − (n−1)x`.
    pub fn among(&self, n: u32) -> Rest {
        let n = f64::from(n);
        let sum = n * self.window(1.0 / n);
        if sum >= 1.0 {
            return Rest { throughput: 1.0, queue: sum - 1.0 };
        }
        // x = (1−γ)K' + γA'/A·(K − (n−1)x), or K' if that is less.
        let read = self.gamma * self.available;
        let each = ((1.0 - self.gamma) * self.capacity + read) / (1.0 + read * (n - 1.0));
        Rest { throughput: n * each.min(self.capacity), queue: 0.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::EqualFlows;

    #[test]
    fn without_errors_it_is_what_it_was() {
        let right = Misread { gamma: 0.9, capacity: 1.0, available: 1.0 };
        // w = 0.55 Kτ where half is free: a tenth of Aτ waits, and Q = K·q.
        let rest = right.alone(0.5);
        assert!(rest.throughput == 0.5 && (rest.queue - 0.1).abs() < 1e-12);
        for n in [2, 5] {
            let queue = EqualFlows { n, gamma: 0.9, room: 1000.0 }.measured_queue() / 1000.0;
            assert!((right.among(n).queue - queue).abs() < 1e-12 && right.among(n).throughput == 1.0);
        }
        assert!(right.among(1).queue.abs() < 1e-12);
    }

    #[test]
    fn too_little_read_leaves_idle_and_too_much_queues() {
        let low = Misread { gamma: 0.9, capacity: 1.0, available: 0.6 };
        // 0.1 + 0.9·0.3 = 0.37 of the 0.5 that is free.
        assert!((low.alone(0.5).throughput - 0.37).abs() < 1e-12 && low.alone(0.5).queue == 0.0);
        // Two: 2(0.1 + 0.9·0.3) = 0.74 < 1, so x = 0.64/1.54, which reads 1 − x of 0.584 as 0.351: 0.1 + 0.9·0.351 = 0.4156.
        let each = low.among(2).throughput / 2.0;
        assert!((each - 0.1 - 0.9 * 0.6 * (1.0 - each)).abs() < 1e-12 && (each - 0.4156).abs() < 1e-4);
        let high = Misread { gamma: 0.9, capacity: 1.0, available: 1.4 };
        // 0.1 + 0.9·0.7 = 0.73 in 0.5: q = 0.46 τ. Read as no more than K: with 1.4 of 0.9, K.
        assert!((high.alone(0.5).queue - 0.46).abs() < 1e-12);
        assert!((high.alone(0.9).queue - (1.0 / 0.9 - 1.0)).abs() < 1e-12);
        // K read as a quarter: nobody sends more than that.
        let narrow = Misread { gamma: 0.5, capacity: 0.25, available: 1.0 };
        assert_eq!(narrow.among(2), Rest { throughput: 0.5, queue: 0.0 });
    }

    #[test]
    fn the_fixed_point_is_one() {
        for gamma in [0.3, 0.6, 0.95] {
            for capacity in [0.3, 0.8, 1.3] {
                for available in [0.5, 1.0, 1.5] {
                    let misread = Misread { gamma, capacity, available };
                    for n in [1, 2, 5] {
                        let Rest { throughput, queue } = misread.among(n);
                        let x = throughput / f64::from(n);
                        let free = if queue > 0.0 { x } else { 1.0 - f64::from(n - 1) * x };
                        let window = misread.window(free);
                        assert!((window * f64::from(n) - throughput - queue).abs() < 1e-9, "{misread:?} {n}: {throughput} {queue}");
                    }
                }
            }
        }
    }
}
