"""P7: a sort takes the memory of its budget, whatever has to be sorted; the rest waits in scratch,
which leaves nothing behind."""

import os
import signal
import subprocess
import time

import numpy
import pyarrow
import pyarrow.parquet as parquet
import pytest

import lithify
import ordering

pytestmark = pytest.mark.skipif(lithify.SANITIZED, reason="sanitizers multiply memory")
MIB = 1 << 20
# The budget is of heap; the program itself, its stacks and libraries come on top.
MEMORY, PEAK_MAX = ["--memory", "64MiB"], 80 * MIB
# Larger where other tests are (make soak).
SCALE = 4 if int(os.environ.get("LITHIFY_CASES", "0")) >= 1000 else 1


@pytest.fixture
def scratch(tmp_path):
    place = tmp_path / "scratch"
    place.mkdir()
    return place


def sort_within(tmp_path, scratch, paths, text, *options):
    """Sorts with 64 MiB and wants the peak below PEAK_MAX, and scratch empty."""
    output = tmp_path / "out.parquet"
    result = lithify.ok("merge", *MEMORY, "--scratch", scratch, "--sort-by", text, *options,
                        "-o", output, *paths, seconds_max=600)
    assert result.peak_bytes < PEAK_MAX, f"peak of {result.peak_bytes / MIB:.1f} MiB: {result}"
    assert list(scratch.iterdir()) == []
    size = sum(path.stat().st_size for path in paths) / MIB
    print(f"{size:.0f} MiB: peak {result.peak_bytes / MIB:.1f} MiB, {result.seconds:.2f} s")
    return output


def keys_of(paths, names):
    """Columns of all files as numpy has them, in the order of the files."""
    tables = [parquet.ParquetFile(path).read(columns=names) for path in paths]
    return [pyarrow.concat_tables(tables).column(name).to_numpy() for name in names]


def in_order(paths, names):
    """Ids in the order of the columns, equal ones as they came: by numpy's stable sort."""
    *columns, ids = keys_of(paths, [*names, "id"])
    return ids[numpy.lexsort(columns[::-1])]


def check(output, paths, names, right=lambda batch: True, batch_size=65536):
    """The ids are in order, and every row's other columns are those of its id."""
    numpy.testing.assert_array_equal(keys_of([output], ["id"])[0], in_order(paths, names))
    for batch in parquet.ParquetFile(output).iter_batches(batch_size=batch_size):
        assert right(batch), "a row has another one's values"
    ordering.check_claims([output], [ordering.Key((name,)) for name in names])


def keyed(ids, span=1 << 20):
    """Keys that follow from ids, in no order."""
    return (numpy.asarray(ids, numpy.uint64) * numpy.uint64(0x9E3779B97F4A7C15) >> numpy.uint64(20)
            ).astype(numpy.int64) % span


def bits_of(ids):
    return (numpy.asarray(ids, numpy.uint64) * numpy.uint64(0xD6E8FEB86659FD93)).view(numpy.int64)


def numbers(ids, columns=6):
    ids = numpy.asarray(ids)
    more = {f"c{i}": bits_of(ids + i) for i in range(columns)}
    return pyarrow.table({"k": keyed(ids), "id": ids} | more)


def right_numbers(batch):
    ids = batch.column("id").to_numpy()
    return numpy.array_equal(batch.column("k").to_numpy(), keyed(ids)) and all(
        numpy.array_equal(batch.column(f"c{i}").to_numpy(), bits_of(ids + i)) for i in range(6))


def test_many_inputs(tmp_path, scratch):
    """P7: 400 files that all overlap, far more than may be open or in memory."""
    paths = [tmp_path / f"in-{number:04}.parquet" for number in range(400)]
    for number, path in enumerate(paths):
        parquet.write_table(numbers(range(number * 2000 * SCALE, (number + 1) * 2000 * SCALE)), path,
                            use_dictionary=False)
    check(sort_within(tmp_path, scratch, paths, "k"), paths, ["k"], right_numbers)


def test_one_row_group(tmp_path, scratch):
    """P7: one file of one row group, five times the memory, in no order."""
    path = tmp_path / "in.parquet"
    rows = 5_000_000 * SCALE
    parquet.write_table(numbers(numpy.arange(rows)), path, use_dictionary=False, compression="none",
                        row_group_size=rows)
    assert parquet.read_metadata(path).row_group(0).total_byte_size > 300 * MIB * SCALE
    check(sort_within(tmp_path, scratch, [path], "k"), [path], ["k"], right_numbers)


def test_one_key(tmp_path, scratch):
    """P7: all keys are equal, in files whose names stand the other way than they are given; nothing
    has to move, and the rows of a file stay together."""
    paths = [tmp_path / f"in-{number}.parquet" for number in range(4)]
    for number, path in enumerate(paths):
        table = numbers(range(number * 300_000, (number + 1) * 300_000))
        table = table.set_column(0, "k", pyarrow.array(numpy.full(300_000, 7)))
        parquet.write_table(table, path, use_dictionary=False)
    output = sort_within(tmp_path, scratch, paths[::-1], "k")
    assert numpy.array_equal(keys_of([output], ["id"])[0], numpy.arange(1_200_000))


LETTERS = numpy.frombuffer(b"0123456789abcdefghijklmnopqrstuv", dtype=numpy.uint8)
BLOCKS = [LETTERS[numpy.random.default_rng(n).integers(0, 32, 100_000)].tobytes() for n in range(16)]


def wide(ids):
    return pyarrow.table({"k": keyed(ids), "id": numpy.asarray(ids),
                          "v": pyarrow.array([b"%09d" % i + BLOCKS[i % 16] for i in ids])})


def right_wide(batch):
    return all(value.as_py() == b"%09d" % i + BLOCKS[i % 16]
               for i, value in zip(batch.column("id").to_pylist(), batch.column("v")))


@pytest.mark.parametrize("dictionary", [False, True], ids=["plain", "dictionary"])
def test_wide_rows(dictionary, tmp_path, scratch):
    """P7: strings of 100 kB, several times the memory."""
    paths = [tmp_path / f"in-{number}.parquet" for number in range(4)]
    rows = 600 * SCALE
    for number, path in enumerate(paths):
        parquet.write_table(wide(range(number * rows, (number + 1) * rows)), path,
                            use_dictionary=dictionary, dictionary_pagesize_limit=1 << 27,
                            data_page_size=1 << 22)
    check(sort_within(tmp_path, scratch, paths, "k"), paths, ["k"], right_wide, batch_size=32)


def test_wide_keys(tmp_path, scratch):
    """P7: keys of 100 kB that differ at their ends alone."""
    paths = [tmp_path / f"in-{number}.parquet" for number in range(4)]
    for number, path in enumerate(paths):
        ids = range(number * 400, (number + 1) * 400)
        values = [BLOCKS[0].decode() + f"{key:07}" for key in keyed(ids, 900)]
        parquet.write_table(pyarrow.table({"v": values, "id": ids}), path, use_dictionary=False)
    output = sort_within(tmp_path, scratch, paths, "v")
    keys = keyed(range(1600), 900)
    assert keys_of([output], ["id"])[0].tolist() == numpy.argsort(keys, kind="stable").tolist()
    for batch in parquet.ParquetFile(output).iter_batches(batch_size=32):
        assert all(value.as_py() == BLOCKS[0].decode() + f"{keys[i]:07}"
                   for i, value in zip(batch.column("id").to_pylist(), batch.column("v")))


def lists(ids):
    lengths = numpy.where(numpy.asarray(ids) % 997 == 0, 50_000, numpy.asarray(ids) % 40)
    offsets = numpy.concatenate([[0], numpy.cumsum(lengths)]).astype(numpy.int32)
    values = numpy.repeat(numpy.asarray(ids), lengths) + numpy.arange(offsets[-1]) - numpy.repeat(
        offsets[:-1], lengths)
    items = pyarrow.ListArray.from_arrays(pyarrow.array(offsets), pyarrow.array(values))
    return pyarrow.table({"k": keyed(ids), "id": numpy.asarray(ids), "v": items})


def test_lists(tmp_path, scratch):
    """P7: lists of 40 and of 50,000 items."""
    paths = [tmp_path / f"in-{number}.parquet" for number in range(4)]
    rows = 80_000 * SCALE
    for number, path in enumerate(paths):
        parquet.write_table(lists(range(number * rows, (number + 1) * rows)), path,
                            use_dictionary=False)
    check(sort_within(tmp_path, scratch, paths, "k"), paths, ["k"],
          lambda batch: batch.column("v").equals(lists(batch.column("id").to_pylist()).column("v")
                                                 .combine_chunks()))


def test_many_columns(tmp_path, scratch):
    """P7: 1,000 columns, half of them text, most of it null."""
    chance, paths = numpy.random.default_rng(1), []
    for number in range(6):
        table = {"k": chance.integers(0, 500, 600),
                 "id": numpy.arange(number * 600, number * 600 + 600)}
        for index in range(1000):
            values = chance.integers(0, 1000, 600)
            table[f"c{index}"] = pyarrow.array(values, mask=values > 100) if index % 2 else \
                pyarrow.array(values).cast(pyarrow.string())
        paths.append(tmp_path / f"in-{number}.parquet")
        parquet.write_table(pyarrow.table(table), paths[-1])
    output = sort_within(tmp_path, scratch, paths, "k")
    wanted = ordering.keys("k")
    ordering.check_sorted(ordering.wanted_rows(paths, wanted), [output], wanted)


@pytest.fixture(scope="module")
def overlapping(tmp_path_factory):
    """About 60 MB that have to be sorted through scratch."""
    place = tmp_path_factory.mktemp("overlapping")
    paths = [place / f"in-{number}.parquet" for number in range(4)]
    for number, path in enumerate(paths):
        parquet.write_table(numbers(range(number * 250_000, (number + 1) * 250_000)), path,
                            use_dictionary=False)
    return paths


def test_memory_does_not_show(overlapping, tmp_path):
    """The rows are the same whatever memory and scratch there is."""
    wanted = in_order(overlapping, ["k"])
    for number, options in enumerate([["--memory", "24MiB"], ["--memory", "1GiB"],
                                      ["--memory", "32MiB", "--scratch-max", "200MiB"]]):
        made = lithify.merge(tmp_path / f"{number}.parquet", overlapping, "--sort-by", "k", *options)
        numpy.testing.assert_array_equal(keys_of(made, ["id"])[0], wanted)


def test_scratch_that_is_too_small(overlapping, tmp_path, scratch):
    """B5: It is told what to raise; the inputs stay as they are and there is no output."""
    before = [(path.read_bytes(), path.stat().st_mtime_ns) for path in overlapping]
    place = tmp_path / "out"
    place.mkdir()
    result = lithify.run("merge", "--memory", "24MiB", "--scratch", scratch, "--scratch-max", "1MiB",
                         "--sort-by", "k", "-o", place / "out.parquet", *overlapping)
    assert result.code == lithify.FAILED, str(result)
    assert "raise --scratch-max" in result.err and result.err.count("\n") == 1, result.err
    assert [(path.read_bytes(), path.stat().st_mtime_ns) for path in overlapping] == before
    assert list(place.iterdir()) == [] and list(scratch.iterdir()) == []


def scratch_files(process, scratch):
    """Open files below scratch, by what the system says of a process."""
    found = []
    for entry in os.scandir(f"/proc/{process.pid}/fd"):
        try:
            target = os.readlink(entry.path)
        except OSError:
            continue
        if target.startswith(f"{scratch}/"):
            found.append(target)
    return found


def test_killed(overlapping, tmp_path, scratch):
    """P3: a sort that is killed while it uses scratch leaves nothing there; the next one succeeds."""
    place = tmp_path / "out"
    place.mkdir()
    command = [lithify.BIN, "merge", "--memory", "24MiB", "--scratch", scratch, "--sort-by", "k",
               "-o", place / "out.parquet", *overlapping]
    seen = 0
    for wait in (0.0, 0.1, 0.3):
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while process.poll() is None and not scratch_files(process, scratch):
            time.sleep(0.002)
        if process.poll() is None:
            seen += 1
        time.sleep(wait)
        process.send_signal(signal.SIGKILL)
        process.wait()
        assert list(scratch.iterdir()) == []
        assert {path.name for path in place.iterdir()} <= {"out.parquet.tmp", "out.parquet"}
        for path in place.iterdir():
            path.unlink()
    assert seen, "scratch was never used"
    made = lithify.merge(place / "out.parquet", overlapping, "--memory", "24MiB", "--sort-by", "k")
    numpy.testing.assert_array_equal(keys_of(made, ["id"])[0], in_order(overlapping, ["k"]))


@pytest.mark.parametrize("signal_number", [signal.SIGINT, signal.SIGTERM])
def test_stopped(signal_number, overlapping, tmp_path, scratch):
    """A sort that is stopped ends soon, and leaves neither an output nor anything in scratch."""
    place = tmp_path / "out"
    place.mkdir()
    process = subprocess.Popen(
        [lithify.BIN, "merge", "--memory", "24MiB", "--scratch", scratch, "--sort-by", "k", "-o",
         place / "out.parquet", *overlapping], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while process.poll() is None and not scratch_files(process, scratch):
        time.sleep(0.002)
    process.send_signal(signal_number)
    begin = time.monotonic()
    assert process.wait(30) != lithify.DONE
    assert time.monotonic() - begin < 5
    assert list(place.iterdir()) == [] and list(scratch.iterdir()) == []
