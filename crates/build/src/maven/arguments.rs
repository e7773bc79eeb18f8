use std::path::Path;

/// Options of `mvn` whose value is the next argument.
const WITH_VALUE: &[&str] = &[
    "-b",
    "--builder",
    "-color",
    "--color",
    "-D",
    "--define",
    "-emp",
    "--encrypt-master-password",
    "-ep",
    "--encrypt-password",
    "-f",
    "--file",
    "-gs",
    "--global-settings",
    "-gt",
    "--global-toolchains",
    "-l",
    "--log-file",
    "-P",
    "--activate-profiles",
    "-pl",
    "--projects",
    "-rf",
    "--resume-from",
    "-s",
    "--settings",
    "-t",
    "--toolchains",
    "-T",
    "--threads",
];

/// Options that change neither what is built nor which tests run.
const WITHOUT_EFFECT: &[&str] = &[
    "-B",
    "--batch-mode",
    "-e",
    "--errors",
    "-ntp",
    "--no-transfer-progress",
    "-o",
    "--offline",
    "-q",
    "--quiet",
    "-V",
    "--show-version",
    "-X",
    "--debug",
];

/// The arguments that the user has for Maven.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct MavenArguments {
    arguments: Vec<String>,
}

impl MavenArguments {
    /// Takes the arguments as the user gave them.
    pub(super) fn new(arguments: Vec<String>) -> MavenArguments {
        MavenArguments { arguments }
    }

    /// The arguments as the user gave them.
    pub(super) fn as_given(&self) -> &[String] {
        &self.arguments
    }

    /// All arguments with the goals that they name, or with `test` if they name none.
    pub(super) fn with_goal(&self) -> Vec<String> {
        let mut arguments = self.arguments.clone();
        if self.split().1.is_empty() {
            arguments.push("test".into());
        }
        arguments
    }

    /// The options, and always the goal `test`: for a build in which no test runs, and which must
    /// therefore not go on to package, install or deploy.
    pub(super) fn with_only_test(&self) -> Vec<String> {
        let mut arguments = self.split().0;
        arguments.push("test".into());
        arguments
    }

    /// The value of a `-D` property, if it is set; the last one counts, as for Maven.
    pub(super) fn property(&self, name: &str) -> Option<&str> {
        self.definitions()
            .filter(|(key, _)| *key == name)
            .map(|(_, value)| value)
            .last()
    }

    /// Why test classes may run only in part, if these arguments ask for single tests or groups. Such
    /// a run must not be taken for all that a class can use.
    pub(super) fn partial(&self) -> Option<String> {
        let single = ["test", "it.test"]
            .into_iter()
            .find(|name| self.property(name).is_some_and(|value| value.contains('#')));
        let group = ["groups", "excludedGroups"]
            .into_iter()
            .find(|name| self.property(name).is_some());
        let name = single.or(group)?;
        Some(format!("it ran in part (-D{name})"))
    }

    /// These arguments without that property.
    pub(super) fn without_property(&self, name: &str) -> MavenArguments {
        let mut kept = Vec::new();
        let mut arguments = self.arguments.iter().peekable();
        while let Some(argument) = arguments.next() {
            let apart = matches!(argument.as_str(), "-D" | "--define");
            let definition = match apart {
                true => arguments.peek().map(|next| next.as_str()),
                false => argument.strip_prefix("-D"),
            };
            let is_it = definition.is_some_and(|text| key_value(text).0 == name);
            if !is_it {
                kept.push(argument.clone());
            }
            if apart && let Some(value) = arguments.next().filter(|_| !is_it) {
                kept.push(value.clone());
            }
        }
        MavenArguments::new(kept)
    }

    /// These arguments with the properties, in the place of those of the same names.
    pub(super) fn with_properties(&self, properties: &[(&str, String)]) -> MavenArguments {
        let mut all = self.clone();
        for (name, value) in properties {
            all = all.without_property(name);
            all.arguments.push(format!("-D{name}={value}"));
        }
        all
    }

    /// The POM or directory named with `-f`.
    pub(super) fn pom_file(&self) -> Option<&Path> {
        let pairs = self.arguments.iter().zip(self.arguments.iter().skip(1));
        let apart = pairs.filter(|(option, _)| matches!(option.as_str(), "-f" | "--file"));
        let joined = self
            .arguments
            .iter()
            .filter_map(|argument| argument.strip_prefix("--file="));
        apart
            .map(|(_, value)| value.as_str())
            .chain(joined)
            .last()
            .map(Path::new)
    }

    /// The arguments that affect what is compiled and which tests run.
    pub(super) fn effective(&self) -> Vec<String> {
        let has_effect = |argument: &&String| !WITHOUT_EFFECT.contains(&argument.as_str());
        self.with_goal()
            .iter()
            .filter(has_effect)
            .cloned()
            .collect()
    }

    /// Options with their values, and goals.
    fn split(&self) -> (Vec<String>, Vec<String>) {
        let (mut options, mut goals) = (Vec::new(), Vec::new());
        let mut arguments = self.arguments.iter().cloned();
        while let Some(argument) = arguments.next() {
            if !argument.starts_with('-') {
                goals.push(argument);
                continue;
            }
            let takes_value = WITH_VALUE.contains(&argument.as_str());
            options.push(argument);
            if takes_value {
                options.extend(arguments.next());
            }
        }
        (options, goals)
    }

    fn definitions(&self) -> impl Iterator<Item = (&str, &str)> {
        let before = std::iter::once("").chain(self.arguments.iter().map(String::as_str));
        before
            .zip(&self.arguments)
            .filter_map(|(before, argument)| match before {
                "-D" | "--define" => Some(key_value(argument)),
                _ => argument
                    .strip_prefix("-D")
                    .filter(|text| !text.is_empty())
                    .map(key_value),
            })
    }
}

/// Maven takes `-Dx` for `-Dx=true`.
fn key_value(definition: &str) -> (&str, &str) {
    definition.split_once('=').unwrap_or((definition, "true"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arguments(text: &str) -> MavenArguments {
        MavenArguments::new(text.split_whitespace().map(str::to_owned).collect())
    }

    fn check_goal(given: &str, test: &str, select: &str) {
        assert_eq!(arguments(given).with_goal().join(" "), test, "test {given}");
        assert_eq!(
            arguments(given).with_only_test().join(" "),
            select,
            "select {given}"
        );
    }

    #[test]
    fn the_goal_is_test_unless_the_user_names_one() {
        check_goal("", "test", "test");
        check_goal("-o -Dtest=Foo", "-o -Dtest=Foo test", "-o -Dtest=Foo test");
        check_goal("-pl core -am", "-pl core -am test", "-pl core -am test");
        check_goal("-D x=y", "-D x=y test", "-D x=y test");
        check_goal(
            "--projects=core",
            "--projects=core test",
            "--projects=core test",
        );
    }

    #[test]
    fn goals_of_the_user_run_only_when_tests_run() {
        check_goal("clean verify", "clean verify", "test");
        check_goal(
            "-pl core deploy -T 2",
            "-pl core deploy -T 2",
            "-pl core -T 2 test",
        );
        check_goal("surefire:test@x -e", "surefire:test@x -e", "-e test");
    }

    #[test]
    fn properties_are_read_as_maven_reads_them() {
        let check = |given: &str, expected| assert_eq!(arguments(given).property("x"), expected);
        check("-Dx=1", Some("1"));
        check("-Dx", Some("true"));
        check("-Dx=1 -D x=2=3", Some("2=3"));
        check("--define x", Some("true"));
        check("-Dxy=1 -Dy=x x=1", None);
    }

    #[test]
    fn a_property_can_be_taken_out() {
        let check = |given: &str, expected: &str| {
            assert_eq!(
                arguments(given).without_property("x"),
                arguments(expected),
                "{given}"
            );
        };
        check("-o -Dx=1 verify", "-o verify");
        check("-D x=1 -D y=2 -Dx", "-D y=2");
        check("-Dxy=1", "-Dxy=1");
    }

    #[test]
    fn a_property_can_be_put_in_the_place_of_another() {
        let check = |given: &str, expected: &str| {
            let given = arguments(given).with_properties(&[("x", "2".into())]);
            assert_eq!(given, arguments(expected));
        };
        check("-o", "-o -Dx=2");
        check("-Dx=1 verify -D x", "verify -Dx=2");
    }

    #[test]
    fn the_last_pom_that_is_named_counts() {
        let check = |given: &str, expected: Option<&str>| {
            assert_eq!(
                arguments(given).pom_file(),
                expected.map(Path::new),
                "{given}"
            );
        };
        check("-o", None);
        check("-f a/pom.xml -o", Some("a/pom.xml"));
        check("--file=b", Some("b"));
    }

    #[test]
    fn arguments_that_change_nothing_make_no_difference() {
        assert_eq!(arguments("-o -q -B").effective(), arguments("").effective());
        assert_ne!(arguments("-pl core").effective(), arguments("").effective());
    }

    #[test]
    fn single_tests_and_groups_make_a_partial_run() {
        let check = |arguments: &[&str], expected: Option<&str>| {
            let arguments = arguments.iter().map(|a| a.to_string()).collect();
            let partial = MavenArguments::new(arguments).partial();
            assert_eq!(partial.as_deref(), expected);
        };
        check(&["-Dtest=FooTest,BarTest"], None);
        check(&["-Dtest=FooTest#a+b"], Some("it ran in part (-Dtest)"));
        check(
            &["-D", "it.test=FooIT#a"],
            Some("it ran in part (-Dit.test)"),
        );
        check(
            &["-DexcludedGroups=slow"],
            Some("it ran in part (-DexcludedGroups)"),
        );
        check(&["verify"], None);
    }
}
