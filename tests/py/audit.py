"""The audit series of a lake, by the reader rule, and whether it has each commit exactly once."""

import collections
import json
import pathlib

import pyarrow
import pyarrow.parquet as parquet

import reader

NOTE = "_lithify_events"
LOG_COUNT_MIN = 64  # entries that a manifest's log keeps at least
MARK = "_lithify_audit.json"
TEXTS = pyarrow.list_(pyarrow.field("element", pyarrow.string()))
# As the series is specified: name, type, null allowed.
SCHEMA = pyarrow.schema([
    pyarrow.field("tenant_id", pyarrow.string(), False),
    pyarrow.field("timestamp", pyarrow.timestamp("ns", "UTC"), False),
    pyarrow.field("event_kind", pyarrow.uint8(), False),
    pyarrow.field("event_type", pyarrow.string(), False),
    pyarrow.field("reason", pyarrow.string()),
    pyarrow.field("compaction_partition", pyarrow.string()),
    pyarrow.field("compaction_input_files", TEXTS),
    pyarrow.field("compaction_output_file", pyarrow.string()),
    pyarrow.field("compaction_generation", pyarrow.uint64()),
    pyarrow.field("compaction_rows", pyarrow.uint64()),
    pyarrow.field("compaction_output_files", TEXTS),
    pyarrow.field("op", pyarrow.string()),
    pyarrow.field("bytes_before", pyarrow.uint64()),
    pyarrow.field("bytes_after", pyarrow.uint64()),
    pyarrow.field("duration_ns", pyarrow.uint64()),
    pyarrow.field("verify", pyarrow.string()),
    pyarrow.field("commit_id", pyarrow.string()),
])


def place(root):
    """Where the series of a lake is, unless it was told otherwise."""
    root = pathlib.Path(root).resolve()
    return root / "audit" if (root / "data").is_dir() else root.with_name(root.name + ".audit")


def files(series):
    """The files of the series that count."""
    return [path for folder in reader.partitions(series) for path in reader.live(folder)]


def events(series):
    """All events as dictionaries, by time."""
    found = []
    for path in files(series) if pathlib.Path(series).exists() else []:
        table = parquet.ParquetFile(path).read()
        times = table.column("timestamp").cast(pyarrow.int64())
        table = table.set_column(1, "timestamp", times)
        found += table.to_pylist()
    return sorted(found, key=lambda event: event["timestamp"])


def manifests(root):
    """(partition, what Lithify keeps in its manifest), of all of a lake."""
    for folder in reader.partitions(root):
        for name in reader.MANIFESTS:
            if (folder / name).exists():
                ours = json.loads((folder / name).read_bytes())["lithify"]
                yield folder.relative_to(root).as_posix(), ours


def logged(root):
    """Commit id -> (partition, generation, op), by the logs of the lake."""
    return {entry["commit_id"]: (partition, entry["generation"], entry["op"])
            for partition, ours in manifests(root) for entry in ours["log"]}


def check(root, series=None, where=""):
    """Fails unless each commit of the logs has exactly one event, and no note is left."""
    found = events(series or place(root))
    wanted = logged(root)
    counts = collections.Counter(event["commit_id"] for event in found)
    double = {id: count for id, count in counts.items() if count > 1}
    assert not double, f"{where}: several events of one commit: {double}"
    missing = {id: wanted[id] for id in set(wanted) - set(counts)}
    assert not missing, f"{where}: commits without an event: {missing}"
    for event in found:
        if event["commit_id"] in wanted:
            partition, generation, op = wanted[event["commit_id"]]
            told = (event["compaction_generation"], event["op"])
            assert told == (generation, op), f"{where}: {event}"
            # A test may have moved the partition since.
            moved = not (pathlib.Path(root) / event["compaction_partition"]).exists()
            assert moved or event["compaction_partition"] == partition, f"{where}: {event}"
    # Entries of a log that was never cut are all that there were.
    whole = {partition for partition, ours in manifests(root) if len(ours["log"]) < LOG_COUNT_MIN}
    strays = [event for event in found
              if event["commit_id"] not in wanted and event["compaction_partition"] in whole]
    assert not strays, f"{where}: events of no commit: {strays}"
    notes = [str(path) for path in pathlib.Path(root).rglob(NOTE + "*") if path.suffix != ".tmp"]
    assert not notes, f"{where}: {notes}"
    return found
