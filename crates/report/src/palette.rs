//! Colours that stay with their name over the whole report, told apart by colour-blind readers, on white and on black.

use crate::figure::Series;

/// Red, green, blue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Colour(pub(super) u8, pub(super) u8, pub(super) u8);

impl Colour {
    /// As CSS writes it.
    pub(super) fn css(self) -> String {
        format!("#{:02x}{:02x}{:02x}", self.0, self.1, self.2)
    }
}

// After Okabe and Ito (2008) and Tol's "vibrant"; yellow and black are left out, for they vanish on white or on black.
const BLUE: Colour = Colour(0x00, 0x7f, 0xc8);
const VERMILION: Colour = Colour(0xd5, 0x5e, 0x00);
const GREEN: Colour = Colour(0x00, 0x9e, 0x73);
const PINK: Colour = Colour(0xcc, 0x79, 0xa7);
const ORANGE: Colour = Colour(0xe6, 0x9f, 0x00);
const SKY: Colour = Colour(0x33, 0xbb, 0xee);
const VIOLET: Colour = Colour(0x85, 0x70, 0xc9);
const OLIVE: Colour = Colour(0x99, 0x99, 0x33);
const BROWN: Colour = Colour(0xa6, 0x76, 0x1d);
const GREY: Colour = Colour(0x80, 0x80, 0x80);

/// What a name begins with, in lower case and without "tcp " before it, and its colour. The longest that fits counts.
const NAMED: [(&str, Colour); 31] = [
    ("symbiosis", BLUE),
    ("symbiosis-paper", SKY),
    ("symbiosis-early", VIOLET),
    ("early", VIOLET),
    ("reno", VERMILION),
    ("newreno", VERMILION),
    ("tcp", VERMILION),
    ("highspeed", ORANGE),
    ("hstcp", ORANGE),
    ("scalable", PINK),
    ("stcp", PINK),
    ("fast", GREEN),
    ("vegas", OLIVE),
    ("cubic", BROWN),
    ("bbr", VIOLET),
    ("copa", PINK),
    ("prague", ORANGE),
    ("ledbat", GREY),
    ("compound", GREEN),
    ("adaptive-reno", ORANGE),
    ("hcc", BLUE),
    ("xmtp", BLUE),
    ("theory", GREY),
    ("ideal", GREY),
    ("formula", GREY),
    ("fluid", GREY),
    ("fair", GREY),
    ("available", GREY),
    ("w*", GREY),
    ("overflow", VERMILION),
    ("idle", PINK),
];

/// For everything else, in this order.
const OTHERS: [Colour; 10] = [BLUE, VERMILION, GREEN, PINK, ORANGE, SKY, VIOLET, OLIVE, BROWN, GREY];

/// A colour for each series. Those that the table knows get theirs, whole names before beginnings; of two solid curves only the first, the other takes one
/// that is free. Theory (dashed) may share the colour of the solid curve it explains.
pub(super) fn colours(series: &[Series]) -> Vec<Colour> {
    let mut given: Vec<Option<Colour>> = vec![None; series.len()];
    let mut taken: Vec<Colour> = Vec::new();
    for whole in [true, false] {
        for (series, place) in series.iter().zip(&mut given).filter(|(_, place)| place.is_none()) {
            let Some((key, colour)) = named(&series.name) else { continue };
            let dashed = series.mark.dash().is_some();
            if (key == plain(&series.name) || !whole) && (dashed || !taken.contains(&colour)) {
                *place = Some(colour);
                if !dashed {
                    taken.push(colour);
                }
            }
        }
    }
    // More curves than colours: the same ones again, from the first.
    let mut next = OTHERS.iter().filter(|colour| !taken.contains(colour)).chain(OTHERS.iter().cycle());
    let explained: Vec<Option<usize>> = series.iter().map(|theory| explained(theory, series)).collect();
    for (place, _) in given.iter_mut().zip(&explained).filter(|(_, explained)| explained.is_none()) {
        place.get_or_insert_with(|| *next.next().expect("a cycle has no end"));
    }
    given.iter().zip(&explained).map(|(own, of)| of.map_or(*own, |of| given[of]).expect("all that explain nothing have one")).collect()
}

/// The solid curve that a dashed one belongs to: the dashed one's name is the other's, a comma, and what it is.
fn explained(theory: &Series, series: &[Series]) -> Option<usize> {
    let (name, _) = theory.name.split_once(", ").filter(|_| theory.mark.dash().is_some())?;
    series.iter().position(|solid| solid.mark.dash().is_none() && solid.name == name)
}

fn named(name: &str) -> Option<(&'static str, Colour)> {
    let name = plain(name);
    NAMED.into_iter().filter(|(key, _)| name.starts_with(key)).max_by_key(|(key, _)| key.len())
}

fn plain(name: &str) -> String {
    let name = name.trim().to_lowercase();
    name.strip_prefix("tcp ").map_or(name.clone(), String::from)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figure::Mark;

    fn of(names: &[(&str, Mark)]) -> Vec<Colour> {
        colours(&names.iter().map(|(name, mark)| Series::new(name, *mark, vec![])).collect::<Vec<_>>())
    }

    #[test]
    fn a_name_keeps_its_colour_in_any_company() {
        let line = Mark::Line;
        assert_eq!(of(&[("Reno", line), ("Symbiosis", line)]), [VERMILION, BLUE]);
        assert_eq!(of(&[("TCP Symbiosis (oracle)", line), ("FAST", line), ("Scalable", line)]), [BLUE, GREEN, PINK]);
        assert_eq!(of(&[("symbiosis 2", line), ("symbiosis-paper", line), ("symbiosis", line)])[1..], [SKY, BLUE]);
    }

    #[test]
    fn solid_curves_differ_and_theory_may_share() {
        let curves =
            of(&[("symbiosis 1", Mark::Line), ("symbiosis 2", Mark::Line), ("symbiosis, theory", Mark::Dashed), ("m = 0", Mark::Points)]);
        assert_eq!(curves, [BLUE, VERMILION, BLUE, GREEN]);
        let [curve, theory, other] = of(&[("B = 1", Mark::LinePoints), ("B = 1, formula", Mark::Dashed), ("B = 2", Mark::LinePoints)])[..]
        else {
            panic!("three curves have three colours");
        };
        assert!(curve == theory && curve != other);
        let ten: Vec<String> = (0..10).map(|i| format!("flow {i}")).collect();
        let ten = of(&ten.iter().map(|name| (name.as_str(), Mark::Line)).collect::<Vec<_>>());
        assert!((0..10).all(|i| !ten[..i].contains(&ten[i])));
    }
}
