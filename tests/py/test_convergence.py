"""Many small files become few and then rest; late files cost little; tenants stay apart."""

import collections
import math
import os
import pathlib
import shutil
import signal
import subprocess

import pyarrow.compute
import pyarrow.parquet as parquet
import pytest

import lithify
import numbered
import reader

if not lithify.has_command("compact"):
    pytest.skip("this lithify has no `compact`", allow_module_level=True)

COMPACT = ["compact", *numbered.NOW]
GC = ["gc", *numbered.NO_GRACE]
FOLDER = pathlib.Path("tenant_id=acme") / numbered.HOUR


@pytest.fixture(scope="module")
def five_hundred(tmp_path_factory):
    """500 files of 100 rows in one partition."""
    root = tmp_path_factory.mktemp("five_hundred") / "lake"
    numbered.fill(root / FOLDER, 500, 100)
    return root


@pytest.fixture
def lake(five_hundred, tmp_path):
    shutil.copytree(five_hundred, tmp_path / "lake", copy_function=shutil.copy2)
    return tmp_path / "lake"


def one_file(root, rows):
    """The only live file: its rows, in one row group, and nothing else of Lithify's beside it."""
    live = reader.live(root / FOLDER)
    assert len(live) == 1, live
    metadata = parquet.ParquetFile(live[0]).metadata
    assert (metadata.num_rows, metadata.num_row_groups) == (rows, 1)
    return live[0]


def test_500_files_become_one(lake, five_hundred):
    """C12, C13, RFC0009.1, RFC0009.2, RFC0009.7, P1, HYP.1: 500 x 100 rows are one file with one row
    group."""
    size = sum(path.stat().st_size for path in (five_hundred / FOLDER).iterdir())
    lithify.ok(*COMPACT, lake)
    path = one_file(lake, 50_000)
    # One footer instead of 500: never larger than what was there.
    assert 0.2 * size < path.stat().st_size < 0.9 * size
    numbered.check_everywhere(lake, range(50_000))
    counts = collections.Counter(reader.read(lake)["template_id"].to_pylist())
    assert counts == collections.Counter(i % 7 for i in range(50_000))


def test_second_run_touches_nothing(lake):
    """A10, P6, HYP.2, P8: later runs change neither a byte nor a time, and `plan` says why."""
    lithify.ok(*COMPACT, lake)
    before = numbered.tree(lake)
    for _ in range(3):
        lithify.ok(*COMPACT, lake)
        assert numbered.tree(lake) == before
    text = lithify.ok("plan", "--grace", "0s", "--quiet-for", "0s", "--settle", "0s", lake).out
    assert "compacted already" in text and one_file(lake, 50_000).name in text, text
    assert numbered.tree(lake) == before
    lithify.ok(*GC, lake)
    cleaned = numbered.tree(lake)
    lithify.ok(*COMPACT, lake)
    lithify.ok(*GC, lake)
    assert numbered.tree(lake) == cleaned


def test_another_policy_is_asked_for_once(lake):
    """C11, P6, HYP.2: a changed policy may change the plan, once; after that there is rest again."""
    lithify.ok(*COMPACT, lake)
    for options in (["--target-file", "1MiB"], ["--row-group-rows", "5000"], ["--memory", "64MiB"]):
        lithify.ok(*COMPACT, *options, lake)
        before = numbered.tree(lake)
        lithify.ok(*COMPACT, *options, lake)
        assert numbered.tree(lake) == before, options
    numbered.check(reader.read(lake), range(50_000))


def test_restarts_leave_the_same_bytes(lake, tmp_path):
    """A9, B15, P3, P6: five runs that are stopped and started again write what one run writes."""
    # Adopted first: the id of the partition is drawn then, and outputs carry it.
    lithify.ok("compact", *numbered.NOW, "--max-inputs", "4", lake)
    straight = tmp_path / "straight"
    shutil.copytree(lake, straight, copy_function=shutil.copy2)
    lithify.ok(*COMPACT, straight)
    wanted = [path.read_bytes() for path in reader.live(straight / FOLDER)]
    found = []
    for number, signal_number in enumerate([signal.SIGKILL, signal.SIGTERM, signal.SIGKILL,
                                            signal.SIGINT, signal.SIGKILL]):
        root = tmp_path / f"restarted-{number}"
        shutil.copytree(lake, root, copy_function=shutil.copy2)
        for delay_s in (0.01, 0.04, 0.1):
            process = subprocess.Popen([lithify.BIN, *COMPACT, root], stdout=subprocess.DEVNULL,
                                       stderr=subprocess.DEVNULL)
            try:
                process.wait(delay_s)
            except subprocess.TimeoutExpired:
                process.send_signal(signal_number)
            assert process.wait(60) in (lithify.DONE, lithify.FAILED, lithify.AGAIN, -signal_number)
        lithify.ok(*COMPACT, root)
        found.append([path.read_bytes() for path in reader.live(root / FOLDER)])
        numbered.check(reader.read(root), range(50_000))
    assert all(files == wanted for files in found)


def live_bytes(root):
    return {path.name: path.stat().st_size for path in reader.live(root / FOLDER)}


def test_late_files_cost_a_logarithm(tmp_path):
    """C19, HYP.2, P6: over 30 rounds of late files a byte is rewritten O(log n) times, not n times."""
    root = tmp_path / "lake"
    rounds, rewritten, written, most_files = 30, 0, 0, 0
    rows = 0
    for number in range(rounds):
        ids = numbered.fill(root / FOLDER, 2, 400, first=rows, stem=f"round-{number:02}")
        rows = ids.stop
        written += sum(path.stat().st_size for path in (root / FOLDER).glob(f"round-{number:02}-*"))
        before = set(live_bytes(root)) if number else set()
        lithify.ok(*COMPACT, root)
        after = live_bytes(root)
        rewritten += sum(size for name, size in after.items()
                         if name not in before and "_e" in name)
        most_files = max(most_files, len(after))
        lithify.ok(*GC, root)
    numbered.check_everywhere(root, range(rows))
    times = rewritten / written
    print(f"{rounds} rounds: each byte written {times:.2f} times, at most {most_files} files at once")
    # All into one each time would be about rounds / 2 = 15 times.
    assert times < 1.5 * math.log2(rounds), times
    assert most_files <= 2 * math.log2(rounds) + 2
    before = numbered.tree(root)
    lithify.ok(*COMPACT, root)
    lithify.ok(*GC, root)
    assert numbered.tree(root) == before


@pytest.mark.parametrize("target_kib", [64, 128, 256])
def test_size_follows_the_bytes_written(target_kib, tmp_path):
    """LO7, HYP.1, P6: outputs are about the target in bytes written, whatever memory a row takes."""
    root = tmp_path / "lake"
    numbered.fill(root / FOLDER, 100, 100)
    # Row groups of one input each: small against a file, as in life, though their footer, which
    # comes on top of what is counted, is large against them.
    split = ["--target-file", f"{target_kib}KiB", "--row-group-rows", "100"]
    lithify.ok(*COMPACT, *split, root)
    sizes = sorted(live_bytes(root).values())
    target = target_kib << 10
    assert abs(len(sizes) - sum(sizes) / target) <= max(1, len(sizes) / 4), sizes
    assert all(0.6 * target < size < 1.5 * target for size in sizes), sizes
    numbered.check_everywhere(root, range(10_000))
    before = numbered.tree(root)
    lithify.ok(*COMPACT, *split, root)
    assert numbered.tree(root) == before


@pytest.mark.parametrize("target", [1, 4, 5, 100])
def test_a_target_of_few_bytes(target, tmp_path):
    """P3, P6: a file has a row group at least, however small it should be: there is an end."""
    sources = [numbered.write(tmp_path / f"in-{i}.parquet", range(10 * i, 10 * i + 10))
               for i in range(3)]
    (tmp_path / "out").mkdir()
    outputs = lithify.merge(tmp_path / "out" / "out.parquet", sources, "--target-file", str(target),
                            "--row-group-rows", "10")
    assert len(outputs) == 3
    numbered.check(numbered.of_files(outputs), range(30))


def test_tenants_with_the_same_file_names(tmp_path):
    """A5, J3, RFC0009.5, P4: two tenants whose files bear the same names, sizes and times never mix."""
    root = tmp_path / "lake"
    tenants = ["acme", "glob"]
    for tenant in tenants:
        numbered.fill(root / f"tenant_id={tenant}" / numbered.HOUR, 12, 30, tenant=tenant)
    for number in range(12):
        paths = [root / f"tenant_id={tenant}" / numbered.HOUR / f"part-{number:05}.parquet"
                 for tenant in tenants]
        assert paths[0].stat().st_size == paths[1].stat().st_size
        os.utime(paths[1], ns=(paths[0].stat().st_mtime_ns,) * 2)
    # All at once, by workers of one process and by two processes.
    processes = [subprocess.Popen([lithify.BIN, *COMPACT, "--jobs", "2", root],
                                  stdout=subprocess.DEVNULL) for _ in range(2)]
    for process in processes:
        assert process.wait(60) in (lithify.DONE, lithify.AGAIN)
    lithify.ok(*COMPACT, root)
    ours = []
    for tenant in tenants:
        folder = root / f"tenant_id={tenant}" / numbered.HOUR
        live = reader.live(folder)
        assert len(live) == 1
        found = numbered.of_files(live)
        assert pyarrow.compute.unique(found["tenant_id"]).to_pylist() == [tenant]
        numbered.check(found, range(360), tenant)
        ours.append(live[0].name)
    assert ours[0] != ours[1]
    before = numbered.tree(root / f"tenant_id={tenants[1]}")
    lithify.ok(*GC, "--partition", f"tenant_id={tenants[0]}/*", root)
    assert numbered.tree(root / f"tenant_id={tenants[1]}") == before
    lithify.ok(*GC, root)
    for tenant in tenants:
        numbered.check_everywhere(root / f"tenant_id={tenant}" / numbered.HOUR, range(360),
                                  tenant=tenant)


def test_counts_per_key_column(tmp_path):
    """RFC0009.2, P1: counts per value of the key columns are those of the sources, nulls too."""
    root = tmp_path / "lake"
    numbered.fill(root / FOLDER, 20, 50)
    keys = ["template_id", "body"]

    def counts():
        found = reader.read(root)
        return {key: collections.Counter(found[key].to_pylist()) for key in keys}

    before = counts()
    lithify.ok(*COMPACT, "--key-columns", ",".join(keys), "--verify", "decode", root)
    one_file(root, 1000)
    assert counts() == before and before["body"][None] > 0
