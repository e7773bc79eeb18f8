#!/usr/bin/env python3
"""How long `tamis select` takes, over `cat` of the same class files: with nothing changed, and with one method changed.

commons-math3 is laid out as two directories of class files, its tests run once under tamis, and then the whole
process of `tamis select`, by classes (ekstazi) and by methods (hyrts), is timed against `cat`, interleaved. Then the
text that `Complex.toString` writes is changed, and the same is timed again.

    cargo build --release -p tamis
    bench/analysis.py --out bench/results/analysis.json
"""
import argparse, json, os, pathlib, statistics, subprocess, sys, tempfile, time, zipfile
import overhead


SUITE = "commons-math3"
CHANGED = "classes/org/apache/commons/math3/complex/Complex.class"


def timed(command, cwd):
    start = time.monotonic()
    done = subprocess.run(command, cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, shell=isinstance(command, str))
    return (time.monotonic() - start) * 1000, done.stdout


def measure(options, root):
    rows, answers = [], {}
    for _ in range(options.runs + 1):
        row = {}
        for technique in ("ekstazi", "hyrts"):
            command = [options.tamis, "select", "--no-build", "--technique", technique]
            row[technique], answer = timed(command, root)
            answers[technique] = len(answer.splitlines())
        row["cat"], _ = timed("xargs -0 cat < files.txt > /dev/null", root)
        rows.append({k: round(v, 1) for k, v in row.items()})
    rows = rows[1:]
    median = {k: statistics.median(r[k] for r in rows) for k in rows[0]}
    ratio = {k: round(statistics.median(r[k] / r["cat"] for r in rows), 2) for k in answers}
    return {"selected": answers, "median_ms": median, "over_cat": ratio, "runs": rows}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=21)
    parser.add_argument("--tamis", default=str(overhead.ROOT / "target/release/tamis"))
    parser.add_argument("--work", default=os.path.expanduser("~/.cache/tamis-bench"))
    parser.add_argument("--out")
    options = parser.parse_args()
    tests, jars = overhead.download(SUITE, pathlib.Path(options.work))
    main_jar = tests.with_name(tests.name.replace("-tests.jar", ".jar"))
    classes = overhead.test_classes(SUITE, tests)
    with tempfile.TemporaryDirectory() as root:
        root = pathlib.Path(root)
        for jar, directory in ((main_jar, "classes"), (tests, "test-classes")):
            zipfile.ZipFile(jar).extractall(root / directory)
        files = [f for d in ("classes", "test-classes") for f in (root / d).rglob("*.class")]
        path = ["test-classes", "classes"] + [str(jar) for jar in jars if jar not in (tests, main_jar)]
        (root / "arguments.txt").write_text("".join(f"--select-class={c}\n" for c in classes))
        command = [options.tamis, "test", "--", "java", "-cp", os.pathsep.join(path),
                   "org.junit.platform.console.ConsoleLauncher", "execute", "@arguments.txt", "--details=none"]
        subprocess.run(command, cwd=root, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(3)  # jars are indexed only when they are older than two seconds
        names = root / "files.txt"
        names.write_text("\0".join(map(str, files)))
        result = {"suite": SUITE, "class_files": len(files), "test_classes": len(classes)}
        for state in ("nothing changed", "one method changed"):
            if state != "nothing changed":
                before = (root / CHANGED).read_bytes()
                separator = b"\x01\x00\x02, "  # a constant of the pool: tag, length, text
                assert before.count(separator) == 1
                (root / CHANGED).write_bytes(before.replace(separator, b"\x01\x00\x02; "))
            result[state] = measure(options, root)
    for state in ("nothing changed", "one method changed"):
        print(state, {k: v for k, v in result[state].items() if k != "runs"})
    if options.out:
        pathlib.Path(options.out).parent.mkdir(parents=True, exist_ok=True)
        pathlib.Path(options.out).write_text(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    sys.exit(main())
