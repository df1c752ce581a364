"""A disk that remembers each write and each flush, so that a power cut can be played at any of them.

    python log_disk.py DIRECTORY BYTES LOG

serves one file, DIRECTORY/disk, by the protocol of FUSE (the kernel's include/uapi/linux/fuse.h);
a loop device over it is the disk. LOG gets a record per write and flush. Of a real disk this has the
one thing that matters here: what was written since the last flush may be on it or not, in any part.

Needs the right to mount: root in a machine of its own. `why_not` tells.
"""

import contextlib
import ctypes
import errno
import functools
import os
import pathlib
import shutil
import stat
import struct
import subprocess
import sys
import tempfile
import time

FUSE_MAJOR, FUSE_MINOR, MAX_WRITE = 7, 31, 1 << 17
(LOOKUP, FORGET, GETATTR, SETATTR, OPEN, READ, WRITE, STATFS, RELEASE, FSYNC, FLUSH, INIT, OPENDIR, READDIR,
 RELEASEDIR, INTERRUPT, DESTROY, BATCH_FORGET) = (1, 2, 3, 4, 14, 15, 16, 17, 18, 20, 25, 26, 27, 28, 29, 36,
                                                  38, 42)
HEADER = struct.Struct("<IIQQIIII")  # length, opcode, unique, node, uid, gid, pid, padding
RECORD = struct.Struct("<QI")        # offset, bytes; a flush has no bytes
NAME, ROOT, FILE = b"disk", 1, 2
SECONDS_MAX = 60
DISK_BYTES = 320 << 20  # sparse; XFS wants 300 MiB
PIECE_BYTES = 4096      # of a write each is on the disk or not


class Failed(Exception):
    """Of a disk that cannot be had; what a file on it lacks is another matter, and an OSError."""


class Server:
    def __init__(self, directory, size, log):
        self.size = size
        self.disk = os.memfd_create("disk")
        os.ftruncate(self.disk, size)
        self.log = open(log, "wb", buffering=0)
        self.fd = os.open("/dev/fuse", os.O_RDWR)
        libc = ctypes.CDLL(None, use_errno=True)
        options = f"fd={self.fd},rootmode=40000,user_id=0,group_id=0,max_read={MAX_WRITE}"
        if libc.mount(b"lithify-log-disk", os.fsencode(directory), b"fuse", 0, options.encode()) != 0:
            raise OSError(ctypes.get_errno(), "mount")

    def run(self):
        while True:
            try:
                request = os.read(self.fd, MAX_WRITE + 4096)
            except OSError as problem:
                if problem.errno == errno.ENODEV:  # unmounted
                    return
                if problem.errno in (errno.EINTR, errno.ENOENT, errno.EAGAIN):
                    continue
                raise
            _, opcode, unique, node, *_ = HEADER.unpack_from(request)
            if opcode in (FORGET, BATCH_FORGET, INTERRUPT):
                continue
            answer = self._answer(opcode, node, request[HEADER.size:])
            error, body = (answer, b"") if isinstance(answer, int) else (0, answer)
            os.write(self.fd, struct.pack("<IiQ", 16 + len(body), -error, unique) + body)

    def _answer(self, opcode, node, body):
        """The body of the answer, or an error."""
        if opcode == INIT:
            return struct.pack("<IIIIHHIIHHI28x", FUSE_MAJOR, FUSE_MINOR, 0, 0, 16, 12, MAX_WRITE, 1, 0, 0, 0)
        if opcode == LOOKUP:
            if body.rstrip(b"\0") != NAME:
                return errno.ENOENT
            return struct.pack("<QQQQII", FILE, 0, 1, 1, 0, 0) + self._attributes(FILE)
        if opcode in (GETATTR, SETATTR):
            return struct.pack("<QII", 1, 0, 0) + self._attributes(node)
        if opcode in (OPEN, OPENDIR):
            return struct.pack("<QII", 0, 0, 0)
        if opcode == READ:
            _, offset, count = struct.unpack_from("<QQI", body)
            return os.pread(self.disk, count, offset)
        if opcode == WRITE:
            _, offset, count = struct.unpack_from("<QQI", body)
            data = body[40:40 + count]
            os.pwrite(self.disk, data, offset)
            self.log.write(RECORD.pack(offset, count) + data)
            return struct.pack("<II", count, 0)
        if opcode == FSYNC:
            self.log.write(RECORD.pack(0, 0))
            return b""
        if opcode == STATFS:
            return struct.pack("<QQQQQIIII24x", 1 << 20, 1 << 19, 1 << 19, 1, 1, 4096, 255, 4096, 0)
        return b"" if opcode in (RELEASE, RELEASEDIR, FLUSH, READDIR, DESTROY) else errno.ENOSYS

    def _attributes(self, node):
        size = self.size if node == FILE else 0
        mode = stat.S_IFREG | 0o600 if node == FILE else stat.S_IFDIR | 0o700
        return struct.pack("<QQQQQQIIIIIIIIII", node, size, size // 512, 0, 0, 0, 0, 0, 0, mode, 1, 0, 0, 0,
                           4096, 0)


def run(*command):
    done = subprocess.run(list(map(str, command)), stdin=subprocess.DEVNULL, text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, timeout=SECONDS_MAX)
    if done.returncode != 0:
        raise Failed(f"{' '.join(map(str, command))}: {done.stdout.strip()}")
    return done.stdout.strip()


@contextlib.contextmanager
def looped(file):
    """A loop device over a file."""
    device = run("losetup", "--show", "-f", file)
    try:
        yield device
    finally:
        run("losetup", "-d", device)


@contextlib.contextmanager
def mounted(device, place):
    """A file system at a directory of the name `place`. What went wrong may hold a file of it open: its
    traceback keeps the reader alive that met it. Then the name goes now, and the rest with the last reader."""
    place.mkdir(exist_ok=True)
    run("mount", device, place)
    try:
        yield place
    except BaseException:
        run("umount", "--lazy", place)
        raise
    run("umount", place)


@contextlib.contextmanager
def served(top, log):
    """The file that is the disk."""
    place = top / "served"
    place.mkdir()
    process = subprocess.Popen([sys.executable, "-I", "-S", __file__, place, str(DISK_BYTES), log],
                               stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    try:
        until = time.monotonic() + SECONDS_MAX
        while not (place / NAME.decode()).exists():
            if process.poll() is not None or time.monotonic() > until:
                raise Failed(f"{__file__}: {process.stderr.read().strip()[-300:]}")
            time.sleep(0.01)
        yield place / NAME.decode()
    finally:
        if process.poll() is None:
            run("umount", place)
        process.wait(SECONDS_MAX)
        process.stderr.close()


@functools.cache
def why_not(kind):
    """Why no disk with that file system can be had here; None: it can."""
    missing = [tool for tool in ("losetup", "mount", f"mkfs.{kind}") if not shutil.which(tool)]
    if missing:
        return f"{', '.join(missing)} not found"
    if os.geteuid() != 0:
        return "only root may mount"
    if kind not in pathlib.Path("/proc/filesystems").read_text().split():
        return f"this kernel has no {kind}"
    with tempfile.TemporaryDirectory() as top:
        try:
            top = pathlib.Path(top)
            with served(top, top / "log") as file, looped(file) as device:
                run(f"mkfs.{kind}", "-q", device)
                with mounted(device, top / "mounted"):
                    return None
        except (Failed, OSError) as problem:
            return f"no disk over FUSE and a loop device: {problem}"


class Record:
    """What a disk was asked for, in pieces: (offset, bytes); None is a flush."""

    def __init__(self, log):
        self.pieces, at, data = [], 0, pathlib.Path(log).read_bytes()
        while at < len(data):
            offset, count = RECORD.unpack_from(data, at)
            at += RECORD.size
            self.pieces += [None] if count == 0 else [
                (offset + i, data[at + i:at + min(count, i + PIECE_BYTES)]) for i in range(0, count, PIECE_BYTES)]
            at += count
        self.flushes = [place for place, piece in enumerate(self.pieces) if piece is None]

    def image(self, path, flush, chance):
        """The disk at a cut between a flush, by its place, and the next one: what was written before
        the flush, and of what came after it nothing, all, the first ones, or any."""
        behind = [place for place in self.flushes if place > flush]
        pieces = self.pieces[flush:behind[0] if behind else None]
        kind = chance.choice(["nothing", "all", "first", "any"])
        after = {"nothing": [], "all": pieces, "first": pieces[:chance.randrange(len(pieces) + 1)],
                 "any": [piece for piece in pieces if chance.random() < 0.5]}[kind]
        with open(path, "wb") as file:
            file.truncate(DISK_BYTES)
            for piece in self.pieces[:flush] + after:
                if piece:
                    os.pwrite(file.fileno(), piece[1], piece[0])
        return f"flush {self.flushes.index(flush)}, and {kind} of {len(pieces) - 1} pieces behind it"


if __name__ == "__main__":
    Server(sys.argv[1], int(sys.argv[2]), sys.argv[3]).run()
