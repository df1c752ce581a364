"""P7: the peak of the whole process stays at its budget, whatever the inputs look like."""

import hashlib
import re

import numpy
import pyarrow
import pyarrow.parquet as parquet
import pytest

import lithify
import movers

pytestmark = pytest.mark.skipif(lithify.SANITIZED, reason="sanitizers multiply memory")
MIB = 1 << 20
MEMORY = ["--memory", "64MiB"]
# The budget is of heap; the program itself, its stacks and libraries come on top.
PEAK_MAX = 80 * MIB


def merge_within(output, sources, *options):
    """Merges with 64 MiB and wants the peak below PEAK_MAX."""
    result = lithify.ok("merge", *MEMORY, *options, "-o", output, *sources)
    assert result.peak_bytes < PEAK_MAX, f"peak of {result.peak_bytes / MIB:.1f} MiB: {result}"
    print(f"peak {result.peak_bytes / MIB:.1f} MiB, {result.seconds:.2f} s")
    return result


def value_digest(paths):
    """One digest of all values of the column `v`, few in memory at a time."""
    digest, rows = hashlib.sha256(), 0
    for path in paths:
        for batch in parquet.ParquetFile(path).iter_batches(batch_size=16, columns=["v"]):
            for value in batch.column(0):
                digest.update(b"\0" if value.as_py() is None else b"\1" + value.as_py().encode())
                rows += 1
    return digest.hexdigest(), rows


def test_wide(arrow, tmp_path):
    """P7: 1,600 columns in 20 files."""
    numbers = numpy.random.default_rng(1)
    sources = []
    for number in range(20):
        columns = {}
        for index in range(1600):
            raw = numbers.integers(0, 1000, 100)
            columns[f"column_{index:04}"] = raw if index % 2 else pyarrow.array(raw).cast(pyarrow.string())
        sources.append(tmp_path / f"in-{number:02}.parquet")
        parquet.write_table(pyarrow.table(columns), sources[-1], write_page_index=True)
    output = tmp_path / "out.parquet"
    merge_within(output, sources)
    answer = arrow.ask("compare", sources=sources, outputs=[output])
    assert answer == {"difference": None, "rows": 2000}


@pytest.fixture(scope="module")
def fat():
    """200 strings of about 1 MB, each its own, that compress to about a tenth."""
    numbers = numpy.random.default_rng(2)
    letters = numpy.frombuffer(b"0123456789abcdefghijklmnopqrstuv", dtype=numpy.uint8)
    blocks = [letters[numbers.integers(0, 32, 65536)].tobytes().decode() for _ in range(20)]
    values = [f"{row:06}" + blocks[row % 20] * 15 for row in range(200)]
    return pyarrow.table({"id": pyarrow.array(range(200)), "v": pyarrow.array(values)})


@pytest.mark.parametrize("dictionary", [False, True], ids=["plain", "dictionary"])
@pytest.mark.parametrize("codec", ["none", "snappy", "gzip", "brotli", "zstd", "lz4"])
def test_fat_page(codec, dictionary, fat, tmp_path):
    """P7: a row group of 200 rows of 1 MB in one page, far above the budget."""
    source, small, output = (tmp_path / name for name in ("a.parquet", "b.parquet", "out.parquet"))
    level = {"compression_level": 1} if codec in ("gzip", "brotli", "zstd") else {}
    parquet.write_table(fat, source, compression=codec, use_dictionary=dictionary,
                        data_page_size=1 << 30, dictionary_pagesize_limit=1 << 30,
                        write_batch_size=1 << 20, **level)
    parquet.write_table(fat.slice(0, 3), small, compression="snappy")
    assert parquet.ParquetFile(source).num_row_groups == 1
    merge_within(output, [source, small])
    assert value_digest([output]) == value_digest([source, small])
    for path in (source, small, output):
        path.unlink()


def ids_file(path, rows, distinct, codec):
    """One page of ids, with whatever they mean in a dictionary in front."""
    values = numpy.random.default_rng(rows).integers(0, distinct, rows)
    parquet.write_table(pyarrow.table({"v": values}), path, compression=codec, row_group_size=rows,
                        data_page_size=1 << 30, write_batch_size=rows, max_rows_per_page=rows,
                        dictionary_pagesize_limit=1 << 24)
    return path


@pytest.mark.parametrize("case", ["same", "other", "longer"])
@pytest.mark.parametrize("mover", ["auto", "copy"])
def test_page_of_ids(case, mover, tmp_path):
    """P7: pages of ids that do not fit the memory for a page, as they are or with longer ids, are
    recoded: no budget is too small for them."""
    rows = {"same": [2_000_000, 2_000_000], "other": [1_000_000, 2_000_000],
            "longer": [1_000_000, 8_000_000]}[case]
    distinct = [30_000, 2] if case == "longer" else [5000, 5000]
    codec = "none" if case == "longer" else "snappy"
    sources = [ids_file(tmp_path / f"in-{number}.parquet", rows[number], distinct[number], codec)
               for number in range(2)]
    output = tmp_path / "out.parquet"
    movers.merge(mover, output, sources, "--memory", "16MiB", "--row-group-rows", 10_000_000)
    expected = pyarrow.concat_tables([parquet.read_table(source) for source in sources])
    assert parquet.read_table(output).equals(expected)


def test_equal_strings(tmp_path):
    """HYP.1: file size follows the bytes written: 200 MB of equal strings in dictionaries are one
    small file, and no budget of memory decides where a file ends."""
    table = pyarrow.table({"v": pyarrow.array(["x" * 100_000] * 100)})
    sources = []
    for number in range(20):
        sources.append(tmp_path / f"in-{number:02}.parquet")
        parquet.write_table(table, sources[-1])
    place = tmp_path / "out"
    place.mkdir()
    result = merge_within(place / "out.parquet", sources, "--target-file", "1MiB")
    made = sorted(place.rglob("*.parquet"))
    assert len(made) == 1, f"{made}: {result}"
    assert value_digest(made) == value_digest(sources)


def test_many_tiny_files(tmp_path):
    """P7: 20,000 files of 20 rows under the default budget: what is kept of each is little, and
    the peak stays below 48 MiB."""
    numbers = numpy.random.default_rng(3)
    place = tmp_path / "in"
    place.mkdir()
    for number in range(20000):
        path = place / f"{number:05}.parquet"
        if number >= 50:
            path.hardlink_to(place / f"{number % 50:05}.parquet")
            continue
        table = pyarrow.table({"number": pyarrow.array([number] * 20),
                               "word": pyarrow.array([f"word {n % 7}" for n in range(20)])}
                              | {f"c{i}": numbers.integers(0, 1000, 20) for i in range(18)})
        parquet.write_table(table, path)
    names = sorted(path.name for path in place.iterdir())
    result = lithify.ok("merge", "-o", "../out.parquet", *names, cwd=place)
    print(f"peak {result.peak_bytes / MIB:.1f} MiB, {result.seconds:.2f} s")
    assert result.peak_bytes < 48 * MIB, f"peak of {result.peak_bytes / MIB:.1f} MiB"
    column = parquet.read_table(tmp_path / "out.parquet", columns=["number"]).column(0)
    counts = {entry["values"]: entry["counts"] for entry in column.value_counts().to_pylist()}
    assert counts == {number: 400 * 20 for number in range(50)}


def many_files(place, count, make):
    """Files under `count` names that hold, in turn, the tables of 50 numbers."""
    place.mkdir(parents=True)
    for number in range(count):
        path = place / f"{number:06}.parquet"
        if number >= 50:
            path.hardlink_to(place / f"{number % 50:06}.parquet")
        else:
            parquet.write_table(make(number), path)


def test_a_partition_of_many_files(tmp_path):
    """P7, P6: a partition of more files than a job takes is looked at, adopted and compacted in
    little memory for each of its files; pass after pass takes the next ones."""
    root, count = tmp_path / "lake", 20000
    many_files(root / "p", count, lambda number: pyarrow.table({"number": [number] * 20}))
    compact = ["compact", "--readers", "manifest", "--quiet-for", "0s", "--memory", "24MiB", root]
    for files in [count - 9999, 2, 2]:
        result = lithify.ok(*compact)
        print(f"peak {result.peak_bytes / MIB:.1f} MiB, {result.seconds:.2f} s: {result.out}")
        assert result.peak_bytes < 40 * MIB, f"peak of {result.peak_bytes / MIB:.1f} MiB"
        live = lithify.ok("ls", "--memory", "24MiB", root).out.split()
        assert len(live) == files, result.out
        column = pyarrow.concat_tables([parquet.read_table(root / "p" / name.rsplit("/")[-1])
                                        for name in live]).column(0)
        counts = {entry["values"]: entry["counts"] for entry in column.value_counts().to_pylist()}
        assert counts == {number: 400 * 20 for number in range(50)}


def test_too_many_files_for_the_memory(tmp_path):
    """P7, P9: what a partition's files take is said with their number, and the rest of the lake goes
    on."""
    root = tmp_path / "lake"
    many_files(root / "many", 60000, lambda number: pyarrow.table({"number": [number] * 20}))
    many_files(root / "few", 60, lambda number: pyarrow.table({"number": [number] * 20}))
    result = lithify.run("compact", "--readers", "manifest", "--quiet-for", "0s", "--memory", "16MiB",
                         root)
    assert result.code == lithify.FAILED, str(result)
    assert re.search("many: 6000[01] files in one directory: memory budget", result.err), str(result)
    assert "raise --memory" in result.err and "compacted  few" in result.out, str(result)


def test_many_row_groups(arrow, tmp_path):
    """P7: 3,000 row groups in one file; footers and page indexes count against the budget."""
    source, output = tmp_path / "in.parquet", tmp_path / "out.parquet"
    table = pyarrow.table({f"c{i}": pyarrow.array(range(6000)) for i in range(10)})
    parquet.write_table(table, source, row_group_size=2, write_page_index=True)
    merge_within(output, [source, source])
    answer = arrow.ask("compare", sources=[source, source], outputs=[output])
    assert answer == {"difference": None, "rows": 12000}
