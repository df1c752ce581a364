"""Key-value metadata that engines act on: what of it an output says, and that engines read it then.

The rule of docs/parquet-splice.md section 7: what all sources say alike stays, byte for byte; what they say
differently goes. So no output is less readable than its sources, and none says of all rows what was
said of some.
"""

import copy
import json
import struct

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import engines
import movers

GEO = {"version": "1.0.0", "primary_column": "g", "columns": {
    "g": {"encoding": "WKB", "geometry_types": ["Point"], "bbox": [1, 2, 5, 6], "crs": None}}}


def point(x, y):
    return struct.pack("<BIdd", 1, 1, x, y)


ROWS = [{"g": point(1, 2), "n": 1}, {"g": None, "n": 2}, {"g": point(5, 6), "n": 3}]


def other(**fields):
    """The key of a file that says something else of the column; a field that is None is left out."""
    geo = copy.deepcopy(GEO)
    column = geo["columns"]["g"] | fields
    geo["columns"]["g"] = {name: value for name, value in column.items() if value is not None}
    return geo


UNTYPED = other(geometry_types=None)
# Name -> (the keys of three files, the key of the output).
CASES = {
    "alike": ([GEO] * 3, GEO),
    "other types": ([GEO, other(geometry_types=["Polygon"]), GEO], None),
    "other box": ([GEO, GEO, other(bbox=[1, 2, 9, 9])], None),
    "other reference system": ([other(crs={"id": 4326}), GEO, GEO], None),
    "other encoding": ([GEO, other(encoding="point"), GEO], None),
    "not in all": ([GEO, None, GEO], None),
    "not in the first": ([None, GEO, GEO], None),
    "without types": ([UNTYPED] * 3, UNTYPED),
    "without types in one": ([GEO, UNTYPED, GEO], None),
}


def write(path, geo):
    table = pa.Table.from_pylist(ROWS, pa.schema([("g", pa.binary()), ("n", pa.int64())]))
    if geo is not None:
        table = table.replace_schema_metadata({"geo": json.dumps(geo)})
    pq.write_table(table, path)
    return path


@pytest.mark.parametrize("mover", movers.MOVERS)
@pytest.mark.parametrize("name", CASES)
def test_geo(name, mover, tmp_path):
    """P1: GeoParquet's key is kept where all files have the same, and says nothing of others' rows.
    DuckDB refuses a file whose key names a column without geometry_types: such an output only if
    the sources were such files."""
    keys, wanted = CASES[name]
    sources = [write(tmp_path / f"{number}.parquet", geo) for number, geo in enumerate(keys)]
    (tmp_path / "out").mkdir()
    output, = movers.merge(mover, tmp_path / "out" / "out.parquet", sources)
    found = pq.read_metadata(output).metadata
    assert found.get(b"geo") == (json.dumps(wanted).encode() if wanted else None), found
    # What Arrow keeps of a schema has the key inside: it goes with it.
    assert (b"ARROW:schema" in found) == (wanted is not None), found
    refusing = {"duckdb"} if wanted is UNTYPED else set()
    for engine in refusing:
        for path in (sources[0], output):
            said = list(engines.wrong(path, [], [], only=[engine]))
            assert said and "does not have geometry types" in said[0], said
    said = list(engines.wrong(output, ROWS * 3, ["n"], only=set(engines.ENGINES) - refusing))
    assert not said, "\n".join(said)
