"""scripts/check-acceptance finds a covered id that no test carries, or whose tests failed."""

import importlib.machinery
import importlib.util

import pytest

import lithify

SCRIPT = lithify.ROOT / "scripts" / "check-acceptance"
TABLE = """
| id | what | status | tests |
|---|---|---|---|
| A1 | one | covered | |
| A2 | two | covered | `job: a_case` |
| A3 | three | %s | |
"""


@pytest.fixture
def script(monkeypatch, tmp_path):
    """The script, with a table of reports and outcomes of its own."""
    loader = importlib.machinery.SourceFileLoader("check_acceptance", str(SCRIPT))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("check_acceptance", loader))
    loader.exec_module(module)
    reports = tmp_path / "reports.md"
    reports.write_text(TABLE % "later: something else")
    monkeypatch.setattr(module, "STATUSES", {reports: module.STATUSES[module.REPORTS]})
    monkeypatch.setattr(module, "REPORTS", reports)
    return module


def outcomes(script, *found):
    return [(script.Carrying(name, doc), dict(name=name, doc=doc, result=result))
            for name, doc, result in found]


GOOD = [("test_x: test_a1_b2_what", "", "passed"), ("lithify:job / job: a_case", "", "passed"),
        ("test_y: test_other[a3]", "P1: A3 is only spoken of.", "failed")]


@pytest.mark.parametrize("name,doc,ids", [
    ("tests.test_x: test_a1_b12_files[c3]", "", {"A1", "B12"}),
    ("tests.test_x: test_files", "A1, LO2, RFC0009.3: what it is about, C4: no more", {"A1", "LO2", "RFC0009.3"}),
    ("tests.test_x: test_files", "Of A1 and B2: lakes.", set()),
    ("tests.test_x: test_500_files", "MOV.4", set()),
])
def test_ids_stand_in_front(name, doc, ids, script):
    assert script.ids_of_report(name, doc) == ids


def test_good_outcomes(script):
    assert script.check(script.REPORTS, outcomes(script, *GOOD)) == 0


@pytest.mark.parametrize("changed", [
    GOOD[1:],  # nothing carries A1
    [("test_x: test_a1_what", "", "skipped"), *GOOD[1:]],
    [*GOOD, ("test_z: test_z", "A1: once more.", "failed")],
    [GOOD[0], GOOD[2]],  # the case that A2 names is not there
    [GOOD[0], ("lithify:job / job: a_case", "", "failed"), GOOD[2]],
])
def test_what_is_missing_is_bad(changed, script):
    assert script.check(script.REPORTS, outcomes(script, *changed)) == 1


def test_an_unknown_status_is_bad(script):
    script.REPORTS.write_text(TABLE % "perhaps")
    assert script.check(script.REPORTS, outcomes(script, *GOOD)) == 1


def test_write_fills_the_last_column(script):
    tests = [("test_x.py", "test_a1_what", script.Carrying("test_a1_what", "")),
             ("test_y.py", "test_other", script.Carrying("test_other", "A2, A1: more."))]
    for _ in range(2):
        script.write(script.REPORTS, tests)
        text = script.REPORTS.read_text()
        assert "| A1 | one | covered | `test_a1_what`, `test_other` |" in text
        assert "| A2 | two | covered | `test_other`, `job: a_case` |" in text
        assert "| A3 | three | later: something else | – |" in text


def test_the_tables_name_tests_that_are_there(script):
    """Every file and test that the last columns name exists: what a rename leaves behind is found."""
    tests = list(script.tests_that_are_there())
    there = {file for file, _, _ in tests} | {name for _, name, _ in tests} | {"–", "sim", "sim_cases"}
    there |= {f"{file.removesuffix('_test.c')}: {name}" for file, name, _ in tests}
    for table in (script.PROMISES, lithify.ROOT / "docs" / "reports.md"):
        for name, _, _, cell in script.rows_of(table):
            named = set(cell.replace("`", "").split(", "))
            assert named <= there, f"{name}: {named - there}"
