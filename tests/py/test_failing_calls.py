"""P3, P8, P9: a system call that fails, whichever it is, costs a pass and never a row.

strace lets the N-th call of a kind fail that the program makes: a full disk, a bad sector, no more
descriptors, no memory, no thread. Of each scenario of changes.py every call is had; in each case every
way to read shows each row once, the command says what was the matter, and the next one goes on.
LITHIFY_FAILURES: calls of each scenario, or `all`.
"""

import collections
import errno
import os
import random
import re
import subprocess

import pytest

import changes
import lithify
import numbered
import reader
import syscalls

SEED = os.environ.get("LITHIFY_SEED", "1")
COUNT = os.environ.get("LITHIFY_FAILURES", "12")
SECONDS_MAX = 60
# What a call that touches files, memory or threads may come to.
ERRORS = {
    "openat": ["EMFILE", "EIO", "EACCES"], "getdents64": ["EIO"], "read": ["EIO"], "pread64": ["EIO"],
    "write": ["ENOSPC", "EIO"], "pwrite64": ["ENOSPC", "EIO"], "writev": ["ENOSPC"], "fsync": ["EIO", "ENOSPC"],
    "fdatasync": ["EIO"], "sync_file_range": ["EIO"], "rename": ["ENOSPC"], "renameat": ["ENOSPC", "EIO"],
    "renameat2": ["ENOSPC", "EIO"], "unlink": ["EIO"], "unlinkat": ["EIO", "EACCES"], "rmdir": ["EIO"],
    "mkdir": ["ENOSPC"], "mkdirat": ["ENOSPC"], "linkat": ["EMLINK"], "symlinkat": ["ENOSPC"],
    "readlinkat": ["EIO"], "fstat": ["EIO"], "newfstatat": ["EIO", "EACCES"], "statx": ["EIO"],
    "fstatfs": ["EIO"], "statfs": ["EIO"], "ftruncate": ["ENOSPC"], "fallocate": ["ENOSPC"],
    "copy_file_range": ["EIO"], "flock": ["ENOLCK"], "fchmod": ["EPERM"], "fchmodat": ["EPERM"],
    "fchown": ["EPERM"], "utimensat": ["EPERM"], "lseek": ["EIO"],
    "mmap": ["ENOMEM"], "mremap": ["ENOMEM"], "clone3": ["EAGAIN"], "clone": ["EAGAIN"],
    "fgetxattr": ["EIO"], "flistxattr": ["EIO"], "fsetxattr": ["ENOSPC"], "fadvise64": ["EIO"]}

if lithify.SANITIZED:
    pytest.skip("what watches memory may not be traced", allow_module_level=True)


def counted(root, command):
    """Of a whole run, by kind of call: how many one thread makes, and of those, how many it makes
    before it looks at the lake."""
    note = root.parent / "calls"
    trace(command, ["-e", "trace=" + ",".join(f"?{kind}" for kind in ERRORS), "-o", note])
    total, early, begun = collections.Counter(), collections.Counter(), False
    for line in note.read_text(encoding="ascii").splitlines():
        begun = begun or str(root) in line
        match = re.match(r"(\d+) +(\w+)\(", line)
        if match and match[2] in ERRORS:
            total[match[1], match[2]] += 1
            early[match[2]] += not begun
    return {kind: (early[kind], max(count for (_, name), count in total.items() if name == kind))
            for kind in {name for _, name in total}}


def trace(command, options):
    return subprocess.run(["strace", "-f", "-qq", *map(str, options), lithify.BIN, *map(str, command)],
                          stdin=subprocess.DEVNULL, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          timeout=SECONDS_MAX, env=lithify.environment())


def check_views(root, ids, late, where):
    """A strict reader may be without a late file that could not be read, until the next pass."""
    named = set(reader.read(root, strict=True)["id"].to_pylist())
    numbered.check_everywhere(root, ids, sorted((named | set(ids)) - (set(late) - named)), where=where)


@pytest.mark.parametrize("name", changes.SCENARIOS)
def test_every_call_may_fail(name, tmp_path_factory, quick_path):
    """P3, P8, P9: a failed call costs a pass and never a row; LITHIFY_SEED."""
    if syscalls.why_not():
        pytest.skip(f"NO FAILING CALLS: {syscalls.why_not()}")
    source = tmp_path_factory.mktemp("made") / "lake"
    source.mkdir()
    ids, late = changes.SCENARIOS[name].make(source)
    root = changes.fresh_copy(source, quick_path / "lake")
    calls = counted(root, changes.words(name, root))
    cases = [(kind, number, error) for kind, (early, count) in sorted(calls.items())
             for number in range(early + 1, count + 1) for error in ERRORS[kind]]
    chance = random.Random(f"{SEED}/{name}")
    drawn = cases if COUNT == "all" else chance.sample(cases, min(int(COUNT), len(cases)))
    failed = 0
    for kind, number, error in drawn:
        where = f"LITHIFY_SEED={SEED}: {name}, {kind} {number} of {calls[kind][1]} comes to {error}"
        changes.fresh_copy(source, root)
        done = trace(changes.words(name, root), ["-e", f"inject={kind}:error={error}:when={number}",
                                                 "-e", f"trace={kind}", "-o", os.devnull])
        assert done.returncode in (lithify.DONE, lithify.FAILED, lithify.BLOCKED, lithify.AGAIN), \
            f"{where}: exit {done.returncode}: {done.stderr}"
        assert done.returncode == lithify.DONE or os.strerror(getattr(errno, error)) in done.stdout + done.stderr, \
            f"{where}: not a word of it: {done.stdout}{done.stderr}"
        failed += done.returncode != lithify.DONE
        changes.age_probes(root.parent)
        changes.mend(name, root, where)
        check_views(root, *changes.left_of(name, root, ids, late), where)
        changes.run_again(name, root, where)
        changes.finish(root, where)
        numbered.check_everywhere(root, sorted(set(ids) - set(changes.SCENARIOS[name].gone)), where=where)
        changes.check_only_live(root, where)
    print(f"LITHIFY_SEED={SEED}: {name}: {len(drawn)} of {len(cases)} cases, {failed} of them failed a command")
    assert failed > 0, f"{len(drawn)} calls failed, and no command"
