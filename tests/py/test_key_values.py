"""Key-value metadata that engines act on: what of it an output says, and that engines read it then.

The rule of docs/parquet-splice.md section 7: what all sources say alike stays, byte for byte; what they say
differently is joined, or goes. So no output is less readable than its sources, and none says of all
rows what was said of some.
"""

import copy
import json
import struct

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import engines
import lithify
import movers
import numbered
import reader

GEO = {"version": "1.0.0", "primary_column": "g", "columns": {
    "g": {"encoding": "WKB", "geometry_types": ["Point"], "bbox": [1, 2, 5, 6], "crs": None}}}


def point(x, y):
    return struct.pack("<BIdd", 1, 1, x, y)


ROWS = [{"g": point(1, 2), "n": 1}, {"g": None, "n": 2}, {"g": point(5, 6), "n": 3}]


def other(**fields):
    """The key of a file that says something else of the column; a field that is ... is left out."""
    geo = copy.deepcopy(GEO)
    column = geo["columns"]["g"] | fields
    geo["columns"]["g"] = {name: value for name, value in column.items() if value is not ...}
    return geo


UNTYPED = other(geometry_types=...)
# Name -> (the keys of three files, the key of the output).
CASES = {
    "alike": ([GEO] * 3, GEO),
    "other types": ([GEO, other(geometry_types=["Polygon"]), GEO],
                    other(geometry_types=["Point", "Polygon"])),
    "other boxes": ([GEO, other(bbox=[-7.5, 3, 4, 9]), other(bbox=[0, 0, 1, 1])],
                    other(bbox=[-7.5, 0, 5, 9])),
    "no box in one": ([GEO, other(bbox=...), GEO], other(bbox=...)),
    "a box across the antimeridian": ([GEO, other(bbox=[170, 0, -170, 1]), GEO], other(bbox=...)),
    "without types": ([UNTYPED] * 3, UNTYPED),
    "without types in one": ([GEO, UNTYPED, GEO], other(geometry_types=[])),
}
CRS = {"id": {"authority": "EPSG", "code": 4326}}
# Name -> the keys of files that mean something else by the same bytes.
APART = {
    "reference system": [GEO, other(crs=CRS)],
    "default reference system": [GEO, other(crs=...)],
    "encoding": [GEO, other(encoding="point")],
    "edges": [GEO, other(edges="spherical")],
    "orientation": [GEO, other(orientation="counterclockwise")],
    "epoch": [GEO, other(epoch=2020.5)],
    "not in all": [GEO, None],
    "not in the first": [None, GEO],
    "primary column": [GEO, GEO | {"primary_column": "n"}],
}


TABLE = pa.Table.from_pylist(ROWS, pa.schema([("g", pa.binary()), ("n", pa.int64())]))


def write(path, keys, table=TABLE):
    """A file with these keys and no other, ARROW:schema neither."""
    with pq.ParquetWriter(path, table.schema, store_schema=False) as writer:
        writer.write_table(table)
        writer.add_key_value_metadata(keys or {})
    return path


def geo_file(path, geo):
    keys = None if geo is None else {"geo": json.dumps(geo)}
    pq.write_table(TABLE.replace_schema_metadata(keys), path)
    return path


def arrow_keys(path):
    return pq.read_metadata(path).metadata or {}


def found_keys(path):
    """What a file says, and what DuckDB finds there: the same."""
    keys = arrow_keys(path)
    duck = engines.duckdb.sql("SELECT key, value FROM parquet_kv_metadata($1)",
                              params=[str(path)]).fetchall()
    assert dict(duck) == keys and len(duck) == len(keys), path
    return keys


@pytest.mark.parametrize("mover", movers.MOVERS)
@pytest.mark.parametrize("name", CASES)
def test_geo(name, mover, tmp_path):
    """P1: GeoParquet's key says what is true of the rows of all files.
    DuckDB refuses a file whose key names a column without geometry_types: such an output only if
    the sources were such files."""
    keys, wanted = CASES[name]
    sources = [geo_file(tmp_path / f"{number}.parquet", geo) for number, geo in enumerate(keys)]
    (tmp_path / "out").mkdir()
    output, = movers.merge(mover, tmp_path / "out" / "out.parquet", sources)
    found = arrow_keys(output)
    assert json.loads(found[b"geo"]) == wanted, found
    # What Arrow keeps of a schema has the key inside: it goes where the files differ.
    alike = all(geo == GEO for geo in keys) or all(geo == UNTYPED for geo in keys)
    assert (b"ARROW:schema" in found) == alike, found
    if alike:
        assert found[b"geo"] == json.dumps(wanted).encode()
    refusing = {"duckdb"} if wanted is UNTYPED else set()
    for engine in refusing:
        for path in (sources[0], output):
            said = list(engines.wrong(path, [], [], only=[engine]))
            assert said and "does not have geometry types" in said[0], said
    said = list(engines.wrong(output, ROWS * 3, ["n"], only=set(engines.ENGINES) - refusing))
    assert not said, "\n".join(said)


@pytest.mark.parametrize("name", APART)
def test_geo_apart(name, tmp_path):
    """P1, P6: files whose coordinates mean something else do not share a footer; a lake merges them
    apart, then rests."""
    first, second = APART[name]
    folder = tmp_path / "lake" / "tenant_id=acme" / numbered.HOUR
    folder.mkdir(parents=True)
    paths = [geo_file(folder / f"f{number}.parquet", second if number % 2 else first)
             for number in range(8)]
    result = lithify.run("merge", "-o", tmp_path / "out.parquet", *paths[:2])
    assert result.code == lithify.FAILED and not (tmp_path / "out.parquet").exists(), str(result)
    assert str(paths[0]) in result.err and str(paths[1]) in result.err, str(result)
    assert "must be merged apart" in result.err, str(result)
    for _ in range(4):
        lithify.ok("compact", *numbered.NOW, tmp_path / "lake")
    live = reader.live(folder)
    found = sorted(found_keys(path).get(b"geo", b"") for path in live)
    assert found == sorted(json.dumps(geo).encode() if geo else b"" for geo in (first, second))
    before = numbered.tree(tmp_path / "lake")
    lithify.ok("compact", *numbered.NOW, tmp_path / "lake")
    assert numbered.tree(tmp_path / "lake") == before


def test_crs_in_a_key(tmp_path):
    """The reference system of a GEOMETRY column may stand in a key: another one is another meaning."""
    def geometry(number, crs):
        path = tmp_path / f"{number}.parquet"
        return annotated(path, write(tmp_path / "plain.parquet", {"sys": crs}).read_bytes())

    alike = [geometry(number, '{"a": 1}') for number in range(2)]
    output, = lithify.merge(tmp_path / "out.parquet", alike)
    assert found_keys(output)[b"sys"] == b'{"a": 1}'
    result = lithify.run("merge", "-o", tmp_path / "no.parquet", alike[0], geometry(2, '{"a": 2}'))
    assert result.code == lithify.FAILED and "reference systems" in result.err, str(result)


def annotated(path, data):
    """The file with GEOMETRY(crs = "projjson:sys") as annotation of the column g."""
    size, = struct.unpack("<I", data[-8:-4])
    footer = data[-8 - size:-8]
    # SchemaElement of g: BYTE_ARRAY, OPTIONAL, the name, and then its stop.
    element = b"\x15\x0c\x25\x02\x18\x01g\x00"
    assert footer.count(element) == 1
    text = b"projjson:sys"
    logical = b"\x6c\x0c\x22\x18" + bytes([len(text)]) + text + b"\x00\x00"
    footer = footer.replace(element, element[:-1] + logical + b"\x00")
    path.write_bytes(data[:-8 - size] + footer + struct.pack("<I", len(footer)) + b"PAR1")
    return path


RULES = [
    # key, values of two files (None: it has no such key), and what the output says by each policy
    ("k", "1", "1", {"drop": "1", "first": "1", "error": "1"}),
    ("k", "1", "2", {"drop": None, "first": "1", "error": ...}),
    ("k", "1", None, {"drop": None, "first": "1", "error": ...}),
    ("k", None, "2", {"drop": None, "first": "2", "error": ...}),
    ("hoodie_min_record_key", "a", "a", {"drop": None, "first": None, "error": None}),
    ("parquet.avro.schema", "{}", "[]", {"drop": None, "first": None, "error": None}),
    ("org.apache.spark.sql.parquet.row.metadata", "{}", "{}",
     {"drop": "{}", "first": "{}", "error": "{}"}),
    ("org.apache.spark.version", "3.1.0", "3.5.0",
     {"drop": "3.1.0", "first": "3.1.0", "error": "3.1.0"}),
    ("iceberg.schema", "1", None, {"drop": None, "first": None, "error": None}),
]


@pytest.mark.parametrize("command", ["merge", "compact"])
@pytest.mark.parametrize("policy", ["drop", "first", "error"])
@pytest.mark.parametrize("rule", RULES, ids=[f"{rule[0]} {rule[1]} {rule[2]}" for rule in RULES])
def test_rules(rule, policy, command, tmp_path):
    """One rule, by `merge` and by `compact`."""
    key, first, second, by_policy = rule
    wanted = by_policy[policy]
    folder = tmp_path / "lake" / "tenant_id=acme" / numbered.HOUR
    folder.mkdir(parents=True)
    paths = [write(folder / f"f{number}.parquet", {key: value} if value else None)
             for number, value in enumerate([first] + [second] * 3)]
    output = tmp_path / "out.parquet"
    arguments = ["merge", "-o", output, *paths] if command == "merge" else \
        ["compact", *numbered.NOW, tmp_path / "lake"]
    result = lithify.run(*arguments, "--unknown-keys", policy)
    if wanted is ...:
        assert result.code == lithify.FAILED, str(result)
        said = result.out + result.err
        assert f'the key "{key}"' in said and "f0.parquet" in said and "f1.parquet" in said, said
        assert not output.exists() and sorted(folder.glob("*.parquet")) == paths
        return
    assert result.code == lithify.DONE, str(result)
    if command == "compact":
        output, = reader.live(folder)
    assert found_keys(output).get(key.encode()) == (wanted and wanted.encode())
    said = list(engines.wrong(output, ROWS * 4, ["n"]))
    assert not said, "\n".join(said)


def test_every_output_has_the_keys(tmp_path):
    """Where a merge writes several files, each says the same (openobserve #13554)."""
    paths = [write(tmp_path / f"{number}.parquet", {"k": "v"}) for number in range(4)]
    (tmp_path / "out").mkdir()
    outputs = lithify.merge(tmp_path / "out" / "o.parquet", paths, "--target-file", "1B",
                            "--row-group-rows", "1")
    assert len(outputs) > 1
    assert {found_keys(path)[b"k"] for path in outputs} == {b"v"}


def test_arrow_schema(tmp_path):
    """ARROW:schema stays where it is the same everywhere, and Arrow's types with it; another one, or
    none in one file, and types are those that Parquet has."""
    kinds = {"large": pa.large_string(), "plain": pa.string()}
    def file(name, kind, stored=True):
        path = tmp_path / f"{name}.parquet"
        pq.write_table(pa.table({"s": pa.array(["a"], kinds[kind])}), path, store_schema=stored)
        return path
    a, b, c, d = (file("a", "large"), file("b", "large"), file("c", "plain"),
                  file("d", "large", stored=False))
    for number, (sources, kept) in enumerate([([a, b], True), ([a, c], False), ([c, a], False),
                                              ([a, d], False), ([d, a], False)]):
        (tmp_path / f"out{number}").mkdir()
        output, = lithify.merge(tmp_path / f"out{number}" / "o.parquet", sources,
                                "--unknown-keys", "first")
        assert (b"ARROW:schema" in found_keys(output)) == kept
        assert pq.read_table(output).schema.field("s").type == kinds["large" if kept else "plain"]


@pytest.mark.parametrize("separators", [None, (",", ":")])
def test_pandas(separators, tmp_path):
    """An index that counts the rows of one file goes; one that is a column stays an index."""
    counted = {"kind": "range", "name": None, "start": 0, "stop": 3, "step": 1}
    for name, index, kept in [("range", counted, False), ("named", "n", True)]:
        said = json.dumps({"index_columns": [index], "columns": [{"name": "n", "kind": "range"}]},
                          separators=separators)
        paths = [write(tmp_path / f"{name}{number}.parquet", {"pandas": said})
                 for number in range(2)]
        output, = lithify.merge(tmp_path / f"{name}.out.parquet", paths)
        assert found_keys(output).get(b"pandas") == (said.encode() if kept else None)
        found = pq.read_table(output).schema.pandas_metadata
        assert found == (json.loads(said) if kept else None)


def test_legacy_dates(tmp_path):
    """Files of one legacy calendar say so in two ways: the output says it too, whichever is first,
    or readers would shift old dates by days."""
    def file(name, keys):
        return write(tmp_path / f"{name}.parquet", keys,
                     pa.table({"d": pa.array([0], pa.date32())}))
    old = file("old", {"org.apache.spark.version": "2.4.0"})
    new = file("new", {"org.apache.spark.version": "3.5.0", "org.apache.spark.legacyDateTime": ""})
    modern = file("modern", {"org.apache.spark.version": "3.5.0"})
    for name, sources in (("a", [old, new]), ("b", [new, old])):
        output, = lithify.merge(tmp_path / f"{name}.out.parquet", sources)
        keys = found_keys(output)
        assert keys[b"org.apache.spark.version"] < b"3" or b"org.apache.spark.legacyDateTime" in keys
    for other_one in (old, new):
        result = lithify.run("merge", "-o", tmp_path / "no.parquet", other_one, modern)
        assert result.code == lithify.FAILED and "calendar" in result.err, str(result)
