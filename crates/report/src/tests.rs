use std::fs;

use crate::figure::{Axis, Figure, Mark, Series};
use crate::outcome::{Bar, Basis, Check, Claim, Measured, Outcome, Reference, Table};
use crate::*;

fn claim(text: &str, stated: &str, measured: Measured, unit: &str) -> Claim {
    let basis = if measured.seeds == 1 { Basis::Published } else { Basis::Theory };
    let reference = Reference { basis, place: "S §IV-B, Fig 7".into() };
    Claim::new(text, (reference, stated.into()), (measured, unit), Bar { least: f64::NEG_INFINITY, most: 0.0 })
}

fn figure(id: &str) -> Figure {
    let band = Some(vec![(0.5, 1.5), (9.0, 12.0)]);
    let series = vec![
        Series { band, ..Series::new("symbiosis", Mark::Line, vec![(1.0, 1.0), (10.0, 10.0)]) },
        Series::new("symbiosis, \"Eq 12\" </script>", Mark::Dashed, vec![(1.0, 2.0), (100.0, 1.0 / 3.0)]),
        Series::new("Reno", Mark::Points, vec![(5.0, 123456.789)]),
    ];
    let (x, y) = (Axis::log("rate [Mbit/s]"), Axis::linear("time [s]").range(0.0, 20.0));
    Figure { id: id.into(), title: "Time & rate".into(), caption: "As `w*` grows.".into(), x, y, series }
}

fn outcomes() -> [Outcome; 2] {
    let simple = Outcome {
        figures: vec![figure("S7-a")],
        claims: vec![
            claim("symbiosis-paper (oracle): no loss after start-up", "0", Measured::exact(0.0), "packets"),
            claim("Reno's throughput", "45.6 ± 8.7 Mbit/s", Measured { mean: 61.2345, ci95: 1.234, seeds: 10 }, "Mbit/s")
                .supposing("SACK, where the paper had NewReno."),
            claim("Reno's timeouts", "0", Measured::exact(2.0), "timeouts").because(
                Check {
                    what: "packets lost in one window".into(),
                    measured: Measured { mean: 31.4159, ci95: 0.25, seeds: 10 },
                    bar: Bar { least: 2.0, most: f64::INFINITY },
                },
                "NewReno repairs one loss in a round trip.",
            ),
        ],
        scenarios: vec![("one flow".into(), "name = \"one <flow>\"\n".into())],
        tables: vec![Table { title: "Flows".into(), columns: vec!["flow".into()], rows: vec![vec!["a < b".into()]] }],
        notes: vec!["Buffer is 1 BDP.".into()],
    };
    let unrun = Outcome {
        claims: vec![claim("ten measurements a second over RTT of 30 to 150 ms", "k × N = 10×20 is best", Measured::none(), "")],
        scenarios: vec![("one flow".into(), "name = \"another\"\n".into())],
        ..Outcome::default()
    };
    [simple, unrun]
}

fn entries(outcomes: &[Outcome; 2]) -> [Entry<'_>; 2] {
    [
        Entry {
            id: "S7",
            title: "Window over time",
            source: "S Fig 7",
            world: "simulator",
            command: "symbiosis reproduce S7".into(),
            outcome: &outcomes[0],
        },
        Entry {
            id: "I2/S1",
            title: "Two species",
            source: "I Fig 2, S Fig 1",
            world: "simulator",
            command: "symbiosis reproduce I2/S1".into(),
            outcome: &outcomes[1],
        },
    ]
}

#[test]
fn table_is_aligned_and_wraps() {
    insta::assert_snapshot!("table_80", table(&entries(&outcomes()), 80, false));
    insta::assert_snapshot!("table_200", table(&entries(&outcomes()), 200, false));
    for width in [72, 80, 100] {
        let text = table(&entries(&outcomes()), width, false);
        assert!(text.lines().all(|line| line.chars().count() <= width), "{width}:\n{text}");
    }
}

#[test]
fn table_has_colours_only_if_asked() {
    let plain = table(&entries(&outcomes()), 100, false);
    let coloured = table(&entries(&outcomes()), 100, true);
    assert!(!plain.contains('\x1b'));
    assert!(coloured.contains("\x1b[32mholds\x1b[0m") && coloured.contains("\x1b[31mdiffers\x1b[0m"));
    let bare = ["\x1b[32m", "\x1b[31m", "\x1b[2m", "\x1b[0m"].iter().fold(coloured, |text, code| text.replace(code, ""));
    assert_eq!(bare, plain);
}

#[test]
fn results_are_data() {
    insta::assert_snapshot!(results::json(&entries(&outcomes())));
}

#[test]
fn specification_of_a_small_figure() {
    insta::assert_snapshot!(serde_json::to_string_pretty(&vega::vega(&figure("S7-a"))).unwrap());
}

#[test]
fn svg_of_a_small_figure() {
    insta::assert_snapshot!(svg::svg(&figure("S7-a")));
}

#[test]
fn a_map_has_its_cells_its_key_and_the_curves_over_it() {
    let points = vec![(-0.2, 0.5), (0.2, 0.5), (-0.2, 0.9), (0.2, 0.9)];
    let series = vec![
        Series::cells("queue [packets]", points, vec![0.0, 10.0, 20.0, 40.0]),
        Series::new("overflow", Mark::Dashed, vec![(-0.3, 0.4), (0.3, 0.9)]),
    ];
    let map = Figure { x: Axis::linear("bias"), y: Axis::linear("γ"), series, ..figure("map") };
    let (drawing, spec) = (svg::svg(&map), vega::vega(&map));
    // The greatest and the least value's cells, and both ends of the key.
    for colour in ["#253494", "#FFFFCC"] {
        assert!(drawing.contains(&format!("fill=\"{colour}\"")), "{colour}");
    }
    assert!(drawing.contains("queue [packets]") && drawing.contains("overflow"), "the key and the legend");
    let cells = &spec["layer"][0];
    assert_eq!(cells["mark"]["type"], "rect");
    assert_eq!(cells["data"]["values"].as_str().unwrap().lines().nth(4), Some("0.2,0,0.4,0.9,0.7,1.1,40"));
    assert_eq!(cells["encoding"]["fill"]["scale"]["domain"], serde_json::json!([0.0, 40.0]));
    assert_eq!(spec["layer"].as_array().unwrap().iter().filter(|layer| layer["mark"]["type"] == "line").count(), 1);
}

#[test]
fn figures_without_points_are_drawn_empty() {
    for axis in [Axis::linear("x"), Axis::log("x"), Axis::log("x").range(0.0, 10.0), Axis::linear("x").range(3.0, 3.0)] {
        let mut empty = Figure { series: vec![], x: axis.clone(), y: axis, ..figure("empty") };
        assert!(svg::svg(&empty).ends_with("</svg>\n"));
        empty.series = vec![Series::new("nothing", Mark::Dashed, vec![(f64::NAN, 1.0)]), Series::new("one", Mark::Line, vec![(1.0, 1.0)])];
        assert!(svg::svg(&empty).contains("nothing") && vega::vega(&empty)["layer"].is_array());
    }
}

/// Chapters as a report of papers has them.
const CHAPTERS: &[Chapter] = &[Chapter { key: "S", title: "The paper S", story: "What `S7` shows.", figures: &["S7-a", "not there"] }];

fn report<'a>(entries: &'a [Entry<'a>]) -> Report<'a> {
    Report { title: "A < B", intro: "", chapters: CHAPTERS, entries }
}

#[test]
fn a_report_is_whole_and_the_same_twice() {
    let (outcomes, dir) = (outcomes(), tempfile::tempdir().unwrap());
    write(dir.path(), &report(&entries(&outcomes))).unwrap();
    let read = |name: &str| fs::read_to_string(dir.path().join(name)).unwrap();
    assert_eq!(read("scenarios/one-flow.toml"), "name = \"one <flow>\"\n");
    assert_eq!(read("scenarios/one-flow-2.toml"), "name = \"another\"\n");
    assert_eq!(read("figures/S7-a.svg"), svg::svg(&figure("S7-a")));
    let names = ["index.html", "experiments/S7.html", "experiments/I2-S1.html"];
    let first = names.map(read);
    write(dir.path(), &report(&entries(&outcomes))).unwrap();
    assert_eq!(names.map(read), first);
    for (name, page) in names.iter().zip(&first) {
        let links = ["href=\"", "src=\""].iter().flat_map(|key| page.split(key).skip(1)).map(|rest| rest.split('"').next().unwrap());
        for link in links.filter(|link| !link.starts_with("data:") && !link.starts_with('#')) {
            let place = dir.path().join(name).parent().unwrap().join(link);
            assert!(place.is_file(), "{name} names {link}, which is missing");
        }
    }
}

#[test]
fn pages_ask_for_nothing_and_text_stays_text() {
    let (outcomes, list) = (outcomes(), |page: &Page| page.html.clone());
    let entries = entries(&outcomes);
    let pages = pages(&report(&entries));
    let files: Vec<&str> = pages.iter().map(|page| page.file.as_str()).collect();
    assert_eq!(files, ["experiments/S7.html", "experiments/I2-S1.html", "index.html"]);
    for page in &pages {
        assert!(["src=\"http", "href=\"http", "url(", "@import"].iter().all(|outside| !page.html.contains(outside)), "{}", page.file);
    }
    let [first, second, overview] = [0, 1, 2].map(|at| list(&pages[at]));
    for text in
        ["<h1>A &#60; B</h1>", "Others", "1 of 2 hold (50 %), 1 differ, 0 undecided", "figures/S7-a.svg", "What <code>S7</code> shows."]
    {
        assert!(overview.contains(text), "{text}");
    }
    for text in ["SACK, where", "one &#60;flow&#62;", "The papers say", "Theory says", "rel=\"next\"", "Numbers"] {
        assert!(first.contains(text), "{text}");
    }
    // The figure's data, nothing in whose names ends the element early, and the script that is shared.
    assert_eq!(first.matches("</script>").count(), 2);
    assert!(second.contains("not run") && !second.contains("rel=\"next\""));
}

#[test]
fn a_report_of_one_thing_is_one_page() {
    let outcomes = outcomes();
    let pages = pages(&Report { title: "alone", intro: "Two `words`.", chapters: &[], entries: &entries(&outcomes)[..1] });
    assert_eq!((pages.len(), pages[0].file.as_str()), (1, "index.html"));
    assert!(pages[0].html.contains("<code>words</code>") && !pages[0].html.contains("<nav"));
}
