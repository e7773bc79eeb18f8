#!/usr/bin/env python3
"""How long `tamis select` takes when nothing has changed, over `cat` of the same class files.

The suite (commons-math3 unless told otherwise) is laid out as two directories of class files, its tests run
once under tamis, and then the whole process of `tamis select` is timed against `cat`, interleaved.

    cargo build --release -p tamis
    bench/analysis.py --out bench/results/analysis.json
"""
import argparse, json, os, pathlib, statistics, subprocess, sys, tempfile, time, zipfile
import overhead


def timed(command, cwd):
    start = time.monotonic()
    done = subprocess.run(command, cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, shell=isinstance(command, str))
    return (time.monotonic() - start) * 1000, done.stdout


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--suite", choices=overhead.SUITES, default="commons-math3")
    parser.add_argument("--runs", type=int, default=21)
    parser.add_argument("--tamis", default=str(overhead.ROOT / "target/release/tamis"))
    parser.add_argument("--work", default=os.path.expanduser("~/.cache/tamis-bench"))
    parser.add_argument("--out")
    options = parser.parse_args()
    tests, jars = overhead.download(options.suite, pathlib.Path(options.work))
    main_jar = tests.with_name(tests.name.replace("-tests.jar", ".jar"))
    classes = overhead.test_classes(options.suite, tests)
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
        rows = []
        for _ in range(options.runs + 1):
            select, answer = timed([options.tamis, "select"], root)
            cat, _ = timed("xargs -0 cat < files.txt > /dev/null", root)
            rows.append({"select_ms": round(select, 1), "cat_ms": round(cat, 1)})
        rows = rows[1:]
        result = {
            "suite": options.suite, "class_files": len(files), "test_classes": len(classes),
            "answer": answer.decode().strip().splitlines()[-1:],
            "select_ms": statistics.median(r["select_ms"] for r in rows),
            "cat_ms": statistics.median(r["cat_ms"] for r in rows),
            "ratio": round(statistics.median(r["select_ms"] / r["cat_ms"] for r in rows), 2), "runs": rows}
    print({k: v for k, v in result.items() if k != "runs"})
    if options.out:
        pathlib.Path(options.out).parent.mkdir(parents=True, exist_ok=True)
        pathlib.Path(options.out).write_text(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    sys.exit(main())
