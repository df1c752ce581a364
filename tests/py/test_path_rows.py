"""P4: rows that do not belong to the path of their partition stop the job. docs/path-rows.md.

Cases by type and by what a file says of itself; what is remembered, and for how long. What engines
write into paths is in test_path_engines.py. Numbers like J1 are those of reports of users of other
compactors.
"""

import datetime
import decimal
import json
import math
import pathlib
import struct
import uuid

import pyarrow as pa
import pytest

import lithify
import numbered
import parquet_build
import path_rows
from parquet_build import chunk, dictionary_page, page
from parquet_thrift import Struct
from path_rows import check_blocked, check_merged, fill, write

UTC = datetime.timezone.utc
DAY = datetime.date(2024, 6, 15)
NOON = datetime.datetime(2024, 6, 15, 12)
NEXT = datetime.datetime(2024, 6, 16)
LAST = datetime.datetime(2024, 6, 15, 23, 59, 59, 999999)


def stamps(unit, zone=None):
    return pa.timestamp(unit, zone)


# What the path says, the type of the column, values that are that, one that is not, and its text.
TYPES = {
    "int8": ("06", pa.int8(), [6], 7, "7"),
    "int16": ("-006", pa.int16(), [-6], 6, "6"),
    "int32": ("6", pa.int32(), [6], -6, "-6"),
    "int64": ("06", pa.int64(), [6], 60, "60"),
    "int32_too_small": ("5000000000", pa.int32(), [], 705032704, "705032704"),
    "uint8": ("200", pa.uint8(), [200], 100, "100"),
    "uint32": ("4294967295", pa.uint32(), [4294967295], 0, "0"),
    "uint64": ("18446744073709551615", pa.uint64(), [2**64 - 1], 2**63, "9223372036854775808"),
    "boolean": ("True", pa.bool_(), [True], False, "false"),
    "date": ("2024-06-15", pa.date32(), [DAY], DAY + datetime.timedelta(1), "2024-06-16"),
    "date_short": ("20240615", pa.date32(), [DAY], DAY - datetime.timedelta(1), "2024-06-14"),
    "day_of_seconds": ("2024-06-15", stamps("s"), [NOON, LAST.replace(microsecond=0)], NEXT,
                       "2024-06-16T00:00:00"),
    "day_of_millis": ("2024-06-15", stamps("ms"), [NOON], NEXT, "2024-06-16T00:00:00"),
    "day_of_micros": ("2024-06-15", stamps("us"), [NOON, LAST], NEXT, "2024-06-16T00:00:00"),
    "day_of_nanos": ("2024-06-15", stamps("ns"), [NOON, LAST], NEXT, "2024-06-16T00:00:00"),
    "day_utc": ("2024-06-15", stamps("us", "UTC"), [NOON.replace(tzinfo=UTC)],
                NEXT.replace(tzinfo=UTC), "2024-06-16T00:00:00Z"),
    # Stored as UTC whatever the zone of the column: 23:00 in Los Angeles is the day after.
    "day_of_a_zone": ("2024-06-15", stamps("us", "America/Los_Angeles"),
                      [NOON.replace(tzinfo=UTC)],
                      datetime.datetime(2024, 6, 16, 6, tzinfo=UTC), "2024-06-16T06:00:00Z"),
    "moment": ("2024-06-15 12%3A00%3A00", stamps("us"), [NOON], NOON.replace(second=1),
               "2024-06-15T12:00:01"),
    "moment_of_a_fraction": ("2024-06-15T12%3A00%3A00.5", stamps("us"),
                             [NOON.replace(microsecond=500000)], NOON, "2024-06-15T12:00:00"),
    "moment_with_a_zone": ("2024-06-15 14%3A00%3A00%2B02%3A00", stamps("us", "UTC"),
                           [NOON.replace(tzinfo=UTC)], NOON.replace(hour=14, tzinfo=UTC),
                           "2024-06-15T14:00:00Z"),
    "decimal32": ("1.50", pa.decimal128(9, 2), [decimal.Decimal("1.50")],
                  decimal.Decimal("1.51"), "1.51"),
    "decimal64": ("-0.5", pa.decimal128(18, 4), [decimal.Decimal("-0.5")],
                  decimal.Decimal("0.5"), "0.5000"),
    "decimal128": ("12345678901234567890123", pa.decimal128(38, 2),
                   [decimal.Decimal("12345678901234567890123")], decimal.Decimal("1"), "1.00"),
    "decimal256": ("1.5", pa.decimal256(50, 3), [decimal.Decimal("1.5")], decimal.Decimal("-1.5"),
                   "-1.500"),
    "string": ("acme", pa.string(), ["acme"], "beta", '"beta"'),
    "large_string": ("acme", pa.large_string(), ["acme"], "acme ", '"acme "'),
    "string_of_digits": ("06", pa.string(), ["06"], "6", '"6"'),
    "empty_string": ("", pa.string(), [""], " ", '" "'),
    "bytes": ("acme", pa.binary(), [b"acme"], b"acm", '"acm"'),
    "fixed": ("acme", pa.binary(4), [b"acme"], b"acmf", "acmf"),
    "double": ("6", pa.float64(), [6.0], 6.5, "6.5"),
    "float": ("-6.0", pa.float32(), [-6.0], 6.0, "6"),
    "whole_decimal_as_integer": ("6", pa.decimal128(5, 0), [decimal.Decimal(6)],
                                 decimal.Decimal(7), "7"),
}
# How the values stand in the file: what statistics and dictionaries there are to prove them.
FORMS = {
    "statistics": {},
    "plain": dict(use_dictionary=False),
    "bare": dict(use_dictionary=False, write_statistics=False),
    "bare_dictionary": dict(write_statistics=False, data_page_version="2.0"),
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", TYPES)
def test_values_by_type(name, form, tmp_path):
    """P4: equal values by type pass, whatever proves them; one other value blocks, and is named."""
    text, kind, good, bad, shown = TYPES[name]
    root, options = tmp_path / "lake", FORMS[form]
    if good:
        right = pa.array(good * 5, kind)
        fill(root / f"k={text}", "k", right, **options)
        check_merged(root)
    folder = root / f"k={text}" / "below=1"
    fill(folder, "k", pa.array(good * 5, kind), **options)
    write(folder / "wrong.parquet", path_rows.table("k", pa.array(good + [bad], kind)), **options)
    parts, code = path_rows.compact(root)
    part = parts[f"k={text}/below=1"]
    assert (part["state"], code) == ("blocked", lithify.BLOCKED), part["reason"]
    for word in ("wrong.parquet", "column k", f"holds {shown} ", "row group 0"):
        assert word in part["reason"], (word, part["reason"])
    assert [entry["name"] for entry in part["files"]] == ["wrong.parquet"]
    if form in ("statistics", "plain"):
        plan, _ = path_rows.run("plan", root)
        assert plan[part["path"]]["reason"] == part["reason"]


# Types whose values say nothing about the text of the path, which is told and blocks nothing.
UNCOMPARED = {
    "name_and_numbers": ("acme", pa.array([1, 2])),
    "date_and_numbers": ("2024-06-15", pa.array([20240615])),
    "day_and_dates": ("15", pa.array([DAY])),
    "hour_and_moments": ("10", pa.array([NOON], stamps("us"))),
    "times_of_day": ("10%3A00%3A00", pa.array([datetime.time(10)])),
    "fraction": ("0.1", pa.array([0.1, 0.2])),
    "local_time_and_a_zone": ("2024-06-15 12%3A00%3A00%2B02%3A00", pa.array([NOON], stamps("us"))),
    "half_floats": ("6", pa.array([6.0], pa.float64()).cast(pa.float16())),
    "finer_decimal": ("1.505", pa.array([decimal.Decimal("1.50")])),
    "no_uuid": ("acme", pa.array([uuid.UUID(int=5).bytes], pa.uuid())),
    "durations": ("6", pa.array([b"acme"], pa.binary(4))),
    "list": ("acme", pa.array([["acme"], ["beta"]])),
    "struct": ("acme", pa.array([{"k": "acme"}, {"k": "beta"}])),
    "map": ("acme", pa.array([[("k", "acme")]], pa.map_(pa.string(), pa.string()))),
    "nulls": ("acme", pa.nulls(3)),
    "zone_name": ("2024-06-15 12%3A00%3A00 CEST", pa.array([NOON], stamps("us", "UTC"))),
}


@pytest.mark.parametrize("name", UNCOMPARED)
def test_what_cannot_be_compared_is_told(name, tmp_path):
    """P4, P8: a type that has nothing to do with the text of the path blocks nothing, and is told."""
    text, values = UNCOMPARED[name]
    fill(tmp_path / "lake" / f"k={text}", "k", values)
    plan, _ = path_rows.run("plan", tmp_path / "lake")
    (part,) = check_merged(tmp_path / "lake").values()
    for told in (part, *plan.values()):
        assert "column k, " in told["reason"] and "cannot be compared with k=" in told["reason"]


def test_nested_columns_do_not_count(tmp_path):
    """P4: a field of that name below the top is another column."""
    values = pa.array([{"tenant_id": "beta"}])
    fill(tmp_path / "lake" / "tenant_id=acme", "inner", values)
    (part,) = check_merged(tmp_path / "lake").values()
    assert part["reason"] == "compacted"


def test_uuids(tmp_path):
    """P4: a UUID is sixteen bytes, whatever the case of its digits in the path."""
    value = uuid.UUID("0198f0c2-0000-7000-8000-0000000000ab")
    root = tmp_path / "lake"
    fill(root / f"id={str(value).upper()}", "id", pa.array([value.bytes], pa.uuid()))
    check_merged(root)
    fill(root / f"id={uuid.UUID(int=5)}", "id", pa.array([value.bytes], pa.uuid()))
    part = path_rows.compact(root)[0][f"id={uuid.UUID(int=5)}"]
    assert part["state"] == "blocked" and f"holds {value}" in part["reason"], part


def test_int96(tmp_path):
    """P4: INT96 has no order, and thus no statistics; as a date, and as the column of times."""
    root = tmp_path / "lake"
    options = dict(use_deprecated_int96_timestamps=True)
    moments = pa.array([NOON, LAST], stamps("ns"))
    fill(root / "date=2024-06-15", "date", moments, **options)
    check_merged(root, "--time-column", "date")
    fill(root / "date=2024-06-16", "date", pa.array([NEXT, LAST], stamps("ns")), **options)
    parts, _ = path_rows.compact(root)
    assert "holds 2024-06-15T23:59:59.999999" in parts["date=2024-06-16"]["reason"]


NULL = "__HIVE_DEFAULT_PARTITION__"


@pytest.mark.parametrize("form", FORMS)
def test_nulls(form, tmp_path):
    """P4, J5: a null belongs where the path says so, and nowhere else; Hive and Spark write empty
    strings there, too."""
    options = FORMS[form]
    for kind in (pa.string(), pa.int64(), stamps("us")):
        root = tmp_path / str(kind)
        fill(root / f"k={NULL}", "k", pa.nulls(3).cast(kind), **options)
        check_merged(root)
    root = tmp_path / "empty"
    fill(root / f"k={NULL}", "k", pa.array([None, ""]), **options)
    check_merged(root)
    write(root / f"k={NULL}" / "x.parquet", path_rows.table("k", pa.array([None, "a"])), **options)
    fill(root / f"k={NULL}", "k", pa.array([None]), **options)
    check_blocked(root, ['x.parquet: column k holds "a"', f"k={NULL}"]) if form in (
        "statistics", "plain") else path_rows.compact(root)
    root = tmp_path / "null"
    fill(root / "k=6", "k", pa.array([6, 6]), **options)
    write(root / "k=6" / "x.parquet", path_rows.table("k", pa.array([6, None])), **options)
    parts, code = path_rows.compact(root)
    assert code == lithify.BLOCKED
    assert "x.parquet: column k holds null" in parts["k=6"]["reason"]


def test_nan(tmp_path):
    """P4, E15: pandas has integers with a null as doubles: the numbers count, NaN is a null."""
    root = tmp_path / "lake"
    fill(root / "month=06", "month", pa.array([6.0, 6.0]))
    check_merged(root)
    fill(root / f"month={NULL}", "month", pa.array([math.nan, None], pa.float64()))
    check_merged(root, "--partition", f"month={NULL}")
    fill(root / "month=07", "month", pa.array([7.0, math.nan]))
    part = path_rows.compact(root)[0]["month=07"]
    assert part["state"] == "blocked" and "column month holds nan" in part["reason"].lower(), part


# One test for each report that can happen here, by its number.

def test_j1_rows_under_another_account_and_day(tmp_path):
    """P4: the values are in the rows too, so that a copy into the wrong directory is found."""
    root = tmp_path / "lake"
    days = [f"account={account}/day={day}" for account in ("a1", "a2") for day in ("2024-06-15",
                                                                                   "2024-06-16")]
    for path in days:
        account, day = (part.split("=")[1] for part in path.split("/"))
        date = datetime.date.fromisoformat(day)
        for number in range(3):
            write(root / path / f"{number}.parquet",
                  path_rows.table("account", [account] * 3, day=[date] * 3, event=[NOON] * 3))
    wrong = root / days[1] / "2.parquet"
    wrong.write_bytes((root / days[2] / "2.parquet").read_bytes())
    path_rows.age(wrong)
    parts, code = path_rows.compact(root)
    assert {path: part["state"] for path, part in parts.items()} == {
        path: "blocked" if path == days[1] else "compacted" for path in days}
    assert code == lithify.BLOCKED
    assert 'column account holds "a2"' in parts[days[1]]["reason"]


@pytest.mark.parametrize("zone", ["America/Los_Angeles", "Asia/Kolkata", "UTC"])
def test_j2_the_zone_of_the_machine_does_not_matter(zone, tmp_path):
    """P4: days and hours are those of UTC wherever it runs."""
    root = tmp_path / "lake"
    late = datetime.datetime(2024, 6, 15, 23, 59, tzinfo=UTC)
    fill(root / "date=2024-06-15", "date", pa.array([late], stamps("us", "UTC")))
    check_merged(root, "--time-column", "date", env={"TZ": zone})
    fill(root / "date=2024-06-14", "date", pa.array([late], stamps("us", "UTC")))
    assert path_rows.compact(root, env={"TZ": zone})[1] == lithify.BLOCKED


@pytest.mark.parametrize("seconds", [-1, -3600])
def test_j4_times_before_1970(seconds, tmp_path):
    """P4: they are rounded down, as all others are."""
    root = tmp_path / "lake"
    hour = "year=1969/month=12/day=31/hour=23"
    moment = datetime.datetime(1970, 1, 1) + datetime.timedelta(seconds=seconds)
    fill(root / hour, "at", pa.array([moment], stamps("ms")))
    check_merged(root, "--time-column", "at")
    fill(root / "other" / hour, "at", pa.array([datetime.datetime(1969, 12, 31, 22, 59, 59)]))
    parts, _ = path_rows.compact(root, "--time-column", "at")
    assert "1969-12-31T22:59:59" in parts["other/" + hour]["reason"]


@pytest.mark.parametrize("text,value", [
    ("a%2Fb", "a/b"), ("", ""), (NULL, None), ("%5F%5FHIVE_DEFAULT_PARTITION__", NULL),
    ("06", "06"), ("S%C3%A3o", "São"), ("São", "São"), ("a b", "a b"), ("a%20b", "a b"),
    ("a+b", "a+b"), ("50%", "50%"), ("a%2525", "a%25"), ("100%zz", "100%zz"), ("k%3Dv", "k=v"),
    ("k=v", "k=v"), ("%F0%9F%90%98", "🐘"),
])
def test_j5_j6_j7_texts_are_decoded_once(text, value, tmp_path):
    """P4: what stands in a path is decoded once, and is a text: no number, no form field."""
    root = tmp_path / "lake"
    fill(root / f"k={text}", "k", pa.array([value, value], pa.string()))
    check_merged(root)
    wrong = "%2F" if value is None else value + "x"
    fill(root / f"k={text}" / "below", "k", pa.array([wrong]))
    assert path_rows.compact(root)[1] == lithify.BLOCKED


def test_j6_a_string_of_digits_is_no_number(tmp_path):
    """P4: "6" is not what month=06 says, but the number 6 is."""
    root = tmp_path / "lake"
    fill(root / "month=06", "month", pa.array(["6"]))
    check_blocked(root, ['column month holds "6"', "its path says month=06"])


def test_e12_names_are_compared_with_their_case(tmp_path):
    """P4: Tenant_ID is not tenant_id."""
    fill(tmp_path / "lake" / "tenant_id=acme", "Tenant_ID", pa.array(["beta"]))
    fill(tmp_path / "lake" / "Tenant_ID=acme", "tenant_id", pa.array(["beta"]))
    check_merged(tmp_path / "lake")


def test_e14_column_in_path_and_file(tmp_path):
    """P4: a string and a date column of the path's name, each compared as what it is."""
    root = tmp_path / "lake"
    day = root / "day=2024-01-01"
    for number in range(3):
        write(day / f"s{number}.parquet", path_rows.table("day", ["2024-01-01"] * 2))
        write(day / f"d{number}.parquet",
              path_rows.table("day", [datetime.date(2024, 1, 1)] * 2))
    check_merged(root)


@pytest.mark.parametrize("value", [0, 2**63 - 1])
def test_m3_absurd_times(value, tmp_path):
    """P4: a time of 0 says nothing, and one far away belongs nowhere; without time_column neither
    decides anything."""
    root = tmp_path / "lake"
    hour = "year=2024/month=06/day=15/hour=12"
    good = int(NOON.replace(tzinfo=UTC).timestamp() * 10**9)
    fill(root / hour, "ts", pa.array([good, value]))
    told = "1970-01-01" if value == 0 else str(value)
    parts, code = path_rows.compact(root, "--time-column", "ts")
    assert code == lithify.BLOCKED
    assert f"column ts holds {value}" in parts[hour]["reason"], (told, parts[hour]["reason"])
    check_merged(root)


def test_m5_late_rows_of_another_hour(tmp_path):
    """P4: a late file of another hour blocks, though the rest was compacted long ago."""
    root = tmp_path / "lake"
    hour = root / "year=2024/month=06/day=15/hour=12"
    fill(hour, "at", pa.array([NOON]))
    check_merged(root, "--time-column", "at")
    for number in range(3):
        write(hour / f"late{number}.parquet",
              path_rows.table("at", [NOON.replace(hour=12 + (number == 1))]))
    parts, _ = path_rows.compact(root, "--time-column", "at")
    (part,) = parts.values()
    assert part["state"] == "blocked" and "late1.parquet: column at holds" in part["reason"]
    assert part["folded"] == 3


# The column of times.

HOUR = "year=2024/month=06/day=15/hour=12"
PERIODS = {"year=2024": (datetime.datetime(2024, 1, 1), datetime.datetime(2025, 1, 1)),
           "year=2024/month=06": (datetime.datetime(2024, 6, 1), datetime.datetime(2024, 7, 1)),
           "date=2024-06-15": (datetime.datetime(2024, 6, 15), NEXT),
           HOUR: (NOON, NOON.replace(hour=13)),
           HOUR + "/minute=59": (NOON.replace(minute=59), NOON.replace(hour=13))}


def epoch(moment, unit):
    return int(moment.replace(tzinfo=UTC).timestamp()) * {"s": 1, "ms": 10**3, "us": 10**6,
                                                          "ns": 10**9}[unit]


@pytest.mark.parametrize("kind", ["timestamp_ms", "timestamp_ns", "timestamp_utc", "s", "ms", "us", "ns",
                                  "uint64_ns", "int32_s", "double_s", "date"])
@pytest.mark.parametrize("path", PERIODS)
def test_times_lie_in_the_period(path, kind, tmp_path):
    """P4: first and last moment of the period belong, the ones beside it do not; numbers in any unit."""
    begin, end = PERIODS[path]
    step = datetime.timedelta(days=1) if kind == "date" else datetime.timedelta(seconds=1)

    def made(moments):
        if kind.startswith("timestamp"):
            unit = kind[-2:] if kind != "timestamp_utc" else "us"
            zone = "UTC" if kind == "timestamp_utc" else None
            return pa.array([epoch(moment, "us") for moment in moments]).cast(
                stamps("us")).cast(stamps(unit)).cast(stamps(unit, zone))
        if kind == "date":
            return pa.array([moment.date() for moment in moments])
        if kind == "double_s":
            return pa.array([epoch(moment, "s") + 0.25 for moment in moments])
        numbers = [epoch(moment, kind.split("_")[-1]) for moment in moments]
        return pa.array(numbers, {"int32_s": pa.int32(), "uint64_ns": pa.uint64()}.get(kind, pa.int64()))

    fill(tmp_path / "right" / path, "at", made([begin, max(begin, end - step)]))
    check_merged(tmp_path / "right", "--time-column", "at")
    after = end if kind != "date" or end.hour == 0 else end.replace(hour=0) + datetime.timedelta(1)
    for name, wrong in (("before", begin - step), ("after", after)):
        fill(tmp_path / name / path, "at", made([begin]))
        write(tmp_path / name / path / "x.parquet", path_rows.table("at", made([begin, wrong])))
        check_blocked(tmp_path / name, ["x.parquet: column at holds", "times from"],
                      "--time-column", "at", file="x.parquet")


# time, fallback -> belongs? The column lacks in a file where it is "absent".
FALLBACKS = {
    "both_right": ([NOON], [NOON], True),
    "time_counts": ([NOON], [NEXT], True),
    "null": ([NOON, None], [NEXT, NOON], True),
    "null_wrong": ([NOON, None], [NOON, NEXT], False),
    "zero": ([datetime.datetime(1970, 1, 1), NOON], [NOON, NEXT], True),
    "zero_wrong": ([datetime.datetime(1970, 1, 1)], [NEXT], False),
    "both_null": ([NOON, None], [NOON, None], False),
    "time_wrong": ([NEXT], [NOON], False),
    "no_fallback": ([NOON], "absent", True),
    "no_fallback_null": ([NOON, None], "absent", False),
    "no_time": ("absent", [NOON], True),
    "no_time_wrong": ("absent", [NEXT], False),
    "no_time_null": ("absent", [NOON, None], True),
    "neither": ("absent", "absent", True),
    "fallback_of_a_type": ([NOON, None], ["12:00", "12:00"], True),
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", FALLBACKS)
def test_fallback(name, form, tmp_path):
    """P4: where the time is null, 0 or absent, the fallback counts."""
    at, seen, belongs = FALLBACKS[name]
    count = max(len(values) for values in (at, seen, [0]) if values != "absent")
    columns = {}
    if at != "absent":
        columns["at"] = pa.array(at, stamps("us"))
    if seen != "absent":
        columns["seen"] = pa.array(seen)
    for number in range(3):
        write(tmp_path / "lake" / HOUR / f"f{number}.parquet",
              pa.table({"n": range(count), **columns}), **FORMS[form])
    parts, code = path_rows.compact(tmp_path / "lake", "--time-column", "at",
                                    "--time-column-fallback", "seen")
    assert (parts[HOUR]["state"] == "compacted") == belongs, parts[HOUR]["reason"]
    assert code == (lithify.DONE if belongs else lithify.BLOCKED)


def test_fallback_needs_a_time_column(tmp_path):
    result = lithify.run("compact", *numbered.NOW, "--time-column-fallback", "seen", tmp_path)
    assert result.code == lithify.USAGE and "time_column" in result.err


def test_without_a_period_times_are_free(tmp_path):
    """P4: where the path names no period, or a broken one, there is none to lie in."""
    for path in ("tenant_id=acme", "year=2024/month=13", "year=soon"):
        fill(tmp_path / "lake" / path, "at", pa.array([NOON, NEXT]))
    check_merged(tmp_path / "lake", "--time-column", "at")


def test_layout(tmp_path):
    """P4: with a layout the fields are keys; a part that is no date is just a text."""
    root = tmp_path / "lake"
    layout = ["--layout", "{db}/{measurement}/{yyyy}/{mm}/{dd}/{hh}", "--time-column", "time"]
    for host in ("a", "b"):
        for number in range(3):
            write(root / f"main/cpu/2024/06/15/12/{host}{number}.parquet",
                  path_rows.table("measurement", ["cpu"], db=["main"], time=[NOON], host=[host]))
    check_merged(root, *layout)
    write(root / "main/mem/2024/06/15/12/x.parquet",
          path_rows.table("measurement", ["cpu"], db=["main"], time=[NOON]))
    write(root / "main/mem/2024/06/15/12/y.parquet",
          path_rows.table("measurement", ["mem"], db=["main"], time=[NOON]))
    parts, _ = path_rows.compact(root, *layout)
    assert 'x.parquet: column measurement holds "cpu"' in parts["main/mem/2024/06/15/12"]["reason"]


# What a file says of itself, and what it does not.

SCHEMA = pa.schema([pa.field("n", pa.int64(), nullable=False), ("k", pa.string()), ("i", pa.int32())])


def built(path, texts, numbers=None, forms=None, change=None, created_by=parquet_build.CREATED_BY):
    """A file by hand: columns n, k (pages of `forms`, or one of `texts`) and i; `change` may lie."""
    leaves = parquet_build.leaves(SCHEMA)
    rows = len(texts)
    numbers = numbers or [6] * rows
    chunks = {"n": chunk(leaves["n"], [page(leaves["n"], list(range(rows)))]),
              "k": chunk(leaves["k"], forms(leaves["k"]) if forms else [page(leaves["k"], texts)]),
              "i": chunk(leaves["i"], [page(leaves["i"], numbers)])}
    if change:
        change(chunks)
    made = parquet_build.file(SCHEMA, [chunks], created_by=created_by)
    pathlib.Path(path).parent.mkdir(parents=True, exist_ok=True)
    made.write(path)
    return path_rows.age(path)


def bare(chunks):
    for part in chunks.values():
        part.meta.statistics = None


def deprecated(least, most):
    def change(chunks):
        chunks["k"].meta.statistics = Struct("Statistics", min=least, max=most, null_count=0)
    return change


def stated(least, most, nulls=0, **more):
    def change(chunks):
        count = {} if nulls is None else dict(null_count=nulls)
        chunks["k"].meta.statistics = Struct("Statistics", min_value=least, max_value=most,
                                             **count, **more)
    return change


EXACT = dict(is_min_value_exact=True, is_max_value_exact=True)
INEXACT = dict(is_min_value_exact=False, is_max_value_exact=False)
# What statistics of column k say; whether plan can know of a wrong value without decoding.
SAYINGS = {
    "none": (bare, False),
    "deprecated": (deprecated(b"acme", b"acme"), False),
    "not_exact": (stated(b"acme", b"acme", **INEXACT), False),
    "no_flags": (stated(b"acme", b"acme"), False),
    "cut": (stated(b"ac", b"ad", **INEXACT), False),
    "wide": (stated(b"a", b"z", **INEXACT), False),
    "no_null_count": (stated(b"acme", b"acme", nulls=None, **EXACT), False),
    "min_alone": (stated(b"acme", None, **EXACT), False),
    "reversed": (stated(b"z", b"a", **EXACT), False),
}


@pytest.mark.parametrize("name", SAYINGS)
def test_statistics_that_prove_nothing(name, tmp_path):
    """P4: what is not stated exactly is decoded: right rows pass, and one wrong one is found."""
    change, _ = SAYINGS[name]
    root = tmp_path / "lake"
    for number in range(3):
        built(root / "k=acme" / f"{number}.parquet", ["acme"] * 4, change=change)
    check_merged(root)
    for number in range(3):
        built(root / "k=acme" / "below" / f"{number}.parquet",
              ["acme", "acme-2" if number == 1 else "acme", "acme"], change=change)
    parts, code = path_rows.compact(root)
    assert code == lithify.BLOCKED
    assert '1.parquet: column k holds "acme-2"' in parts["k=acme/below"]["reason"]
    assert "0.parquet" not in parts["k=acme/below"]["reason"]


# Statistics that say that rows do not belong, of rows that do: never a reason to block.
WRONG_SAYINGS = {
    "another_text": stated(b"beta", b"beta", **EXACT),
    "loose": stated(b"a", b"z", **EXACT),
    "nulls": stated(b"acme", b"acme", nulls=2, **EXACT),
    "another_cut_text": stated(b"be", b"bf", **INEXACT),
}


@pytest.mark.parametrize("name", WRONG_SAYINGS)
def test_statistics_alone_block_nothing(name, tmp_path):
    """P4: who blocks has seen the value, so a lie of statistics does not stop a partition."""
    root = tmp_path / "lake"
    for number in range(3):
        built(root / "k=acme" / f"{number}.parquet", ["acme"] * 4, change=WRONG_SAYINGS[name])
    parts, _ = path_rows.run("plan", root)
    assert parts["k=acme"]["state"] == "compacted", parts
    check_merged(root)


def test_bounds_of_numbers_prove_without_flags(tmp_path):
    """P4: numbers are not cut, so their bounds prove what they say; a loose bound is looked into."""
    def plain(least, most):
        def change(chunks):
            chunks["i"].meta.statistics = Struct("Statistics", null_count=0,
                                                 min_value=struct.pack("<i", least),
                                                 max_value=struct.pack("<i", most))
        return change
    root = tmp_path / "lake"
    for number in range(3):
        built(root / "i=06" / f"{number}.parquet", ["x"] * 4, change=plain(6, 6))
        built(root / "i=06" / "loose" / f"{number}.parquet", ["x"] * 4, change=plain(5, 7))
    check_merged(root)


def ids(texts, entries, plain=()):
    return lambda leaf: ([dictionary_page(leaf, entries), page(leaf, texts, dictionary=entries)]
                         + ([page(leaf, list(plain))] if plain else []))


def test_unused_entries_are_no_values(tmp_path):
    """P4: an entry of a dictionary that no row uses does not matter; one that is used does."""
    root = tmp_path / "lake"
    for number in range(3):
        built(root / "k=acme" / f"{number}.parquet", ["acme"] * 4, change=bare,
              forms=ids(["acme"] * 4, ["beta", "acme", "gamma"]))
    check_merged(root)
    for number in range(3):
        built(root / "k=acme" / "below" / f"{number}.parquet", ["acme"] * 4, change=bare,
              forms=ids(["acme"] * 3 + ["beta" if number == 2 else "acme"], ["beta", "acme"]))
    parts, _ = path_rows.compact(root)
    assert '2.parquet: column k holds "beta"' in parts["k=acme/below"]["reason"]


def test_plain_pages_behind_a_dictionary(tmp_path):
    """P4: the dictionary is right, but a page without it is not; and a null among ids."""
    root = tmp_path / "lake"
    for number in range(3):
        built(root / "k=acme" / f"{number}.parquet", ["acme"] * 4, change=bare,
              forms=ids(["acme"] * 2, ["acme"], plain=["acme", "beta" if number == 1 else "acme"]))
        built(root / "k=acme" / "null" / f"{number}.parquet", ["acme"] * 4, change=bare,
              forms=ids(["acme", None if number == 1 else "acme", "acme", "acme"], ["acme"]))
    parts, _ = path_rows.compact(root)
    assert '1.parquet: column k holds "beta"' in parts["k=acme"]["reason"]
    assert "1.parquet: column k holds null" in parts["k=acme/null"]["reason"]


def test_row_groups_are_judged_one_by_one(tmp_path):
    """P4: the row group with the wrong value is named; files with many of them, and empty ones."""
    root = tmp_path / "lake"
    texts = ["acme"] * 70 + ["beta"] + ["acme"] * 29
    fill(root / "k=acme", "k", pa.array(["acme"] * 10))
    write(root / "k=acme" / "x.parquet", path_rows.table("k", texts), row_group_size=10)
    write(root / "k=acme" / "none.parquet", path_rows.table("k", pa.array([], pa.string())))
    check_blocked(root, ['x.parquet: column k holds "beta" (row group 7)'])


def test_values_that_no_line_holds(tmp_path):
    """P4, P7: a value of a megabyte, and one of control characters, are told in a few characters."""
    root = tmp_path / "lake"
    for name, value in (("long", "x" * 2**20), ("odd", "a\nb\x1b[31m")):
        fill(root / "k=acme" / name, "k", pa.array([value]))
    parts, _ = path_rows.compact(root)
    for part in parts.values():
        assert part["state"] == "blocked" and len(part["reason"]) < 500
        assert "\n" not in part["reason"] and "\x1b" not in part["reason"]


def test_damage_is_set_aside(tmp_path):
    """P9: a page that cannot be decoded is damage, as anywhere else: the file is set aside and the
    rest goes on."""
    root = tmp_path / "lake"
    for number in range(4):
        built(root / "k=acme" / f"{number}.parquet", ["acme"] * 40, change=bare,
              forms=lambda leaf: [page(leaf, ["acme"] * 40, crc=True)])
    wrong = root / "k=acme" / "2.parquet"
    wrong.write_bytes(wrong.read_bytes().replace(b"acme", b"beta", 1))
    path_rows.age(wrong)
    parts, code = path_rows.compact(root)
    part = parts["k=acme"]
    assert part["state"] == "compacted" and part["inputs"] == 3, part
    assert [entry["name"] for entry in part["files"]] == ["2.parquet"]
    assert code == lithify.BLOCKED


# What is remembered, and for how long.

def wrong_lake(root, **options):
    """Two partitions, one of which has a wrong row; returns its folder."""
    folder = root / "tenant_id=acme"
    fill(folder, "tenant_id", pa.array(["acme"] * 5), **options)
    write(folder / "x.parquet", path_rows.table("tenant_id", ["acme", "beta"]), **options)
    fill(root / "tenant_id=beta", "tenant_id", pa.array(["beta"] * 5), **options)
    return folder


@pytest.mark.parametrize("form", ["statistics", "bare"])
def test_a_second_pass_reads_no_footer(form, tmp_path):
    """P6, P4: what was found is written down; later passes read no file and write none."""
    root = tmp_path / "lake"
    folder = wrong_lake(root, **FORMS[form])
    first, code = path_rows.compact(root)
    assert code == lithify.BLOCKED and first["tenant_id=beta"]["state"] == "compacted"
    assert [(note["name"], note["reason"]) for note in path_rows.notes(folder)] == [
        ("x.parquet", 'column tenant_id holds "beta" (row group 0), its path says tenant_id=acme')]
    numbered.break_footers(folder.glob("*.parquet"))
    before = numbered.tree(root)
    for command in ("compact", "plan", "compact"):
        parts, code = path_rows.run(command, root)
        assert code == lithify.BLOCKED
        assert parts["tenant_id=acme"]["reason"] == first["tenant_id=acme"]["reason"]
        assert parts["tenant_id=acme"]["blocked_files"] == 1
    assert numbered.tree(root) == before
    status = json.loads(lithify.run("status", "--json", root).out)
    assert sum(tenant["blocked_partitions"] for tenant in status["tenants"]) == 1


def test_ok_blocked(tmp_path):
    """P4: exit 3, or 0 where blocked partitions are known."""
    wrong_lake(tmp_path / "lake")
    for _ in range(2):
        assert lithify.run("compact", *path_rows.NOW, tmp_path / "lake").code == lithify.BLOCKED
        lithify.ok("compact", *path_rows.NOW, "--ok-blocked", tmp_path / "lake")


def test_rows_stay_readable(tmp_path, duck):
    """P2, P4: a blocked partition is read as ever, and its late files are named."""
    root = tmp_path / "lake"
    folder = wrong_lake(root)
    path_rows.compact(root)
    write(folder / "late.parquet", path_rows.table("tenant_id", ["acme"] * 3))
    parts, _ = path_rows.compact(root)
    assert parts["tenant_id=acme"]["folded"] == 1
    for strict in ((), ("--strict",)):
        names = lithify.ok("ls", *strict, folder).out.splitlines()
        assert sorted(pathlib.Path(name).name for name in names) == [
            "f0.parquet", "f1.parquet", "f2.parquet", "late.parquet", "x.parquet"]


def test_gc_goes_on(tmp_path):
    """P4, P10: what was merged before the wrong file came is deleted in time."""
    root = tmp_path / "lake"
    folder = root / "tenant_id=acme"
    fill(folder, "tenant_id", pa.array(["acme"] * 5))
    check_merged(root)
    for number in range(2):
        write(folder / f"x{number}.parquet", path_rows.table("tenant_id", ["beta"]))
    assert path_rows.compact(root)[1] == lithify.BLOCKED
    result = lithify.ok("gc", *numbered.NO_GRACE, "--audit", "none", "--json", root)
    assert json.loads(result.out)["summary"]["deleted"] == 3
    assert path_rows.compact(root)[1] == lithify.BLOCKED


@pytest.mark.parametrize("how", ["removed", "rewritten", "retired", "skipped"])
def test_the_way_out(how, tmp_path):
    """P4: the file goes, is written again, is retired, or the column means something else."""
    root = tmp_path / "lake"
    folder = wrong_lake(root)
    path_rows.compact(root)
    options = []
    if how == "removed":
        (folder / "x.parquet").unlink()
        assert path_rows.compact(root)[1] == lithify.BLOCKED  # it is live, and not there
        lithify.ok("fsck", "--repair", "--yes", "--audit", "none", root)
    elif how == "rewritten":
        write(folder / "x.parquet", path_rows.table("tenant_id", ["acme", "acme"]))
    elif how == "retired":
        lithify.ok("retire", "--audit", "none", folder, "x.parquet")
    else:
        options = ["--path-check-skip", "tenant_id"]
    parts, code = path_rows.compact(root, *options)
    assert parts["tenant_id=acme"]["state"] == "compacted" and code == lithify.DONE, parts
    assert path_rows.notes(folder) == []


def test_fsck_tells_of_them(tmp_path):
    """P8: what is noted is found, as long as it counts."""
    root = tmp_path / "lake"
    wrong_lake(root)
    path_rows.compact(root)

    def found(*options):
        result = lithify.run("fsck", "--json", *options, root)
        return [(part["path"], finding["file"], finding["wants_hand"])
                for part in json.loads(result.out)["partitions"]
                for finding in part["findings"] if finding["kind"] == "misplaced"]

    assert found() == [("tenant_id=acme", "x.parquet", True)]
    assert found("--path-check-skip", "tenant_id") == []


def test_rules_that_change_are_asked_again(tmp_path):
    """P4: a note holds for the path and the options that it was made by, and for no others."""
    root = tmp_path / "lake"
    hour = root / HOUR
    fill(hour, "at", pa.array([NOON]), files=3)
    write(hour / "x.parquet", path_rows.table("at", [NEXT]))
    times = ["--time-column", "at"]
    path_rows.compact(root, *times)
    assert len(path_rows.notes(hour)) == 1
    parts, _ = path_rows.run("plan", root)
    assert parts[HOUR]["state"] == "compacted"
    parts, _ = path_rows.run("plan", root, *times)
    assert parts[HOUR]["state"] == "blocked"
    # The same directory under the path that its row of the next day belongs to: others do not.
    moved = root / "date=2024-06-16"
    hour.rename(moved)
    parts, _ = path_rows.compact(root, *times)
    assert "f0.parquet: column at holds 2024-06-15" in parts["date=2024-06-16"]["reason"]
    assert [note["name"] for note in path_rows.notes(moved)] == ["f0.parquet", "f1.parquet",
                                                                 "f2.parquet"]


def test_notes_have_an_end(tmp_path):
    """P7: of very many wrong files the manifest names some, and a later pass does no more."""
    root = tmp_path / "lake"
    fill(root / "k=acme", "k", pa.array(["beta"]), files=200)
    parts, _ = path_rows.compact(root)
    assert parts["k=acme"]["blocked_files"] == 200
    assert len(path_rows.notes(root / "k=acme")) == 64
    before = numbered.tree(root)
    parts, _ = path_rows.compact(root)
    assert parts["k=acme"]["blocked_files"] == 64
    assert numbered.tree(root) == before


def test_not_due_is_not_looked_at(tmp_path):
    """P4, P6: where no job is due no column is read; a file that is never written again is free."""
    root = tmp_path / "lake"
    write(root / "k=acme" / "x.parquet", path_rows.table("k", ["beta"]))
    fill(root / "k=beta", "k", pa.array(["beta"] * 4))
    write(root / "k=beta" / "large.parquet",
          path_rows.table("k", pa.array(["acme"] * 5000), more=[str(i) * 4 for i in range(5000)]))
    parts, code = path_rows.compact(root, "--target-file", "20KiB")
    assert code == lithify.DONE
    assert {path: part["state"] for path, part in parts.items()} == {"k=acme": "left",
                                                                     "k=beta": "compacted"}


def test_outputs_keep_nulls_of_columns_that_lacked(tmp_path):
    """P4, P5: files without the column merge with those that have it; the nulls of that output are
    not held against it when late files come."""
    root = tmp_path / "lake"
    folder = root / "tenant_id=acme"
    fill(folder, "other", pa.array(["x"] * 4))
    write(folder / "with.parquet", path_rows.table("tenant_id", ["acme"] * 4))
    check_merged(root)
    for number in range(4):
        write(folder / f"late{number}.parquet", path_rows.table("tenant_id", ["acme"] * 4))
    check_merged(root)
    # But a value of another tenant in it would be.
    fill(folder / "more", "tenant_id", pa.array([None, "acme"]))
    assert path_rows.compact(root)[1] == lithify.BLOCKED


def test_files_are_never_written_and_read_once(tmp_path):
    """P6: right rows that statistics do not prove are decoded once: by the job that merges them."""
    root = tmp_path / "lake"
    fill(root / "k=acme", "k", pa.array(["acme"] * 4), **FORMS["bare"])
    before = numbered.tree(root)
    path_rows.run("plan", root)
    assert numbered.tree(root) == before
    check_merged(root)
    parts, _ = path_rows.compact(root)
    assert parts["k=acme"]["state"] == "left"


def test_more_files_than_a_job_takes(tmp_path):
    """P4: in a large partition the inputs of each job are looked at, batch by batch."""
    root = tmp_path / "lake"
    for number in range(40):
        write(root / "k=acme" / f"f{number:03}.parquet",
              path_rows.table("k", ["acme" if number != 33 else "beta"] * (number // 10 + 1) * 40))
    for _ in range(10):
        parts, code = path_rows.compact(root, "--max-inputs", "10", "--min-files", "2")
        if code == lithify.BLOCKED:
            break
        assert parts["k=acme"]["inputs"] <= 10
    part = parts["k=acme"]
    assert part["state"] == "blocked" and "f033.parquet" in part["reason"], part
