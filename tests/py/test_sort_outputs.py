"""Sorted rewrites: outputs and row groups, lakes, what pruning gains, and what is refused."""

import datetime
import json
import os
import pathlib
import random
import shutil

import duckdb
import numpy
import pyarrow
import pyarrow.parquet as parquet
import pytest

import lithify
import numbered
import ordering
import reader
from ordering import Key

MIB = 1 << 20
FOLDER = pathlib.Path("tenant_id=acme") / numbered.HOUR


def noise(rows, first=0, span=1 << 40, width=100):
    """Rows that do not compress, with keys all over `span`."""
    bits = numpy.random.default_rng(first + rows)
    body = bits.integers(0, 256, rows * width, dtype=numpy.uint8).tobytes()
    blob = pyarrow.Array.from_buffers(pyarrow.binary(width), rows, [None, pyarrow.py_buffer(body)])
    return pyarrow.table({"k": bits.integers(0, span, rows), "blob": blob,
                          "id": numpy.arange(first, first + rows)})


def noise_files(place, count, rows, **more):
    place.mkdir(parents=True, exist_ok=True)
    paths = [place / f"in-{number:03}.parquet" for number in range(count)]
    for number, path in enumerate(paths):
        parquet.write_table(noise(rows, number * rows, **more), path, use_dictionary=False)
    return paths


def outputs_of(result):
    """The paths of a merge's outputs, in their order."""
    return [pathlib.Path(path) for path in json.loads(result.out)["output_paths"]]


def row_groups(path):
    metadata = parquet.read_metadata(path)
    return [metadata.row_group(number) for number in range(metadata.num_row_groups)]


@pytest.mark.parametrize("options", [[], ["--row-group", "256KiB"], ["--row-group-rows", "1000"]])
def test_several_outputs(options, tmp_path):
    """HYP.1: outputs of the size asked for are in order one behind the other."""
    paths = noise_files(tmp_path / "in", 6, 20_000)
    wanted = ordering.keys("k:desc")
    result = lithify.ok("merge", "--json", "--target-file", "2MiB", *ordering.option(wanted), *options,
                        "-o", tmp_path / "out.parquet", *paths)
    made = outputs_of(result)
    assert len(made) > 3 and made[0].name == "out.parquet" and made[3].name == "out-3.parquet"
    ordering.check_sorted(ordering.wanted_rows(paths, wanted), made, wanted)
    sizes = [path.stat().st_size for path in made]
    # A row group of 1 MiB is never cut.
    assert all(size < 3.2 * MIB for size in sizes) and max(sizes) > 1.5 * MIB, sizes
    lithify.ok("verify", *paths, "--", *made)


@pytest.mark.parametrize("files, options, groups", [
    (2, [], range(4, 7)),  # 4.6 MiB: row groups of 1 MiB at least
    (8, [], range(8, 11)),  # 18 MiB: an eighth of it
    (8, ["--row-group", "128MiB"], range(1, 2)),
    (8, ["--row-group", "6MiB"], range(3, 5)),
    (8, ["--row-group-rows", "50000"], range(8, 11)),  # of the two limits the smaller one
    (8, ["--row-group-rows", "10000"], range(16, 17)),
    (2, ["--row-group-rows", "100"], range(400, 401)),  # more than are dealt at once
    (8, ["--memory", "16MiB", "--scratch-max", "8MiB"], range(8, 11)),  # which not all rows fit
])
def test_row_groups(files, options, groups, tmp_path):
    """Row groups are an eighth of the inputs, from 1 MiB to 32 MiB, unless row_group is given."""
    paths = noise_files(tmp_path / "in", files, 20_000)
    made = ordering.merge(tmp_path / "out.parquet", paths, ordering.keys("k"), *options)
    assert len(row_groups(made[0])) in groups
    assert len({group.num_rows for group in row_groups(made[0])[:-1]}) <= 1


@pytest.mark.skipif(int(os.environ.get("LITHIFY_CASES", "0")) < 1000, reason="soak")
def test_large_row_groups(tmp_path):
    """An eighth of much is 32 MiB."""
    paths = noise_files(tmp_path / "in", 14, 300_000)
    made = ordering.merge(tmp_path / "out.parquet", paths, ordering.keys("k"))
    sizes = [group.total_byte_size for group in row_groups(made[0])]
    assert all(28 * MIB < size < 33 * MIB for size in sizes[:-1]), sizes


def test_row_group_of_a_file_of_options(tmp_path):
    """A size that the file of options has is given, too."""
    paths = noise_files(tmp_path / "in", 4, 20_000)
    options = tmp_path / "lithify.yaml"
    options.write_text("sort_by: k:desc\nrow_group: 128MiB\n")
    made = lithify.merge(tmp_path / "out.parquet", paths, "--config", options)
    assert len(row_groups(made[0])) == 1
    wanted = ordering.keys("k:desc")
    ordering.check_sorted(ordering.wanted_rows(paths, wanted), made, wanted)


# --- lakes


def lake_tables(count=12, rows=400, first=0):
    """Times that overlap, services at random; ids tell the rows."""
    chance = random.Random(first)
    for number in range(count):
        ids = list(range(first + number * rows, first + (number + 1) * rows))
        yield numbered.table(ids).append_column(
            "service", pyarrow.array([chance.choice([None, "api", "web", "db", "ä"]) for _ in ids])
        ).append_column("at", pyarrow.array([chance.randrange(5000) for _ in ids]))


def write_old(path, table, **options):
    path.parent.mkdir(parents=True, exist_ok=True)
    parquet.write_table(table, path, **options)
    past = datetime.datetime.now().timestamp() - 7200
    os.utime(path, (past, past))
    return path


@pytest.fixture
def lake(tmp_path):
    root = tmp_path / "lake"
    for number, table in enumerate(lake_tables()):
        write_old(root / FOLDER / f"part-{number:03}.parquet", table)
    return root


SORT = "service:nulls-first,at:desc"


def compact(root, *options):
    return lithify.ok("compact", *numbered.NOW, *options, root)


def given(way, tmp_path):
    """The sort order by flag, by file or by variable: what `run` takes."""
    if way == "file":
        (tmp_path / "lithify.yaml").write_text(f"sort_by: {SORT}\n")
        return ["--config", tmp_path / "lithify.yaml"], {}
    return (["--sort-by", SORT], {}) if way == "flag" else ([], {"LITHIFY_SORT_BY": SORT})


@pytest.mark.parametrize("way", ["flag", "file", "variable"])
def test_compact(way, lake, tmp_path):
    """P1, P6: a partition's output is sorted; later runs write nothing."""
    sources = sorted((lake / FOLDER).glob("*.parquet"))
    wanted = ordering.keys(SORT)
    expected = ordering.wanted_rows(sources, wanted)
    options, env = given(way, tmp_path)
    lithify.ok("compact", *numbered.NOW, *options, lake, env=env)
    made = reader.live(lake / FOLDER)
    assert len(made) == 1
    ordering.check_sorted(expected, made, wanted)
    numbered.check_everywhere(lake, range(expected.num_rows))
    manifest = json.loads((lake / FOLDER / "manifest.json").read_text())
    assert [file["rows"] for file in manifest["lithify"]["files"]] == [expected.num_rows]
    assert sorted(one["name"] for one in manifest["lithify"]["retired"]) == [p.name for p in sources]
    assert sum(one["rows"] for one in manifest["lithify"]["retired"]) == expected.num_rows
    before = numbered.tree(lake)
    lithify.ok("compact", *numbered.NOW, *options, lake, env=env)
    assert numbered.tree(lake) == before


def test_compact_to_several_files(lake, tmp_path):
    """P1, P6: several outputs are in order by their names, and then there is rest."""
    noise_lake = tmp_path / "noise"
    for number in range(6):
        write_old(noise_lake / FOLDER / f"{number}.parquet", noise(20_000, number * 20_000),
                  use_dictionary=False)
    sources = sorted((noise_lake / FOLDER).glob("*.parquet"))
    wanted = ordering.keys("k")
    expected = ordering.wanted_rows(sources, wanted)
    options = ["--sort-by", "k", "--target-file", "4MiB", "--row-group", "512KiB"]
    compact(noise_lake, *options)
    made = reader.live(noise_lake / FOLDER)
    assert len(made) > 2
    ordering.check_sorted(expected, sorted(made), wanted)
    before = numbered.tree(noise_lake)
    compact(noise_lake, *options)
    assert numbered.tree(noise_lake) == before


def test_late_files_are_sorted_in(lake):
    """P1, P6: what comes after a compaction is merged with its output, and the whole is in order."""
    compact(lake, "--sort-by", "service,at")
    first = reader.live(lake / FOLDER)
    for number, table in enumerate(lake_tables(4, 300, first=100_000)):
        write_old(lake / FOLDER / f"late-{number}.parquet", table)
    compact(lake, "--sort-by", "service,at")
    made = reader.live(lake / FOLDER)
    assert len(made) == 1 and made != first
    numbered.check_everywhere(lake, [*range(4800), *range(100_000, 101_200)])
    found = ordering.read(made[0])
    wanted = ordering.keys("service,at")
    assert ordering.by_python([found], wanted) == list(range(found.num_rows))
    ordering.check_claims(made, wanted)
    before = numbered.tree(lake)
    compact(lake, "--sort-by", "service,at")
    assert numbered.tree(lake) == before


def test_another_order_is_asked_for_once(lake):
    """P6: a sort order that is new may change what is there, once; then there is rest."""
    compact(lake)
    for text in ("service,at", "at:desc"):
        compact(lake, "--sort-by", text)
        before = numbered.tree(lake)
        compact(lake, "--sort-by", text)
        assert numbered.tree(lake) == before
        numbered.check_everywhere(lake, range(4800))


def test_row_groups_that_are_asked_for_are_another_policy(lake, tmp_path):
    """P3: by the same name there are the same bytes, whoever writes them. Row groups of a sorted
    output are smaller unless a size is given; a given one is another policy, be it the default."""
    names = {}
    for what, options in (("default", []), ("given", ["--row-group", "128MiB"])):
        root = tmp_path / what
        shutil.copytree(lake, root, copy_function=shutil.copy2)
        compact(root, "--sort-by", "at", *options)
        manifest = json.loads((root / FOLDER / "manifest.json").read_text())
        names[what] = manifest["lithify"]["outcome"]["policy_hash"]
    assert names["default"] != names["given"]


def test_a_partition_without_the_column(lake):
    """P8, P9: it is told, by name, and left as it is; the others are sorted."""
    other = FOLDER.parent / "hour=06"
    numbered.fill(lake / other, 6, 50)
    before = numbered.tree(lake / other)
    result = lithify.run("compact", *numbered.NOW, "--sort-by", "service", lake)
    print(result)
    assert result.code in (lithify.FAILED, lithify.BLOCKED), str(result)
    assert "hour=06" in result.out + result.err and 'no column "service"' in result.out + result.err
    after = numbered.tree(lake / other)
    assert {name: one for name, one in after.items() if name in before} == before
    assert all(not name.endswith((".parquet", ".tmp")) for name in set(after) - set(before))
    made = reader.live(lake / FOLDER)
    assert len(made) == 1
    ordering.check_claims(made, ordering.keys("service"))


def odd_file(path, ids, service=None):
    """A file that joins none of the lake's: its ids are texts."""
    table = pyarrow.table({"id": [str(i) for i in ids], "body": ["x" * 40] * len(ids)})
    if service is not None:
        table = table.append_column("service", pyarrow.array([service] * len(ids)))
    return write_old(path, table)


def sweep(root, *options):
    """The report of the partition FOLDER, and the exit code."""
    result = lithify.run("compact", *numbered.NOW, "--sort-by", "service", "--json", *options, root)
    found = [one for one in json.loads(result.out)["partitions"] if one["path"] == str(FOLDER)]
    return found[0], result.code


def told(done):
    """The names of the files that were told to stay out for want of the column."""
    return {file["name"] for file in done["files"] if 'no column "service"' in (file["detail"] or "")}


def rests(root, sweeps=2):
    """P6, P8: sweeps change nothing, read no footer, and still tell what stays out."""
    first = None
    numbered.break_footers(reader.live(root / FOLDER))
    broken = numbered.tree(root)
    for _ in range(sweeps):
        done, code = sweep(root)
        first = first or (done, code)
        assert (done, code) == first and done["state"] == "left", done
        assert numbered.tree(root) == broken
    return first


@pytest.mark.parametrize("odd", [20, 2])
def test_a_kind_without_the_column(odd, lake):
    """P1, P6, P8: files of a kind without the column stay out, are told, and hold up no others."""
    sources = sorted((lake / FOLDER).glob("*.parquet"))
    stay = {odd_file(lake / FOLDER / f"odd-{number:02}.parquet", range(50)).name
            for number in range(odd)}
    wanted = ordering.keys("service")
    expected = ordering.wanted_rows(sources, wanted)
    planned = lithify.run("plan", *(one for one in numbered.NOW if one != "--quiet"), "--sort-by",
                          "service", "--json", lake)
    planned = json.loads(planned.out)["partitions"][0]
    assert told(planned) == stay and planned["inputs"] == len(sources)
    done, code = sweep(lake)
    assert (done["state"], done["blocked_files"], code) == ("compacted", odd, lithify.BLOCKED), done
    assert told(done) == stay
    made = [path for path in reader.live(lake / FOLDER) if path.name not in stay]
    assert len(made) == 1 and len(reader.live(lake / FOLDER)) == odd + 1
    ordering.check_sorted(expected, made, wanted)
    done, code = rests(lake)
    assert told(done) == stay and (done["blocked_files"], code) == (odd, lithify.BLOCKED), done


def test_a_kind_gets_the_column(lake):
    """P1, P6: a late file of the kind that has the column brings the whole kind in; until then late
    files without it are left with the others."""
    for number in range(4):
        odd_file(lake / FOLDER / f"odd-{number}.parquet", range(number * 50, number * 50 + 50))
    assert sweep(lake)[1] == lithify.BLOCKED
    odd_file(lake / FOLDER / "odd-4.parquet", range(200, 250))
    done, code = sweep(lake)
    assert (done["blocked_files"], code) == (5, lithify.BLOCKED), done
    copy = lake.with_name("copy")
    shutil.copytree(lake, copy, copy_function=shutil.copy2)
    rests(copy)
    odd_file(lake / FOLDER / "odd-5.parquet", range(250, 300), service="api")
    done, code = sweep(lake)
    assert (done["state"], done["inputs"], code) == ("compacted", 6, lithify.DONE), done
    found = [parquet.read_table(path) for path in reader.live(lake / FOLDER)]
    assert sorted(table.num_rows for table in found) == [300, 4800]
    (ids,) = (table["id"].to_pylist() for table in found if table.num_rows == 300)
    assert sorted(map(int, ids)) == list(range(300))
    done, code = rests(lake)
    assert (done["blocked_files"], code) == (0, lithify.DONE), done


def test_the_column_is_in_another_file_of_the_kind(lake):
    """P1, P6, P8: a kind has the column, but in a file too large to be merged: those without it stay
    out, and hold up no others. Once a small one has it they are merged."""
    sources = sorted((lake / FOLDER).glob("*.parquet"))
    stay = {odd_file(lake / FOLDER / f"odd-{number:02}.parquet", range(50)).name
            for number in range(20)}
    big = odd_file(lake / FOLDER / "odd-big.parquet", range(200_000), service="api")
    done, code = sweep(lake)
    assert (done["state"], done["inputs"], code) == ("compacted", len(sources), lithify.BLOCKED), done
    assert {file["name"] for file in done["files"]} == stay
    assert all("column of sort_by" in file["detail"] for file in done["files"]), done["files"]
    before = numbered.tree(lake)
    for _ in range(2):
        done, code = sweep(lake)
        assert (done["state"], done["blocked_files"], code) == ("left", 20, lithify.BLOCKED), done
        assert numbered.tree(lake) == before
    odd_file(lake / FOLDER / "odd-small.parquet", range(60), service="web")
    done, code = sweep(lake)
    assert (done["state"], done["inputs"], code) == ("compacted", 21, lithify.DONE), done
    assert big in reader.live(lake / FOLDER) and len(reader.live(lake / FOLDER)) == 3


def test_one_file_without_the_column(lake):
    """P6, P8: a file that has nothing beside it to be merged with is no news."""
    odd_file(lake / FOLDER / "odd.parquet", range(50))
    done, code = sweep(lake)
    assert (done["state"], done["blocked_files"], code) == ("compacted", 0, lithify.DONE), done
    assert rests(lake)[1] == lithify.DONE


def test_a_large_output_beside_a_kind_without_the_column(lake):
    """P6, P8: where nothing but files without the column is left to merge, that is noted, too."""
    assert sweep(lake, "--target-file", "64KiB")[1] == lithify.DONE
    stay = {odd_file(lake / FOLDER / f"odd-{number}.parquet", range(50)).name for number in range(5)}
    for _ in range(2):
        done, code = sweep(lake, "--target-file", "64KiB")
        assert (done["state"], code) == ("left", lithify.BLOCKED) and told(done) == stay, done
    numbered.break_footers(reader.live(lake / FOLDER))
    assert sweep(lake, "--target-file", "64KiB") == (done, code)


@pytest.mark.parametrize("text, words", [("service:up", 'unknown option "up"'),
                                         ("service,", "without a column"),
                                         (",".join(f"c{n}" for n in range(17)), "more than 16 keys")])
def test_a_sort_order_that_cannot_be_read(text, words, lake):
    """P8: that is told once, of the options, and no partition is looked at."""
    before = numbered.tree(lake)
    result = lithify.run("compact", *numbered.NOW, "--sort-by", text, lake)
    assert result.code in (lithify.FAILED, lithify.USAGE), str(result)
    assert words in result.err and result.err.count("\n") == 1, result.err
    assert numbered.tree(lake) == before


# --- what pruning gains

SERVICES = [f"service-{number:02}" for number in range(20)]
BEGIN = datetime.datetime(2026, 6, 15, 10, tzinfo=datetime.timezone.utc)


def telemetry(number, files, rows, is_nested):
    """A minute of one hour: rows of all services, in the order of time."""
    bits = numpy.random.default_rng(number)
    begin, end = (at * 3600 * 10**6 // files for at in (number, number + 1))
    micros = numpy.sort(bits.integers(begin, end, rows))
    stamps = pyarrow.array(micros + int(BEGIN.timestamp() * 10**6), pyarrow.timestamp("us", "UTC"))
    names = pyarrow.array(SERVICES).take(pyarrow.array(bits.integers(0, len(SERVICES), rows)))
    columns = {"time": stamps, "value": bits.random(rows), "trace": bits.integers(0, 1 << 62, rows),
               "span": bits.integers(0, 1 << 62, rows)}
    if is_nested:
        columns["service"] = pyarrow.StructArray.from_arrays([names], ["name"])
    else:
        columns["service.name"] = names
    return pyarrow.table(columns)


def may_hold(group, path, value):
    """Whether a row group may have the value, by its statistics."""
    columns = [group.column(number) for number in range(group.num_columns)]
    told = next(column.statistics for column in columns if column.path_in_schema == path)
    return told is None or not told.has_min_max or told.min <= value <= told.max


def read_bytes(paths, column, value):
    """Compressed bytes of the row groups that may have the value."""
    read = [group for path in paths for group in row_groups(path) if may_hold(group, column, value)]
    return sum(group.column(number).total_compressed_size
               for group in read for number in range(group.num_columns))


def query(paths, column, begin, end):
    """Count and sums by DuckDB."""
    with duckdb.connect(config={"threads": 1}) as connection:
        return connection.execute(
            "SELECT count(*), sum(value), min(trace), max(span) FROM read_parquet(?) "
            f"WHERE {column} = ? AND time >= ? AND time < ?",
            [[str(path) for path in paths], SERVICES[7], begin, end]).fetchone()


@pytest.mark.parametrize("is_nested", [False, True], ids=["dotted name", "nested"])
def test_clustered_by_service(is_nested, tmp_path):
    """A lake's hour of 20 services: what a query for one service reads, by statistics of row groups,
    is a fifth or less of what it reads unsorted with row groups of the same size."""
    files, rows = 60, 8000
    bytes_read, found, text = {}, {}, "service.name,time"
    # DuckDB and pyarrow call the path the same.
    column = "service.name" if is_nested else '"service.name"'
    end = BEGIN + datetime.timedelta(hours=1)
    for name, options in (("unsorted", ["--row-group", "2MiB"]), ("default", []),
                          ("sorted", ["--sort-by", text])):
        root = tmp_path / name
        for number in range(files):
            write_old(root / FOLDER / f"{number:03}.parquet", telemetry(number, files, rows, is_nested))
        sources = sorted((root / FOLDER).glob("*.parquet"))
        compact(root, *options)
        made = [pathlib.Path(line) for line in lithify.ok("ls", root).out.splitlines()]
        assert len(made) == 1
        bytes_read[name] = read_bytes(made, "service.name", SERVICES[7])
        found[name] = query(made, column, BEGIN, end)
        assert found[name][0] == query(sources, column, BEGIN, end)[0] > 20_000
        half = BEGIN + datetime.timedelta(minutes=30)
        assert query(made, column, half, end)[::2] == query(sources, column, half, end)[::2]
    factor = {name: bytes_read[name] / bytes_read["sorted"] for name in ("unsorted", "default")}
    print(f"row-group bytes read for one service: sorted {bytes_read['sorted']}, " + ", ".join(
        f"{name} {bytes_read[name]} ({factor[name]:.1f} times)" for name in factor))
    path = ("service", "name") if is_nested else ("service.name",)
    ordering.check_claims(made, [Key(path), Key(("time",))])
    assert min(factor.values()) >= 5, factor


LARGE, SMALL = 6000, 300  # rows of a service
# Each large service is followed by two small ones; rows without a service are the last large one.
SIZES = {f"{number:02}-{letter}": LARGE if letter == "a" else SMALL
         for number in range(20) for letter in "abc"} | {None: LARGE}


def mixed_files(place, files=24):
    """An hour of services of two sizes, each file a few minutes of it in the order of time."""
    bits, place = numpy.random.default_rng(7), pathlib.Path(place)
    place.mkdir()
    names = numpy.repeat(numpy.arange(len(SIZES)), list(SIZES.values()))
    bits.shuffle(names)
    rows = len(names)
    micros = numpy.sort(bits.integers(0, 3600 * 10**6, rows)) + int(BEGIN.timestamp() * 10**6)
    whole = pyarrow.table({
        "time": pyarrow.array(micros, pyarrow.timestamp("us", "UTC")),
        "service": pyarrow.array(list(SIZES)).take(pyarrow.array(names)),
        "value": bits.random(rows), "trace": bits.integers(0, 1 << 62, rows)})
    paths = [place / f"{number:03}.parquet" for number in range(files)]
    for number, path in enumerate(paths):
        begin, end = (at * rows // files for at in (number, number + 1))
        parquet.write_table(whole.slice(begin, end - begin), path)
    return paths


def services_of(group):
    """The first and last service of a row group, and how many rows have none."""
    columns = [group.column(number) for number in range(group.num_columns)]
    told = next(column.statistics for column in columns if column.path_in_schema == "service")
    return (told.min, told.max, told.null_count) if told.has_min_max else (None, None, told.null_count)


def window_bytes(paths, service, begin, end):
    """Compressed bytes of the row groups that may have rows of a service in a span of time."""
    def is_read(group):
        times = group.column(0).statistics
        return may_hold(group, "service", service) and times.min < end and times.max >= begin
    read = [group for path in paths for group in row_groups(path) if is_read(group)]
    return sum(group.column(number).total_compressed_size
               for group in read for number in range(group.num_columns))


@pytest.mark.parametrize("keys", ["service,time", "service:desc:nulls-first,time"])
@pytest.mark.parametrize("options", [[], ["--target-file", "1MiB"],
                                     ["--memory", "16MiB", "--scratch-max", "5MiB"]],
                         ids=["one output", "several", "little memory"])
def test_row_groups_end_where_a_large_service_does(options, keys, tmp_path):
    """A row group has rows of one large service, or none of any, and no more rows than it may; so
    ten minutes of one service cost a fifth or less of what they cost unsorted. The order in which
    inputs are named does not show."""
    paths = mixed_files(tmp_path / "in")
    large = [name for name, rows in SIZES.items() if name and rows == LARGE]
    limit = ["--row-group-rows", "2400"]
    wanted = ordering.keys(keys)
    made = ordering.merge_shuffled(tmp_path / "out.parquet", paths, wanted, random.Random(1), *limit,
                                   *options)
    made.sort(key=lambda path: (len(path.name), path.name))  # out, out-1, out-2
    assert (len(made) > 2) == ("--target-file" in options)
    ordering.check_sorted(ordering.wanted_rows(paths, wanted), made, wanted)
    groups = [group for path in made for group in row_groups(path)]
    assert max(group.num_rows for group in groups) <= 2400
    for group in groups:
        first, last, nulls = services_of(group)
        assert nulls in (0, group.num_rows)
        assert first == last or not any(first <= name <= last for name in large), (first, last)
    assert len(groups) == 21 * 3 + 20  # of a large one 2000 rows each; of two small ones 600
    plain = lithify.merge(tmp_path / "plain.parquet", paths, *limit)
    begin, end = (BEGIN + datetime.timedelta(minutes=at) for at in (25, 35))
    factor = window_bytes(plain, "07-a", begin, end) / window_bytes(made, "07-a", begin, end)
    print(f"{factor:.1f} times fewer bytes")
    assert factor >= 5, factor


# --- what is refused


def odd_columns_file(path):
    """Columns of every kind that cannot be sorted by, and some that can."""
    int96 = pyarrow.table({"stamp": pyarrow.array([1], pyarrow.timestamp("ns"))})
    if path.name == "int96.parquet":
        parquet.write_table(int96, path, use_deprecated_int96_timestamps=True)
        return path
    parquet.write_table(pyarrow.table({
        "time": [1, 2], "tenant": ["a", "b"], "tags": [["x"], None],
        "map": pyarrow.array([[("k", 1)], None], pyarrow.map_(pyarrow.string(), pyarrow.int32())),
        "st": [{"a": 1, "in": {"b": 2}}, None], "a.b": [1, 2],
        "a": [{"b": 3}, {"b": 4}], "x:y": [1, 2]}), path)
    return path


# Sort order -> words of the message besides the text itself.
REFUSED = {
    "tme": ['no column "tme"', "nearest are: time"],
    "time,tennant": ['no column "tennant"', "nearest are: tenant"],
    "st.in.c": ['no column "st.in.c"', "st.in.b"],
    "TIME": ['no column "TIME"', "nearest are: time"],
    "tags.list.element": ["below a list or map"],
    "map.key_value.key": ["below a list or map"],
    "st": ["is a group of 2", "st.NAME"],
    "tags": ["is a group"],
    "time,tenant,time": ["keys 1 and 3 are the same column"],
    "time,time:desc": ["keys 1 and 2 are the same column"],
    "a.b": ["two columns read the same", "quotes"],
    '"a.b","a.b"': ["keys 1 and 2"],
    "time:up": ['unknown option "up"', "asc, desc, nulls-first and nulls-last"],
    "time:desc:asc": ['"asc"', "same kind"],
    "time:nulls-first:nulls-first": ['"nulls-first"', "same kind"],
    "x:y": ['no column "x"', "x:y"],
    "time,": ["without a column"],
    ",time": ["without a column"],
    ":desc": ["without a column"],
    '"time': ["quote"],
    '"time"x': ['"x" behind a quoted name'],
    ",".join(["time"] * 17): ["same column"],
}


@pytest.mark.parametrize("text", REFUSED)
def test_refused(text, tmp_path):
    """What is wrong with a sort order is said with the order, the place and what may stand there;
    nothing is written."""
    path = odd_columns_file(tmp_path / "a.parquet")
    if text.startswith("x:y"):
        # The message names the option; either reading of it is wrong.
        words = ['unknown option "y"', "quotes"]
    else:
        words = REFUSED[text]
    result = lithify.run("merge", "--sort-by", text, "-o", tmp_path / "out.parquet", path)
    assert result.code in (lithify.FAILED, lithify.USAGE), str(result)
    assert f'sort order "{text[:200]}", at byte ' in result.err, result.err
    assert all(word in result.err for word in words), result.err
    assert result.err.count("\n") == 1 and "internal" not in result.err, result.err
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("text", ['"a.b"', "a.b:desc", '"a".b', '"x:y":desc', '"a"."b",time'])
def test_quoted(text, tmp_path):
    """Names in quotes are told apart from paths."""
    path = odd_columns_file(tmp_path / "a.parquet")
    code = lithify.USAGE if text == "a.b:desc" else lithify.DONE
    result = lithify.run("merge", "--sort-by", text, "-o", tmp_path / "out.parquet", path)
    assert result.code == code, str(result)
    if code == lithify.DONE:
        said = ordering.claimed(tmp_path / "out.parquet")[0]
        footer = ordering.parquet_file.read_footer((tmp_path / "out.parquet").read_bytes())
        place = footer.row_groups[0].sorting_columns[0].column_idx
        found = footer.row_groups[0].columns[place].meta_data.path_in_schema
        assert found == {'"a.b"': [b"a.b"], '"a".b': [b"a", b"b"], '"x:y":desc': [b"x:y"],
                         '"a"."b",time': [b"a", b"b"]}[text], said


def test_int96(tmp_path):
    """A point in time of 96 bits has no order; it is said how to have one."""
    path = odd_columns_file(tmp_path / "int96.parquet")
    result = lithify.run("merge", "--sort-by", "stamp", "-o", tmp_path / "out.parquet", path)
    assert result.code == lithify.FAILED, str(result)
    assert "INT96" in result.err and "TIMESTAMP" in result.err and "stamp" in result.err
    assert list(tmp_path.iterdir()) == [path]


def test_missing_in_all_of_several_schemas(tmp_path):
    """P5: near names are those of all files together."""
    for number, name in enumerate(["time", "service", "servise"]):
        parquet.write_table(pyarrow.table({name: [1], "x": [2]}), tmp_path / f"{number}.parquet")
    result = lithify.run("merge", "--sort-by", "servce", "-o", tmp_path / "out.parquet",
                         *sorted(tmp_path.iterdir()))
    assert result.code == lithify.USAGE and "of 4 columns" in result.err, str(result)
    assert "service" in result.err and not (tmp_path / "out.parquet").exists()
