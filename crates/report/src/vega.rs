//! A figure as a Vega-Lite specification.

use std::fmt::Write;

use serde_json::{Value, json};

use super::cells::{Cells, SCALE};
use super::drawn::{Curve, drawn};
use super::number::six_digits;
use crate::figure::{Axis, Figure, Mark};

/// The figure as Vega-Lite v6: it fills its container's width, zooms (Ctrl and wheel) and pans (drag) both axes, tells a point's values under the pointer,
/// and shows alone what is clicked in the legend, more clicks adding more.
pub fn vega(figure: &Figure) -> Value {
    let drawn = drawn(figure);
    let names: Vec<&str> = drawn.curves.iter().map(|curve| curve.name).collect();
    // A name that stands for two curves has one entry in the legend.
    let once: Vec<&Curve> =
        drawn.curves.iter().enumerate().filter(|(k, curve)| !names[..*k].contains(&curve.name)).map(|(_, curve)| curve).collect();
    let domain: Vec<&str> = once.iter().map(|curve| curve.name).collect();
    let range: Vec<String> = once.iter().map(|curve| curve.colour.css()).collect();
    let kind = |marks: &[Mark]| names_of(&drawn.curves, |curve| marks.contains(&curve.mark));

    let mut layers: Vec<Value> = drawn.cells.iter().map(|cells| map(figure, cells)).collect();
    let mut layer = |chosen: &dyn Fn(&Curve) -> bool, mark: Value, encoding: Value| {
        let numbers: Vec<usize> = (0..drawn.curves.len()).filter(|k| chosen(&drawn.curves[*k])).collect();
        if numbers.is_empty() {
            return;
        }
        let mut layer = json!({ "mark": mark, "encoding": encoding });
        if numbers.len() < drawn.curves.len() {
            layer["transform"] = json!([{ "filter": { "field": "k", "oneOf": numbers } }]);
        }
        layers.push(layer);
    };
    let y = |field: &str| position("y", field, &figure.y, drawn.y);
    let ends = json!({ "y": y("lo"), "y2": { "field": "hi" } });
    let with = |mut encoding: Value, opacity: f64, faded: f64| {
        encoding["opacity"] = json!({ "condition": { "param": "pick", "value": opacity }, "value": faded });
        encoding["detail"] = json!({ "field": "k" });
        encoding
    };
    let at_y = || json!({ "y": y("y") });
    let line = |curve: &Curve| curve.mark == Mark::Line || curve.mark.dash().is_some();
    layer(&|c| line(c) && c.has_band(), json!({ "type": "area", "clip": true }), with(ends.clone(), 0.2, 0.02));
    layer(&|c| !line(c) && c.has_band(), json!({ "type": "rule", "clip": true, "strokeWidth": 1.5 }), with(ends, 0.7, 0.05));
    layer(&|c| c.mark == Mark::Line, json!({ "type": "line", "clip": true, "strokeWidth": 1.8 }), with(at_y(), 1.0, 0.1));
    layer(&|c| c.mark == Mark::LinePoints, json!({ "type": "line", "clip": true, "strokeWidth": 1.2 }), with(at_y(), 0.8, 0.1));
    for theory in [Mark::Dashed, Mark::Dotted] {
        let mark = json!({ "type": "line", "clip": true, "strokeWidth": 1.8, "strokeDash": theory.dash() });
        layer(&|c| c.mark == theory, mark, with(at_y(), 1.0, 0.1));
    }
    layer(&|c| !line(c), json!({ "type": "point", "filled": true, "clip": true, "size": 45 }), with(at_y(), 1.0, 0.1));
    let mut colour = json!({ "field": "s", "type": "nominal", "title": null, "scale": { "domain": domain, "range": range } });
    // Of one curve the title tells, but not beside a map.
    let told_apart = drawn.curves.len() > 1 || (drawn.cells.is_some() && !drawn.curves.is_empty());
    if !told_apart {
        colour["legend"] = Value::Null;
    }
    let mut told = json!({ "y": y("y"), "color": colour });
    if told_apart {
        told["color"]["legend"] = legend(&kind(&[Mark::Dashed]), &kind(&[Mark::Dotted]), &kind(&[Mark::Points]));
    }
    layers.push(pointer(figure, told, drawn.curves.iter().any(Curve::has_band)));

    json!({
        "$schema": "https://vega.github.io/schema/vega-lite/v6.json",
        "description": figure.title,
        "width": "container",
        "height": 300,
        "data": { "values": rows(&drawn.curves), "format": { "type": "csv", "parse": { "k": "number", "x": "number", "y": "number", "lo": "number", "hi": "number" } } },
        // The name once, not in every row: most of a page is these rows.
        "transform": [{ "calculate": format!("{}[datum.k]", json!(names)), "as": "s" }],
        "encoding": {
            "x": position("x", "x", &figure.x, drawn.x),
            "color": colour,
        },
        "layer": layers,
    })
}

/// The cells of a map. They have their data to themselves, and a channel that curves do not use.
fn map(figure: &Figure, cells: &Cells) -> Value {
    let mut rows = String::from("x,x1,x2,y,y1,y2,v");
    for cell in &cells.cells {
        let [x, x1, x2] = [cell.middle.0, cell.x.0, cell.x.1].map(short);
        let [y, y1, y2] = [cell.middle.1, cell.y.0, cell.y.1].map(short);
        write!(rows, "\n{x},{x1},{x2},{y},{y1},{y2},{}", short(cell.value)).expect("a String takes everything");
    }
    let scale: Vec<String> = SCALE.iter().map(|colour| colour.css()).collect();
    let number = |field: &str, title: &str| json!({ "field": field, "title": title, "type": "quantitative", "format": ".5~r" });
    let numbers: serde_json::Map<String, Value> =
        ["x", "x1", "x2", "y", "y1", "y2", "v"].map(|field| (field.into(), json!("number"))).into_iter().collect();
    json!({
        "data": { "values": rows, "format": { "type": "csv", "parse": numbers } },
        "mark": { "type": "rect", "clip": true },
        "encoding": {
            "x": { "field": "x1", "type": "quantitative", "title": figure.x.label },
            "x2": { "field": "x2" },
            "y": { "field": "y1", "type": "quantitative", "title": figure.y.label },
            "y2": { "field": "y2" },
            "color": { "value": "transparent" },
            "fill": { "field": "v", "type": "quantitative", "title": cells.label, "legend": { "orient": "right", "gradientLength": 240 },
                      "scale": { "domain": [cells.range.0, cells.range.1], "range": scale, "zero": false } },
            "tooltip": [number("x", &figure.x.label), number("y", &figure.y.label), number("v", cells.label)],
        },
    })
}

fn names_of(curves: &[Curve], chosen: impl Fn(&Curve) -> bool) -> Vec<String> {
    curves.iter().filter(|curve| chosen(curve)).map(|curve| curve.name.into()).collect()
}

/// Index of the curve, abscissa, ordinate, ends of the band; six digits, which is more than a screen shows even after some zooming.
fn rows(curves: &[Curve]) -> String {
    let mut rows = String::from("k,x,y,lo,hi");
    for (k, curve) in curves.iter().enumerate() {
        for point in &curve.points {
            let done = write!(rows, "\n{k},{},{}", short(point.x), short(point.y));
            done.and_then(|()| point.band.map_or(Ok(()), |(low, high)| write!(rows, ",{},{}", short(low), short(high))))
                .expect("a String takes everything");
        }
    }
    rows
}

/// Six digits, the shortest way.
fn short(value: f64) -> String {
    let rounded = six_digits(value);
    let (plain, power) = (rounded.to_string(), format!("{rounded:e}"));
    if plain.len() <= power.len() { plain } else { power }
}

fn position(channel: &str, field: &str, axis: &Axis, (from, to): (f64, f64)) -> Value {
    let scale = if axis.log {
        json!({ "type": "log", "domain": [from, to], "nice": false })
    } else {
        json!({ "domain": [from, to], "nice": false, "zero": false })
    };
    let side = if channel == "x" { "width" } else { "height" };
    // Not flush: the first and the last label would come too near their neighbours.
    let mut ticks = json!({ "labelOverlap": "greedy", "labelFlush": false, "tickCount": { "signal": format!("ceil({side} / 50)") } });
    if axis.log {
        // Of each decade 1, 2 and 5; of many decades 1 alone; all within one, as after zooming.
        let digit = "round(datum.value / pow(10, floor(log(datum.value) / LN10 + 1e-9)))";
        let decades = format!("log(domain('{channel}')[1] / domain('{channel}')[0]) / LN10");
        let label = "datum.value < 1e-4 || datum.value >= 1e7 ? format(datum.value, '.1~e') : format(datum.value, ',.2~r')";
        ticks["labelOverlap"] = json!(false);
        ticks["labelExpr"] = json!(format!(
            "indexof({decades} > 3.2 ? [1] : {decades} > 0.7 ? [1, 2, 5] : [1, 2, 3, 4, 5, 6, 7, 8, 9], {digit}) < 0 ? '' : {label}"
        ));
    }
    json!({ "field": field, "type": "quantitative", "title": axis.label, "scale": scale, "axis": ticks })
}

/// Symbols as the marks are: dashes and dots in a line for theory, a disc for single results, strokes for the rest.
fn legend(dashed: &[String], dotted: &[String], dots: &[String]) -> Value {
    let among = |names: &[String], yes: &str, no: &str| json!({ "value": { "expr": format!("indexof({}, datum.value) >= 0 ? {yes} : {no}", json!(names)) } });
    json!({
        "orient": "top", "direction": "horizontal", "columns": 4, "symbolType": "stroke", "symbolStrokeWidth": 2.5, "symbolOpacity": 1, "symbolSize": 330, "labelOffset": 8, "labelLimit": 320,
        "encoding": { "symbols": {
            "shape": among(dots, "'circle'", "'stroke'"),
            "size": among(dots, "50", "330"),
            "strokeWidth": among(dots, "0", "2.5"),
            "strokeDash": json!({ "value": { "expr": format!(
                "indexof({}, datum.value) >= 0 ? [4, 3] : indexof({}, datum.value) >= 0 ? [2, 3] : [1, 0]", json!(dashed), json!(dotted)
            ) } }),
        } },
    })
}

/// Invisible points over everything that answer the pointer: a line by itself has no values to tell. What can be clicked and moved is here too, and the
/// legend with it: Vega-Lite makes only the legend of this layer answer.
fn pointer(figure: &Figure, mut encoding: Value, bands: bool) -> Value {
    let field = |field: &str, title: &str| json!({ "field": field, "title": title, "type": "quantitative", "format": ".5~r" });
    let mut told = vec![json!({ "field": "s", "title": "series" }), field("x", &figure.x.label), field("y", &figure.y.label)];
    if bands {
        told.extend([field("lo", "95 % from"), field("hi", "to")]);
    }
    encoding["tooltip"] = json!(told);
    encoding["opacity"] = json!({ "condition": { "param": "hover", "empty": false, "value": 1 }, "value": 0 });
    // A bare wheel scrolls the page, and a finger on glass too.
    let pan = "[pointerdown[event.pointerType !== 'touch'], window:pointerup] > window:pointermove!";
    json!({
        "params": [
            { "name": "zoom", "select": { "type": "interval", "zoom": "wheel![event.ctrlKey || event.metaKey]", "translate": pan }, "bind": "scales" },
            { "name": "pick", "select": { "type": "point", "fields": ["s"], "toggle": "true" }, "bind": "legend" },
            { "name": "hover", "select": { "type": "point", "on": "pointerover", "clear": "pointerout" } },
        ],
        "mark": { "type": "point", "filled": true, "clip": true, "size": 90 },
        "encoding": encoding,
    })
}
