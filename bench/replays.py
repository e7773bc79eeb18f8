#!/usr/bin/env python3
"""What `tamis replay` found out, kept and put side by side.

    tamis --project DIR replay --no-ae --techniques ekstazi,hyrts-f,hyrts,hyrts-b,hyrts+method,hyrts+exact --out OUT ...
    bench/replays.py --keep OUT/replay.json bench/results/replay-NAME.json      # without what is the project's own
    tamis --project DIR replay --mutants 200 --techniques ... --out OUT ...     # replay-mutants-NAME.json
    tamis --project DIR replay --mutants 100 --alone --techniques ... --out OUT # replay-alone-NAME.json
    bench/replays.py bench/results/replay-*.json > bench/results/replays.md
"""
import collections, json, pathlib, sys


def keep(source, target):
    """Figures only: no first lines of messages; of test classes that end as expected only how many there are."""
    document = json.loads(pathlib.Path(source).read_text())
    for step in document["replay"]["steps"]:
        del step["subject"]
        step["retest"]["classes"] = dict(collections.Counter(step["retest"]["classes"].values()))
    pathlib.Path(target).write_text(json.dumps(document, indent=1) + "\n")


percent = lambda share: f"{100 * share:.1f} %"
of_sums = lambda ratio: percent(ratio["of_sums"]) if ratio and ratio["whole"] else "–"


def table(head, rows):
    ruler = ["---"] + ["--:"] * (len(head) - 1)
    return "\n".join("| " + " | ".join(map(str, row)) + " |" for row in [head, ruler, *rows])


def history(replays):
    names = [technique["name"] for technique in replays[0][1]["figures"]["techniques"]]
    short, summary, rows = [], [], []
    for name, document in replays:
        figures, steps = document["figures"], document["replay"]["steps"][1:]
        skipped, techniques = figures["skipped"], {technique["name"]: technique for technique in figures["techniques"]}
        missed = max(len(technique["missed"]) for technique in figures["techniques"])
        pair = lambda technique: f"{of_sums(technique['classes'])}, {of_sums(technique['aec'])}"
        short.append([name, figures["steps"], f"{figures['retest']['median']:.0f} s", figures["differing"], figures["failing"], missed,
                      *(pair(techniques[each]) if each in techniques else "–" for each in names)])
        sizes = [sum(step["retest"]["classes"].values()) for step in steps]
        tests = [step["retest"]["tests"] for step in steps]
        summary.append([name, figures["steps"], skipped.get("no-relevant-change", 0), skipped.get("does-not-build", 0),
                        max(sizes), max(tests), f"{figures['retest']['median']:.0f} s", figures["differing"], figures["failing"],
                        figures.get("endings", {}).get("repaired", "–"), len(figures["flaky"])])
        rows += [[name, technique["name"], of_sums(technique["classes"]),
                  percent(technique["classes"]["per_step"]["median"]), of_sums(technique["tests"]), of_sums(technique["ae"]),
                  of_sums(technique["aec"]), f"{technique['analysis']['median'] * 1000:.0f} ms",
                  f"{technique['collection']['median'] * 1000:.0f} ms", technique["differing"], len(technique["missed"]),
                  len(technique["problems"])]
                 for technique in figures["techniques"]]
    return [table(["project", "commits", "all tests", "ended differently", "of these failed", "missed", *map("`{}`".format, names)], short),
            "The first figure of each pair is the share of test classes selected, the second AEC, the time end to end with "
            "recording; of all tests, in sums over the commits. `all tests` is the median of their time.",
            table(["project", "commits", "left out: no relevant change", "does not build", "test classes", "tests",
                   "all tests, median", "classes that ended differently", "of these failed", "repaired", "flaky classes"], summary),
            "Repaired: failed at the commit before and passed; “–”: not known of replays that were kept without it.",
            table(["project", "technique", "test classes selected", "median", "tests selected", "AE", "AEC", "analysis",
                   "collection", "ended differently", "missed", "no answer"], rows)]


def alone(replays):
    rows = []
    for name, document in replays:
        group, name = document["figures"]["mutants"]["all"], name.removeprefix("alone-")
        rows += [[name, choice["name"], group["alone"], group["changed"], group["only_output"], group["endless"],
                  sum(len(miss["classes"]) for miss in choice["missed"]), len(choice["failed"]), of_sums(choice["classes"])]
                 for choice in group["techniques"]]
    return [table(["project", "technique", "mutants", "changed a test class", "only its output", "endless", "missed classes",
                   "no answer", "test classes selected"], rows)]


def mutants(replays):
    rows = []
    for name, document in replays:
        group, name = document["figures"]["mutants"]["all"], name.removeprefix("mutants-")
        rows += [[name, choice["name"], group["tried"], group["unreached"], group["endless"], choice["killed"], choice["kills"],
                  of_sums(choice["classes"]), sum(len(miss["classes"]) for miss in choice["missed"])]
                 for choice in group["techniques"]]
    return [table(["project", "technique", "mutants", "reached by no test", "endless", "killed by all tests",
                   "killed by the selected", "test classes selected", "missed"], rows)]


def command(name, document):
    setting, steps = document["replay"]["setting"], document["replay"]["steps"]
    where = (f"`{steps[0]['revision'][:9]}` to `{steps[-1]['revision'][:9]}`, {setting['runs']} run of each" if steps else
             f"`{setting['revision'][:9]}`, seed {setting['seed']}")
    return f"- {name.removeprefix('mutants-').removeprefix('alone-')}: {where}; {setting['runtime']}, {setting['machine']}; Maven with `{' '.join(setting['build_arguments'])}`"


def main(arguments):
    if arguments[:1] == ["--keep"] and len(arguments) == 3:
        return keep(*arguments[1:])
    if not arguments or arguments[0].startswith("-"):
        sys.exit(__doc__)
    documents = [(pathlib.Path(path).stem.removeprefix("replay-"), json.loads(pathlib.Path(path).read_text())) for path in arguments]
    kind = lambda document: "alone" if document["replay"]["setting"].get("alone") else "mutants" if document["figures"]["mutants"] else "history"
    split = [[one for one in documents if kind(one[1]) == name] for name in ("history", "mutants", "alone")]
    print("# Replays\n\nMade by `tamis replay`, put together by `bench/replays.py`. Shares are of the sums over all commits.")
    for title, some, parts in zip(("History", "Mutants", "Mutants, each alone"), split, (history, mutants, alone)):
        if some:
            print(f"\n## {title}\n\n" + "\n\n".join(parts(some)) + "\n\n" + "\n".join(command(*one) for one in some))


main(sys.argv[1:])
