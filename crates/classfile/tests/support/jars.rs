use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::process::Command;
use std::sync::Once;

use super::archive::Class;
use super::{run, scratch};

/// Jars from many compilers: javac from 1.1 on, ecj, Kotlin, Scala, Groovy, Clojure, and some that
/// were shrunk, obfuscated or rewritten.
pub(crate) const JARS: &[(&str, &str, &str)] = &[
    ("junit", "junit", "3.8.1"),
    ("log4j", "log4j", "1.1.3"),
    ("oro", "oro", "2.0.8"),
    ("regexp", "regexp", "1.2"),
    ("xerces", "xerces", "1.2.3"),
    ("rhino", "js", "1.5R4.1"),
    ("commons-lang", "commons-lang", "2.6"),
    ("org.apache.lucene", "lucene-core", "2.4.1"),
    ("org.apache.commons", "commons-lang3", "3.4"),
    ("org.apache.commons", "commons-math3", "3.6.1"),
    ("com.google.guava", "guava", "33.4.8-jre"),
    ("org.jetbrains.kotlin", "kotlin-stdlib", "2.2.0"),
    ("org.scala-lang", "scala-library", "2.13.16"),
    ("org.apache.groovy", "groovy", "4.0.27"),
    ("org.clojure", "clojure", "1.12.1"),
    ("org.bouncycastle", "bcprov-jdk18on", "1.81"),
    ("org.ow2.asm", "asm", "9.8"),
    ("org.eclipse.jdt", "ecj", "3.42.0"),
    ("com.guardsquare", "proguard-base", "7.7.0"),
    ("org.aspectj", "aspectjweaver", "1.9.24"),
    ("org.checkerframework", "checker", "3.49.5"),
];

/// All classes of one of [`JARS`]; of a multi-release jar those of the base release.
pub(crate) fn classes(artifact: &str) -> Vec<Class> {
    let (_, _, version) = JARS
        .iter()
        .find(|(_, a, _)| *a == artifact)
        .expect("known jar");
    let jar = scratch("jars").join(format!("{artifact}-{version}.jar"));
    let mut zip = zip::ZipArchive::new(File::open(jar).expect("jar")).expect("readable jar");
    let mut classes = Vec::new();
    for index in 0..zip.len() {
        let mut entry = zip.by_index(index).expect("entry");
        let file = entry.name().to_owned();
        if file.ends_with(".class") && !file.starts_with("META-INF/") {
            let mut bytes = Vec::new();
            entry.read_to_end(&mut bytes).expect("class");
            classes.push(Class { file, bytes });
        }
    }
    classes
}

/// Has Maven copy [`JARS`] unless they are here already.
pub(crate) fn fetch() {
    static ONCE: Once = Once::new();
    ONCE.call_once(fetch_missing);
}

fn fetch_missing() {
    let dir = scratch("jars");
    let here = |(_, artifact, version): &(&str, &str, &str)| {
        dir.join(format!("{artifact}-{version}.jar")).exists()
    };
    if JARS.iter().all(here) {
        return;
    }
    std::fs::write(dir.join("pom.xml"), pom()).expect("pom");
    let goal = "org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies";
    let out = format!("-DoutputDirectory={}", dir.display());
    let mvn = if cfg!(windows) { "mvn.cmd" } else { "mvn" };
    run(maven(mvn, &dir).args(["-q", "-B", goal, "-DexcludeTransitive", &out]));
}

fn maven(mvn: &str, dir: &Path) -> Command {
    let mut command = Command::new(mvn);
    command.current_dir(dir).env_remove("JAVA_TOOL_OPTIONS");
    command
}

fn pom() -> String {
    let dependency = |(group, artifact, version): &(&str, &str, &str)| {
        format!(
            "<dependency><groupId>{group}</groupId><artifactId>{artifact}</artifactId>\
             <version>{version}</version></dependency>\n"
        )
    };
    let dependencies: String = JARS.iter().map(dependency).collect();
    format!(
        "<project xmlns=\"http://maven.apache.org/POM/4.0.0\">\
         <modelVersion>4.0.0</modelVersion><groupId>test</groupId><artifactId>jars</artifactId>\
         <version>1</version><packaging>pom</packaging>\n<dependencies>\n{dependencies}\
         </dependencies></project>"
    )
}
