use super::Series;
use super::canvas::{Canvas, SIZES, Size, colour, fitting};
use super::scale::Scale;
use crate::phrases::seconds;

/// How far apart labels are at least.
const LABEL: f64 = 17.0;

/// Sums over the commits, one line per technique; nothing if there are fewer than two.
pub(crate) fn sums(id: &str, title: &str, series: &[Series]) -> String {
    let some = |one: &Series| one.values.iter().flatten().nth(1).is_some();
    match series.iter().any(some) {
        true => SIZES
            .iter()
            .map(|size| drawn(id, title, series, *size))
            .collect(),
        false => String::new(),
    }
}

fn summed(one: &Series) -> Vec<f64> {
    let add = |sum: &mut f64, value: &Option<f64>| {
        *sum += value.unwrap_or_default();
        Some(*sum)
    };
    std::iter::once(0.0)
        .chain(one.values.iter().scan(0.0, add))
        .collect()
}

fn drawn(id: &str, title: &str, series: &[Series], size: Size) -> String {
    let (left, right, plot) = match size.narrow {
        true => (52.0, 14.0, 200.0),
        false => (64.0, 330.0, 300.0),
    };
    let length = size.width - left - right;
    let lines: Vec<Vec<f64>> = series.iter().map(summed).collect();
    let scale = Scale::linear(lines.iter().flatten().copied(), plot).time_rounded(4);
    let y = |value: f64| plot + 8.0 - scale.at(value);
    let commits = series
        .iter()
        .map(|one| one.values.len())
        .max()
        .unwrap_or_default();
    let x = |place: usize| left + length * place as f64 / commits.max(1) as f64;
    let mut canvas = Canvas::new(size);
    for (mark, name) in scale.time_marks(4) {
        let class = if mark == 0.0 { "axis" } else { "grid" };
        canvas.line(class, (left, y(mark)), (left + length, y(mark)));
        canvas.text("", "end", (left - 10.0, y(mark) + 4.0), &name);
    }
    let foot = plot + 28.0;
    canvas.text("", "start", (left, foot), "commit 1");
    canvas.text(
        "",
        "end",
        (left + length, foot),
        &format!("commit {commits}"),
    );
    for (place, line) in lines.iter().enumerate() {
        let points: Vec<(f64, f64)> = line
            .iter()
            .enumerate()
            .map(|(place, sum)| (x(place), y(*sum)))
            .collect();
        canvas.path(&format!("line k{}", colour(place)), &points);
        if let Some(last) = points.last() {
            canvas.dot(&format!("f{}", colour(place)), *last, 3.5);
        }
    }
    let height = match size.narrow {
        true => legend(&mut canvas, series, &lines, foot + 26.0),
        false => {
            labels(&mut canvas, series, &lines, left + length + 16.0, y);
            foot + 8.0
        }
    };
    canvas.finish(id, title, &description(series, &lines), height)
}

fn last(line: &[f64]) -> f64 {
    line.last().copied().unwrap_or_default()
}

/// Names at the ends of lines, moved apart where they would touch, in the order of the ends.
fn labels(
    canvas: &mut Canvas,
    series: &[Series],
    lines: &[Vec<f64>],
    x: f64,
    y: impl Fn(f64) -> f64,
) {
    let mut ends: Vec<(usize, f64)> = lines.iter().map(|line| y(last(line))).enumerate().collect();
    ends.sort_by(|left, right| left.1.total_cmp(&right.1));
    let mut places: Vec<f64> = Vec::new();
    for (_, end) in &ends {
        places.push(places.last().map_or(*end, |above| end.max(above + LABEL)));
    }
    // What was pushed down beyond its end is lifted again, half of the way for all.
    let pushed = ends
        .iter()
        .zip(&places)
        .map(|(end, place)| place - end.1)
        .fold(0.0, f64::max);
    for ((place, _), y) in ends.iter().zip(places) {
        let (Some(one), Some(line)) = (series.get(*place), lines.get(*place)) else {
            continue;
        };
        let text = format!("{}  {}", seconds(last(line)), one.name);
        let class = format!("name t{}", colour(*place));
        canvas.text(
            &class,
            "start",
            (x, y - pushed / 2.0 + 4.0),
            &fitting(&text, 310.0),
        );
    }
}

/// Names below the plot; returns where they end.
fn legend(canvas: &mut Canvas, series: &[Series], lines: &[Vec<f64>], top: f64) -> f64 {
    for (place, (one, line)) in series.iter().zip(lines).enumerate() {
        let y = top + 20.0 * place as f64;
        let key = format!("line k{}", colour(place));
        canvas.line(&key, (4.0, y - 4.0), (22.0, y - 4.0));
        canvas.text(
            &format!("name t{}", colour(place)),
            "start",
            (30.0, y),
            &fitting(&one.name, 240.0),
        );
        canvas.text("value", "end", (374.0, y), &seconds(last(line)));
    }
    top + 20.0 * series.len() as f64 - 8.0
}

fn description(series: &[Series], lines: &[Vec<f64>]) -> String {
    let ends = series.iter().zip(lines);
    let ends = ends.map(|(one, line)| format!("{}: {} in the end.", one.name, seconds(last(line))));
    ends.collect::<Vec<String>>().join(" ")
}
