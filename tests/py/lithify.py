"""Runs the program under test: environment LITHIFY_BIN, by default build/lithify.

Every run has a time limit, and its exit code is looked at: a signal is never a refusal.
"""

import dataclasses
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
BIN = os.environ.get("LITHIFY_BIN", str(ROOT / "build" / "lithify"))
# Sanitizers multiply memory and time; tests of either leave such a build out.
SANITIZED = os.environ.get("LITHIFY_SANITIZED") == "1"
SECONDS_MAX = 60 * (5 if SANITIZED else 1)
# Exit codes of docs/design.md section 9.
DONE, FAILED, USAGE, BLOCKED, AGAIN = range(5)


@dataclasses.dataclass
class Result:
    command: list
    code: int
    out: str
    err: str
    peak_bytes: int
    seconds: float

    def __str__(self):
        return f"{' '.join(self.command)}\nexit {self.code}\n{self.out[-4000:]}{self.err[-8000:]}"


def environment(more=None):
    """LITHIFY_... variables are options to the program; those of the tests are not for it."""
    env = {name: value for name, value in os.environ.items() if not name.startswith("LITHIFY_")}
    return env | (more or {})


def run(*arguments, cwd=None, seconds_max=SECONDS_MAX, env=None, stdin=None):
    """Runs `lithify ARGUMENTS...` to its end. A crash or a hang fails the test here."""
    command = [BIN, *map(str, arguments)]
    with tempfile.TemporaryDirectory() as folder:
        note = os.path.join(folder, "measured")
        wrapper = [sys.executable, "-I", "-S", os.path.join(os.path.dirname(__file__), "measure.py"), note]
        process = subprocess.Popen(wrapper + command, cwd=cwd,
                                   stdin=subprocess.DEVNULL if stdin is None else subprocess.PIPE,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                   errors="replace", start_new_session=True,
                                   env=environment(env))
        try:
            out, err = process.communicate(stdin, timeout=seconds_max)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, 9)
            process.communicate()
            raise AssertionError(f"no end after {seconds_max} s: {' '.join(command)}") from None
        with open(note, encoding="ascii") as text:
            code, peak_bytes, seconds = text.read().split()
    result = Result(command, int(code), out, err, int(peak_bytes), float(seconds))
    assert 0 <= result.code < 64, f"not an exit of the program's own: {result}"
    return result


def was_refuted(result):
    """Whether verification refuted what was copied, so that all was decoded after all."""
    return "all pages were decoded instead" in result.err or '"refuted": "' in result.out \
        or '"refuted":"' in result.out


def ok(*arguments, may_refute=False, **options):
    """Runs it and wants exit 0, by the first way that was tried: the second one hides what is wrong
    with a mover. Where sources lie, it may be needed: `may_refute`."""
    result = run(*arguments, **options)
    assert result.code == DONE, str(result)
    assert may_refute or not was_refuted(result), f"verification refuted an output: {result}"
    return result


def merge(output, inputs, *options, **more):
    """`lithify merge`, wants exit 0 (see `ok`); returns the output files in order."""
    output = pathlib.Path(output)
    before = set(output.parent.iterdir())
    result = ok("merge", *options, "-o", output, *inputs, **more)
    made = sorted(set(output.parent.iterdir()) - before)
    made = [f for path in made for f in (sorted(path.iterdir()) if path.is_dir() else [path])]
    assert made, f"no output: {result}"
    # With --target-file there may be several; nothing but Parquet may be left behind.
    assert all(path.name.endswith(".parquet") for path in made), f"left behind: {made}"
    return made


def has_command(name):
    """Whether the program lists the command in its help."""
    return name in run("--help").out.split()
