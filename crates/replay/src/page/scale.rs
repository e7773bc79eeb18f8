use crate::phrases::seconds;

/// From values to places on a line of a given length.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Scale {
    low: f64,
    high: f64,
    length: f64,
    log: bool,
}

/// Times that differ by more than this factor are shown on a logarithmic scale.
const LOG_FROM: f64 = 60.0;

/// Times that are marked on a logarithmic scale, in seconds.
const LOG_TIMES: [f64; 8] = [0.01, 0.1, 1.0, 10.0, 60.0, 600.0, 3600.0, 36000.0];

impl Scale {
    /// A scale on which zero and all values have a place.
    pub(crate) fn linear(values: impl IntoIterator<Item = f64>, length: f64) -> Scale {
        let (low, high) = bounds(values);
        let (low, high) = (low.min(0.0), high.max(0.0));
        let high = if high > low { high } else { low + 1.0 };
        Scale {
            low,
            high,
            length,
            log: false,
        }
    }

    /// A scale for times: logarithmic if they differ a lot.
    pub(crate) fn times(values: &[f64], length: f64) -> Scale {
        let (low, high) = bounds(values.iter().copied().filter(|value| *value > 0.0));
        match low > 0.0 && high / low > LOG_FROM && high.is_finite() {
            true => Scale {
                low: low / 1.3,
                high: high * 1.1,
                length,
                log: true,
            },
            false => Scale::linear(values.iter().copied(), length),
        }
    }

    pub(crate) fn is_log(&self) -> bool {
        self.log
    }

    /// The same with its upper end moved to the next mark.
    pub(crate) fn rounded(mut self, marks: usize) -> Scale {
        if !self.log {
            let step = step((self.high - self.low) / marks.max(1) as f64);
            self.high = (self.high / step - 1e-9).ceil() * step;
            self.low = (self.low / step + 1e-9).floor() * step;
        }
        self
    }

    /// The place of a value.
    pub(crate) fn at(&self, value: f64) -> f64 {
        let share = match self.log {
            true => (value.max(self.low) / self.low).ln() / (self.high / self.low).ln(),
            false => (value - self.low) / (self.high - self.low),
        };
        share.clamp(0.0, 1.0) * self.length
    }

    /// Round values along it, about so many.
    pub(crate) fn marks(&self, about: usize) -> Vec<f64> {
        let step = step((self.high - self.low) / about.max(1) as f64);
        let first = (self.low / step - 1e-9).ceil() as i64;
        let last = (self.high / step + 1e-9).floor() as i64;
        (first..=last).map(|mark| mark as f64 * step).collect()
    }

    /// Round times along it, about so many, with what they are called.
    pub(crate) fn time_marks(&self, about: usize) -> Vec<(f64, String)> {
        let unit = self.unit();
        let marks: Vec<f64> = match self.log {
            true => LOG_TIMES
                .into_iter()
                .filter(|time| (self.low..=self.high).contains(time))
                .collect(),
            false => self
                .in_unit(unit)
                .marks(about)
                .iter()
                .map(|mark| mark * unit)
                .collect(),
        };
        marks
            .into_iter()
            .map(|mark| (mark, seconds_in(mark, unit)))
            .collect()
    }

    /// The same with its ends moved to the next times that are round.
    pub(crate) fn time_rounded(&self, about: usize) -> Scale {
        let unit = self.unit();
        match self.log {
            true => *self,
            false => self.in_unit(unit).rounded(about).in_unit(1.0 / unit),
        }
    }

    fn in_unit(&self, unit: f64) -> Scale {
        Scale {
            low: self.low / unit,
            high: self.high / unit,
            ..*self
        }
    }

    /// The seconds of the unit in which its times are told.
    fn unit(&self) -> f64 {
        match self.high.max(-self.low) {
            most if most > 7200.0 => 3600.0,
            most if most > 120.0 => 60.0,
            _ => 1.0,
        }
    }
}

fn seconds_in(mark: f64, unit: f64) -> String {
    let number = |unit: f64| format!("{}", (mark / unit * 1e6).round() / 1e6).replace('-', "−");
    match unit {
        _ if mark == 0.0 => "0".into(),
        _ if mark.abs() < 1.0 => seconds(mark),
        60.0 if mark.abs() >= 60.0 => format!("{} min", number(60.0)),
        3600.0 if mark.abs() >= 3600.0 => format!("{} h", number(3600.0)),
        _ if mark.abs() >= 60.0 && mark % 60.0 == 0.0 => format!("{} min", number(60.0)),
        _ => format!("{} s", number(1.0)),
    }
}

/// The next of 1, 2 and 5 times a power of ten.
fn step(least: f64) -> f64 {
    if !least.is_finite() || least <= 0.0 {
        return 1.0;
    }
    let power = 10_f64.powi(least.log10().floor() as i32);
    let steps = [1.0, 2.0, 5.0].map(|factor| factor * power);
    let enough = steps.into_iter().find(|step| *step >= least * (1.0 - 1e-9));
    enough.unwrap_or(10.0 * power)
}

fn bounds(values: impl IntoIterator<Item = f64>) -> (f64, f64) {
    let finite = values.into_iter().filter(|value| value.is_finite());
    finite.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| {
        (low.min(value), high.max(value))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_round() {
        let scale = Scale::linear([3.0, 47.0], 100.0).rounded(4);
        assert_eq!(scale.marks(4), [0.0, 20.0, 40.0, 60.0]);
        assert_eq!(scale.at(30.0), 50.0);
        let names = |scale: Scale| -> Vec<String> {
            scale.time_marks(3).into_iter().map(|mark| mark.1).collect()
        };
        assert_eq!(
            names(Scale::linear([0.0, 0.5], 1.0)),
            ["0", "200 ms", "400 ms"]
        );
        assert_eq!(
            names(Scale::linear([-80.0, 700.0], 1.0)),
            ["0", "5 min", "10 min"]
        );
    }

    #[test]
    fn times_that_differ_a_lot_have_a_logarithmic_scale() {
        assert!(Scale::times(&[0.5, 300.0], 10.0).is_log());
        assert!(!Scale::times(&[10.0, 300.0], 10.0).is_log());
        assert!(!Scale::times(&[0.0, 0.0], 10.0).is_log());
        let marks = Scale::times(&[0.05, 90.0], 10.0).time_marks(3);
        let names: Vec<&str> = marks.iter().map(|mark| mark.1.as_str()).collect();
        assert_eq!(names, ["100 ms", "1 s", "10 s", "1 min"]);
    }

    #[test]
    fn nothing_has_places_too() {
        for scale in [
            Scale::linear([], 10.0),
            Scale::linear([0.0], 10.0),
            Scale::times(&[], 10.0),
        ] {
            assert!(scale.at(0.0).is_finite() && !scale.rounded(3).marks(3).is_empty());
        }
    }
}
