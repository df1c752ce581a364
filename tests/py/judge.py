"""Asserts that a merge kept its rows, by every reader that can read the sources."""

import lithify


def same_rows(judges, sources, outputs, unreadable=frozenset()):
    """The outputs hold the rows of the sources, one source after another, by every judge.

    `unreadable` names the judges known not to read these sources: they are said aloud; any other
    that does not read them fails the test. Returns the number of judges that compared.
    """
    count = 0
    for judge in judges:
        answer = judge.ask("compare", sources=list(sources), outputs=list(outputs))
        if "error" in answer:
            assert judge.name in unreadable, answer["error"]
            print(f"NOT COMPARED by {judge.name}: {answer['error']}")
            continue
        assert judge.name not in unreadable, f"{judge.name} reads this after all: take it off the list"
        assert answer["difference"] is None, f"{judge.name}: {answer['difference']}"
        count += 1
    # Lithify's own check counts besides, and alone where no other reader can.
    lithify.ok("verify", *sources, "--", *outputs)
    return count


def same_schema(judges, source, outputs):
    """The outputs have the source's schema to the last annotation, by the first judge that reads it."""
    for judge in judges:
        want = judge.ask("schema", path=source)
        if "error" in want:
            continue
        for output in outputs:
            have = judge.ask("schema", path=output)
            lines = [f"- {a}\n+ {b}" for a, b in zip(want["schema"], have.get("schema", [])) if a != b]
            assert have.get("schema") == want["schema"], f"{judge.name}: schema changed\n" + "\n".join(lines)
        return
    print(f"SCHEMA NOT COMPARED: no judge reads {source}")


def honest_statistics(arrow, outputs, unreadable=frozenset()):
    """No bound of the outputs is narrower than the values, no null count wrong."""
    if "pyarrow" in unreadable:
        return
    for output in outputs:
        answer = arrow.ask("claims", path=output)
        assert answer.get("lies") == [], f"{output}: {answer}"


def same_union(judges, sources, outputs, judges_min=1):
    """The outputs hold the rows of the sources as each judge joins schemas by name itself; one that
    cannot join these is said aloud. Returns the number of judges that compared."""
    count = 0
    for judge in judges:
        answer = judge.ask("union", sources=list(sources), outputs=list(outputs))
        if "error" in answer:
            print(f"NOT COMPARED by {judge.name}: {answer['error']}")
            continue
        assert answer["difference"] is None, f"{judge.name}: {answer['difference']}"
        count += 1
    assert count >= judges_min, "no judge joins these schemas"
    return count
