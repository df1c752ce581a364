"""The codec of outputs: one for all of them, at any level, whatever the inputs had; or theirs.

Other engines must read the same rows from each, and their footers say the codec. The policy never
makes a lake do work of its own.
"""

import datetime
import json
import random

import duckdb
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

import lithify
import numbered
import parquet_build
import reader

# Option -> what footers call it.
CHOICES = {"none": "UNCOMPRESSED", "snappy": "SNAPPY", "lz4_raw": "LZ4", "zstd": "ZSTD",
           "zstd:1": "ZSTD", "zstd:3": "ZSTD", "zstd:9": "ZSTD", "zstd:19": "ZSTD",
           "zstd:22": "ZSTD", "gzip": "GZIP", "gzip:1": "GZIP", "gzip:9": "GZIP",
           "gzip:12": "GZIP", "brotli": "BROTLI", "brotli:0": "BROTLI", "brotli:11": "BROTLI"}
WRITERS = ["NONE", "SNAPPY", "GZIP", "ZSTD", "BROTLI", "LZ4"]  # as pyarrow names them
BAD = {"lz4": "lz4_raw", "lzo": "expected keep", "zstd:0": "levels of zstd are 1 to 22",
       "zstd:23": "levels of zstd are 1 to 22", "gzip:13": "levels of gzip are 1 to 12",
       "brotli:12": "levels of brotli are 0 to 11", "snappy:1": "snappy has no levels",
       "zstd:": "levels of zstd", "": "expected a text"}


def table(seed, rows=3000):
    """Columns of all sorts: nulls, lists, a dictionary, numbers that deltas suit, text."""
    draw = random.Random(seed)
    start = datetime.datetime(2024, 3, 1)
    return pa.table({
        "id": pa.array(range(seed * rows, (seed + 1) * rows), pa.int64()),
        "word": pa.array([draw.choice(["red", "green", None]) for _ in range(rows)]),
        "line": pa.array([f"GET /items/{draw.randrange(700)}?user={draw.randrange(99999):x}"
                          for _ in range(rows)]),
        "list": pa.array([draw.choice([None, [], [draw.randrange(9), None]])
                          for _ in range(rows)], pa.list_(pa.int32())),
        "at": pa.array([start + datetime.timedelta(seconds=i * seed) for i in range(rows)]),
        "real": pa.array([round(draw.random() * 100, 2) for _ in range(rows)]),
    })


def codecs_of(path):
    footer = pq.read_metadata(path)
    return {footer.row_group(group).column(column).compression
            for group in range(footer.num_row_groups) for column in range(footer.num_columns)}


def same_rows(path, wanted):
    """Arrow and DuckDB read these rows, in this order."""
    assert pq.ParquetFile(path, page_checksum_verification=True).read().equals(wanted)
    found = duckdb.sql("SELECT * FROM read_parquet($1)", params=[str(path)]).to_arrow_table()
    assert found.cast(wanted.schema).equals(wanted)


@pytest.fixture(scope="module")
def sources(tmp_path_factory):
    """One file of each codec, in pages large enough to be copied and in small ones."""
    folder = tmp_path_factory.mktemp("sources")
    paths = []
    for number, codec in enumerate(WRITERS):
        paths.append(folder / f"{number}.parquet")
        pq.write_table(table(number), paths[-1], compression=codec,
                       data_page_size=1 << (20 if number % 2 else 10))
    return paths


@pytest.mark.parametrize("choice", CHOICES)
def test_choice(choice, sources, tmp_path):
    """P1: each codec at each level holds the same rows, and all chunks have it; threads have it,
    too."""
    output, = lithify.merge(tmp_path / "out.parquet", sources, "--codec", choice)
    threads, = lithify.merge(tmp_path / "threads.parquet", sources, "--codec", choice,
                             "--threads", "2")
    assert output.read_bytes() == threads.read_bytes()
    assert codecs_of(output) == {CHOICES[choice]}
    same_rows(output, pa.concat_tables([table(number) for number in range(len(sources))]))


def legacy_lz4(path):
    """A file of the deprecated LZ4, as Hadoop frames it."""
    schema = pa.schema([("n", pa.int64())])
    leaf = parquet_build.leaves(schema)["n"].with_codec("LZ4")
    rows = list(range(1000))
    chunk = parquet_build.chunk(leaf, [parquet_build.page(leaf, rows)])
    parquet_build.file(schema, [{"n": chunk}]).write(path)
    return pa.table({"n": pa.array(rows)})


@pytest.mark.parametrize("choice", ["keep", *CHOICES])
def test_legacy_lz4(choice, tmp_path):
    """The LZ4 that readers disagree about is never copied, lz4_raw neither: that is another one."""
    wanted = legacy_lz4(tmp_path / "a.parquet")
    report = json.loads(lithify.ok("merge", "--json", "--codec", choice, "-o",
                                   tmp_path / "out.parquet", tmp_path / "a.parquet").out)
    assert report["recoded_bytes"] > 0 and report["spliced_bytes"] == 0
    # 7 is LZ4_RAW, which is what Arrow calls LZ4; 5 would be the deprecated one.
    inspected = json.loads(lithify.ok("inspect", "--json", tmp_path / "out.parquet").out)
    codec = inspected["row_groups"][0]["columns"][0]["codec"]
    assert codec == ("LZ4_RAW" if CHOICES.get(choice, "LZ4") == "LZ4" else CHOICES[choice])
    same_rows(tmp_path / "out.parquet", wanted)


@pytest.mark.parametrize("choice", ["none", "snappy", "lz4_raw", "zstd:19", "gzip:9", "brotli:11"])
def test_chunks_of_the_codec_are_copied(choice, tmp_path):
    """Levels do not show: what has the codec is copied as it is, all else says why it is not."""
    names = {"none": "NONE", "lz4_raw": "LZ4"}
    chosen = names.get(choice, choice.split(":")[0].upper())
    paths = []
    for number, codec in enumerate([chosen, "GZIP" if chosen != "GZIP" else "ZSTD"]):
        paths.append(tmp_path / f"{codec}.parquet")
        pq.write_table(table(number, 20000).select(["id", "line"]), paths[-1], compression=codec,
                       use_dictionary=False)
    told = json.loads(lithify.ok("merge", "--explain", "--json", "--codec", choice, *paths).out)
    for chunk in told["explained"]:
        if chunk["input"] == str(paths[0]):
            assert chunk["mover"] == "splice", chunk
        else:
            assert chunk["mover"] == "recode" and "another codec" in chunk["reason"], chunk
    output, = lithify.merge(tmp_path / "out.parquet", paths, "--codec", choice)
    same_rows(output, pa.concat_tables([table(n, 20000).select(["id", "line"]) for n in range(2)]))


def test_keep(sources, tmp_path):
    """`keep` is what is done without the option, byte for byte."""
    for number, some in enumerate([sources, sources[:1], sources[3:5]]):
        plain, = lithify.merge(tmp_path / f"plain{number}.parquet", some)
        kept, = lithify.merge(tmp_path / f"kept{number}.parquet", some, "--codec", "keep")
        assert plain.read_bytes() == kept.read_bytes()


@pytest.mark.parametrize("low,high", [("zstd:1", "zstd:19"), ("gzip:1", "gzip:12"),
                                      ("brotli:0", "brotli:11"), ("none", "snappy")])
def test_levels_make_smaller_files(low, high, tmp_path):
    paths = [tmp_path / f"{number}.parquet" for number in range(2)]
    for number, path in enumerate(paths):
        pq.write_table(table(number, 20000), path, compression="LZ4")
    sizes = []
    for name in (low, high):
        output, = lithify.merge(tmp_path / f"{name}.out.parquet", paths, "--codec", name)
        sizes.append(output.stat().st_size)
    assert sizes[1] < 0.95 * sizes[0], sizes


@pytest.mark.parametrize("text", BAD)
def test_bad_choices(text, sources, tmp_path):
    """Refused where it was given, before anything is done, with what is accepted."""
    file = tmp_path / "c.yaml"
    file.write_text(f"codec: \"{text}\"\n")
    for arguments, env, where in [(["--codec", text], {}, "--codec"),
                                  ([], {"LITHIFY_CODEC": text}, "LITHIFY_CODEC"),
                                  (["--config", str(file)], {}, "line 1: codec")]:
        for command in (["merge", "-o", tmp_path / "o.parquet", sources[0]],
                        ["compact", "--readers", "manifest", tmp_path]):
            result = lithify.run(*command, *arguments, env=env)
            assert result.code == lithify.USAGE, str(result)
            assert where in result.err and BAD[text] in result.err, str(result)
            assert not (tmp_path / "o.parquet").exists()


def test_files_have_their_size(tmp_path):
    """HYP.1: outputs are cut by what is written, also where another codec makes more or less of it."""
    paths = [tmp_path / f"{number}.parquet" for number in range(40)]
    for number, path in enumerate(paths):
        plain = table(1, 2000).set_column(0, "id", pa.array(range(number * 2000, number * 2000 + 2000)))
        pq.write_table(plain, path, compression="BROTLI", use_dictionary=False)
    for choice in ("none", "snappy", "zstd:9"):
        (tmp_path / choice).mkdir()
        target = 300 << 10
        outputs = lithify.merge(tmp_path / choice / "o.parquet", paths, "--codec", choice,
                                "--row-group-rows", "2000", "--target-file", str(target))
        sizes = [path.stat().st_size for path in outputs]
        assert len(sizes) > 1 and max(sizes) < 2 * target and min(sizes) > target / 3, sizes
        ids = pa.concat_arrays([chunk for path in outputs
                                for chunk in pq.read_table(path)["id"].chunks])
        assert pc.count_distinct(ids).as_py() == 40 * 2000 and len(ids) == 40 * 2000


def test_too_little_memory_is_told(tmp_path):
    """P7: a level that takes more than the budget is a failure with a way out, not a larger heap."""
    pq.write_table(table(1, 50000), tmp_path / "a.parquet", compression="SNAPPY")
    result = lithify.run("merge", "--codec", "zstd:22", "--memory", "16MiB", "-o",
                         tmp_path / "o.parquet", tmp_path / "a.parquet")
    assert result.code == lithify.FAILED and "--memory" in result.err, str(result)
    assert result.peak_bytes < 64 << 20
    lithify.ok("merge", "--codec", "zstd:22", "--memory", "64MiB", "-o", tmp_path / "o.parquet",
               tmp_path / "a.parquet")


def test_a_lake_rests(tmp_path):
    """P6, HYP.2: another codec is that of the next job; what is settled is left alone."""
    folder = tmp_path / "lake" / "tenant_id=acme" / numbered.HOUR
    numbered.fill(folder, 20, 200)
    lithify.ok("compact", *numbered.NOW, tmp_path / "lake")
    first, = reader.live(folder)
    before = codecs_of(first)
    for choice in ("gzip:9", "none", "keep", "brotli"):
        lithify.ok("compact", *numbered.NOW, "--codec", choice, tmp_path / "lake")
        tree = numbered.tree(tmp_path / "lake")
        lithify.ok("compact", *numbered.NOW, "--codec", choice, tmp_path / "lake")
        assert numbered.tree(tmp_path / "lake") == tree
        assert reader.live(folder) == [first], choice
    numbered.fill(folder, 20, 200, first=4000, stem="late")
    lithify.ok("compact", *numbered.NOW, "--codec", "brotli", tmp_path / "lake")
    live = reader.live(folder)
    made = [path for path in live if path != first]
    assert made and all(codecs_of(path) == {"BROTLI"} for path in made)
    assert first not in live or codecs_of(first) == before
    tree = numbered.tree(tmp_path / "lake")
    for choice in ("brotli", "brotli:11", "keep"):
        lithify.ok("compact", *numbered.NOW, "--codec", choice, tmp_path / "lake")
        assert reader.live(folder) == live
    numbered.check(reader.read(tmp_path / "lake"), range(8000))
