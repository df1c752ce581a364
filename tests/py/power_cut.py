"""The states in which a power cut may leave directories, from a record of system calls.

The disk of this model keeps what POSIX makes it keep, and of all else what it likes:

- A file that was synced since it was written has those bytes. Of one that was not, all of them may be
  there, half of them, none, or zeros in their place.
- A change of a directory is there once the directory was synced after it. Until then it may be there
  or not, whatever becomes of the changes before and behind it: also in an order that no journal
  would leave. Only a rename is one change: of two names, or of two directories.

So a program that is right here does not depend on what one file system does beyond its duty.
"""

import itertools
import os
import pathlib

LIMIT = 300  # states of one moment; of more a part is drawn


class File:
    def __init__(self, data=b"", mode=0o600, mtime_ns=None, synced=False):
        self.data, self.mode, self.mtime_ns = data, mode, mtime_ns
        self.synced = data if synced else None

    def is_safe(self):
        return self.synced is not None and len(self.synced) == len(self.data)

    def fates(self):
        """What the disk may have of it, the likeliest first."""
        if self.is_safe():
            return [self.data]
        zeros = bytes(len(self.data))
        return list(dict.fromkeys([self.data, self.synced or b"", self.data[:len(self.data) // 2], zeros]))


class Folder:
    def __init__(self):
        self.now = {}   # name -> File or Folder, as programs see it
        self.kept = {}  # the same, as far as the disk must have it


class Change:
    """Names that one call gave and took; `waits`: directories that were not synced since."""

    def __init__(self, names):
        self.names = names  # (folder, name, what it leads to from then on or None)
        self.waits = {folder for folder, _, _ in names}


class Disk:
    def __init__(self, top):
        """What is below `top` is on the disk."""
        self.path = str(pathlib.Path(top).resolve())
        self.top = self._load(pathlib.Path(self.path))
        self.changes = []
        self.made = []  # files of the record

    def _load(self, path):
        folder = Folder()
        for inner in path.iterdir():
            stat = inner.stat()
            folder.now[inner.name] = self._load(inner) if inner.is_dir() else File(
                inner.read_bytes(), stat.st_mode & 0o777, stat.st_mtime_ns, synced=True)
        folder.kept = dict(folder.now)
        return folder

    def has(self, path):
        return path == self.path or path.startswith(self.path + "/")

    def _find(self, path):
        found = self.top
        for name in path[len(self.path) + 1:].split("/") if path != self.path else []:
            found = found.now[name]
        return found

    def data(self, path):
        """The bytes of a file as programs see it."""
        return self._find(path).data

    def names(self, path):
        """What is in a directory, as programs see it."""
        return list(self._find(path).now)

    def folders(self, path):
        """The directories in one, which need not be there."""
        above = self._find(os.path.dirname(path))
        if os.path.basename(path) not in above.now:
            return []
        return [f"{path}/{name}" for name, node in self._find(path).now.items() if isinstance(node, Folder)]

    def has_name(self, name):
        """Is there anything of that name, as programs see it?"""
        return any(path.name == name for path, _ in self._walk(pathlib.PurePath(), self.top,
                                                               lambda folder: folder.now))

    def _place(self, path):
        """(the directory, the name in it)"""
        return self._find(os.path.dirname(path)), os.path.basename(path)

    def _change(self, *names):
        for folder, name, node in names:
            if node is None:
                del folder.now[name]
            else:
                folder.now[name] = node
        self.changes.append(Change(names))

    def apply(self, call):
        """One call of the record; one that is about other places changes nothing here."""
        if not self.has(call.path):
            assert not call.to or not self.has(call.to), f"{call}: from another file system?"
            return
        getattr(self, "_" + call.kind)(call)

    def _create(self, call):
        folder, name = self._place(call.path)
        assert name not in folder.now, call
        self.made.append(File())
        self._change((folder, name, self.made[-1]))

    def _make(self, call):
        self._change((*self._place(call.path), Folder()))

    def _write(self, call):
        file = self._find(call.path)
        assert call.offset <= len(file.data), f"{call}: leaves a hole"
        file.data = file.data[:call.offset] + call.data + file.data[call.offset + len(call.data):]
        if file.synced is not None and len(file.synced) == len(file.data):
            file.synced = file.synced[:call.offset]  # is_safe goes by the length

    def _look(self, call):
        """Owner and mode decide nothing here."""

    def _rename(self, call):
        source, target = self._place(call.path), self._place(call.to)
        self._change((*target, source[0].now[source[1]]), (*source, None))

    def _exchange(self, call):
        a, b = self._place(call.path), self._place(call.to)
        self._change((*a, b[0].now[b[1]]), (*b, a[0].now[a[1]]))

    def _link(self, call):
        self._change((*self._place(call.to), self._find(call.path)))

    def _unlink(self, call):
        self._change((*self._place(call.path), None))

    def _lock(self, call):
        """Locks go with the programs."""

    _unlock = _lock

    def _sync(self, call):
        node = self._find(call.path)
        if isinstance(node, File):
            node.synced = node.data
            return
        for change in self.changes:
            change.waits.discard(node)
        while self.changes and not self.changes[0].waits:
            for folder, name, target in self.changes.pop(0).names:
                _put(folder.kept, name, target)

    def check(self, began_ns):
        """At the end of a record: the directories that are there are those of the model. Files of
        which only their bytes were known get their times."""
        real = {path: path.stat() for path in pathlib.Path(self.path).rglob("*")}
        seen = dict(self._walk(pathlib.Path(self.path), self.top, lambda folder: folder.now))
        assert set(real) == set(seen), f"the record is not whole: {sorted(set(real) ^ set(seen))}"
        for path, node in seen.items():
            if isinstance(node, File):
                assert path.read_bytes() == node.data, f"the record is not whole: {path}"
                node.mode, node.mtime_ns = real[path].st_mode & 0o777, real[path].st_mtime_ns
        for file in self.made:
            file.mtime_ns = file.mtime_ns or began_ns

    def _walk(self, path, folder, entries):
        for name, node in entries(folder).items():
            yield path / name, node
            if isinstance(node, Folder):
                yield from self._walk(path / name, node, entries)

    def _state(self, chosen):
        """[(relative path, node)] where of the changes that need not be there the chosen ones are."""
        held = {}
        for change in self.changes:
            if change.waits and change not in chosen:
                continue
            for folder, name, target in change.names:
                _put(held.setdefault(folder, dict(folder.kept)), name, target)
        walked = self._walk(pathlib.PurePath(), self.top, lambda folder: held.get(folder, folder.kept))
        return sorted(((str(path), node) for path, node in walked), key=lambda pair: pair[0])

    def states(self, chance):
        """The states of a cut at this moment: {relative path: bytes, or None for a directory}, with
        times and modes in `File`s: see State."""
        free = [change for change in self.changes if change.waits]
        for chosen in _subsets(free, chance):
            nodes = self._state(set(chosen))
            for fates in _products([node.fates() if isinstance(node, File) else [None]
                                    for _, node in nodes], chance):
                yield State(nodes, fates)


class State:
    def __init__(self, nodes, fates):
        self.files = [(path, node, data) for (path, node), data in zip(nodes, fates)]

    def key(self):
        """Equal for states in which all names lead to the same bytes."""
        return tuple((path, id(node), len(data or b""), bool(data) and any(data))
                     for path, node, data in self.files)

    def make(self, top):
        """Writes it down below a directory that is not there yet."""
        top = pathlib.Path(top)
        top.mkdir()
        for path, node, data in self.files:  # sorted: directories before what is in them
            if isinstance(node, Folder):
                (top / path).mkdir()
                continue
            (top / path).write_bytes(data)
            (top / path).chmod(node.mode)
            os.utime(top / path, ns=(node.mtime_ns, node.mtime_ns))

    def __str__(self):
        return "\n".join(f"  {path}: " + ("directory" if data is None else f"{len(data)} bytes" +
                                           ("" if data == node.data else f" of {len(node.data)}") +
                                           (", zeros" if data and not any(data) else ""))
                         for path, node, data in self.files)


def _put(entries, name, node):
    if node is None:
        entries.pop(name, None)
    else:
        entries[name] = node


def _subsets(free, chance):
    """All subsets of changes, or of many: those in order, each alone, each left out, and some more."""
    if 2 ** len(free) <= LIMIT:
        return [chosen for count in range(len(free) + 1) for chosen in itertools.combinations(free, count)]
    found = [free[:count] for count in range(len(free) + 1)]
    found += [[change] for change in free]
    found += [[other for other in free if other is not change] for change in free]
    return found + [[change for change in free if chance.random() < share]
                    for share in (0.2, 0.5, 0.8) for _ in range(LIMIT // 12)]


def _products(choices, chance):
    """All ways to take one of each list, or some."""
    count = 1
    for choice in choices:
        count *= len(choice)
    if count <= LIMIT // 8:
        return itertools.product(*choices)
    return [[chance.choice(choice) for choice in choices] for _ in range(LIMIT // 8)]
