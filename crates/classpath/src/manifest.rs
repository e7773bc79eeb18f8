/// What the main section of a jar's manifest says about class loading.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Manifest {
    /// Whether `META-INF/versions` counts.
    pub(crate) multi_release: bool,
    /// URLs of `Class-Path`, as they stand there.
    pub(crate) class_path: Vec<String>,
}

impl Manifest {
    /// Reads the main section; what is not understood says nothing.
    pub(crate) fn parse(text: &str) -> Self {
        // A line that starts with a space continues the line before it.
        let text = text
            .replace("\r\n", "\n")
            .replace('\r', "\n")
            .replace("\n ", "");
        let mut manifest = Manifest::default();
        for line in text.lines().take_while(|line| !line.is_empty()) {
            let Some((name, value)) = line.split_once(':') else {
                continue;
            };
            match name.to_ascii_lowercase().as_str() {
                "multi-release" => {
                    manifest.multi_release = value.trim().eq_ignore_ascii_case("true")
                }
                "class-path" => {
                    manifest.class_path = value.split_whitespace().map(str::to_owned).collect();
                }
                _ => {}
            }
        }
        manifest
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_manifest_is_read_up_to_its_first_empty_line() {
        let check = |text: &str, multi_release, class_path: &[&str]| {
            let class_path = class_path.iter().map(|url| (*url).to_owned()).collect();
            assert_eq!(
                Manifest::parse(text),
                Manifest {
                    multi_release,
                    class_path
                }
            );
        };
        check("", false, &[]);
        check(
            "Manifest-Version: 1.0\r\nMulti-Release: true\r\n",
            true,
            &[],
        );
        check(
            "Class-Path: a.jar b\n .jar  c/\nX: y\n",
            false,
            &["a.jar", "b.jar", "c/"],
        );
        check("A: b\n\nName: x\nMulti-Release: true\n", false, &[]);
    }
}
