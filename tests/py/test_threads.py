"""Threads of one merge: outputs are the same byte for byte, failures too, whatever their number."""

import hashlib
import json
import os
import random
import signal
import subprocess
import time

import numpy
import pyarrow
import pyarrow.parquet as parquet
import pytest

import corpus
import generate
import lithify

THREADS = (2, 4)
SEED = os.environ.get("LITHIFY_SEED", "1")
CASES = int(os.environ.get("LITHIFY_CASES", "20"))
in_corpus = pytest.mark.skipif(not corpus.PRESENT, reason=corpus.ABSENT)


def outcome(place, sources, *options):
    """What a merge says and leaves: exit code, error, names and digests of the outputs."""
    place.mkdir()
    result = lithify.run("merge", *options, "-o", place / "out.parquet", *sources)
    made = [(path.name, hashlib.sha256(path.read_bytes()).hexdigest())
            for path in sorted(place.iterdir())]
    for path in place.iterdir():
        path.unlink()
    place.rmdir()
    return result.code, result.err, made


def must_be_same(tmp_path, sources, *options):
    """Merges with one thread, and with each number of them; returns what all of them did."""
    first = outcome(tmp_path / "out", sources, *options)
    for threads in THREADS:
        told = outcome(tmp_path / "out", sources, "--threads", threads, *options)
        assert told == first, f"{threads} threads"
    return first


@in_corpus
@pytest.mark.parametrize("folder", ["good", "quirks", "bad"])
def test_corpus(folder, tmp_path):
    """Each file of the corpus merged with itself, or refused."""
    for name in corpus.files(folder):
        path = corpus.FOLDER / name
        must_be_same(tmp_path, [path, path])


@in_corpus
@pytest.mark.parametrize("group", corpus.GROUPS, ids=lambda group: group["group"])
def test_groups(group, tmp_path):
    """Files that belong together."""
    for paths in corpus.partitions(group).values():
        must_be_same(tmp_path, paths)
        must_be_same(tmp_path, paths, "--row-group-rows", 50)


@pytest.mark.parametrize("case", range(CASES))
def test_generated(case, tmp_path):
    """Random schemas, rows and writers."""
    chance = random.Random(f"{SEED}/threads/{case}")
    data = generate.Data(chance)
    version = generate.format_version(chance, data.schema)
    sources = []
    for number in range(chance.choice([2, 3, 5, 12])):
        options = generate.writer_options(chance, data.schema, version, False)
        options["store_decimal_as_integer"] = False
        options.pop("column_encoding", None)
        sources.append(tmp_path / f"in-{number:02}.parquet")
        generate.write(sources[-1], data.table(chance.choice([1, 10, 300, 2000])), options)
    limits = chance.choice([[], ["--row-group", "64KiB"], ["--row-group-rows", "50"],
                            ["--target-file", "20KiB", "--row-group-rows", "100"]])
    print(f"LITHIFY_SEED={SEED} case {case}\n{data.schema}\n{limits}")
    code, err, made = must_be_same(tmp_path, sources, "--memory", "128MiB", *limits)
    assert code == lithify.DONE, err
    assert made


def lake(tmp_path, files, rows, wide=0):
    """Files of numbers that do not compress, words, few values, lists, and `wide` more columns."""
    numbers = numpy.random.default_rng(files * rows)
    sources = []
    for number in range(files):
        raw = numbers.integers(0, 1 << 62, rows)
        table = {
            "id": numpy.arange(rows) + number * rows,
            "noise": raw,
            "bytes": pyarrow.array([value.tobytes() * 3 for value in raw]),
            "word": pyarrow.array([f"word {value % 5000}" for value in raw]),
            "few": pyarrow.array([f"{value % 7}" for value in raw]),
            "list": pyarrow.array([[int(value % 9)] * int(value % 3) for value in raw]),
        }
        for index in range(wide):
            table[f"more_{index}"] = raw % (index + 2)
        sources.append(tmp_path / f"in-{number:03}.parquet")
        parquet.write_table(pyarrow.table(table), sources[-1], write_page_index=number % 2 == 0,
                            compression=["snappy", "zstd"][files % 2], row_group_size=rows // 2 + 1,
                            use_dictionary=["word", "few"] if number % 3 else True)
    return sources


@pytest.mark.parametrize("memory", ["16MiB", "64MiB", "128MiB", "256MiB"])
@pytest.mark.parametrize("shape", [(6, 60000, 0), (7, 60000, 0), (40, 300, 300)])
def test_lakes(shape, memory, tmp_path):
    """Chunks larger than what may wait for its turn, several row groups, many columns; the heap
    stays in its budget."""
    sources = lake(tmp_path, *shape)
    code, err, made = must_be_same(tmp_path, sources, "--memory", memory, "--row-group", "16MiB")
    assert code == lithify.DONE, err
    assert len(made) == 1
    if not lithify.SANITIZED:
        mib = int(memory.removesuffix("MiB"))
        result = lithify.ok("merge", "--memory", memory, "--threads", 4, "-o",
                            tmp_path / "out.parquet", *sources)
        assert result.peak_bytes < (mib + 24) << 20, str(result)


@pytest.mark.parametrize("memory", ["64MiB", "128MiB", "256MiB"])
@pytest.mark.parametrize("keys", ["noise", "few,word:desc"])
@pytest.mark.parametrize("shape", [(6, 60000, 0), (40, 300, 100)])
def test_sorted_lakes(shape, keys, memory, tmp_path):
    """The same where rows are sorted: columns are dealt and gathered by several threads."""
    sources = lake(tmp_path, *shape)
    code, err, made = must_be_same(tmp_path, sources, "--memory", memory, "--sort-by", keys)
    assert code == lithify.DONE, err
    assert len(made) == 1
    if not lithify.SANITIZED:
        mib = int(memory.removesuffix("MiB"))
        result = lithify.ok("merge", "--memory", memory, "--threads", 4, "--sort-by", keys, "-o",
                            tmp_path / "out.parquet", *sources)
        assert result.peak_bytes < (mib + 24) << 20, str(result)


@pytest.mark.parametrize("wide", [88, 96, 104])
def test_sorted_dictionary(wide, tmp_path):
    """A dictionary is judged by source pages: whether a thread deals the column's values or ids of
    them, and so in what batches they come back, is not to be seen in the output."""
    numbers = numpy.random.default_rng(11)
    distinct, rows = 7700, 40000
    words = [numbers.bytes(100) for _ in range(distinct)]
    sources = []
    for file in range(2):
        keys = numpy.arange(rows) * 2 + file
        # In the order of the keys each value comes once, before any comes again; half are null.
        order = keys // 4 * 2 + file
        ids = numpy.where(order < distinct, order, numbers.integers(0, distinct, rows))
        table = {"k": keys,
                 "c": pyarrow.array([None if key % 4 > 1 else words[index]
                                     for key, index in zip(keys, ids)], pyarrow.binary(100))}
        for index in range(10):
            table[f"wide_{index}"] = pyarrow.array(
                [value.tobytes() * (wide // 8) for value in numbers.integers(0, 1 << 62, rows)],
                pyarrow.binary(wide))
        sources.append(tmp_path / f"in{file}.parquet")
        parquet.write_table(pyarrow.table(table), sources[-1], row_group_size=rows)
    code, err, made = must_be_same(tmp_path, sources, "--memory", "64MiB", "--row-group", "32MiB",
                                   "--sort-by", "k")
    assert code == lithify.DONE, err
    assert len(made) == 1


def threads_while(command):
    """Runs a command to its end; returns what it printed, and the most threads it was seen with."""
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    most = 0
    while process.poll() is None:
        try:
            most = max(most, len(os.listdir(f"/proc/{process.pid}/task")))
        except FileNotFoundError:
            pass
        time.sleep(0.002)
    out, err = process.communicate()
    assert process.returncode == lithify.DONE, err
    return out, most


@pytest.mark.skipif(lithify.SANITIZED, reason="time")
def test_sorted_memory(tmp_path):
    """However many threads deal the columns of a sort, together they take what one would."""
    numbers = numpy.random.default_rng(5)
    sources = [tmp_path / f"in{index}.parquet" for index in range(3)]
    for path in sources:
        columns = {"k": numbers.integers(0, 1 << 60, 520_000)}
        columns.update({f"c{index}": numbers.random(520_000) for index in range(12)})
        parquet.write_table(pyarrow.table(columns), path, use_dictionary=False, compression="none")
    peaks = {}
    for threads in (1, 2, 8):
        out, most = threads_while(
            [lithify.BIN, "merge", "--json", "--overwrite", "--verify=off", "--sort-by=k",
             "--memory=256MiB", "--threads", str(threads), "-o", tmp_path / "out.parquet", *sources])
        peaks[threads] = json.loads(out)["memory_peak_bytes"]
        assert most == threads + (threads > 1), "the workers, and who waits for them"
    assert max(peaks.values()) < 1.15 * peaks[1], peaks


@pytest.mark.skipif(lithify.SANITIZED, reason="time")
def test_an_input_that_changes(tmp_path):
    """Inputs are read more than once: one that is written to meanwhile is told, and there is no output."""
    numbers = numpy.random.default_rng(7)
    sources = [tmp_path / f"in{index}.parquet" for index in range(2)]
    for path in sources:
        parquet.write_table(pyarrow.table({"k": numbers.random(1_500_000)}), path, compression="none")
    out, tmp = tmp_path / "out.parquet", tmp_path / "out.parquet.tmp"
    for _ in range(20):
        out.unlink(missing_ok=True)
        merge = subprocess.Popen([lithify.BIN, "merge", "--verify=off", "--sort-by=k", "-o", out, *sources],
                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        while not tmp.exists() and merge.poll() is None:
            time.sleep(0.001)
        os.utime(sources[1])
        told = merge.communicate(timeout=60)[1]
        if merge.returncode != lithify.DONE:
            break  # else it was done before
    assert merge.returncode != lithify.DONE and "in1.parquet changed while it was being merged" in told, told
    assert not out.exists() and not tmp.exists()


def same_size(table, size):
    """A file of the table, of so many bytes: what it lacks stands in front of the footer."""
    sink = pyarrow.BufferOutputStream()
    parquet.write_table(table, sink)
    data = sink.getvalue().to_pybytes()
    footer = len(data) - int.from_bytes(data[-8:-4], "little") - 8
    return data[:footer] + bytes(size - len(data)) + data[footer:]


@pytest.mark.skipif(lithify.SANITIZED, reason="time")
@pytest.mark.parametrize("threads", [1, 2])
def test_schemas_that_change(threads, tmp_path):
    """The keys of a sort are read a second time: what is written over inputs meanwhile, with numbers
    for texts or without the key, is a failure that is told."""
    rows, size = 3000, 100_000
    names = pyarrow.array([f"key {(row * 7919) % 100003:06}" for row in range(rows)])
    numbers = pyarrow.array(range(rows))
    before = same_size(pyarrow.table({"k": names, "v": numbers}), size)
    others = [same_size(pyarrow.table(columns), size)
              for columns in ({"k": numbers, "v": numbers}, {"other": names, "v": numbers})]
    sources = [tmp_path / f"in{index:03}.parquet" for index in range(150)]
    out, tmp = tmp_path / "out.parquet", tmp_path / "out.parquet.tmp"
    for turn in range(20):
        out.unlink(missing_ok=True)
        for path in sources:
            path.write_bytes(before)
        merge = subprocess.Popen([lithify.BIN, "merge", "--sort-by=k", "--threads", str(threads),
                                  "-o", out, *sources],
                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        while not tmp.exists() and merge.poll() is None:
            pass
        for index, path in reversed(list(enumerate(sources[50:]))):
            with open(path, "r+b") as file:
                file.write(others[(index + turn) % 2])
        told = merge.communicate(timeout=60)[1]
        assert merge.returncode in (lithify.DONE, lithify.FAILED), told
        if "its schema changed" in told:
            break  # else they were read already, or while they were written
    assert "changed while it was being merged" in told, told
    assert not out.exists() and not tmp.exists()


def test_short_memory(tmp_path):
    """Values so large that they do not fit the budget in several threads at once, but do in one."""
    numbers = numpy.random.default_rng(3)
    letters = numpy.frombuffer(b"0123456789abcdef", dtype=numpy.uint8)
    columns = {f"c{index}": pyarrow.array([letters[numbers.integers(0, 16, 14 << 20)].tobytes()])
               for index in range(4)}
    path = tmp_path / "in.parquet"
    parquet.write_table(pyarrow.table(columns), path, use_dictionary=False, compression="zstd")
    code, err, made = must_be_same(tmp_path, [path] * 2, "--memory", "64MiB")
    assert code == lithify.DONE, err
    assert made


@pytest.mark.parametrize("threads, jobs", [(2, 1), (4, 1), (4, 2), (0, 1)])
def test_compact(threads, jobs, tmp_path):
    """A lake compacted with threads, and with jobs at once, keeps its rows."""
    for day in (1, 2):
        folder = tmp_path / "tenant_id=a" / f"date=2024-01-0{day}"
        folder.mkdir(parents=True)
        for path in lake(folder, 5, 2000 + day, 10):
            os.utime(path, (1.7e9, 1.7e9))
    lithify.ok("compact", "--readers", "manifest", "--threads", threads, "--jobs", jobs, tmp_path)
    for folder in (tmp_path / "tenant_id=a").iterdir():
        inputs = sorted(folder.glob("in-*.parquet"))
        outputs = [path for path in folder.glob("*.parquet") if path not in inputs]
        assert len(inputs) == 5 and len(outputs) == 1
        lithify.ok("verify", *inputs, "--", *outputs)


@pytest.mark.skipif(lithify.SANITIZED, reason="time")
def test_killed(tmp_path):
    """A merge that is killed leaves its temporary file and nothing else; the next one succeeds."""
    sources = lake(tmp_path, 6, 60000)
    place = tmp_path / "out"
    place.mkdir()
    command = [lithify.BIN, "merge", "--threads", "3", "--row-group", "8MiB", "--scratch", place,
               "-o", place / "out.parquet", *sources]
    for wait in (0.02, 0.05, 0.1, 0.2):
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        time.sleep(wait)
        process.send_signal(signal.SIGKILL)
        process.wait()
        left = list(place.iterdir())
        assert {path.name for path in left} <= {"out.parquet.tmp", "out.parquet"}
        for path in left:
            path.unlink()
    lithify.ok("merge", "-o", place / "out.parquet", *sources)


def test_options():
    """The number is checked."""
    assert lithify.run("merge", "--threads", "257", "-o", "x", "y").code == lithify.USAGE
    assert lithify.run("merge", "--threads", "some", "-o", "x", "y").code == lithify.USAGE
