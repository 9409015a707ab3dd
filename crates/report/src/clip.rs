//! What of a curve lies within the axes: plotters would press the rest against the frame.

/// The ends of both axes, and which are logarithmic.
pub(super) struct Window {
    pub(super) x: (f64, f64),
    pub(super) y: (f64, f64),
    pub(super) log: (bool, bool),
}

/// Whether the axes show a point.
pub(super) fn inside(window: &Window, (x, y): (f64, f64)) -> bool {
    window.x.0 <= x && x <= window.x.1 && window.y.0 <= y && y <= window.y.1
}

/// The pieces of a polyline within the axes, cut where it crosses the frame.
pub(super) fn visible(window: &Window, points: &[(f64, f64)]) -> Vec<Vec<(f64, f64)>> {
    let mut pieces: Vec<Vec<(f64, f64)>> = Vec::new();
    let mut open = false;
    for pair in points.windows(2) {
        let Some((enters, leaves)) = crossing(window, pair[0], pair[1]) else {
            open = false;
            continue;
        };
        if !open || enters > 0.0 {
            pieces.push(vec![at(window, pair[0], pair[1], enters)]);
        }
        pieces.last_mut().expect("pushed").push(at(window, pair[0], pair[1], leaves));
        open = leaves == 1.0;
    }
    pieces
}

/// The part of a segment inside, as two places between 0 and 1 (Liang and Barsky 1984).
fn crossing(window: &Window, from: (f64, f64), to: (f64, f64)) -> Option<(f64, f64)> {
    let (mut enters, mut leaves) = (0.0f64, 1.0f64);
    for (axis, log, from, to) in [(window.x, window.log.0, from.0, to.0), (window.y, window.log.1, from.1, to.1)] {
        let (low, high, from, to) = (flat(log, axis.0), flat(log, axis.1), flat(log, from), flat(log, to));
        if from == to {
            if from < low || from > high {
                return None;
            }
            continue;
        }
        let (first, second) = ((low - from) / (to - from), (high - from) / (to - from));
        enters = enters.max(first.min(second));
        leaves = leaves.min(first.max(second));
    }
    (enters < leaves).then_some((enters, leaves))
}

/// The point at a place of a segment; its ends exactly.
fn at(window: &Window, from: (f64, f64), to: (f64, f64), place: f64) -> (f64, f64) {
    let between = |log, from: f64, to: f64| {
        let value = flat(log, from) + (flat(log, to) - flat(log, from)) * place;
        if log { value.exp() } else { value }
    };
    match place {
        0.0 => from,
        1.0 => to,
        _ => (between(window.log.0, from.0, to.0), between(window.log.1, from.1, to.1)),
    }
}

/// The value as it is laid out along its axis.
fn flat(log: bool, value: f64) -> f64 {
    if log { value.ln() } else { value }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINEAR: Window = Window { x: (0.0, 10.0), y: (0.0, 1.0), log: (false, false) };

    #[test]
    fn cuts_at_the_frame_and_comes_back() {
        let pieces = visible(&LINEAR, &[(0.0, 0.5), (2.0, 1.5), (4.0, 1.5), (6.0, 0.5), (8.0, 0.25)]);
        assert_eq!(pieces, [vec![(0.0, 0.5), (1.0, 1.0)], vec![(5.0, 1.0), (6.0, 0.5), (8.0, 0.25)]]);
    }

    #[test]
    fn a_segment_may_cross_without_a_point_inside() {
        assert_eq!(visible(&LINEAR, &[(1.0, -1.0), (5.0, 3.0)]), [vec![(2.0, 0.0), (3.0, 1.0)]]);
        assert_eq!(visible(&LINEAR, &[(1.0, 2.0), (5.0, 2.0)]), Vec::<Vec<_>>::new());
        assert_eq!(visible(&LINEAR, &[(1.0, 0.5)]), Vec::<Vec<_>>::new());
    }

    #[test]
    fn logarithmic_axes_are_straight_in_logarithms() {
        let window = Window { x: (1.0, 100.0), y: (0.0, 1.0), log: (true, false) };
        let pieces = visible(&window, &[(1.0, 0.5), (100.0, 1.5)]);
        assert!((pieces[0][1].0 - 10.0).abs() < 1e-9 && pieces[0][1].1 == 1.0, "{pieces:?}");
        assert!(inside(&window, (100.0, 1.0)) && !inside(&window, (0.5, 0.5)));
    }
}
