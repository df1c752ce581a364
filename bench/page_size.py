#!/usr/bin/env python3
"""When is a page too small to be copied into a large column chunk?

A row group of a million rows is written with pages of 50 to 50,000 rows, for kinds of columns and
codecs, and read by three engines: against the same rows in pages of 1 MiB. From the smallest pages
follows what one page more costs an engine, and from all of them where the cost stops to matter.
"""

import argparse
import json
import pathlib
import sys
import tempfile

from chart import line_chart
from machine import machine, machine_line
from one_run import Tools
from page_files import BASE_PAGE_BYTES, KINDS, make_table, page_facts, write
from page_scan import least_times
from run import ROOT

PAGE_ROWS = [50, 100, 200, 500, 1000, 2000, 5000, 10_000, 20_000, 50_000]
CODECS = ["snappy", "zstd"]
SIZE = "size"
# By whether it is the size: what is hardly seen, and what is bearable.
LIMITS = {False: (1.1, 1.5), True: (1.05, 1.15)}


def measure(kind, codec, options, lithify):
    """A fact for each page size, with ratios to the file of 1 MiB pages."""
    table = make_table(kind, options.rows)
    with tempfile.TemporaryDirectory(dir=options.scratch) as scratch:
        files, shapes = {}, {}
        for page_rows in [None, *options.page_rows]:
            path = pathlib.Path(scratch) / f"{page_rows}.parquet"
            write(table, path, kind, codec, page_rows)
            files[page_rows], shapes[page_rows] = path, page_facts(lithify, path)
            wanted = page_rows and -(-options.rows // page_rows)
            if wanted and shapes[page_rows]["pages"] != wanted:
                raise SystemExit(f"{path}: {shapes[page_rows]['pages']} pages, not {wanted}")
        times = least_times(files, table["v"].type == "string", options.rounds)
    facts = []
    for page_rows in options.page_rows:
        ratios = {engine: seconds / times[None, engine]
                  for (key, engine), seconds in times.items() if key == page_rows}
        ratios[SIZE] = shapes[page_rows]["column_bytes"] / shapes[None]["column_bytes"]
        facts.append(dict(kind=kind, codec=codec, page_rows=page_rows, ratios=ratios,
                          milliseconds={engine: 1000 * seconds for (key, engine), seconds
                                        in times.items() if key == page_rows},
                          **shapes[page_rows]))
        print(f"{kind}, {codec}, {page_rows}: {ratios}", file=sys.stderr, flush=True)
    return facts


def threshold(facts, name, limit):
    """The smallest page from which up to 1 MiB the ratio is within the limit, or None."""
    found = None
    for fact in reversed(facts):
        if fact["page_plain_bytes"] > BASE_PAGE_BYTES:
            continue
        if fact["ratios"][name] > limit:
            break
        found = fact
    return found


def threshold_text(facts, name):
    """Rows (uncompressed KiB) of the page, for each limit."""
    texts = []
    for limit in LIMITS[name == SIZE]:
        fact = threshold(facts, name, limit)
        texts.append(f"{fact['page_rows']:,} ({fact['page_plain_bytes'] / 1024:.1f})" if fact
                     else f"> {facts[-1]['page_rows']:,}")
    return " / ".join(texts)


def page_cost_us(facts, engine):
    """What one page more costs: from the file of the smallest pages, in microseconds."""
    least = facts[0]
    base = least["milliseconds"][engine] / least["ratios"][engine]
    return 1000 * (least["milliseconds"][engine] - base) / least["pages"]


def table_lines(facts):
    engines = list(facts[0]["ratios"])
    yield f"| rows a page | bytes a page (uncompressed) | {' | '.join(engines)} |"
    yield "|---|---|" + "---|" * len(engines)
    for fact in facts:
        numbers = [f"{fact['ratios'][engine]:.2f}" for engine in engines]
        yield (f"| {fact['page_rows']} | {fact['page_bytes']:.0f} ({fact['page_plain_bytes']:.0f}) "
               f"| {' | '.join(numbers)} |")


def threshold_lines(groups):
    names = list(next(iter(groups.values()))[0]["ratios"])
    yield f"| column, codec | {' | '.join(names)} |"
    yield "|---|" + "---|" * len(names)
    for (kind, codec), facts in groups.items():
        yield f"| {kind}, {codec} | {' | '.join(threshold_text(facts, name) for name in names)} |"


def cost_lines(groups):
    engines = list(next(iter(groups.values()))[0]["milliseconds"])
    yield f"| column, codec | {' | '.join(engines)} |"
    yield "|---|" + "---|" * len(engines)
    for (kind, codec), facts in groups.items():
        costs = [f"{page_cost_us(facts, engine):.2f}" for engine in engines]
        yield f"| {kind}, {codec} | {' | '.join(costs)} |"


def write_report(options, groups):
    svg = line_chart("Time and size, 1 = pages of 1 MiB",
                     [(f"{kind}, {codec}", {engine: [(fact["page_rows"], fact["ratios"][engine])
                                                     for fact in facts]
                                            for engine in facts[0]["ratios"]})
                      for (kind, codec), facts in groups.items()], "rows a page")
    (options.out / "page-size.svg").write_text(svg)
    lines = ["# Pages from small to large", "", machine_line(machine()) + ".",
             f"One row group of {options.rows} rows, written by pyarrow with a page index; one "
             f"thread; the least processor time of {options.rounds} reads. Every ratio is to the "
             "same rows in pages of 1 MiB: 1.10 is a tenth slower or larger. `size` is the column "
             "with its page index.", "", "![ratios by page size](page-size.svg)", "",
             "## Rows a page (uncompressed KiB) from which on the ratio is within 1.1 / within "
             "1.5, of the size within 1.05 / 1.15", "", *threshold_lines(groups), "",
             "## Microseconds that one page more costs", "", *cost_lines(groups), ""]
    for (kind, codec), facts in groups.items():
        lines += [f"## {kind}, {codec}", "", *table_lines(facts), ""]
    text = "\n".join(lines)
    print(text)
    (options.out / "page-size.tables.md").write_text(text)


def parse_options():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--page-rows", default=",".join(map(str, PAGE_ROWS)))
    parser.add_argument("--kinds", default=";".join(KINDS), help="which ones, with semicolons")
    parser.add_argument("--codecs", default=",".join(CODECS))
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--scratch", type=pathlib.Path, help="where files are made and read")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build-bench")
    parser.add_argument("--out", type=pathlib.Path, default=ROOT / "docs/bench")
    options = parser.parse_args()
    options.page_rows = [int(rows) for rows in options.page_rows.split(",")]
    return options


def main():
    options = parse_options()
    options.out.mkdir(parents=True, exist_ok=True)
    lithify = Tools.of_build(options.build).lithify
    groups = {(kind, codec): measure(kind, codec, options, lithify)
              for kind in options.kinds.split(";") for codec in options.codecs.split(",")}
    with open(options.out / "page-size.jsonl", "w", encoding="utf-8") as file:
        for fact in [dict(machine=machine()), *sum(groups.values(), [])]:
            file.write(json.dumps(fact) + "\n")
    write_report(options, groups)
    return 0


if __name__ == "__main__":
    sys.exit(main())
