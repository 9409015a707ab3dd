//! Where packets left again.

/// Which packets left right after a repeated one: a bit for each of the latest numbers.
#[derive(Clone, Debug)]
pub struct Repeated([u64; 64]);

impl Default for Repeated {
    fn default() -> Repeated {
        Repeated([0; 64])
    }
}

impl Repeated {
    fn place(number: u64) -> (usize, u64) {
        ((number / 64 % 64) as usize, 1 << (number % 64))
    }

    /// A packet left before the one of this number, `after` it is a repeated one.
    pub fn set(&mut self, number: u64, after: bool) {
        let (word, bit) = Repeated::place(number);
        if after {
            self.0[word] |= bit;
        } else {
            self.0[word] &= !bit;
        }
    }

    /// Whether one left between any of these and the one before.
    pub fn any(&self, first: u64, last: u64) -> bool {
        (first..=last).any(|number| {
            let (word, bit) = Repeated::place(number);
            self.0[word] & bit != 0
        })
    }
}
