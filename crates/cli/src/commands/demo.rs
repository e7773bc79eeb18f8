use crate::console::Console;
use crate::error::Error;
use crate::exit_code::ExitCode;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const FILES: [(&str, &str); 7] = [
    ("pom.xml", include_str!("../../demo/pom.xml")),
    (
        "src/main/java/demo/Price.java",
        include_str!("../../demo/Price.java"),
    ),
    (
        "src/main/java/demo/Basket.java",
        include_str!("../../demo/Basket.java"),
    ),
    (
        "src/main/java/demo/Address.java",
        include_str!("../../demo/Address.java"),
    ),
    (
        "src/test/java/demo/PriceTest.java",
        include_str!("../../demo/PriceTest.java"),
    ),
    (
        "src/test/java/demo/BasketTest.java",
        include_str!("../../demo/BasketTest.java"),
    ),
    (
        "src/test/java/demo/AddressTest.java",
        include_str!("../../demo/AddressTest.java"),
    ),
];

/// One step of the story.
struct Step {
    heading: &'static str,
    /// File, old text, new text.
    edit: Option<(&'static str, &'static str, &'static str)>,
    command: &'static [&'static str],
    expected: ExitCode,
}

const PRICE: &str = "src/main/java/demo/Price.java";
const BASKET: &str = "src/main/java/demo/Basket.java";
const TEST: &[&str] = &["test", "-l", "../maven.log"];
const RIGHT: &str = "cents + other.cents";
const WRONG: &str = "cents - other.cents";

const STORY: [Step; 8] = [
    Step {
        heading: "The first run: every test runs, and tamis sees what each of them uses",
        edit: None,
        command: TEST,
        expected: ExitCode::Success,
    },
    Step {
        heading: "Run again: nothing has changed",
        edit: None,
        command: TEST,
        expected: ExitCode::Success,
    },
    Step {
        heading: "Edit a method of Basket: only the test that uses Basket runs",
        edit: Some((
            BASKET,
            "total = total.plus(item);",
            "total = item.plus(total);",
        )),
        command: TEST,
        expected: ExitCode::Success,
    },
    Step {
        heading: "Edit a comment: the class file says the same, so nothing runs",
        edit: Some((
            PRICE,
            "/** An amount of money in cents. */",
            "/** Money. */\n",
        )),
        command: TEST,
        expected: ExitCode::Success,
    },
    Step {
        heading: "Break Price, and ask first what that means for BasketTest",
        edit: Some((PRICE, RIGHT, WRONG)),
        command: &["why", "BasketTest", "-l", "../maven.log"],
        expected: ExitCode::Success,
    },
    Step {
        heading: "Run: the tests that use Price fail",
        edit: None,
        command: TEST,
        expected: ExitCode::Failed,
    },
    Step {
        heading: "Run again without a change: what failed stays due",
        edit: None,
        command: TEST,
        expected: ExitCode::Failed,
    },
    Step {
        heading: "Repair Price: both pass, and the slow AddressTest never had to run again",
        edit: Some((PRICE, WRONG, RIGHT)),
        command: TEST,
        expected: ExitCode::Success,
    },
];

/// `tamis demo`: tells the whole story with the real commands.
pub(crate) fn demo(keep: bool, console: &Console) -> Result<ExitCode, Error> {
    let dir = env::temp_dir().join(format!("tamis-demo-{}", std::process::id()));
    let result = tell(&dir, console);
    if keep {
        console.answer(format_args!(
            "\nThe project is in {}\n",
            dir.join("shop").display()
        ));
    } else {
        fs::remove_dir_all(&dir).map_err(Error::io("remove", dir))?;
    }
    result
}

fn tell(dir: &Path, console: &Console) -> Result<ExitCode, Error> {
    let project = dir.join("shop");
    for (name, text) in FILES {
        write(&project.join(name), text)?;
    }
    console.answer(format_args!(
        "A shop with three classes and three test classes, in {}.\n\
         What Maven prints goes to ../maven.log; the first run may have to download plugins.\n",
        project.display()
    ));
    for (number, step) in STORY.iter().enumerate() {
        console.answer(format_args!("\n{}. {}\n", number + 1, step.heading));
        if let Some((file, old, new)) = step.edit {
            console.answer(format_args!("  {file}\n  - {old}\n  + {}\n", new.trim()));
            edit(&project.join(file), old, new)?;
        }
        console.answer(format_args!("$ tamis {}\n", step.command.join(" ")));
        let code = run(&project, step)?;
        if code != Some(step.expected as i32) {
            let log = fs::read(dir.join("maven.log")).unwrap_or_default();
            console.build_output(&log);
            return Ok(ExitCode::Failed);
        }
    }
    Ok(ExitCode::Success)
}

fn run(project: &Path, step: &Step) -> Result<Option<i32>, Error> {
    let tamis = env::current_exe().map_err(Error::io("find", "the tamis executable"))?;
    let mut command = Command::new(&tamis);
    command.args(step.command).current_dir(project);
    let status = command.status().map_err(Error::io("start", tamis))?;
    Ok(status.code())
}

fn edit(file: &PathBuf, old: &str, new: &str) -> Result<(), Error> {
    let text = fs::read_to_string(file).map_err(Error::io("read", file))?;
    write(file, &text.replace(old, new))
}

fn write(file: &Path, text: &str) -> Result<(), Error> {
    let dir = file.parent().unwrap_or(file);
    fs::create_dir_all(dir).map_err(Error::io("create", dir))?;
    fs::write(file, text).map_err(Error::io("write", file))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_edit_of_the_story_finds_its_text() {
        let mut files = FILES.map(|(name, text)| (name, text.to_owned()));
        for (file, old, new) in STORY.iter().filter_map(|step| step.edit) {
            let text = &mut files.iter_mut().find(|(name, _)| *name == file).unwrap().1;
            assert!(text.contains(old), "{file} has no {old}");
            *text = text.replace(old, new);
        }
    }
}
