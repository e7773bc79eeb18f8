#!/usr/bin/env python3
"""What each technique selects over the history of a Maven project.

    cargo build --release -p tamis
    bench/techniques.py DIR --last 10 --tamis target/release/tamis --out bench/results/techniques-NAME.json
    bench/techniques.py --table bench/results/techniques-*.json > bench/results/techniques.md

DIR, a git repository, is cloned; the last commits that change Java files are taken. At each revision, in order, the tests are compiled; every technique is asked
what it would run (`tamis select --no-build`); then all tests run and are recorded by single tests
(`tamis test --technique all --granularity method --record-blocks --receivers exact`). So each technique is asked
about the same step, from one commit to the next. A test class is missed by a technique if its outcome (what each of its tests ended with,
from Surefire's reports) is not that of the revision before, and the technique would not run it. Single tests are
checked in the same way where both revisions know them.
"""
import argparse, collections, json, os, pathlib, platform, shutil, subprocess, sys, tempfile
from history import chosen, forget_reports, git, outcomes, timed, what_changed

WAYS = {
    "ekstazi": ["--technique", "ekstazi"],
    "hyrts-f": ["--technique", "hyrts-f"],
    "hyrts-f, no rules": ["--technique", "hyrts-f", "--without-rules", "all"],
    "hyrts": ["--technique", "hyrts"],
    "hyrts, no rules": ["--technique", "hyrts", "--without-rules", "all"],
    "hyrts, exact receivers": ["--technique", "hyrts", "--receivers", "exact"],
    "hyrts-b": ["--technique", "hyrts-b"],
    "hyrts-b, no rules": ["--technique", "hyrts-b", "--without-rules", "all"],
}
# The study variants of the HyRTS paper, and the same for fields; asked for with --study.
STUDY = {f"hyrts, {kind} as file": ["--technique", "hyrts", "--treat-as-file", kind]
         for kind in "ASI DSI CSI AI DI CI ASM DSM CSM AIM DIM CIM AFD DFD CFD".split()}


def asked(tamis, directory, log, *arguments):
    answer = pathlib.Path(log).with_suffix(".json")
    answer.unlink(missing_ok=True)
    run = timed([tamis, *arguments, "--json", answer], directory, log)
    run["answer"] = json.loads(answer.read_text()) if answer.exists() else {"tests": []}
    return run


def class_of(test):
    return f"{test['module']}:{test['id'].split('#')[0].split('$')[0]}"


def single(test):
    return f"{test['module']}:{test['id']}"


def selection(tamis, clone, log, way):
    """What would be left out: classes and single tests, and how long the answer took."""
    run = asked(tamis, clone, log, "select", "--no-build", "--granularity", "method", *way)
    tests = run["answer"]["tests"]
    chosen_classes = {class_of(t) for t in tests if t["selected"]}
    left_out = {single(t) for t in tests if not t["selected"]}
    kinds = collections.Counter(r.get("change") if r["kind"] in ("member", "class") else r["kind"]
                                for t in tests for r in t["reasons"])
    rules = run["answer"].get("saved_by_rules", {})
    return {"classes": chosen_classes, "saved_by_rules": rules, "known": {class_of(t) for t in tests}, "left_out": left_out,
            "kinds": dict(kinds), "analysis_ms": run["answer"].get("phases", {}).get("analysis_ms")}


def revision(arguments, mvn, clone, work, commit, before):
    git(clone, "checkout", "-q", "-f", commit)
    forget_reports(clone)
    log = lambda what: f"{work}/{commit[:8]}-{what}.log"
    compiled = timed(["mvn", "test-compile", *mvn], clone, log("compile"))
    ways = dict(WAYS, **(STUDY if arguments.study else {}))
    answers = {}
    if before is not None and compiled["exit"] == 0:
        for name, way in ways.items():
            answers[name] = selection(arguments.tamis, clone, log("select"), way)
    everything = asked(arguments.tamis, clone, log("all"), "test", "--technique", "all", "--granularity", "method", "--record-blocks",
                       "--receivers", "exact", *mvn)
    tests = everything["answer"]["tests"]
    now = {"classes": outcomes(clone), "single": {single(t): t["outcome"] for t in tests}}
    row = {"classes": len(now["classes"]), "tests": len(tests), "compiled": compiled, "all": {k: everything[k] for k in ("exit", "wall_s", "cpu_s")}}
    if before is not None and compiled["exit"] == 0:
        listed = {class_of(t) for t in tests}
        differ = {c for c in listed if c in before["classes"] and now["classes"].get(c) != before["classes"][c]}
        single_differ = {t for t, end in now["single"].items() if t in before["single"] and before["single"][t] != end}
        row |= {"outcome_changes": sorted(differ), "single_outcome_changes": sorted(single_differ), "techniques": {}}
        for name, answer in answers.items():
            skipped_classes = {c for c in listed if c in answer["known"] and c not in answer["classes"]}
            skipped = {t for t in now["single"] if t in answer["left_out"] or t.split("#")[0] in answer["left_out"]}
            row["techniques"][name] = {
                "classes": len(listed) - len(skipped_classes), "of_classes": len(listed),
                "tests": len(now["single"]) - len(skipped), "of_tests": len(now["single"]),
                "missed": sorted(differ & skipped_classes), "missed_tests": sorted(single_differ & skipped),
                "kinds": answer["kinds"], "saved_by_rules": answer["saved_by_rules"], "analysis_ms": answer["analysis_ms"]}
    return now, row


def history(arguments):
    directory = os.path.abspath(arguments.directory)
    commits = arguments.revisions or chosen(directory, arguments.head, arguments.last, arguments.path or [":(glob)**/*.java"])
    commits = [git(directory, "rev-parse", f"{c}^{{commit}}").strip() for c in commits]
    mvn = ["-B", "-ntp", "-Dmaven.test.failure.ignore=true", *arguments.maven]
    work = tempfile.mkdtemp(prefix="tamis-techniques-")
    print(f"logs in {work}", file=sys.stderr)
    clone = f"{work}/clone"
    subprocess.run(["git", "clone", "-q", "--no-checkout", directory, clone], check=True)
    result = {"project": arguments.name or pathlib.Path(directory).name, "maven": mvn, "machine": platform.machine(),
              "cores": os.cpu_count(), "note": arguments.note, "revisions": []}
    before = None
    for place, commit in enumerate(commits):
        now, row = revision(arguments, mvn, clone, work, commit, before)
        changed = what_changed(directory, commits[place - 1], commit) if place else {}
        result["revisions"].append({"commit": commit, "changed": changed, **row})
        told = {name: f"{t['classes']}/{t['of_classes']} {t['tests']}/{t['of_tests']} missed {len(t['missed']) + len(t['missed_tests'])}"
                for name, t in row.get("techniques", {}).items()}
        print(commit[:8], changed, row["classes"], row["tests"], told, file=sys.stderr, flush=True)
        pathlib.Path(arguments.out).write_text(json.dumps(result, indent=1) + "\n")
        if row["compiled"]["exit"] == 0:
            before = now
    if not arguments.keep:
        shutil.rmtree(work)


def table(files):
    print("# What each technique selects, commit by commit\n\nWritten by `bench/techniques.py --table`; what the "
          "columns mean stands there. `no rules`: no change is excused. `saved by rules`: single tests that each rule kept "
          "from running, summed over the commits.\n")
    print("| project | commits | technique | test classes | selected | single tests | selected | outcome changes, classes | missed "
          "| outcome changes, tests | missed | saved by rules |\n|---|--:|---|--:|--:|--:|--:|--:|--:|--:|--:|---|")
    share = lambda part, whole: f"{part} ({100 * part / whole:.1f} %)" if whole else "-"
    notes = []
    for file in files:
        result = json.loads(pathlib.Path(file).read_text())
        rows = [r for r in result["revisions"] if r.get("techniques")]
        for name in rows[0]["techniques"] if rows else []:
            of = [r["techniques"][name] for r in rows]
            add = lambda key: sum(t[key] for t in of)
            rules = sum((collections.Counter(t.get("saved_by_rules")) for t in of), collections.Counter()).most_common()
            saved = ", ".join(f"{rule} {tests}" for rule, tests in rules) or "-"
            if not all("saved_by_rules" in t for t in of):
                saved = "not recorded"
            print(f"| {result['project']} | {len(rows)} | {name} | {add('of_classes')} | {share(add('classes'), add('of_classes'))} "
                  f"| {add('of_tests')} | {share(add('tests'), add('of_tests'))} | {sum(len(r['outcome_changes']) for r in rows)} "
                  f"| {sum(len(t['missed']) for t in of)} | {sum(len(r['single_outcome_changes']) for r in rows)} | {sum(len(t['missed_tests']) for t in of)} | {saved} |")
        if result["note"]:
            notes.append(f"- {result['project']}: {result['note']}")
    print("\n" + "\n".join(notes))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directory", nargs="?")
    parser.add_argument("--last", type=int, default=10)
    parser.add_argument("--head", default="HEAD")
    parser.add_argument("--path", action="append", help="take the commits that change such files; default: any Java file")
    parser.add_argument("--revisions", nargs="+")
    parser.add_argument("--tamis", default="tamis")
    parser.add_argument("--maven", action="append", default=[])
    parser.add_argument("--study", action="store_true", help="ask the study variants of the HyRTS paper too")
    parser.add_argument("--name")
    parser.add_argument("--note", default="")
    parser.add_argument("--keep", action="store_true", help="keep the clone and the logs")
    parser.add_argument("--out")
    parser.add_argument("--table", nargs="+", metavar="FILE")
    arguments = parser.parse_args()
    if arguments.table:
        return table(arguments.table)
    arguments.tamis = os.path.abspath(arguments.tamis)
    return history(arguments)


if __name__ == "__main__":
    sys.exit(main())
