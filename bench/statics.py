#!/usr/bin/env python3
"""How long static selection takes: reading classes, building each graph, and finding the tests that a change affects.

Subjects are commons-math3 with its tests, and the classes of the JDK in parts of growing size. Each is read with an
empty cache (cold), with a full one (warm), and after one class file was written again (one class).

    cargo build --release -p tamis-graph --example reach
    bench/statics.py --out bench/results/statics.json --plot bench/results/statics.svg
"""
import argparse, json, os, pathlib, re, shutil, statistics, subprocess, sys, tempfile, zipfile
import overhead

MATH = "org.apache.commons.math3.util.FastMath#sin(D)D"
JDK = "java.util.ArrayList#grow(I)[Ljava/lang/Object;"
LINE = re.compile(r"^(\S+) (\d+) ms(?:, (\d+) of (\d+) tests, (\d+) nodes, (\d+) edges)?$")


def run(reach, cache, path, change):
    process = subprocess.Popen([reach, cache, path, change], stdout=subprocess.PIPE, text=True)
    output = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    assert status == 0, output
    row = {"cpu_ms": round((usage.ru_utime + usage.ru_stime) * 1000), "peak_mib": usage.ru_maxrss // 1024}
    for line in output.splitlines():
        name, ms, affected, tests, nodes, edges = LINE.match(line).groups()
        row[name] = int(ms)
        if affected is not None:
            row[f"{name} affected"] = int(affected)
            row["tests"], row["nodes"], row["edges"] = int(tests), int(nodes), int(edges)
    return row


def measure(options, name, path, change, touched):
    with tempfile.TemporaryDirectory() as cache:
        rows = {"cold": [], "warm": [], "one class": []}
        for _ in range(options.runs):
            shutil.rmtree(cache, ignore_errors=True)
            rows["cold"].append(run(options.reach, cache, path, change))
            subprocess.run(["sleep", "3"])  # what is younger than two seconds is read again
            run(options.reach, cache, path, change)
            rows["warm"].append(run(options.reach, cache, path, change))
            touched.write_bytes(touched.read_bytes())
            rows["one class"].append(run(options.reach, cache, path, change))
    median = {state: {k: statistics.median(r[k] for r in all) for k in all[0]} for state, all in rows.items()}
    classes = sum(1 for entry in path.split(":") for _ in pathlib.Path(entry).rglob("*.class"))
    for state, row in median.items():
        print(f"{name}, {classes} classes, {state}: " + ", ".join(f"{k} {v:g}" for k, v in row.items()))
    return {"subject": name, "classes": classes, "median": median, "runs": rows}


def plot(results):
    """Seconds over classes, as SVG: a line per state of the cache, with a point per subject."""
    width, height, left, bottom, colours = 640, 360, 60, 50, {"cold": "#b3402a", "warm": "#2a6fb3", "one class": "#3a8f4d"}
    results = sorted(results, key=lambda result: result["classes"])
    most = max(result["classes"] for result in results)
    slowest = max(state["mest"] for result in results for state in result["median"].values()) / 1000
    x = lambda classes: left + (width - left - 20) * classes / most
    y = lambda seconds: height - bottom - (height - bottom - 20) * seconds / slowest
    text = lambda at, down, words, more="": f'<text x="{at:.0f}" y="{down:.0f}" {more}>{words}</text>'
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" font-family="sans-serif" font-size="12">',
             f'<rect width="{width}" height="{height}" fill="white"/>',
             f'<path d="M{left} 20V{height - bottom}H{width - 20}" fill="none" stroke="black"/>',
             text(width / 2, height - 12, "classes", 'text-anchor="middle"'),
             text(left, 14, "seconds until the tests are found, all graphs one after the other")]
    for share in (0, 0.25, 0.5, 0.75, 1):
        parts.append(text(x(most * share), height - bottom + 16, f"{most * share:,.0f}", 'text-anchor="middle"'))
        parts.append(text(left - 6, y(slowest * share) + 4, f"{slowest * share:.1f}", 'text-anchor="end"'))
    for row, (state, colour) in enumerate(colours.items()):
        points = [(x(result["classes"]), y(result["median"][state]["mest"] / 1000)) for result in results]
        line = " ".join(f"{across:.1f},{down:.1f}" for across, down in points)
        parts.append(f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="2"/>')
        parts += [f'<circle cx="{across:.1f}" cy="{down:.1f}" r="3" fill="{colour}"/>' for across, down in points]
        parts.append(text(left + 20, 40 + 16 * row, state, f'fill="{colour}"'))
    return "\n".join([*parts, "</svg>", ""])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--reach", default=str(overhead.ROOT / "target/release/examples/reach"))
    parser.add_argument("--jdk", default=os.environ.get("JAVA_HOME", "/usr/lib/jvm/default-java"))
    parser.add_argument("--work", default=os.path.expanduser("~/.cache/tamis-bench"))
    parser.add_argument("--out")
    parser.add_argument("--plot")
    options = parser.parse_args()
    results = []
    with tempfile.TemporaryDirectory() as work:
        work = pathlib.Path(work)
        tests, _ = overhead.download("commons-math3", pathlib.Path(options.work))
        for jar, directory in ((tests.with_name(tests.name.replace("-tests.jar", ".jar")), "classes"), (tests, "test-classes")):
            zipfile.ZipFile(jar).extractall(work / directory)
        path = f"{work / 'classes'}:{work / 'test-classes'}"
        touched = work / "classes/org/apache/commons/math3/util/FastMath.class"
        results.append(measure(options, "commons-math3", path, MATH, touched))
        image = work / "jdk"
        subprocess.run([f"{options.jdk}/bin/jimage", "extract", "--dir", image, f"{options.jdk}/lib/modules"], check=True)
        modules = sorted(image.iterdir(), key=lambda m: (m.name != "java.base", m.name))
        for share in (1, 4, 16, len(modules)):
            part = modules[:share]
            touched = image / "java.base/java/util/ArrayList.class"
            results.append(measure(options, f"JDK, {share} modules", ":".join(map(str, part)), JDK, touched))
    if options.out:
        pathlib.Path(options.out).write_text(json.dumps(results, indent=1) + "\n")
    if options.plot:
        pathlib.Path(options.plot).write_text(plot(results))


if __name__ == "__main__":
    sys.exit(main())
