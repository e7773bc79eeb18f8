#!/usr/bin/env python3
"""tamis, the published plugins of other tools, and retest-all on the same revisions of a Maven project.

    cargo build --release -p tamis
    bench/peers.py DIR --last 10 --runs 3 --techniques ekstazi,hyrts+method --out bench/results/peers-NAME.json
    bench/peers.py DIR --revisions A B C ... --maven=-Drat.skip --peer-maven ekstazi=-Dmaven.compiler.release=8
    bench/peers.py --table bench/results/peers-*.json > bench/results/peers.md

DIR, a git repository, is cloned once for each way to test; each clone keeps the state of its tool. At each revision, in
order, every clone is compiled, which is not timed; then all ways run in turn, and who is first changes. AEC is a run as
the tool is meant to be used, AE one that records nothing (`tamis test --mode run-only`, `-DupdateRunChecksums=false` for
STARTS; Ekstazi has none), both from the state of the revision before. A class ran if a Surefire report has tests of it. It
is missed if it is new or its outcome (what each of its tests ended with) is not that of the revision before with all
tests, and it did not run. If one is missed, all tests run once more: what ends differently then is flaky and does not count.
What ran must end as it does in retest-all; if not ("ended otherwise"), the tool breaks tests, and what it selects tells little.
At the start everything is new: that is the first run. After it each tool runs again with nothing changed; a peer that then
runs all tests does nothing here, and is left out with a remark, as is one whose build fails.

Ekstazi and STARTS hook into Surefire 2 only: with 3 all tests run. So their goals are called by name together with that of
an older Surefire (--peer-surefire), and they are compared with retest-all by the same. Ekstazi takes no class below the
temporary directory, so the clones must be elsewhere (--work), and instruments class files up to version 53 (Java 9) only.
"""
import argparse, collections, json, os, pathlib, platform, re, shutil, signal, statistics, subprocess, sys, tempfile, time
import xml.etree.ElementTree as xml

RETEST = "retest-all"
differing = lambda now, before: {name for name in now if now[name] != before.get(name)}
Peer = collections.namedtuple("Peer", "plugin goals unrecorded state class_files")
# `+` stands for the plugin, `test` for Surefire's goal. HyRTS runs the tests itself.
PEERS = {
    "ekstazi": Peer("org.ekstazi:ekstazi-maven-plugin:5.3.0", ["process-test-classes", "+:select", "test"], None, ".ekstazi", 53),
    "starts": Peer("edu.illinois:starts-maven-plugin:1.4", ["+:run", "process-test-classes", "test"],
                   ["-DupdateRunChecksums=false"], ".starts", None),
    "hyrts": Peer("org.hyrts:hyrts-maven-plugin:1.0.1", ["+:HyRTS"], None, "hyrts-files", None),
}
PARTS = {"method": ["--granularity", "method"], "exact": ["--receivers", "exact"], "no-rules": ["--without-rules", "all"]}
# How to test: `goals` for AEC, `unrecorded` for AE if there is such a way, then the options of the build. `tamis` is the
# program, if it is that; `base` is the retest-all to compare with.
Way = collections.namedtuple("Way", "name goals unrecorded options state base tamis peer", defaults=[None, None])


def git(directory, *arguments):
    return subprocess.run(["git", "-C", directory, *arguments], check=True, capture_output=True, text=True).stdout


def chosen(directory, last):
    """The newest commits of the first-parent history that change a file under a `src` directory or a `pom.xml`."""
    return git(directory, "log", "--first-parent", "--diff-merges=first-parent", "--format=%H", f"-{last + 1}",
               "--", ":(glob)**/src/**", ":(glob)src/**", ":(glob)**/pom.xml").split()[::-1]


def what_changed(directory, before, now):
    paths = git(directory, "diff", "--name-only", before, now).splitlines()
    kind = lambda path: re.search(r"src/(main|test)/|(pom)\.xml$|$", path)
    return dict(collections.Counter(found[1] or found[2] or "other" for found in map(kind, paths)))


def timed(command, directory, log, limit):
    """Exit code, wall seconds, and processor seconds of the command with all its children."""
    usage, start = os.times(), time.monotonic()
    attach = f"{os.environ.get('MAVEN_OPTS', '')} -Djdk.attach.allowAttachSelf=true".strip()
    with open(log, "w") as out:
        process = subprocess.Popen(command, cwd=directory, stdout=out, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
                                   start_new_session=True, env=dict(os.environ, MAVEN_OPTS=attach))
        try:
            code = process.wait(limit)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            code = f"stopped after {limit} s"
    wall, after = time.monotonic() - start, os.times()
    cpu = after.children_user - usage.children_user + after.children_system - usage.children_system
    return {"exit": code, "wall_s": round(wall, 2), "cpu_s": round(cpu, 2)}


def reports(directory):
    return pathlib.Path(directory).glob("**/surefire-reports/TEST-*.xml")


def outcomes(directory):
    """What each test of each test class ended with. Nested classes belong to their outermost one. A test may name another
    class than the one that the build asked for (JUnit 3 suites), so the name of the report counts. A report without tests
    is of a class that was held back."""
    classes = collections.defaultdict(list)
    for path in reports(directory):
        module = path.parent.parent.parent.relative_to(directory).as_posix().removeprefix(".")
        suite = xml.parse(path).getroot()
        for case in suite.iter("testcase"):
            # Parameterized and dynamic tests may give the same name more than once.
            ends = [child.tag for child in case if child.tag in ("failure", "error", "skipped")]
            test = f"{case.get('classname')}.{case.get('name')}"
            classes[f"{module}:{suite.get('name').split('$')[0]}"].append(f"{test} {ends[0] if ends else 'passed'}")
    return {name: sorted(tests) for name, tests in classes.items()}


def class_files(directory):
    """The newest class file version that the build made."""
    files = pathlib.Path(directory).glob("**/target/*classes/**/*.class")
    return max((int.from_bytes(path.read_bytes()[6:8], "big") for path in files), default=0)


def complaint(log):
    """The first error that a build told, without addresses."""
    text = re.sub(r"\x1b\[[0-9;]*m", "", pathlib.Path(log).read_text(errors="replace"))
    found = re.findall(r"^\[ERROR\] (Failed to execute .+|Plugin .+)", text, re.M) or re.findall(r"^(?:\[ERROR\]|error:) +(.+)", text, re.M)
    return re.sub(r"( in)? https?://\S+|/\S+/| -> .*|\|", "", "".join(found[:1]) or "no message")[:200].strip()


def all_ways(arguments):
    """Retest-all, tamis, retest-all by the Surefire of the peers, and these."""
    options = ["-B", "-ntp", "-Dmaven.test.failure.ignore=true", *arguments.maven]
    yield Way(RETEST, ["test"], None, options, None, RETEST)
    for name in filter(None, arguments.techniques.split(",")):
        technique, *parts = name.split("+")
        how = ["--technique", technique, *(word for part in parts for word in PARTS[part])]
        online, run_only = (["test", "--mode", mode, *how] for mode in ("online", "run-only"))
        yield Way(f"tamis {name}", online, run_only, options, ".tamis", RETEST, arguments.tamis)
    version, peers = arguments.peer_surefire, list(filter(None, arguments.peers.split(",")))
    test = f"org.apache.maven.plugins:maven-surefire-plugin:{version}:test@default-test"
    base = f"{RETEST}, Surefire {version}"
    yield from [Way(base, ["process-test-classes", test], None, options, None, base)] if peers else []
    for name in peers:
        peer = PEERS[name]
        goals = [test if goal == "test" else goal.replace("+", peer.plugin) for goal in peer.goals]
        own = [argument for to, _, argument in (pair.partition("=") for pair in arguments.peer_maven) if to == name]
        unrecorded = peer.unrecorded and [*goals, *peer.unrecorded]
        yield Way(name, goals, unrecorded, [*options, *own], peer.state, base, None, peer)


class Clone:
    """Where one way tests, with the state of its tool. `remark` says why it is out of the race."""

    def __init__(self, way, directory, work, limit):
        slug = re.sub(r"\W+", "-", way.name)
        self.way, self.limit, self.remark = way, limit, None
        self.path, self.kept, self.logs = f"{work}/{slug}", f"{work}/{slug}.kept", f"{work}/logs/{slug}"
        subprocess.run(["git", "-c", "advice.detachedHead=false", "clone", "-q", directory, self.path], check=True)

    def states(self, root):
        return [path.relative_to(root) for path in pathlib.Path(root).glob(f"**/{self.way.state}")]

    def copy_state(self, source, target):
        for state in self.states(target):
            shutil.rmtree(f"{target}/{state}")
        for state in self.states(source):
            shutil.copytree(f"{source}/{state}", f"{target}/{state}", symlinks=True)

    def start(self, what, command):
        log = f"{self.logs}-{what}.log"
        run = timed(command, self.path, log, self.limit)
        return run, run["exit"] if isinstance(run["exit"], str) else complaint(log)

    def maven(self):
        return f"{self.path}/mvnw" if os.path.exists(f"{self.path}/mvnw") else "mvn"

    def compile(self, commit):
        """What is wrong with the revision here, if anything."""
        if subprocess.run(["git", "-C", self.path, "checkout", "-q", "-f", commit]).returncode != 0:
            return "cannot be checked out"
        run, said = self.start(f"{commit[:8]}-compile", [self.maven(), "test-compile", *self.way.options])
        return None if run["exit"] == 0 else f"does not compile: {said}"

    def run(self, what, goals):
        """One run from the kept state: times, outcomes, and what is wrong with it."""
        self.copy_state(self.kept, self.path)
        for path in list(reports(self.path)):
            path.unlink()
        answer = pathlib.Path(f"{self.logs}-{what}.json")
        program = [self.way.tamis, "--color", "never", "--json", str(answer)] if self.way.tamis else [self.maven()]
        run, said = self.start(what, [*program, *goals, *self.way.options])
        failed = not answer.exists() if self.way.tamis else run["exit"] != 0
        try:
            return run, outcomes(self.path), said if failed else None
        except xml.ParseError as error:
            return run, {}, f"unreadable report: {error}"


class Race:
    """All ways, revision by revision."""

    def __init__(self, arguments, directory, work):
        self.runs, self.flaky, self.before = arguments.runs, set(), None
        os.mkdir(f"{work}/logs")
        self.clones = {way.name: Clone(way, directory, work, arguments.limit) for way in all_ways(arguments)}

    def revision(self, place, commit):
        problems = {}
        for name in (name for name, clone in self.clones.items() if not clone.remark):
            problems[name] = self.clones[name].compile(commit)
            if problems[RETEST]:
                return {"problem": problems[RETEST]}
        rows = {name: {"ae": [], "aec": [], "problem": problem} for name, problem in problems.items()}
        ran = {name: [] for name in rows}
        for turn in range(self.runs):
            first = (place * self.runs + turn) % len(rows)
            for name in [*rows, *rows][first:first + len(rows)]:
                if not rows[name]["problem"]:
                    self.one(self.clones[name], rows[name], ran[name], f"{commit[:8]}-{turn}")
        for clone in (self.clones[name] for name in rows):
            clone.copy_state(clone.path, clone.kept)
        return self.judged(commit, rows, ran)

    def one(self, clone, row, ran, what):
        if self.before is not None and clone.way.unrecorded:
            run, _, row["problem"] = clone.run(f"{what}-ae", clone.way.unrecorded)
            row["ae"].append(run)
        if not row["problem"]:
            run, ended, row["problem"] = clone.run(f"{what}-aec", clone.way.goals)
            row["aec"].append(run)
            ran.append(ended)

    def judged(self, commit, rows, ran):
        retest, now = self.clones[RETEST], ran[RETEST][-1] if ran[RETEST] else {}
        if rows[RETEST]["problem"] or not now:
            return {"problem": rows[RETEST]["problem"] or "no tests ran"}
        first, before, self.before = self.before is None, self.before, now
        names = {name: set().union(*ended) for name, ended in ran.items()}
        must = lambda: set() if first else differing(now, before) - self.flaky
        missed = lambda name: must() & names[self.clones[name].way.base] - names[name] if not rows[name]["problem"] else ()
        if any(missed(name) for name in rows):
            ran[RETEST].append(retest.run(f"{commit[:8]}-doubt", retest.way.goals)[1])
        for other in ran[RETEST]:
            self.flaky |= differing(now, other) | differing(other, now)
        for name, row in rows.items():
            clone = self.clones[name]
            base = ran[clone.way.base][-1] if ran[clone.way.base] else {}
            other = {c for ended in ran[name] for c in ended if not set(ended[c]) <= set(base.get(c, ended[c]))}
            row |= {"base": clone.way.base, "missed": sorted(missed(name)), "ran": len(names[name]), "other": sorted(other - self.flaky),
                    "class_files": class_files(clone.path), "classes": " ".join(sorted(names[name]))}
            if first and clone.way.state:
                problem = row["problem"] or self.second_look(clone, row, commit)
                row["problem"] = clone.remark = problem if clone.way.peer else row["problem"]
        return {"must": sorted(must()), "flaky": sorted(self.flaky), "ways": rows}

    def second_look(self, clone, row, commit):
        """What is wrong with a tool: with nothing changed it has nothing to do."""
        _, again, problem = clone.run(f"{commit[:8]}-again", clone.way.goals)
        row["again"] = len(again)
        idle = "does nothing: with nothing changed all tests run again" if row["ran"] else "ran no tests"
        return problem or (idle if len(again) >= row["ran"] else None)


def compare(arguments):
    directory = os.path.abspath(arguments.directory)
    commits = arguments.revisions or chosen(directory, arguments.last)
    commits = [git(directory, "rev-parse", f"{c}^{{commit}}").strip() for c in commits]
    work = tempfile.mkdtemp(prefix="tamis-peers-", dir=arguments.work)
    print(f"clones and logs in {work}", file=sys.stderr)
    race = Race(arguments, directory, work)
    told = subprocess.run([race.clones[RETEST].maven(), "-v"], cwd=race.clones[RETEST].path, capture_output=True, text=True).stdout
    result = {"project": arguments.name or pathlib.Path(directory).name, "maven": arguments.maven, "peer_maven": arguments.peer_maven,
              "machine": platform.machine(), "cores": os.cpu_count(), "runs": arguments.runs, "notes": arguments.note,
              "versions": re.findall(r"(?:Apache Maven|Java version:) [\w.-]+", told), "revisions": []}
    for place, commit in enumerate(commits):
        changed = what_changed(directory, commits[place - 1], commit) if place else {}
        row = {"commit": commit, "changed": changed, **race.revision(place, commit)}
        result["revisions"].append(row)
        ran = {name: way["problem"] or way["ran"] for name, way in row.get("ways", {}).items()}
        print(commit[:8], changed, row.get("problem") or ran, file=sys.stderr, flush=True)
        pathlib.Path(arguments.out).write_text(json.dumps(result, indent=1) + "\n")
    if not arguments.keep:
        shutil.rmtree(work)
    table([arguments.out], arguments.time)


def sums(result, name, clock):
    """One way over all steps that it could take."""
    start, *steps = [row["ways"] | {"must": row["must"]} for row in result["revisions"] if "ways" in row]
    own, base = start[name], start[name]["base"]
    problems = [problem for step in steps if name in step if (problem := step[name]["problem"])]
    steps = [step for step in steps if not own["problem"] and not step[name]["problem"] and not step[base]["problem"]]
    if not steps:
        return [result["project"], name, *["-"] * 14, own["problem"] or "no steps"]
    took = lambda runs: statistics.median(run[clock] for run in runs) if runs else 0
    total = lambda get, way=name: sum(get(step[way]) for step in steps)
    of = lambda part, whole: f"{part / whole:.2f}" if part and whole else "-"
    ran, classes = total(lambda way: way["ran"]), total(lambda way: way["ran"], base)
    ae, aec = total(lambda way: took(way["ae"])), total(lambda way: took(way["aec"]))
    retest, limit = total(lambda way: took(way["aec"]), base), PEERS[name].class_files if name in PEERS else None
    other = len(own["other"]) + total(lambda way: len(way["other"]))
    remarks = [f"failed {len(problems)} times: {problem}" for problem in problems[:1]]
    remarks += [f"{other} classes ended otherwise"] if other else []
    if limit and own["class_files"] > limit:
        remarks.append(f"instruments class files up to version {limit}, those here go up to {own['class_files']}")
    return [result["project"], name, len(steps), classes, ran, f"{ran / classes:.2f}" if classes else "-", sum(len(step["must"]) for step in steps),
            total(lambda way: len(way["missed"])), f"{retest:.1f}", f"{ae:.1f}" if ae else "-", f"{aec:.1f}", of(ae, retest), of(aec, retest),
            of(aec, ae), of(took(own["aec"]), took(start[base]["aec"])), own.get("again", "-"), "; ".join(remarks)]


def table(files, clock):
    results = [json.loads(pathlib.Path(file).read_text()) for file in files]
    line = lambda cells: print("|", " | ".join(map(str, cells)), "|")
    cell = lambda way: "-" if way["problem"] else f"{way['ran']}" + (f", missed {len(way['missed'])}" if way["missed"] else "")
    print("# tamis and its peers on the same revisions\n\nWritten by `bench/peers.py --table`; what is compared and how stands "
          f"there. {'Wall' if clock == 'wall_s' else 'Processor'} time of the\nwhole build, whose classes were compiled before; the median of "
          "the runs at each revision, summed over the steps; `retest-all` is\nthat of the same Surefire.\n")
    line(["project", "way", "steps", "test classes", "ran", "share", "must run", "missed", "retest-all, s", "AE, s", "AEC, s", "AE share",
          "AEC share", "AEC / AE", "first run / retest-all", "ran again at once", "remark"])
    line(["---", "---", *["--:"] * 14, "---"])
    names = lambda result: list(dict.fromkeys(name for row in result["revisions"] for name in row.get("ways", {})))
    for result in results:
        for name in names(result):
            line(sums(result, name, clock))
    for result in results:
        ways, facts = names(result), [*result["notes"], *(f"Maven in the clone of {pair}" for pair in result["peer_maven"])]
        print(f"\n## {result['project']}\n\nTest classes that ran. {result['runs']} runs, {', '.join(result['versions'])}, "
              f"{result['cores']} cores, Maven arguments: `{' '.join(result['maven'])}`\n")
        line(["commit", "changed files", *ways])
        line(["---", "---", *["--:"] * len(ways)])
        for row in result["revisions"]:
            changed = ", ".join(f"{count} {kind}" for kind, count in row["changed"].items()) or "start"
            cells = [cell(row["ways"][name]) if name in row["ways"] else "-" for name in ways] if "ways" in row else [row["problem"]]
            line([row["commit"][:8], changed, *cells])
            facts += [f"{name} missed {test} at {row['commit'][:8]}" for name, way in row.get("ways", {}).items() for test in way["missed"]]
        facts += [f"flaky and set apart: {test}" for test in (result["revisions"] or [{}])[-1].get("flaky", [])]
        print("\n" + "\n".join(f"- {fact}" for fact in facts))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directory", nargs="?")
    parser.add_argument("--revisions", nargs="+", metavar="COMMIT", help="in order; the first is the start")
    parser.add_argument("--last", type=int, default=8, metavar="N", help="the newest N that change sources or a POM")
    parser.add_argument("--runs", type=int, default=1, metavar="N", help="how often each time is taken")
    parser.add_argument("--tamis", type=os.path.abspath, default="target/release/tamis")
    parser.add_argument("--techniques", default="ekstazi,hyrts,hyrts+method", metavar="LIST", help="as in `tamis replay`")
    parser.add_argument("--peers", default=",".join(PEERS), metavar="LIST")
    parser.add_argument("--peer-surefire", default="2.22.2", metavar="VERSION", help="what runs the tests of the peers")
    parser.add_argument("--peer-maven", action="append", default=[], metavar="PEER=ARGUMENT", help="for Maven in the clone of one peer")
    parser.add_argument("--maven", action="append", default=[], metavar="ARGUMENT")
    parser.add_argument("--limit", type=int, default=3600, metavar="SECONDS", help="a run that takes longer is stopped")
    parser.add_argument("--work", default="/var/tmp", metavar="DIR", help="where to clone; not below the temporary directory")
    parser.add_argument("--name", help="of the project in the table")
    parser.add_argument("--note", action="append", default=[], help="what to say of the project below the tables")
    parser.add_argument("--out", default="peers.json")
    parser.add_argument("--keep", action="store_true", help="keep clones and logs")
    parser.add_argument("--time", choices=["wall_s", "cpu_s"], default="wall_s", help="which time the table shows")
    parser.add_argument("--table", nargs="+", metavar="FILE", help="print the tables of these results")
    arguments = parser.parse_args()
    if arguments.table:
        table(arguments.table, arguments.time)
    elif not arguments.directory or os.path.realpath(arguments.work).startswith("/tmp"):
        parser.error("a project directory, or --table; and a directory for --work that is not below /tmp, as Ekstazi takes no class there")
    else:
        compare(arguments)


if __name__ == "__main__":
    main()
