use crate::Purpose;
use std::path::Path;

/// The command as it must be started for this purpose. Gradle stops at the first test task that
/// fails, and where tests are only asked about all of them do: so it is told to go on.
pub(super) fn for_purpose(command: &[String], purpose: Purpose) -> Vec<String> {
    let mut command = command.to_vec();
    let is_gradle = command.first().is_some_and(|program| is_gradle(program));
    let is_told = |argument: &String| argument == CONTINUE || argument == "--no-continue";
    if purpose == Purpose::Select && is_gradle && !command.iter().any(is_told) {
        command.insert(1, CONTINUE.to_owned());
    }
    command
}

const CONTINUE: &str = "--continue";

fn is_gradle(program: &str) -> bool {
    let name = Path::new(program).file_name();
    name.is_some_and(|name| name == "gradle" || name == "gradlew")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gradle_goes_on_after_a_failure_where_tests_are_only_asked_about() {
        let check = |given: &str, purpose, expected: &str| {
            let given: Vec<String> = given.split(' ').map(str::to_owned).collect();
            assert_eq!(for_purpose(&given, purpose).join(" "), expected);
        };
        check(
            "./gradlew test",
            Purpose::Select,
            "./gradlew --continue test",
        );
        check(
            "/opt/gradle -q test",
            Purpose::Select,
            "/opt/gradle --continue -q test",
        );
        check("gradle test", Purpose::Test, "gradle test");
        check(
            "gradle test --continue",
            Purpose::Select,
            "gradle test --continue",
        );
        check(
            "gradle --no-continue test",
            Purpose::Select,
            "gradle --no-continue test",
        );
        check("sh gradle test", Purpose::Select, "sh gradle test");
    }
}
