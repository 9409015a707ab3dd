//! Times to be read.

/// So many seconds.
pub fn clock(seconds: f64) -> String {
    let seconds = seconds.round() as u64;
    match seconds {
        0..60 => format!("{seconds} s"),
        60..3600 => format!("{}:{:02} min", seconds / 60, seconds % 60),
        _ => format!("{}:{:02} h", seconds / 3600, seconds / 60 % 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_told_as_clocks_have_them() {
        assert_eq!([clock(5.2), clock(65.0), clock(3660.0)], ["5 s", "1:05 min", "1:01 h"]);
    }
}
