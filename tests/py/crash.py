"""Runs the program so that it kills itself at a named step, or without one of its guards.

Needs a build with -Dcrash_steps=true -Dguards_out=true: LITHIFY_CRASH_BIN, by default
build-crash/lithify, which scripts/run-tests makes. The names of the steps, and of the guards, are read
from the headers that declare them.
"""

import os
import pathlib
import re
import signal
import subprocess

import lithify

BIN = os.environ.get("LITHIFY_CRASH_BIN", str(lithify.ROOT / "build-crash" / "lithify"))
SECONDS_MAX = 60
HEADERS = ["src/store/steps.h", "src/job/job.h"]
HOW = "scripts/run-tests makes it: meson setup build-crash -Dcrash_steps=true -Dguards_out=true"


def declared_steps():
    """Every step that the headers name."""
    text = "".join((lithify.ROOT / header).read_text() for header in HEADERS)
    steps = re.findall(r'^#define LITH_(?:JOB_)?STEP_[A-Z_]+ "([a-z-]+)"', text, flags=re.M)
    assert len(steps) == len(set(steps)) and len(steps) > 20, steps
    return steps


def without(guard):
    """The environment in which the program does without a guard of src/base/guard.h."""
    text = (lithify.ROOT / "src/base/guard.h").read_text()
    names = re.findall(r"^    LITH_GUARD_([A-Z_]+),", text, flags=re.M)
    return {"LITHIFY_GUARDS_OUT": str(1 << names.index(guard))}


def run(step, arrival, *arguments):
    """Runs `lithify ARGUMENTS...` with a kill at the arrival-th arrival (from 1) at the step.

    Returns None when it was killed there, else its exit code: it did not arrive so often.
    """
    assert pathlib.Path(BIN).exists(), f"no {BIN}: {HOW}"
    done = subprocess.run([BIN, *map(str, arguments)], stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=SECONDS_MAX,
                          env=dict(os.environ, LITHIFY_CRASH_AT=f"{step}:{arrival}"))
    if done.returncode == -signal.SIGKILL:
        return None
    assert done.returncode >= 0, f"{arguments}: signal {-done.returncode} at {step}:{arrival}"
    return done.returncode
