use crate::support::{Answer, Project, tamis};

#[test]
fn the_demo_tells_its_story() {
    // What the demo needs is downloaded with this project.
    drop(Project::copy_of("junit5"));
    let answer = Answer::of(tamis().arg("demo").output().unwrap()).code(0);
    let lines: Vec<&str> = answer.stdout.lines().collect();
    let said: Vec<&str> = lines
        .iter()
        .copied()
        .filter(|line| line.contains("tamis: "))
        .collect();
    let redacted: Vec<String> = said.iter().map(|line| redact(line)).collect();
    insta::assert_snapshot!(redacted.join("\n"));
    answer
        .prints("demo.BasketTest would run:\n  demo.Price#plus(Price) changed (CIM), which it executed when it last ran");
}

/// Without Maven's colours, and with `[time]` for every time.
fn redact(line: &str) -> String {
    let line = &line[line.find("tamis: ").unwrap_or_default()..];
    let (before, after) = line.split_once(" saved").unwrap_or((line, ""));
    match before
        .rsplit_once([',', ';'])
        .filter(|_| line.contains(" saved"))
    {
        Some((words, _)) => format!("{words}, [time] saved{after}"),
        None => line.to_owned(),
    }
}
