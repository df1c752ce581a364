"""What the merge has to reach, as ratios within one run, and whether it does.

Compared is the run without verification with engines on one thread; memory is the larger of both
runs of Lithify. Where DuckDB runs in two ways, the faster one counts.
"""

import dataclasses

MIB = 1 << 20


@dataclasses.dataclass(frozen=True)
class Limits:
    """Wall time of the merge over that of another (None: not compared), content over off, peak
    memory, and output bytes over those of `bytes_of`: inputs, polars, or the smaller peer."""

    floor: float
    duckdb: float
    polars: float
    content: float
    peak_mib: int
    bytes: float
    bytes_of: str


LIMITS = {
    "L1": Limits(1.5, 1 / 7, None, 1.4, 48, 1.00, "inputs"),
    "L2": Limits(None, 1 / 6, 1 / 4, 1.5, 48, 1.03, "smaller"),
    "L3": Limits(2.5, 1 / 40, None, 1.4, 64, 1.05, "smaller"),
    "L4": Limits(2.0, 1 / 7, None, 1.5, 48, 1.01, "inputs"),
    "L4r": Limits(None, 1 / 3, 1 / 2.5, 1.5, 48, 1.05, "polars"),
    "L5": Limits(None, 1 / 6, 1 / 4, 1.5, 64, 1.05, "smaller"),
}
# On L2 a larger output will do if more was copied and the time is below this part of DuckDB's.
L2_BYTES_MORE, L2_DUCKDB_THEN = 1.15, 1 / 8


@dataclasses.dataclass(frozen=True)
class Verdict:
    """`by_cpu` is the same ratio of processor times, which tells more on a busy machine."""

    lake: str
    what: str
    value: float
    limit: float
    by_cpu: float = None

    @property
    def passed(self):
        return self.value <= self.limit


def duckdb_of(lake, medians):
    """The run of DuckDB that counts, or None."""
    names = ["duckdb-t1", "duckdb-tuned-t1"] if lake == "L3" else ["duckdb-t1"]
    runs = [medians[name] for name in names if name in medians]
    return min(runs, key=lambda run: run["wall"]) if runs else None


def bytes_base(kind, medians, input_bytes):
    """What the output is compared with; None if no such run was there."""
    if kind == "inputs":
        return input_bytes
    names = ["polars-t1"] if kind == "polars" else ["duckdb-t1", "polars-t1"]
    sizes = [medians[name]["output_bytes"] for name in names if name in medians]
    return min(sizes) if sizes else None


def ratio(lake, what, run, other, limit):
    return Verdict(lake, what, run["wall"] / other["wall"], limit, run["cpu"] / other["cpu"])


def verdicts(lake, medians, input_bytes):
    """A verdict for each limit of the lake whose runs are there; `medians` by configuration."""
    limits = LIMITS[lake]
    off, content = medians.get("lithify-off"), medians.get("lithify-content")
    if off is None:
        return []
    others = {"floor": medians.get("floor"), "duckdb": duckdb_of(lake, medians),
              "polars": medians.get("polars-t1")}
    found = [ratio(lake, f"wall / {name}", off, other, getattr(limits, name))
             for name, other in others.items() if other and getattr(limits, name)]
    if content:
        found.append(ratio(lake, "content / off", content, off, limits.content))
    peak = max(run["peak_bytes"] for run in (off, content) if run)
    found.append(Verdict(lake, "peak MiB", peak / MIB, limits.peak_mib))
    base = bytes_base(limits.bytes_of, medians, input_bytes)
    if base:
        allowed = limits.bytes
        duckdb = others["duckdb"]
        if lake == "L2" and duckdb and off["wall"] <= duckdb["wall"] * L2_DUCKDB_THEN:
            allowed = L2_BYTES_MORE
        found.append(Verdict(lake, f"bytes / {limits.bytes_of}", off["output_bytes"] / base,
                             allowed))
    return found
