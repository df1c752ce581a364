"""The results as text, as Markdown and as charts."""

import statistics

from chart import COLOURS, bar_chart
from limits import LIMITS, verdicts

MIB = 1 << 20
FIGURES = ["wall", "cpu", "peak_bytes", "output_bytes", "row_groups", "imports_peak_bytes",
           "others_cpu", "process_wall"]


def medians_of(runs):
    """Configuration -> the median of each figure over its runs; without those that failed."""
    medians = {}
    for name in dict.fromkeys(run["configuration"] for run in runs if "failed" not in run):
        mine = [run for run in runs if run["configuration"] == name and "failed" not in run]
        medians[name] = {figure: statistics.median(run[figure] for run in mine)
                         for figure in FIGURES}
        medians[name]["runs"] = len(mine)
        walls = [run["wall"] for run in mine]
        medians[name]["wall_min"], medians[name]["wall_max"] = min(walls), max(walls)
    return medians


def lake_table(lake, runs):
    """A Markdown table of one lake, one row for each configuration."""
    medians = medians_of(runs)
    floor = medians.get("floor", {}).get("wall")
    yield (f"### {lake.name}: {lake.shape['files']} files, {lake.shape['bytes'] / MIB:.1f} MiB, "
           f"{lake.shape['rows']} rows, {lake.codec}")
    yield ""
    yield ("| configuration | wall s, median [min..max] (n) | CPU s | x floor | MiB/s | "
           "peak MiB (of it imports) | output MiB | row groups | others' CPU s |")
    yield "|---|---|---|---|---|---|---|---|---|"
    for name, run in medians.items():
        imports = f" ({run['imports_peak_bytes'] / MIB:.0f})" if run["imports_peak_bytes"] else ""
        ratio = f"{run['wall'] / floor:.2f}" if floor else ""
        yield (f"| {name} | {run['wall']:.3f} [{run['wall_min']:.3f}..{run['wall_max']:.3f}] "
               f"({run['runs']}) | {run['cpu']:.2f} | {ratio} | "
               f"{lake.shape['bytes'] / MIB / run['wall']:.0f} | "
               f"{run['peak_bytes'] / MIB:.1f}{imports} | {run['output_bytes'] / MIB:.1f} | "
               f"{run['row_groups']:.0f} | {run['others_cpu']:.2f} |")
    for run in runs:
        if "failed" in run:
            failed = " ".join(run["failed"].replace("|", "/").split())
            yield f"| {run['configuration']} | {failed} | | | | | | | |"
    yield ""


def limits_table(results):
    """`results`: (lake, its runs). Empty where no limit could be looked at."""
    yield from verdict_table([
        verdict for lake, runs in results if lake.name in LIMITS
        for verdict in verdicts(lake.name, medians_of(runs), lake.shape["bytes"])])


def verdict_table(found):
    if not found:
        return
    yield "### Limits"
    yield ""
    yield "| lake | figure | reached | limit | | (by CPU time) |"
    yield "|---|---|---|---|---|---|"
    for verdict in found:
        by_cpu = f"{verdict.by_cpu:.3f}" if verdict.by_cpu else ""
        yield (f"| {verdict.lake} | {verdict.what} | {verdict.value:.3f} | {verdict.limit:.3f} | "
               f"{'pass' if verdict.passed else 'MISS'} | {by_cpu} |")
    missed = sum(not verdict.passed for verdict in found)
    yield ""
    yield f"{len(found) - missed} of {len(found)} limits are kept."
    yield ""


def colour_of(label):
    order = ["lithify", "duckdb", "polars", "pyarrow"]
    for place, engine in enumerate(order):
        if label.startswith(engine):
            return COLOURS[place]
    return COLOURS[-1]


def chart(title, results, value_of, note_of):
    panels = []
    for lake, runs in results:
        bars = [(name, value_of(run), note_of(run)) for name, run in medians_of(runs).items()]
        bars += [(run["configuration"], None, "fails") for run in runs if "failed" in run]
        if any(value for _, value, _ in bars):
            panels.append((f"{lake.name} ({lake.shape['files']} files, "
                           f"{lake.shape['bytes'] / MIB:.0f} MiB)", bars))
    return bar_chart(title, panels, colour_of)


def wall_chart(results):
    return chart("Seconds to merge a lake (logarithmic, less is better)", results,
                 lambda run: run["wall"], lambda run: f"{run['wall']:.2f} s")


def memory_chart(results):
    return chart("Peak memory of the process (logarithmic, less is better)", results,
                 lambda run: run["peak_bytes"], lambda run: f"{run['peak_bytes'] / MIB:.0f} MiB")
