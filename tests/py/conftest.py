"""What the report needs of a test besides its name: the docstring, where ids like P1 stand.

And what is known only at the end of a run: which ways the cases of the property test went.
"""

import collections
import sys

import pytest

import movers
import oracle

MOVED = collections.Counter()  # of passed cases
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


def pytest_report_header():
    return f"python {sys.version.split()[0]}"
