"""What a run of the program asks of the file system, as strace saw it.

A record is the list of the calls that change something or make it last, in the order in which they
ended. Calls that failed are left out: they changed nothing. Strings are asked for in hexadecimal,
so nothing in a name or in the data can be taken for the syntax of a line.
"""

import dataclasses
import functools
import os
import re
import shutil
import subprocess
import tempfile

import lithify

SECONDS_MAX = 120
DATA_BYTES_MAX = 1 << 24  # of one write, which is recorded in full
# What is asked for. Calls of other names that change files would be missing: who replays a record
# compares the end of it with the directories that are there.
NAMES = ["openat", "open", "creat", "write", "pwrite64", "writev", "pwritev", "pwritev2",
         "copy_file_range", "truncate", "ftruncate", "fallocate", "rename", "renameat", "renameat2",
         "link", "linkat", "symlink", "symlinkat", "unlink", "unlinkat", "rmdir", "mkdir", "mkdirat",
         "fsync", "fdatasync", "sync", "syncfs", "fchmod", "fchmodat", "chmod", "fchown", "fchownat",
         "chown", "utimensat", "setxattr", "fsetxattr", "flock"]
LINE = re.compile(r"(\d+) +(\w+)\((.*)\) += (-?\d+|\?)(<[^>]*>)?(.*)$")
STRING = re.compile(r'"((?:\\x[0-9a-f]{2})*)"(\.\.\.)?$')
OPENED = re.compile(r"(AT_FDCWD|-?\d+)<((?:\\x[0-9a-f]{2})*)>(\(deleted\))?$")


class Unknown(Exception):
    """A line, or a way to change files, that nobody here knows of: it must be taught."""


@dataclasses.dataclass
class Call:
    """One change, by absolute paths. `kind` is create, make (a folder), write, look (owner, mode),
    rename, exchange, link, unlink (folders, too), sync, lock or unlock."""
    pid: int
    kind: str
    path: str
    to: str = ""  # rename, exchange, link
    data: bytes = b""
    offset: int = 0

    def __str__(self):
        return f"{self.kind} {self.path}" + (f" -> {self.to}" if self.to else "")


@functools.cache
def why_not():
    """Why nothing can be recorded here; None: it can."""
    if not shutil.which("strace"):
        return "strace is not installed (scripts/setup does that)"
    done = subprocess.run(["strace", "-f", "-qq", "-o", os.devnull, "true"], text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=SECONDS_MAX)
    return None if done.returncode == 0 else f"strace may not trace here: {done.stdout.strip()}"


def record(command, env=None):
    """Runs a command line; (its exit code or minus the signal that ended it, its calls)."""
    with tempfile.TemporaryDirectory() as folder:
        note = os.path.join(folder, "calls")
        done = subprocess.run(
            ["strace", "-f", "-qq", "-y", "-xx", "-s", str(DATA_BYTES_MAX), "-e", "signal=none",
             "-e", "trace=" + ",".join(NAMES), "-o", note, *map(str, command)],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            timeout=SECONDS_MAX, env=lithify.environment(env))
        with open(note, encoding="ascii") as text:
            return done.returncode, parse(text)


def parse(lines):
    """The calls of a record of strace; a call that others came between is where it ended."""
    begun, calls = {}, []
    for line in lines:
        line = line.rstrip("\n")
        pid = line.split(" ", 1)[0]
        if line.endswith("<unfinished ...>"):
            begun[pid] = line.removesuffix("<unfinished ...>").rstrip()
            continue
        resumed = re.match(r"\d+ +<\.\.\. \w+ resumed>(.*)", line)
        if resumed:
            line = begun.pop(pid) + resumed[1]
        if re.match(r"\d+ +(\+\+\+|---)", line):
            continue
        match = LINE.match(line)
        if not match:
            raise Unknown(line)
        if match[4] != "?" and int(match[4]) >= 0:
            calls += understand(int(match[1]), match[2], split(match[3]), int(match[4]))
    return calls


def split(text):
    """The arguments of a call: commas inside of strings are in hexadecimal, those of sets are not."""
    found, depth, at = [], 0, 0
    for i, char in enumerate(text):
        depth += (char in "[{(") - (char in "]})")
        if char == "," and depth == 0:
            found.append(text[at:i].strip())
            at = i + 1
    return [*found, text[at:].strip()]


def unescape(text):
    return bytes.fromhex(text.replace("\\x", ""))


def string_of(word):
    match = STRING.match(word)
    if not match or match[2]:
        raise Unknown(f"a string, whole: {word[:100]}")
    return unescape(match[1])


def opened(word):
    """What a descriptor leads to; None: to something that has no name any more, or never had one."""
    match = OPENED.match(word)
    if not match:
        raise Unknown(f"a descriptor: {word[:100]}")
    path = unescape(match[2]).decode()
    return None if match[3] or not path.startswith("/") else path


def place(at, name):
    """A name, relative to a descriptor."""
    return os.path.normpath(os.path.join(opened(at) or "/", string_of(name).decode()))


def understand(pid, name, words, result):
    """The changes of one call."""
    def one(kind, path, *more):
        return [Call(pid, kind, path, *more)] if path else []

    if name == "openat":
        if "O_TMPFILE" in words[2] or "O_CREAT" not in words[2]:
            return []
        if "O_EXCL" not in words[2]:  # may have been there, may be cut: who does that must be told
            raise Unknown(f"a file is opened with {words[2]}")
        return one("create", place(words[0], words[1]))
    if name in ("write", "pwrite64"):
        path = opened(words[0])
        if path and name == "write" and result:
            return one("append", path, "", string_of(words[1])[:result])
        return one("write", path, "", string_of(words[1])[:result], int(words[3])) if path else []
    if name in ("rename", "renameat", "renameat2"):
        if name == "rename":
            words = ["AT_FDCWD</>", words[0], "AT_FDCWD</>", words[1]]
        kind = "exchange" if "RENAME_EXCHANGE" in words[-1] else "rename"
        return one(kind, place(words[0], words[1]), place(words[2], words[3]))
    if name == "linkat":
        return one("link", place(words[0], words[1]), place(words[2], words[3]))
    if name == "unlinkat":
        return one("unlink", place(words[0], words[1]))
    if name == "mkdirat":
        return one("make", place(words[0], words[1]))
    if name in ("fsync", "fdatasync"):
        return one("sync", opened(words[0]))
    if name in ("fchmod", "fchown"):
        return one("look", opened(words[0]))
    if name == "flock":
        return one("unlock" if "LOCK_UN" in words[1] else "lock", opened(words[0]))
    raise Unknown(f"{name}({', '.join(words)[:200]}")
