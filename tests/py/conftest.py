"""What the report needs of a test besides its name: the docstring, where ids like P1 stand.

And what is known only at the end of a run: which ways the cases of the property test went.
"""

import collections
import os
import pathlib
import shutil
import sys
import tempfile

import pytest

import movers
import oracle

MOVED = collections.Counter()  # of passed cases
MEMORY_BYTES_MIN = 32 << 20  # containers often have 64 MiB
MOVED_CASES_MIN = 24  # so many must show all ways


def pytest_runtest_setup(item):
    doc = getattr(item, "function", None) and item.function.__doc__
    item.user_properties.append(("doc", doc or ""))


def pytest_runtest_logreport(report):
    ways = [value for name, value in report.user_properties if name == "moved"]
    if report.when == "call" and report.passed and ways:
        MOVED.update(ways)
        MOVED["cases"] += 1


def _unseen(config):
    """The ways that no case went; nothing of a run of few cases, or of a part of one."""
    is_part = hasattr(config, "workerinput") or MOVED["cases"] < MOVED_CASES_MIN
    return [] if is_part else sorted(movers.WAYS - set(MOVED))


def pytest_terminal_summary(terminalreporter, config):
    if MOVED["cases"]:
        counts = ", ".join(f"{way} {MOVED[way]}" for way in sorted(movers.WAYS))
        terminalreporter.write_line(f"{MOVED['cases']} cases went {counts}")
    for way in _unseen(config):
        terminalreporter.write_line(f"FAILED: no case went {way}")


def pytest_sessionfinish(session):
    """MOV.1: a run in which a mover did not occur has not tested it."""
    if _unseen(session.config):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


@pytest.fixture(scope="session")
def arrow():
    """pyarrow as a judge."""
    judge = oracle.Oracle("pyarrow")
    yield judge
    judge.close()


@pytest.fixture(scope="session")
def duck():
    """DuckDB as a judge."""
    judge = oracle.Oracle("duckdb")
    yield judge
    judge.close()


@pytest.fixture
def quick_path(tmp_path):
    """As tmp_path, but in memory where there is room: who is killed needs no disk, and waits for
    none. Whether fsync is called where it must be is seen from system calls, not from disks."""
    memory = pathlib.Path("/dev/shm")
    if not os.access(memory, os.W_OK) or shutil.disk_usage(memory).free < MEMORY_BYTES_MIN:
        yield tmp_path
        return
    with tempfile.TemporaryDirectory(dir=memory, prefix="lithify-test-") as folder:
        yield pathlib.Path(folder)


def pytest_report_header():
    return f"python {sys.version.split()[0]}"
