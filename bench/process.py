"""Runs one program and says what it cost; see measure.c."""

import dataclasses
import os
import pathlib
import resource
import signal
import subprocess
import tempfile

SECONDS_MAX = 900
ARGUMENT_STACK_BYTES = 64 << 20  # the kernel takes arguments up to a quarter of the stack


@dataclasses.dataclass
class Cost:
    """Seconds and bytes. `wall` counts from start to exit. `start_ns` is of the monotonic clock."""

    start_ns: int
    wall: float
    cpu: float
    peak_bytes: int
    code: int
    error: str


def environment(more):
    """Variables called LITHIFY_... are options of the program: none may slip into a run."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("LITHIFY_")}
    return kept | (more or {})


def set_limits(memory_max):
    """Room for the names of 100,000 inputs, and an end to what would take the whole machine."""
    hard = resource.getrlimit(resource.RLIMIT_STACK)[1]
    if hard == resource.RLIM_INFINITY or hard >= ARGUMENT_STACK_BYTES:
        resource.setrlimit(resource.RLIMIT_STACK, (ARGUMENT_STACK_BYTES, hard))
    if memory_max:
        resource.setrlimit(resource.RLIMIT_AS, (memory_max, memory_max))


def run(measure, command, folder, memory_max=None, more_environment=None,
        seconds_max=SECONDS_MAX):
    """The cost of `command`, started in `folder`."""
    with tempfile.TemporaryDirectory() as scratch:
        result = pathlib.Path(scratch) / "result"
        child = subprocess.Popen([measure, result, *command], cwd=folder, start_new_session=True,
                                 env=environment(more_environment), stdin=subprocess.DEVNULL,
                                 stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                 errors="replace", preexec_fn=lambda: set_limits(memory_max))
        try:
            error = child.communicate(timeout=seconds_max)[0]
        except subprocess.TimeoutExpired:
            os.killpg(child.pid, signal.SIGKILL)
            child.communicate()
            return Cost(0, seconds_max, 0, 0, 124, f"longer than {seconds_max} s")
        if child.returncode:
            raise RuntimeError(f"{measure}: {error}")
        start_ns, wall_ns, user_ns, system_ns, peak_kib, code = map(int, result.read_text().split())
    return Cost(start_ns, wall_ns / 1e9, (user_ns + system_ns) / 1e9, peak_kib << 10, code, error)
