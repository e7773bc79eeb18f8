#!/usr/bin/env python3
"""tamis against retest-all over the history of a Maven project.

    cargo build --release -p tamis
    bench/history.py DIR --last 8 --tamis target/release/tamis --out bench/results/history-NAME.json
    bench/history.py DIR --revisions A B C ... --maven=-Drat.skip --out FILE
    bench/history.py --table bench/results/history-*.json > bench/results/history.md

DIR, a git repository, is cloned twice. At each revision, in order, the first clone runs all tests
and the second, which keeps `.tamis`, runs `tamis test`. A test class is missed if it is new or its
outcome (what each of its tests ended with, from Surefire's reports) is not that of the revision
before, and it did not run with tamis. What tamis did run must end as it does in the first clone.
`tamis select` is asked before, in a copy; `tamis test` runs a second time after.

--last N takes the newest N commits of the first-parent history that change a file under a `src`
directory or a `pom.xml`, and the commit before them as the start, at which everything is new.
"""
import argparse, collections, json, os, pathlib, platform, shutil, subprocess, sys, tempfile, time
import xml.etree.ElementTree as xml


def git(directory, *arguments):
    return subprocess.run(["git", "-C", directory, *arguments], check=True, capture_output=True, text=True).stdout


def chosen(directory, head, last, paths=(":(glob)**/src/**", ":(glob)src/**", ":(glob)**/pom.xml")):
    log = git(directory, "log", "--first-parent", "--diff-merges=first-parent", "--format=%H", f"-{last + 1}", head,
              "--", *paths)
    return log.split()[::-1]


def what_changed(directory, before, now):
    kinds = collections.Counter()
    for path in git(directory, "diff", "--name-only", before, now).splitlines():
        kinds["main" if "src/main/" in path else "test" if "src/test/" in path
              else "pom" if path.endswith("pom.xml") else "other"] += 1
    return dict(kinds)


def timed(command, directory, log):
    """Exit code, wall seconds, and processor seconds of the command with all its children."""
    usage, start = os.times(), time.monotonic()
    with open(log, "w") as out:
        code = subprocess.run(command, cwd=directory, stdout=out, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL).returncode
    wall, after = time.monotonic() - start, os.times()
    cpu = after.children_user - usage.children_user + after.children_system - usage.children_system
    return {"exit": code, "wall_s": round(wall, 2), "cpu_s": round(cpu, 2)}


def reports(directory):
    return [path for path in pathlib.Path(directory).rglob("TEST-*.xml") if path.parent.name == "surefire-reports"]


def forget_reports(directory):
    for path in reports(directory):
        path.unlink()


def outcomes(directory):
    """What each test of each test class ended with. Nested classes belong to their outermost one.

    A test may name another class than the one that the build asked for (JUnit 3 suites), so the
    name of the report counts. A report without tests is of a class that was held back."""
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


def asked(arguments, mvn, directory, command, log):
    """Runs tamis and reads its answer."""
    answer = pathlib.Path(log).with_suffix(".json")
    answer.unlink(missing_ok=True)
    run = timed([arguments.tamis, command, "--json", answer, *mvn], directory, log)
    run["answer"] = json.loads(answer.read_text()) if answer.exists() else {"tests": [], "counts": {}, "phases": {}, "warnings": []}
    return run


def key(test):
    return f"{test['module']}:{test['id'].split('$')[0]}"


def selected(run):
    return {key(test) for test in run["answer"]["tests"] if test["selected"]}


def causes(run):
    """How many selected test classes have a reason of each kind, and each changed class among them."""
    kinds, classes = collections.Counter(), collections.Counter()
    for test in run["answer"]["tests"]:
        kinds.update({reason["kind"] for reason in test["reasons"]})
        classes.update({reason["class"] for reason in test["reasons"] if "class" in reason})
    return {"kinds": dict(kinds), "changed": len(classes), "classes": dict(classes.most_common(5))}


def test_time(answer):
    """Seconds of the tests that ran and, when they last ran, of those that were skipped."""
    ran = sum(test["duration_ms"] or 0 for test in answer["tests"])
    return {"ran_s": round(ran / 1000, 3), "skipped_s": round(answer.get("saved_ms", 0) / 1000, 3)}


def select_first(arguments, mvn, clone, log):
    """The answer of `select`, which compiles, in a copy that has moved: the clone stays as it is."""
    copy = f"{clone}.copy"
    subprocess.run(["cp", "-a", clone, copy], check=True)
    run = asked(arguments, mvn, copy, "select", log)
    shutil.rmtree(copy)
    return run


def revision(arguments, mvn, clones, work, commit, before):
    retest, kept = clones
    for clone in clones:
        git(clone, "checkout", "-q", "-f", commit)
        forget_reports(clone)
    log = lambda what: f"{work}/{commit[:8]}-{what}.log"
    first = select_first(arguments, mvn, kept, log("select"))
    everything = timed(["mvn", "test", *mvn], retest, log("all"))
    everything["outcomes"] = outcomes(retest)
    test = asked(arguments, mvn, kept, "test", log("test"))
    ran = outcomes(kept)
    again = asked(arguments, mvn, kept, "test", log("again"))
    return compare(everything, first, test, ran, again, before)


def compare(everything, first, test, ran, again, before):
    now, must, tests = everything.pop("outcomes"), selected(test), test["answer"]["tests"]
    new = {name for name in now if name not in before}
    differ = {name for name in now if name in before and now[name] != before[name]}
    answer = test.pop("answer")
    return now, {
        "classes": len(now), "listed": len({key(t) for t in tests}), "selected": len(must),
        "new": len(new), "outcome_changes": len(differ), "missed": sorted((new | differ) - set(ran)),
        "ran": len(ran), "ran_unselected": sorted(set(ran) - must),
        "unlisted": sorted(set(ran) - {key(t) for t in tests}),
        "not_run": sorted(name for name in must if name in now and name not in ran),
        "other_outcome": sorted(name for name in ran if ran[name] != now.get(name)),
        "failing": sorted(name for name in now if any(t.endswith((" failure", " error")) for t in now[name])),
        "select_only": sorted(selected(first) - must), "test_only": sorted(must - selected(first)),
        "select_warnings": first["answer"]["warnings"], "warnings": answer["warnings"], "phases": answer["phases"], "tests": test_time(answer),
        "again_selected": {key(t): t["reasons"] for t in again["answer"]["tests"] if t["selected"]},
        "causes": causes({"answer": answer}),
        "retest": everything, "tamis": test,
        "select": {k: first[k] for k in ("exit", "wall_s", "cpu_s")},
        "again": {k: again[k] for k in ("exit", "wall_s", "cpu_s")},
    }


def history(arguments):
    directory = os.path.abspath(arguments.directory)
    commits = arguments.revisions or chosen(directory, arguments.head, arguments.last)
    commits = [git(directory, "rev-parse", f"{c}^{{commit}}").strip() for c in commits]
    mvn = ["-B", "-ntp", "-Dmaven.test.failure.ignore=true", *arguments.maven]
    work = tempfile.mkdtemp(prefix="tamis-history-")
    print(f"logs in {work}", file=sys.stderr)
    clones = [f"{work}/{name}" for name in ("retest", "tamis")]
    for clone in clones:
        subprocess.run(["git", "clone", "-q", "--no-checkout", directory, clone], check=True)
    result = {"project": arguments.name or pathlib.Path(directory).name, "maven": mvn, "machine": platform.machine(),
              "cores": os.cpu_count(), "java": os.environ.get("JAVA_HOME", "default").split("/")[-1], "note": arguments.note, "revisions": []}
    before = {}
    for place, commit in enumerate(commits):
        before, row = revision(arguments, mvn, clones, work, commit, before)
        changed = what_changed(directory, commits[place - 1], commit) if place else {}
        result["revisions"].append({"commit": commit, "changed": changed, **row})
        print(line(result["project"], result["revisions"][-1]), file=sys.stderr, flush=True)
        pathlib.Path(arguments.out).write_text(json.dumps(result, indent=1) + "\n")
    if not arguments.keep:
        shutil.rmtree(work)


HEAD = ("| project | commit | changed files | test classes | selected | share | new | outcome changes | missed "
        "| retest-all | tamis | saved | test time left out |\n|---|---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|")


def line(project, row):
    changed = ", ".join(f"{count} {kind}" for kind, count in row["changed"].items()) or "start"
    return cells(project, row["commit"][:8], changed, [row])


def cells(project, commit, changed, rows):
    add = lambda get: sum(get(row) for row in rows)
    percent = lambda part, whole: f"{100 * part / whole:.0f} %" if whole else "-"
    classes, chosen_classes = add(lambda r: r["classes"]), add(lambda r: r["selected"])
    whole, part = add(lambda r: r["retest"]["cpu_s"]), add(lambda r: r["tamis"]["cpu_s"])
    ran, skipped = add(lambda r: r["tests"]["ran_s"]), add(lambda r: r["tests"]["skipped_s"])
    return (f"| {project} | {commit} | {changed} | {classes} | {chosen_classes} | {percent(chosen_classes, classes)} "
            f"| {add(lambda r: r['new'])} | {add(lambda r: r['outcome_changes'])} | {add(lambda r: len(r['missed']))} "
            f"| {whole:.1f} s | {part:.1f} s | {percent(whole - part, whole)} | {percent(skipped, ran + skipped)} |")


def total(result):
    rows = [row for row in result["revisions"] if row["changed"]]
    return cells(f"**{result['project']}**", f"{len(rows)} commits", "", rows)


def table(files):
    print("# tamis against retest-all, commit by commit\n\nWritten by `bench/history.py --table`; what the columns mean "
          "stands there. Times are processor time of the\nwhole build, compilation included (wall time is in the JSON files); "
          "the last column is about the tests alone. The start of\neach history, at which everything is new, is not in the sums.\n")
    print(HEAD)
    results = [json.loads(pathlib.Path(file).read_text()) for file in files]
    for result in results:
        for row in result["revisions"]:
            print(line(result["project"], row))
        print(total(result))
    print()
    for result in results:
        if result["note"]:
            print(f"- {result['project']}: {result['note']}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directory", nargs="?")
    parser.add_argument("--revisions", nargs="+", metavar="COMMIT", help="in order; the first is the start")
    parser.add_argument("--last", type=int, default=8, metavar="N")
    parser.add_argument("--head", default="HEAD", metavar="COMMIT", help="the newest commit for --last")
    parser.add_argument("--tamis", type=os.path.abspath, default="target/release/tamis")
    parser.add_argument("--maven", action="append", default=[], metavar="ARGUMENT")
    parser.add_argument("--name", help="of the project in the table")
    parser.add_argument("--note", default="", help="what to say of these figures below the table")
    parser.add_argument("--out", default="history.json")
    parser.add_argument("--keep", action="store_true", help="keep clones and logs")
    parser.add_argument("--table", nargs="+", metavar="FILE", help="print the table of these results")
    arguments = parser.parse_args()
    if arguments.table:
        table(arguments.table)
    elif arguments.directory:
        history(arguments)
    else:
        parser.error("a project directory or --table is needed")


if __name__ == "__main__":
    main()
