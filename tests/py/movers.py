"""The ways in which the program moves a chunk, and how a test asks for one of them.

A test that takes `mover` runs once for each; `merge` forces it. `auto` is what users get; `copy`
copies pages that are too small to be worth it, too, as most of a test's are.
"""

import json
import subprocess

import lithify

# Name -> (options of `lithify merge`, environment).
MOVERS = {
    "auto": ([], {}),
    "copy": (["--movers", "copy"], {}),
    "recode": (["--movers", "recode"], {}),
}
# What the property test must have seen by its end: "MOVER WAY", as `ways` and it name them.
WAYS = {"auto splice", "auto identity", "auto remap", "auto regroup", "auto recode",
        "copy splice", "copy identity", "copy remap", "copy recode",
        "recode recode", "recode regroup", "tool define", "tool null"}
FIELDS = {"splice": "spliced_bytes", "remap": "remapped_bytes", "regroup": "regrouped_bytes",
          "recode": "recoded_bytes"}
# Not reachable from the program yet: all that is REQUIRED becomes OPTIONAL, and these are added.
TOOL = lithify.pathlib.Path(lithify.BIN).parent / "tests" / "unit" / "define_columns"
ADDED = ("added", "added_list")


def in_turn(cases):
    """(case, mover) for each case: where a case takes long, each has one mover, all take turns."""
    return [(case, list(MOVERS)[number % len(MOVERS)]) for number, case in enumerate(cases)]


def merge(mover, output, inputs, *options):
    """`lithify merge` with one mover; returns the output files."""
    more, env = MOVERS[mover]
    return lithify.merge(output, inputs, *more, *options, env=env)


def ways(mover, output, inputs, *options):
    """The same into one file; returns the ways that pages went. Identity is splicing, too: of ids."""
    more, env = MOVERS[mover]
    said = json.loads(lithify.ok("merge", "--json", "--explain", *more, *options, "-o", output, *inputs,
                                 env=env).out)
    assert said["result"]["outputs"] == 1 and list(output.parent.iterdir()) == [output], said["result"]
    found = {way for way, field in FIELDS.items() if said["result"][field]}
    if any(one["mover"] == "splice" and "its dictionary begins" in one["reason"]
           for one in said["explained"]):
        found.add("identity")
    return found


def define(source, target, *where):
    """A file moved under a wider schema (tests/unit/define_columns.c); compressed bytes by mover."""
    done = subprocess.run([TOOL, source, target, *where], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    words = done.stdout.split()
    return dict(zip(words[::2], map(int, words[1::2])))
