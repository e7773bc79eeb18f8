use super::canvas::{Canvas, SIZES, Size, colour, fitting};
use super::scale::Scale;

/// One technique with a bar per commit.
pub(crate) struct Panel {
    pub(crate) name: String,
    /// Its total, in words.
    pub(crate) said: String,
    /// Whether values are times.
    pub(crate) seconds: bool,
    pub(crate) bars: Vec<Bar>,
}

/// A commit: a part of a whole.
pub(crate) struct Bar {
    pub(crate) revision: String,
    /// The whole story, for a pointer over it.
    pub(crate) said: String,
    pub(crate) all: Option<f64>,
    pub(crate) part: Option<f64>,
    pub(crate) missed: bool,
}

/// How high the plot of a panel is.
const PLOT: f64 = 84.0;

/// The height of a panel with its name and its commits.
const PANEL: f64 = 152.0;

/// Panels on one scale, one per technique; nothing if there are no values.
pub(crate) fn panels(id: &str, title: &str, panels: &[Panel]) -> String {
    let some = |panel: &Panel| panel.bars.iter().any(|bar| bar.part.is_some());
    match panels.iter().any(some) {
        true => SIZES
            .iter()
            .map(|size| drawn(id, title, panels, *size))
            .collect(),
        false => String::new(),
    }
}

fn scale(panels: &[Panel]) -> Scale {
    let bars = panels.iter().flat_map(|panel| &panel.bars);
    let values: Vec<f64> = bars.flat_map(|bar| [bar.all, bar.part]).flatten().collect();
    match panels.iter().any(|panel| panel.seconds) {
        true => Scale::times(&values, PLOT),
        false => Scale::linear(values, PLOT),
    }
}

/// Whether lengths in these panels mean nothing, and a reader has to know that.
pub(crate) fn is_log(panels: &[Panel]) -> bool {
    scale(panels).is_log()
}

fn drawn(id: &str, title: &str, panels: &[Panel], size: Size) -> String {
    let scale = scale(panels);
    let (columns, gap) = if size.narrow { (1, 0.0) } else { (2, 44.0) };
    let width = (size.width - gap * (columns - 1) as f64) / columns as f64;
    let mut canvas = Canvas::new(size);
    for (place, panel) in panels.iter().enumerate() {
        let left = (place % columns) as f64 * (width + gap);
        let top = (place / columns) as f64 * PANEL;
        one(&mut canvas, panel, place, (left, top), width, &scale);
    }
    let rows = panels.len().div_ceil(columns);
    let description: Vec<String> = panels
        .iter()
        .map(|panel| format!("{}: {}.", panel.name, panel.said))
        .collect();
    canvas.finish(
        id,
        title,
        &description.join(" "),
        PANEL * rows as f64 - 14.0,
    )
}

fn one(
    canvas: &mut Canvas,
    panel: &Panel,
    place: usize,
    (left, top): (f64, f64),
    width: f64,
    scale: &Scale,
) {
    let colour = colour(place);
    let name = fitting(&panel.name, width - 150.0);
    canvas.text(
        &format!("name t{colour}"),
        "start",
        (left, top + 14.0),
        &name,
    );
    canvas.text("value", "end", (left + width, top + 14.0), &panel.said);
    let (from, foot) = (left + 48.0, top + 35.0 + PLOT);
    let marks = match panel.seconds {
        true => scale.time_marks(2),
        false => scale
            .marks(2)
            .into_iter()
            .map(|mark| (mark, format!("{mark}")))
            .collect(),
    };
    for (mark, name) in marks {
        let y = foot - scale.at(mark);
        let class = if mark == 0.0 { "axis" } else { "grid" };
        canvas.line(class, (from, y), (left + width, y));
        canvas.text("", "end", (from - 8.0, y + 4.0), &name);
    }
    let slot = (left + width - from) / panel.bars.len().max(1) as f64;
    for (place, bar) in panel.bars.iter().enumerate() {
        let x = from + slot * place as f64;
        canvas.explained(&bar.said, |canvas| {
            one_bar(canvas, bar, colour, (x, foot), slot, scale)
        });
    }
    let first = panel.bars.first().map_or("", |bar| &bar.revision);
    canvas.text("", "start", (from, foot + 17.0), first);
    if let [_, .., last] = panel.bars.as_slice() {
        canvas.text("", "end", (left + width, foot + 17.0), &last.revision);
    }
}

fn one_bar(
    canvas: &mut Canvas,
    bar: &Bar,
    colour: usize,
    (x, foot): (f64, f64),
    slot: f64,
    scale: &Scale,
) {
    let gap = (slot * 0.18).min(3.0);
    let middle = x + slot / 2.0;
    let height = |value: Option<f64>| value.map_or(0.0, |value| scale.at(value));
    let (all, part) = (height(bar.all), height(bar.part));
    if scale.is_log() {
        // Lengths mean nothing on such a scale: a grey line for all tests, a dot for the technique.
        if bar.all.is_some() {
            canvas.line(
                "all-stroke",
                (x + gap, foot - all),
                (x + slot - gap, foot - all),
            );
        }
        if bar.part.is_some() {
            canvas.line("grid", (middle, foot - all), (middle, foot - part));
            canvas.dot(
                &format!("f{colour}"),
                (middle, foot - part),
                (slot / 4.0).clamp(1.5, 3.5),
            );
        }
    } else {
        let wide = (slot - 2.0 * gap).min(26.0);
        canvas.rectangle("all", (middle - wide / 2.0, foot - all), (wide, all));
        let slim = wide * 0.62;
        canvas.rectangle(
            &format!("f{colour}"),
            (middle - slim / 2.0, foot - part),
            (slim, part),
        );
    }
    if bar.missed {
        canvas.text(
            "missed",
            "middle",
            (middle, foot - all.max(part) - 4.0),
            "✕",
        );
    } else if bar.part.is_none() {
        canvas.text("", "middle", (middle, foot - 4.0), "?");
    }
}
