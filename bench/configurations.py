"""What takes part in the benchmark: the floor, Lithify, and the engines it is compared with."""

import dataclasses
import json
import pathlib
import sys

from process import SECONDS_MAX

PEERS = pathlib.Path(__file__).with_name("peers.py")
# A peer that wants more is said to fail: the machine has other things to do.
PEER_MEMORY_MAX = 12 << 30


@dataclasses.dataclass(frozen=True)
class Configuration:
    """`engine` is floor, lithify or one of peers.py; `lakes` None means all of them. `arguments`
    are Lithify's, besides `verify`; `options` are those of a peer."""

    name: str
    engine: str
    threads: int = 1
    verify: str = ""
    arguments: tuple = ()
    options: dict = dataclasses.field(default_factory=dict)
    by_lake: dict = dataclasses.field(default_factory=dict)
    lakes: tuple = None
    seconds_max: int = SECONDS_MAX

    @property
    def is_peer(self):
        return self.engine not in ("floor", "lithify")


# DuckDB's default row group does not fit into memory on L3: 122,880 rows of 140 kB. The same
# number is given to pyarrow.
PYARROW_FIT = {"L3": {"rows": 8192}}
DUCKDB_FIT = {"L3": {"sizes": {"ROW_GROUP_SIZE": 8192}}}
# What makes DuckDB fastest there, or least hungry, as far as was found.
DUCKDB_TUNED = {"L1": {"sizes": {"ROW_GROUP_SIZE": 16384}},
                "L3": {"ordered": False, "sizes": {"ROW_GROUP_SIZE_BYTES": "128MB"}}}

CONFIGURATIONS = [
    Configuration("floor", "floor"),
    Configuration("lithify-off", "lithify", verify="off"),
    Configuration("lithify-content", "lithify", verify="content"),
    Configuration("duckdb-t1", "duckdb", 1, by_lake=DUCKDB_FIT),
    Configuration("duckdb-t2", "duckdb", 2, by_lake=DUCKDB_FIT),
    Configuration("duckdb-tuned-t1", "duckdb", 1, by_lake=DUCKDB_TUNED, lakes=("L1", "L3")),
    Configuration("duckdb-tuned-t2", "duckdb", 2, by_lake=DUCKDB_TUNED, lakes=("L1", "L3")),
    Configuration("polars-t1", "polars", 1),
    Configuration("polars-t2", "polars", 2),
    Configuration("pyarrow-writer-t1", "pyarrow-writer", 1),
    Configuration("pyarrow-dataset-t1", "pyarrow-dataset", 1, by_lake=PYARROW_FIT),
]

# Known to end at the memory limit after minutes: tried only when asked for by name.
HOPELESS = {("L3", "polars"): "Polars takes more than 12 GiB for L3"}


def takes_part(configuration, lake):
    return configuration.lakes is None or lake in configuration.lakes


def command(configuration, tools, lake, codec, inputs, output, ready):
    """The command line. Inputs are names in the folder where it is started."""
    if configuration.engine == "floor":
        return [tools.floor, output, *inputs]
    if configuration.engine == "lithify":
        return [tools.lithify, "merge", "--quiet", "--no-progress", "--verify",
                configuration.verify, *configuration.arguments, "-o", output, *inputs]
    options = configuration.by_lake.get(lake, configuration.options)
    return [sys.executable, PEERS, configuration.engine, str(configuration.threads), codec, output,
            json.dumps(options), ready]


def more_environment(configuration):
    if configuration.engine == "polars":
        return {"POLARS_MAX_THREADS": str(configuration.threads)}
    return {}
