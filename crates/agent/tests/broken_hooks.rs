//! A JVM in which a hook is missing is distrusted, and says which one. The agent that is tested here is
//! the one of debug builds, which alone can be told to break its hooks.
#![cfg(debug_assertions)]

use std::path::{Path, PathBuf};
use std::process::Command;
use tamis_agent::hooks_of_release;
use tamis_recording::{Record, read};

/// Asks for what is behind those hooks that are set when a class is loaded.
const PROGRAM: &str = "public class Ask {
    public static void main(String[] arguments) throws Exception {
        java.lang.management.ManagementFactory.getRuntimeMXBean().getInputArguments();
        new java.net.URL(\"jar:file:/none.jar!/x\").openConnection();
        Class.forName(\"sun.misc.Unsafe\");
    }
}";

/// Classes with these hooks.
const LATER: [&str; 3] = [
    "sun.management.RuntimeImpl",
    "sun.net.www.protocol.jar.JarURLConnection",
    "sun.misc.Unsafe",
];

struct Jdk {
    release: u16,
    home: PathBuf,
    /// Where the program is.
    classes: tempfile::TempDir,
}

impl Jdk {
    /// The JDKs that the tests need anyway.
    fn all() -> Vec<Jdk> {
        [17, 25].map(Jdk::of).into()
    }

    fn of(release: u16) -> Jdk {
        let installed = std::fs::read_dir("/usr/lib/jvm").unwrap().flatten();
        let mut homes = installed.map(|entry| entry.path());
        let home = homes.find(|home| {
            let text = std::fs::read_to_string(home.join("release")).unwrap_or_default();
            text.contains(&format!("JAVA_VERSION=\"{release}")) && home.join("bin/javac").exists()
        });
        let home = home.unwrap_or_else(|| panic!("these tests need a JDK {release}"));
        let classes = tempfile::tempdir().unwrap();
        let source = classes.path().join("Ask.java");
        std::fs::write(&source, PROGRAM).unwrap();
        let mut javac = Command::new(home.join("bin/javac"));
        let status = javac
            .args(["-nowarn", "-d"])
            .arg(classes.path())
            .arg(source)
            .output();
        assert!(status.unwrap().status.success());
        Jdk {
            release,
            home,
            classes,
        }
    }

    /// What a JVM without these hooks says against itself, and with it the unit that it is.
    fn says(&self, broken: &[String]) -> Option<String> {
        let dir = tempfile::tempdir().unwrap();
        let run = dir.path();
        let config = format!(
            "tamis=/bin/false\nproject={}\nmode=test\nbroken={}\n",
            run.display(),
            broken.join(" ")
        );
        std::fs::write(run.join("run.conf"), config).unwrap();
        // To the agent this process is one that runs tests, and so the JVM is a part of one.
        std::fs::write(run.join(format!("{}.tests", std::process::id())), "").unwrap();
        let output = Command::new(self.home.join("bin/java"))
            .arg(format!(
                "-agentpath:{}={}",
                agent().display(),
                run.display()
            ))
            .arg("-cp")
            .arg(self.classes.path())
            .arg("Ask")
            .output()
            .unwrap();
        assert!(output.status.success(), "{output:?}");
        let files = std::fs::read_dir(run)
            .unwrap()
            .flatten()
            .map(|file| file.path());
        let spool = files
            .into_iter()
            .find(|file| file.extension().is_some_and(|e| e == "spool"));
        let spool = read(&std::fs::read(spool.unwrap()).unwrap());
        let problem = spool.records.iter().find_map(|record| match record {
            Record::Problem { message } => Some(message.clone()),
            _ => None,
        });
        let distrust = spool.records.iter().find_map(|record| match record {
            Record::UnitFinished { distrust, .. } => Some(distrust.clone()),
            _ => None,
        });
        assert_eq!(distrust.unwrap(), problem);
        problem
    }
}

fn agent() -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let name = format!(
        "{}tamis_agent{}",
        std::env::consts::DLL_PREFIX,
        std::env::consts::DLL_SUFFIX
    );
    test.parent().unwrap_or(Path::new("")).join(name)
}

#[test]
fn a_jvm_with_all_hooks_is_trusted() {
    for jdk in Jdk::all() {
        assert_eq!(jdk.says(&[]), None, "JDK {}", jdk.release);
    }
}

#[test]
fn a_jvm_tells_each_hook_that_is_missing() {
    for jdk in Jdk::all() {
        let hooks = hooks_of_release(jdk.release);
        let is_later = |hook: &&String| LATER.iter().any(|class| hook.starts_with(class));
        let (later, first): (Vec<_>, Vec<_>) = hooks.iter().partition(is_later);
        assert_eq!((later.len(), first.len() > 60), (5, true), "{hooks:#?}");
        let first: Vec<String> = first.into_iter().cloned().collect();
        let said = jdk.says(&first).unwrap();
        for hook in &first {
            assert!(said.contains(hook.as_str()), "no {hook} in: {said}");
        }
        for hook in later {
            let said = jdk.says(std::slice::from_ref(hook)).unwrap();
            assert!(said.contains(hook.as_str()), "no {hook} in: {said}");
        }
    }
}

#[test]
fn one_hook_is_enough() {
    let jdk = Jdk::of(17);
    let check = |hook: &str| {
        let said = jdk.says(&[hook.to_owned()]);
        assert!(said.is_some_and(|said| said.contains(hook)), "{hook}");
    };
    check("Java_java_io_FileInputStream_open0");
    check("JVM_GetClassDeclaredMethods");
    check("java.lang.System.getenv()");
}
