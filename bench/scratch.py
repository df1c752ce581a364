"""How much scratch space a running program takes.

Scratch files have no name, so that no listing shows them: they are looked for among the open files
of the processes that run `program`, from a thread, twenty times a second.
"""

import contextlib
import os
import pathlib
import threading

SECONDS_BETWEEN_LOOKS = 0.05


def processes_of(program):
    for process in pathlib.Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if os.readlink(process / "exe") == str(program):
                yield process


def scratch_bytes(program, folder):
    """Of files without a name in `folder` that are open now; what ended meanwhile has none."""
    found = {}
    for process in processes_of(program):
        with contextlib.suppress(OSError):
            for descriptor in (process / "fd").iterdir():
                name = os.readlink(descriptor)
                if name.startswith(f"{folder}/") and name.endswith(" (deleted)"):
                    facts = descriptor.stat()
                    found[facts.st_dev, facts.st_ino] = facts.st_blocks * 512
    return sum(found.values())


class ScratchWatch:
    """`with ScratchWatch(program, folder) as watch:` and `watch.peak_bytes` afterwards."""

    def __init__(self, program, folder):
        self.peak_bytes = 0
        self._place = program, folder
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._look)

    def _look(self):
        while not self._ended.wait(SECONDS_BETWEEN_LOOKS):
            self.peak_bytes = max(self.peak_bytes, scratch_bytes(*self._place))

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._ended.set()
        self._thread.join()
