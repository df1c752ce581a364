"""What was measured on: processor, memory, kernel and the versions of the engines."""

import os
import platform

import duckdb
import polars
import pyarrow


def processor():
    with open("/proc/cpuinfo", encoding="ascii", errors="replace") as file:
        for line in file:
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return platform.machine()


def machine():
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return dict(processor=processor(), processors=os.cpu_count(),
                memory_gib=round(memory / 2**30, 1), kernel=platform.release(),
                python=platform.python_version(), duckdb=duckdb.__version__,
                polars=polars.__version__, pyarrow=pyarrow.__version__)


def machine_line(facts):
    return (f"{facts['processors']} x {facts['processor']}, {facts['memory_gib']} GiB, Linux "
            f"{facts['kernel']}; DuckDB {facts['duckdb']}, Polars {facts['polars']}, pyarrow "
            f"{facts['pyarrow']}")


def busy_seconds():
    """Processor time that the whole machine has used since it started."""
    with open("/proc/stat", encoding="ascii") as file:
        user, nice, system, _idle, _wait, irq, soft_irq, *_ = map(int, file.readline().split()[1:])
    return (user + nice + system + irq + soft_irq) / os.sysconf("SC_CLK_TCK")
