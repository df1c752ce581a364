"""What must be true of a lake when the power went, whatever was left on the disk."""

import collections
import subprocess

import audit
import changes
import lithify
import numbered
import reader

# The numbers of all rows; of those that a manifest may not name yet; of those that a command takes out; the
# scenario.
Wanted = collections.namedtuple("Wanted", "ids late gone name")


def wanted(name, ids, late):
    """Of a scenario of changes.py and what its lake was made with."""
    return Wanted(set(ids), set(late), set(changes.SCENARIOS[name].gone) & set(ids), name)


def run(words):
    done = subprocess.run([lithify.BIN, *map(str, words)], stdin=subprocess.DEVNULL, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=lithify.SECONDS_MAX,
                          env=lithify.environment())
    return done.returncode, done.stdout


def manifests(root):
    """What was acknowledged."""
    return {path.relative_to(root): path.read_bytes() for path in root.rglob("manifest.json")}


def left_of(rows, root):
    """What goes does so at once: from then on it is not there."""
    if not rows.gone or rows.gone & set(reader.read(root)["id"].to_pylist()):
        return rows
    return rows._replace(ids=rows.ids - rows.gone, late=rows.late - rows.gone, gone=set())


def check_rows(root, rows, where):
    """Both rules; a strict reader sees late files all or none: they are named in one commit."""
    numbered.check(reader.read(root), rows.ids, where=f"{where}: the open rule")
    listed = run(["ls", root])[1].splitlines()
    numbered.check(numbered.of_files(listed), rows.ids, where=f"{where}: lithify ls")
    strict = reader.read(root, strict=True)
    is_named = set(strict["id"].to_pylist()) & rows.late
    numbered.check(strict, rows.ids if is_named else rows.ids - rows.late, where=f"{where}: the strict rule")


def check(root, rows, acknowledged, where):
    """Every row is there once, and what was acknowledged, which may be None; after a sweep nothing is
    there but what counts."""
    if acknowledged:
        assert manifests(root) == acknowledged, f"{where}: a commit that was acknowledged is not there"
    changes.mend(rows.name, root, where)
    rows = left_of(rows, root)
    check_rows(root, rows, where)
    changes.age_probes(root.parent)
    tiers = ["--tiers", "day"] if changes.SCENARIOS[rows.name].command == changes.ROLLUP else []
    for words in [[*changes.compact_of(root), *tiers], changes.GC, changes.GC, ["fsck"]]:
        code, text = run([*words, root])
        assert code == lithify.DONE, f"{where}: lithify {words[0]}: exit {code}: {text}"
    audit.check(root, where=where)
    check_rows(root, rows._replace(late=set()), where)
    changes.check_only_live(root, where)
