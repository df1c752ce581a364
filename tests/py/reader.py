"""The reader rules of docs/design.md section 4, written from that page alone.

Shares no code with the program, so that tests compare two readings of one rule. `live(folder)` is
the open rule, `live(folder, strict=True)` the strict one; `read` gives the rows of a partition or
of a whole lake as one Arrow table, starting over where a file went away meanwhile.
"""

import json
import pathlib
import re

import pyarrow
import pyarrow.parquet as parquet

MANIFESTS = ("manifest.json", "_manifest.json")
TRIES = 3
# <uuidv7>_<pid>_e<epoch>.parquet
OUTPUT = r"[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}_%s_e[0-9]+\.parquet"


class Blocked(Exception):
    """A state that no reader may guess about."""


class Gone(Exception):
    """A live file is not there, and the manifest has not changed."""


def is_data(name):
    return name.endswith(".parquet") and name[0] not in "_." and len(name) > len(".parquet")


def _manifest_bytes(folder):
    found = []
    for name in MANIFESTS:
        try:
            found.append((folder / name).read_bytes())
        except FileNotFoundError:
            pass
    if len(found) > 1:
        raise Blocked(f"{folder}: both {MANIFESTS[0]} and {MANIFESTS[1]}")
    return found[0] if found else None


def _parse(folder, raw):
    """(names of files, the object of Lithify or None), checked as section 4 asks."""
    try:
        manifest = json.loads(raw)
    except ValueError as problem:
        raise Blocked(f"{folder}: no JSON: {problem}") from None
    names = manifest["files"]
    ours = manifest.get("lithify")
    for name in names:
        if "/" in name or not is_data(name):
            raise Blocked(f"{folder}: {name!r} is not a bare name")
    if len(set(names)) != len(names):
        raise Blocked(f"{folder}: a name stands twice in files")
    if ours:
        if [entry["name"] for entry in ours["files"]] != names:
            raise Blocked(f"{folder}: files and lithify.files differ")
        retired = [entry["name"] for entry in ours["retired"]]
        if len(set(retired)) != len(retired) or set(retired) & set(names):
            raise Blocked(f"{folder}: files and retired overlap")
    return names, ours


def _listed(folder):
    """Data files by name with their size; a name that goes away while it is looked at is not there."""
    sizes = {}
    for path in folder.iterdir():
        try:
            if is_data(path.name) and path.is_file():
                sizes[path.name] = path.stat().st_size
        except FileNotFoundError:
            pass
    return sizes


def resolve(folder, strict=False):
    """(sorted live paths, bytes of the manifest or None): one list, then one read of the manifest."""
    folder = pathlib.Path(folder)
    listed = _listed(folder)
    raw = _manifest_bytes(folder)
    if raw is None:
        return sorted(folder / name for name in listed), None
    names, ours = _parse(folder, raw)
    if strict or not ours:
        return sorted(folder / name for name in names), raw
    retired = {entry["name"] for entry in ours["retired"]}
    gone = {(entry["name"], entry["size"]) for entry in ours["gone"]}
    output = re.compile(OUTPUT % re.escape(ours["pid"]))
    live = set(names)
    for name, size in listed.items():
        if name not in retired and (name, size) not in gone and not output.fullmatch(name):
            live.add(name)
    return sorted(folder / name for name in live), raw


def live(folder, strict=False):
    return resolve(folder, strict)[0]


def partitions(root):
    """Directories below `root` that hold data files or a manifest; not those of an audit series."""
    root = pathlib.Path(root)
    series = {path.parent for path in root.rglob("_lithify_audit.json")} - {root}
    found = set()
    for path in root.rglob("*"):
        inner = path.relative_to(root).parts[:-1]
        if any(part[0] in "_." for part in inner) or series & set(path.parents):
            continue
        if is_data(path.name) or path.name in MANIFESTS:
            found.add(path.parent)
    return sorted(found)


def read_partition(folder, strict=False, columns=None):
    """(the rows, the generation they are of; 0 without a manifest)."""
    seen, tries = b"", 0
    while True:
        paths, raw = resolve(folder, strict)
        tries = tries + 1 if raw == seen else 1
        seen = raw
        try:
            tables = [parquet.ParquetFile(path).read(columns=columns) for path in paths]
        except FileNotFoundError as problem:
            if tries >= TRIES:
                raise Gone(f"{problem.filename or problem} of {folder}") from None
            continue
        if strict and raw is None and _manifest_bytes(pathlib.Path(folder)) is not None:
            continue
        return tables, json.loads(raw)["generation"] if raw else 0


def has_tiers(root):
    """Whether files of the lake may be rolled up: its own file says so before the first one is."""
    try:
        return json.loads((pathlib.Path(root) / "_lithify.json").read_bytes())["format"] >= 2
    except (FileNotFoundError, ValueError):
        return False


def _ours(raw):
    return json.loads(raw).get("lithify", {}) if raw else {}


def _tiers_paths(root, strict):
    """Live files of a lake with tiers, or None where rows moved while it was read: lists and manifests
    from below to above, then those below once more. What is handed to a commit that is taken is dead."""
    states = {}
    for folder in reversed(partitions(root)):
        states[folder] = resolve(folder, strict)
    for above in {folder.parent for folder in states} - states.keys():
        if above.is_relative_to(root) and _ours(_manifest_bytes(above)).get("taken"):
            return None  # a folder that was no partition before
    paths = []
    for folder in sorted(states):
        live_paths, raw = states[folder]
        taken = {entry["commit_id"] for entry in _ours(states.get(folder.parent, (0, b""))[1]).get("taken", [])}
        if taken and _manifest_bytes(folder) != raw:
            return None
        handed = _ours(raw).get("handed")
        dead = {entry["name"] for entry in handed["files"]} if handed and handed["commit_id"] in taken else set()
        paths += [path for path in live_paths if path.name not in dead]
    return paths


def _tiers_tables(root, strict, columns):
    for _ in range(100):
        paths = _tiers_paths(root, strict)
        if paths is None:
            continue
        try:
            return [parquet.ParquetFile(path).read(columns=columns) for path in paths]
        except FileNotFoundError:
            continue
    raise Gone(f"{root}: changes all the time")


def read(root, strict=False, columns=None):
    """All rows of a lake or of one partition as one table."""
    if has_tiers(root):
        return pyarrow.concat_tables(_tiers_tables(root, strict, columns), promote_options="default")
    tables = []
    for folder in partitions(root):
        tables += read_partition(folder, strict, columns)[0]
    return pyarrow.concat_tables(tables, promote_options="default")
