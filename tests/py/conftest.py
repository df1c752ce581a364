"""What the report needs of a test besides its name: the docstring, where ids like P1 stand."""

import sys

import pytest

import oracle


def pytest_runtest_setup(item):
    doc = getattr(item, "function", None) and item.function.__doc__
    item.user_properties.append(("doc", doc or ""))


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
