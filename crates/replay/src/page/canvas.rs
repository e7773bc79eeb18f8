use super::escaped;

/// How many colours there are; further techniques start again.
const COLOURS: usize = 6;

/// The two sizes in which each plot is drawn; the style sheet shows one of them.
pub(crate) const SIZES: [Size; 2] = [
    Size {
        width: 1040.0,
        narrow: false,
    },
    Size {
        width: 388.0,
        narrow: true,
    },
];

/// For how wide a screen a plot is.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Size {
    pub(crate) width: f64,
    pub(crate) narrow: bool,
}

/// A plot that is being drawn.
pub(crate) struct Canvas {
    size: Size,
    elements: String,
}

impl Canvas {
    pub(crate) fn new(size: Size) -> Canvas {
        Canvas {
            size,
            elements: String::new(),
        }
    }

    pub(crate) fn line(&mut self, class: &str, from: (f64, f64), to: (f64, f64)) {
        self.elements += &format!(
            "<line class=\"{class}\" x1=\"{:.1}\" y1=\"{:.1}\" x2=\"{:.1}\" y2=\"{:.1}\"/>\n",
            from.0, from.1, to.0, to.1
        );
    }

    /// A rectangle from its upper left corner.
    pub(crate) fn rectangle(&mut self, class: &str, corner: (f64, f64), size: (f64, f64)) {
        self.elements += &format!(
            "<rect class=\"{class}\" x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\"/>\n",
            corner.0,
            corner.1,
            size.0.max(0.0),
            size.1.max(0.0)
        );
    }

    pub(crate) fn dot(&mut self, class: &str, place: (f64, f64), radius: f64) {
        self.elements += &format!(
            "<circle class=\"{class}\" cx=\"{:.1}\" cy=\"{:.1}\" r=\"{radius}\"/>\n",
            place.0, place.1
        );
    }

    /// A line through points.
    pub(crate) fn path(&mut self, class: &str, points: &[(f64, f64)]) {
        let points: Vec<String> = points
            .iter()
            .map(|(x, y)| format!("{x:.1},{y:.1}"))
            .collect();
        self.elements += &format!(
            "<polyline class=\"{class}\" points=\"{}\"/>\n",
            points.join(" ")
        );
    }

    /// Text that starts, has its middle, or ends at a place.
    pub(crate) fn text(&mut self, class: &str, anchor: &str, place: (f64, f64), text: &str) {
        self.elements += &format!(
            "<text class=\"{class}\" text-anchor=\"{anchor}\" x=\"{:.1}\" y=\"{:.1}\">{}</text>\n",
            place.0,
            place.1,
            escaped(text)
        );
    }

    /// Draws elements that a pointer over them explains.
    pub(crate) fn explained(&mut self, said: &str, draw: impl FnOnce(&mut Canvas)) {
        self.elements += &format!("<g><title>{}</title>\n", escaped(said));
        draw(self);
        self.elements += "</g>\n";
    }

    /// The plot, with a title and a description for those who do not see it.
    pub(crate) fn finish(self, id: &str, title: &str, description: &str, height: f64) -> String {
        let (class, width) = (
            if self.size.narrow {
                "narrow"
            } else {
                "wide-plot"
            },
            self.size.width,
        );
        let id = format!("{id}-{class}");
        format!(
            "<svg class=\"{class}\" viewBox=\"0 0 {width} {height:.0}\" role=\"img\" \
             aria-labelledby=\"{id}-title {id}-desc\">\n<title id=\"{id}-title\">{}</title>\n\
             <desc id=\"{id}-desc\">{}</desc>\n{}</svg>\n",
            escaped(title),
            escaped(description),
            self.elements
        )
    }
}

/// The number of the colour of a technique.
pub(crate) fn colour(place: usize) -> usize {
    place % COLOURS
}

/// The text cut to what fits, about; a letter is taken as so wide.
pub(crate) fn fitting(text: &str, width: f64) -> String {
    const LETTER: f64 = 7.6;
    let most = (width / LETTER).max(4.0) as usize;
    match text.chars().count() > most {
        true => text.chars().take(most - 1).chain(['…']).collect(),
        false => text.to_owned(),
    }
}
