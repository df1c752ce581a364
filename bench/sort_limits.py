"""What a sorted rewrite has to reach, as ratios within one run."""

from limits import MIB, Verdict, ratio
from sort_pruning import BY_KEYS, UNSORTED

SORTED_MAX = 1.2       # of the time without a sort, where the inputs are in order
DUCKDB_MAX = 1 / 3     # of the time of DuckDB's sort
MEMORY_MAX = 1 / 4     # of its peak memory
BYTES_READ_MAX = 1 / 5  # of what a query has to read without a sort


def ordered_verdicts(lake, medians):
    """Of inputs that are in order: each level of verification against itself."""
    for level in ("off", "content"):
        plain, in_order = medians.get(f"lithify-{level}"), medians.get(f"lithify-sorted-{level}")
        if plain and in_order:
            yield ratio(lake, f"sorted / unsorted, {level}", in_order, plain, SORTED_MAX)


def fastest_duckdb(medians, threads):
    """The name of DuckDB's fastest run with so many threads, or None."""
    names = [name for name in medians
             if name.startswith("duckdb") and name.endswith(f"-t{threads}")]
    return min(names, key=lambda name: medians[name]["wall"], default=None)


def peer_verdicts(lake, medians):
    """Each run of Lithify against DuckDB's fastest with one thread: time, and peak memory."""
    peer = fastest_duckdb(medians, 1)
    for name, run in medians.items():
        if peer and name.startswith("lithify"):
            other = medians[peer]
            yield ratio(lake, f"{name} wall / {peer}", run, other, DUCKDB_MAX)
            yield Verdict(lake, f"{name} peak / {peer}", run["peak_bytes"] / other["peak_bytes"],
                          MEMORY_MAX)


def pruning_verdicts(facts):
    size = {fact["configuration"]: fact["chunk_bytes_read"] for fact in facts}
    yield Verdict("services", "bytes to read, sorted / unsorted", size[BY_KEYS] / size[UNSORTED],
                  BYTES_READ_MAX)


def against_two_threads(lake, medians):
    """Sentences without a limit: DuckDB with both processors."""
    peer = fastest_duckdb(medians, 2)
    for name, run in medians.items():
        if peer and name.startswith("lithify"):
            other = medians[peer]
            memory = run["peak_bytes"] / other["peak_bytes"]
            yield (f"- {lake}, {name}: {run['wall'] / other['wall']:.3f} of {peer}'s wall time, "
                   f"{memory:.3f} of its {other['peak_bytes'] / MIB:.0f} MiB")
