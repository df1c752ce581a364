"""Random files merged under random limits keep their rows: P1, RFC0009.2.

LITHIFY_SEED repeats a run, LITHIFY_CASES sets how many; a failing case says its seed. The movers
take turns, from case to case and from seed to seed.
"""

import os
import random

import pytest

import generate
import judge
import lithify
import movers

SEED = os.environ.get("LITHIFY_SEED", "1")
CASES = int(os.environ.get("LITHIFY_CASES", "60"))
MEMORY = ["64MiB", "80MiB", "256MiB"]
ROW_GROUP = [[], ["--row-group", "64KiB"], ["--row-group-rows", "50"], ["--row-group-rows", "1000"]]


@pytest.mark.parametrize("case", range(CASES))
def test_merge(case, arrow, duck, tmp_path):
    """P1, RFC0009.2, MOV.1: every value, null and shape of generated files survives a merge."""
    chance = random.Random(f"{SEED}/{case}")
    mover = random.Random(f"{SEED}/{case}/mover").choice(list(movers.MOVERS))
    data = generate.Data(chance)
    # Decimals must have one physical type in all files, or their schemas differ.
    as_integer = chance.random() < 0.5
    # So must timestamps: INT96, as old writers have them, in a few cases.
    int96 = chance.random() < 0.1
    version = generate.format_version(chance, data.schema)
    sources, told = [], []
    for number in range(chance.choice([1, 2, 2, 3, 5, 12])):
        options = generate.writer_options(chance, data.schema, version, int96)
        options["store_decimal_as_integer"] = as_integer
        if not as_integer:
            options.pop("column_encoding", None)
        path = tmp_path / f"in-{number:02}.parquet"
        generate.write(path, data.table(chance.choice([0, 1, 10, 300, 2000])), options)
        sources.append(path)
        told.append(options)
    limits = ["--memory", chance.choice(MEMORY), *chance.choice(ROW_GROUP)]
    print(f"LITHIFY_SEED={SEED} case {case} {mover}\n{data.schema}\n{limits}\n" + "\n".join(map(str, told)))

    place = tmp_path / "out"
    place.mkdir()
    outputs = movers.merge(mover, place / "out.parquet", sources, *limits)
    assert len(outputs) == 1
    answer = arrow.ask("compare", sources=sources, outputs=outputs)
    assert answer == {"difference": None, "rows": answer.get("rows")}, answer
    answer = duck.ask("compare", sources=sources, outputs=outputs)
    if "error" in answer:
        # Types and encodings that DuckDB does not have; it must be the source's doing.
        print(f"NOT COMPARED by duckdb: {answer['error']}")
    else:
        assert answer["difference"] is None, answer
    judge.same_schema([arrow], sources[0], outputs)
    judge.honest_statistics(arrow, outputs)
    lithify.ok("verify", *sources, "--", *outputs)


def test_verify_sees_a_changed_value(tmp_path):
    """P1: two sets of files that differ in one value, one null or one row are not equal."""
    import pyarrow
    import pyarrow.parquet as parquet
    base = [1, 2, None, 4, 4]
    for number, changed in enumerate([[1, 2, None, 4, 5], [1, 2, 0, 4, 4], [1, 2, None, 4],
                                      [1, 2, None, 4, 4, 4], [1, 2, None, None, 4]]):
        left, right = tmp_path / f"l{number}.parquet", tmp_path / f"r{number}.parquet"
        parquet.write_table(pyarrow.table({"v": pyarrow.array(base, pyarrow.int64())}), left)
        parquet.write_table(pyarrow.table({"v": pyarrow.array(changed, pyarrow.int64())}), right)
        result = lithify.run("verify", left, "--", right)
        assert result.code == lithify.FAILED, f"{changed}: {result}"
        lithify.ok("verify", left, "--", left)
    # Order means nothing to a multiset.
    parquet.write_table(pyarrow.table({"v": pyarrow.array(base[::-1], pyarrow.int64())}),
                        tmp_path / "reversed.parquet")
    lithify.ok("verify", tmp_path / "l0.parquet", "--", tmp_path / "reversed.parquet")
