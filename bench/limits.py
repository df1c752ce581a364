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
    lake: str
    what: str
    value: float
    limit: float

    @property
    def passed(self):
        return self.value <= self.limit


def duckdb_wall(lake, medians):
    names = ["duckdb-t1", "duckdb-tuned-t1"] if lake == "L3" else ["duckdb-t1"]
    walls = [medians[name]["wall"] for name in names if name in medians]
    return min(walls) if walls else None


def bytes_base(kind, medians, input_bytes):
    """What the output is compared with; None if no such run was there."""
    if kind == "inputs":
        return input_bytes
    names = ["polars-t1"] if kind == "polars" else ["duckdb-t1", "polars-t1"]
    sizes = [medians[name]["output_bytes"] for name in names if name in medians]
    return min(sizes) if sizes else None


def verdicts(lake, medians, input_bytes):
    """A verdict for each limit of the lake whose runs are there; `medians` by configuration."""
    limits = LIMITS[lake]
    off, content = medians.get("lithify-off"), medians.get("lithify-content")
    if off is None:
        return []
    walls = {"floor": medians.get("floor", {}).get("wall"), "duckdb": duckdb_wall(lake, medians),
             "polars": medians.get("polars-t1", {}).get("wall")}
    found = [Verdict(lake, f"wall / {name}", off["wall"] / wall, getattr(limits, name))
             for name, wall in walls.items() if wall and getattr(limits, name)]
    if content:
        found.append(Verdict(lake, "content / off", content["wall"] / off["wall"], limits.content))
    peak = max(run["peak_bytes"] for run in (off, content) if run)
    found.append(Verdict(lake, "peak MiB", peak / MIB, limits.peak_mib))
    base = bytes_base(limits.bytes_of, medians, input_bytes)
    if base:
        allowed = limits.bytes
        if lake == "L2" and walls["duckdb"] and off["wall"] <= walls["duckdb"] * L2_DUCKDB_THEN:
            allowed = L2_BYTES_MORE
        found.append(Verdict(lake, f"bytes / {limits.bytes_of}", off["output_bytes"] / base,
                             allowed))
    return found
