use super::Series;
use super::canvas::{Canvas, SIZES, Size, colour, fitting};
use super::scale::Scale;
use crate::phrases::{about, percent};
use crate::statistics::Spread;

/// How far right of 100 % a plot goes at most; what lies beyond stands at its edge.
const MOST: f64 = 3.0;

/// Boxes of shares, one per technique; nothing if there are no values.
pub(crate) fn boxes(id: &str, title: &str, series: &[Series]) -> String {
    let some = |one: &Series| one.values.iter().flatten().next().is_some();
    match series.iter().any(some) {
        true => SIZES
            .iter()
            .map(|size| drawn(id, title, series, *size))
            .collect(),
        false => String::new(),
    }
}

fn drawn(id: &str, title: &str, series: &[Series], size: Size) -> String {
    let (left, right, row) = match size.narrow {
        true => (6.0, 16.0, 56.0),
        false => (224.0, 150.0, 40.0),
    };
    let length = size.width - left - right;
    let values = series
        .iter()
        .flat_map(|one| one.values.iter().flatten().copied());
    let about_marks = if size.narrow { 4 } else { 5 };
    let scale = Scale::linear(values.map(|value| value.min(MOST)).chain([1.0]), length);
    let scale = scale.rounded(about_marks);
    let height = row * series.len() as f64 + 26.0;
    let mut canvas = Canvas::new(size);
    for mark in scale.marks(about_marks) {
        let x = left + scale.at(mark);
        let whole = (mark - 1.0).abs() < 1e-9;
        canvas.line(
            if whole { "axis" } else { "grid" },
            (x, 0.0),
            (x, height - 22.0),
        );
        canvas.text("", "middle", (x, height - 4.0), &about(mark));
    }
    for (place, one) in series.iter().enumerate() {
        let top = row * place as f64;
        let spread = Spread::of(one.values.iter().flatten().copied());
        let said = spread.map_or_else(
            || "no figures".into(),
            |spread| format!("median {}", percent(spread.median)),
        );
        let class = format!("name t{}", colour(place));
        let middle = match size.narrow {
            true => {
                canvas.text(
                    &class,
                    "start",
                    (left, top + 17.0),
                    &fitting(&one.name, length - 120.0),
                );
                canvas.text("value", "end", (size.width - right, top + 17.0), &said);
                top + 37.0
            }
            false => {
                let middle = top + row / 2.0;
                canvas.text(
                    &class,
                    "end",
                    (left - 18.0, middle + 4.0),
                    &fitting(&one.name, left - 18.0),
                );
                canvas.text(
                    "value",
                    "start",
                    (left + length + 18.0, middle + 4.0),
                    &said,
                );
                middle
            }
        };
        if let Some(spread) = spread {
            one_box(&mut canvas, one, &spread, place, (left, middle), &scale);
        }
    }
    canvas.finish(id, title, &description(series), height)
}

fn one_box(
    canvas: &mut Canvas,
    one: &Series,
    spread: &Spread,
    place: usize,
    (left, y): (f64, f64),
    scale: &Scale,
) {
    let at = |value: f64| left + scale.at(value);
    let colour = colour(place);
    let whisker = format!("whisker k{colour}");
    canvas.line(&whisker, (at(spread.least), y), (at(spread.lower), y));
    canvas.line(&whisker, (at(spread.upper), y), (at(spread.greatest), y));
    let (from, to) = (at(spread.lower), at(spread.upper));
    canvas.rectangle(
        &format!("box f{colour} k{colour}"),
        (from, y - 9.0),
        (to - from, 18.0),
    );
    for (place, value) in one.values.iter().enumerate() {
        // Spread by a fixed pattern, so that equal values do not hide each other.
        let off = (place * 5 % 7) as f64 * 2.0 - 6.0;
        if let Some(value) = value {
            canvas.dot(&format!("dot f{colour}"), (at(*value), y + off), 2.2);
        }
    }
    let median = at(spread.median);
    canvas.line(
        &format!("middle k{colour}"),
        (median, y - 10.0),
        (median, y + 10.0),
    );
}

fn description(series: &[Series]) -> String {
    let one = |one: &Series| {
        let spread = Spread::of(one.values.iter().flatten().copied());
        let said = spread.map_or_else(
            || "no figures".to_owned(),
            |spread| {
                format!(
                    "median {}, quartiles {} and {}, from {} to {}",
                    percent(spread.median),
                    percent(spread.lower),
                    percent(spread.upper),
                    percent(spread.least),
                    percent(spread.greatest)
                )
            },
        );
        format!("{}: {said}.", one.name)
    };
    let all: Vec<String> = series.iter().map(one).collect();
    all.join(" ")
}
