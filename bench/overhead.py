#!/usr/bin/env python3
"""What recording costs: all tests of public suites with the agent over without, interleaved.

Suites come from Maven Central as compiled tests (classifier `tests`), unpacked, so that their classes count as
those of a project and not of a library. Each pair of runs is one
without and one with the agent, in alternating order; the figures are medians of the ratios of user
and wall time. The agent finds no earlier recording, so every test runs and is recorded. Several agents
can be compared in the same rounds. With `--at-once` the runs of a round go on at the same time, each on a core of its
own, which changes from round to round: a machine whose speed drifts then slows down all of them.

    cargo build -p tamis-agent --profile agent
    bench/overhead.py --runs 7                       # all suites, java of JAVA_HOME or PATH
    bench/overhead.py --runs 7 --suite commons-math3 --out bench/results/overhead.json
    bench/overhead.py --set granularity=method       # single tests as units
    bench/overhead.py --agent before.so --agent after.so
"""
import argparse, concurrent.futures, functools, json, os, pathlib, platform, re, shutil, statistics, subprocess, sys, tempfile, time, zipfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
CONSOLE = "org.junit.platform:junit-platform-console-standalone:1.10.2"
JUNIT4 = ["junit:junit:4.13.2"]

# name: (tests, with the classifier `tests`; what they need; classes that are test classes; excluded)
SUITES = {
    "commons-math3": ("org.apache.commons:commons-math3:3.6.1", JUNIT4,
                      r".*(Test|TestBinary|TestPermutations)$", r".*(Abstract|FastMathTestPerformance).*"),
    "commons-collections4": ("org.apache.commons:commons-collections4:4.4",
                             JUNIT4 + ["org.easymock:easymock:4.0.2", "org.apache.commons:commons-lang3:3.9"],
                             r".*Test$", r".*Abstract.*"),
    "commons-lang3": ("org.apache.commons:commons-lang3:3.12.0",
                      JUNIT4 + ["org.junit-pioneer:junit-pioneer:1.3.0", "org.hamcrest:hamcrest:2.2",
                                "org.easymock:easymock:4.2", "org.openjdk.jmh:jmh-core:1.27",
                                "com.google.code.findbugs:jsr305:3.0.2"],
                      r".*Test$", r".*Abstract.*"),
    "commons-statistics": ("org.apache.commons:commons-statistics-distribution:1.0",
                           ["org.apache.commons:commons-rng-simple:1.5", "org.apache.commons:commons-math3:3.6.1"],
                           r".*Test$", r".*(Abstract|Base).*"),
    "commons-rng": ("org.apache.commons:commons-rng-sampling:1.5",
                    JUNIT4 + ["org.apache.commons:commons-rng-simple:1.5", "org.apache.commons:commons-math3:3.6.1"],
                    r".*Test$", r".*Abstract.*"),
    "commons-geometry": ("org.apache.commons:commons-geometry-euclidean:1.0",
                         ["org.apache.commons:commons-geometry-core:1.0",
                          "org.apache.commons:commons-geometry-core:1.0:tests", "org.apache.commons:commons-rng-simple:1.4",
                          "org.apache.commons:commons-rng-sampling:1.4"],
                         r".*Test$", r".*Abstract.*"),
    "commons-io": ("commons-io:commons-io:2.11.0",
                   ["org.junit-pioneer:junit-pioneer:1.3.0", "org.mockito:mockito-inline:3.11.2",
                    "com.google.jimfs:jimfs:1.2", "org.apache.commons:commons-lang3:3.12.0",
                    "org.openjdk.jmh:jmh-core:1.32"],
                   r".*Test(Case)?$", r".*Abstract.*"),
}


def dependency(coordinates, extra=""):
    group, artifact, version, *classifier = coordinates.split(":")
    extra += "".join(f"<classifier>{c}</classifier>" for c in classifier)
    return (f"<dependency><groupId>{group}</groupId><artifactId>{artifact}</artifactId>"
            f"<version>{version}</version>{extra}</dependency>")


def download(name, work):
    """The class path of a suite and the jar with its tests."""
    tests, needs, _, _ = SUITES[name]
    directory = work / name
    lib = directory / "lib"
    if not lib.exists():
        directory.mkdir(parents=True, exist_ok=True)
        wanted = [dependency(tests), dependency(tests, "<classifier>tests</classifier>"), dependency(CONSOLE)]
        wanted += [dependency(need) for need in needs]
        (directory / "pom.xml").write_text(
            "<project><modelVersion>4.0.0</modelVersion><groupId>bench</groupId><artifactId>bench</artifactId>"
            f"<version>1</version><dependencies>{''.join(wanted)}</dependencies></project>")
        subprocess.run(["mvn", "-q", "-B", "dependency:copy-dependencies", f"-DoutputDirectory={lib}.new",
                        # The console brings JUnit itself.
                        "-DexcludeArtifactIds=junit-platform-commons,junit-platform-engine,junit-platform-launcher,"
                        "junit-jupiter-api,junit-jupiter-engine,junit-jupiter-params,opentest4j,apiguardian-api"],
                       cwd=directory, check=True)
        pathlib.Path(f"{lib}.new").rename(lib)
    group, artifact, version = tests.split(":")
    tests_jar = lib / f"{artifact}-{version}-tests.jar"
    own = {lib / f"{artifact}-{version}.jar": directory / "classes", tests_jar: directory / "test-classes"}
    for jar, classes in own.items():
        if not classes.exists():
            zipfile.ZipFile(jar).extractall(classes)
    return tests_jar, [*own.values(), *(jar for jar in sorted(lib.glob("*.jar")) if jar not in own)]


def test_classes(name, jar):
    _, _, include, exclude = SUITES[name]
    names = [n[:-6].replace("/", ".") for n in zipfile.ZipFile(jar).namelist() if n.endswith(".class") and "$" not in n]
    return sorted(n for n in names if re.fullmatch(include, n) and not re.fullmatch(exclude, n))


def run(java, jars, classes, cwd, agent, settings, core=None):
    """One run in a JVM of its own, perhaps on one core: user and wall seconds, what the console counted."""
    arguments = cwd / "arguments.txt"
    arguments.write_text("".join(f"--select-class={c}\n" for c in classes))
    command = [java, "-Xmx2g"]
    if core is not None:
        # The JVM behaves as it does with all cores: the same collector, as many compilers.
        command = ["taskset", "-c", str(core), *command, f"-XX:ActiveProcessorCount={os.cpu_count()}"]
    if agent:
        run_dir = pathlib.Path(tempfile.mkdtemp(dir=cwd))
        lines = ["tamis=/bin/false", f"project={cwd}", "mode=test", *settings]
        (run_dir / "run.conf").write_text("".join(f"{line}\n" for line in lines))
        command.append(f"-agentpath:{agent}={run_dir}")
    command += ["-cp", os.pathsep.join(map(str, jars)), "org.junit.platform.console.ConsoleLauncher", "execute",
                f"@{arguments}", "--details=summary", "--disable-banner"]
    log = (cwd / "output.log").open("w")
    start = time.monotonic()
    process = subprocess.Popen(command, cwd=cwd, stdout=log, stderr=log)
    _, _, usage = os.wait4(process.pid, 0)
    wall = time.monotonic() - start
    log.close()
    text = (cwd / "output.log").read_text(errors="replace")
    count = dict((what, int(n)) for n, what in re.findall(r"\[\s*(\d+) tests (successful|failed|started)", text))
    spool = None
    if agent:
        spools = list(run_dir.glob("*.spool"))
        assert spools, f"the agent recorded nothing; see {cwd / 'output.log'}"
        spool = sum(s.stat().st_size for s in spools)
        shutil.rmtree(run_dir)
    return {"user_s": round(usage.ru_utime, 3), "wall_s": round(wall, 3), "tests": count, "spool_bytes": spool}


def run_at_once(runs):
    """Runs `{who: function of a core}`, each on a core of its own."""
    with concurrent.futures.ThreadPoolExecutor(len(runs)) as pool:
        running = {who: pool.submit(function, core) for core, (who, function) in enumerate(runs.items())}
        return {who: future.result() for who, future in running.items()}


def ratio(row, agent, time):
    return row[agent][f"{time}_s"] / row["plain"][f"{time}_s"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--suite", action="append", choices=SUITES, help="default: the three of the README")
    parser.add_argument("--runs", type=int, default=5, help="interleaved pairs per suite, after one that is not counted")
    parser.add_argument("--java", default=os.path.join(os.environ["JAVA_HOME"], "bin/java") if "JAVA_HOME" in os.environ else "java")
    parser.add_argument("--agent", action="append", help="default: the one that was built; several are compared")
    parser.add_argument("--work", default=os.path.expanduser("~/.cache/tamis-bench"), help="where suites are kept")
    parser.add_argument("--out", help="JSON file for the raw figures")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", dest="settings",
                        help="what the agent is told beside the usual, e.g. granularity=method")
    parser.add_argument("--at-once", action="store_true", help="the runs of a round at the same time, each on one core")
    parser.add_argument("--limit", type=int, help="only the first N test classes")
    options = parser.parse_args()
    paths = options.agent or [ROOT / "target/agent/libtamis_agent.so"]
    agents = {pathlib.Path(path).stem: str(pathlib.Path(path).resolve()) for path in paths}
    version = subprocess.run([options.java, "-version"], capture_output=True, text=True).stderr.splitlines()[0]
    result = {"java": version, "machine": f"{platform.machine()}, {os.cpu_count()} cores",
              "settings": options.settings, "suites": {}}
    for name in options.suite or ["commons-math3", "commons-collections4", "commons-statistics"]:
        tests, jars = download(name, pathlib.Path(options.work))
        classes = test_classes(name, tests)[:options.limit]
        with tempfile.TemporaryDirectory() as cwd:
            cwd = pathlib.Path(cwd)
            rows = []
            for pair in range(options.runs + 1):
                order = ["plain", *agents] if pair % 2 == 0 else [*reversed(agents), "plain"]
                runs = {}
                for who in order:
                    (cwd / who).mkdir(exist_ok=True)
                    runs[who] = functools.partial(run, options.java, jars, classes, cwd / who, agents.get(who),
                                                  options.settings)
                row = run_at_once(runs) if options.at_once else {who: one() for who, one in runs.items()}
                note = "  (warm-up, not counted)" if pair == 0 else ""
                print(f"{name} {pair}: plain {row['plain']['user_s']:.1f} s user {row['plain']['wall_s']:.1f} s wall{note}", flush=True)
                for agent in agents:
                    print(f"  recorded over plain: user {ratio(row, agent, 'user'):.3f}, wall {ratio(row, agent, 'wall'):.3f} "
                          f"{row[agent]['tests']} {agent if len(agents) > 1 else ''}", flush=True)
                if pair:
                    rows.append(row)
        if rows:
            medians = {agent: {k: round(statistics.median(ratio(row, agent, k) for row in rows), 3) for k in ("user", "wall")}
                       for agent in agents}
            result["suites"][name] = {"test_classes": len(classes), "median_of_ratios": medians, "runs": rows}
            print(f"{name}: {len(classes)} test classes, median of ratios: {medians}", flush=True)
        if options.out:
            pathlib.Path(options.out).parent.mkdir(parents=True, exist_ok=True)
            pathlib.Path(options.out).write_text(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    sys.exit(main())
