"""What must be on the disk before what, checked against a record of system calls (syscalls.py).

The rules are those of docs/design.md section 5. A Watch follows the calls and says what broke a rule;
it knows of nothing else, so a program that was right by luck is found, too.
"""

import copy
import json
import os

import reader

TMP, GONE, PROBE, NOTE = ".tmp", ".gone.tmp", ".lithify-probe-", "_lithify_events"
JOURNALS = "/_compaction_state/"
SERIES = "_lithify.json"  # in the series it is for its own jobs, and is made anew where it is not there
GIVEN, TAKEN = "given", "taken"


class Watch:
    """Of a directory with `lake` and `lake.audit` in it; `disk` is a power_cut.Disk from before."""

    def __init__(self, disk):
        self.disk = copy.deepcopy(disk)
        self.lake, self.series = self.disk.path + "/lake", self.disk.path + "/lake.audit"
        self.wet = set()   # files whose bytes, owner or mode changed since their last fsync
        self.names = {}    # directory -> {name: GIVEN or TAKEN since its last fsync}
        self.locks = {}    # directory -> pid
        self.broken = []

    def follow(self, calls, ends=True):
        """A whole run; one that `ends` has left nothing undone but what does not matter: a journal that
        a run before took away, and that comes back, costs a look."""
        for folder in [folder for folder in self.names if JOURNALS in folder]:
            self.names[folder] = {name: how for name, how in self.names[folder].items() if how == GIVEN}
        for call in calls:
            if self.disk.has(call.path):
                getattr(self, "_" + call.kind)(call)
                self.disk.apply(call)
        if ends:
            owed = self.disk.has_name(NOTE)  # the next pass looks for the events
            for folder, names in self.names.items():
                for name in final(names):
                    is_event = folder.startswith(self.series)
                    if (name, names[name]) != (NOTE, TAKEN) and not (owed and is_event):
                        self.broken.append(f"at the end: {folder}/{name} is {names[name]}, not for good")
            self.broken += [f"at the end: {path} is not on the disk" for path in self.wet]
        self.locks.clear()

    def _want(self, condition, call, text):
        if not condition:
            self.broken.append(f"{call}: {text}")

    def _lasting(self, call, folder, why, besides=()):
        """All that was changed in a directory is on the disk."""
        left = {name: how for name, how in self.names.get(folder, {}).items()
                if name in final([name]) and (name, how) not in besides}
        self._want(not left, call, f"{why}, and not on the disk yet are {left}")

    def _mark(self, path, how):
        self.names.setdefault(os.path.dirname(path), {})[os.path.basename(path)] = how

    def _write(self, call):
        self.wet.add(call.path)

    _look = _write

    def _create(self, call):
        self._want(call.path.endswith(TMP), call, "a file is made under its final name")
        self.wet.add(call.path)
        self._mark(call.path, GIVEN)

    def _make(self, call):
        self._mark(call.path, GIVEN)

    def _sync(self, call):
        self.wet.discard(call.path)
        self.names.pop(call.path, None)

    def _lock(self, call):
        self.locks[call.path] = call.pid

    def _unlock(self, call):
        self._lasting(call, call.path, "others may come", [(NOTE, TAKEN)])
        self.locks.pop(call.path, None)

    def _unlink(self, call):
        self._mark(call.path, TAKEN)
        self.wet.discard(call.path)

    def _rename(self, call):
        folder, name = os.path.split(call.to)
        if call.path in self.wet:
            self._want(name.endswith(TMP), call, "its bytes are not on the disk")
            self.wet.discard(call.path)
            self.wet.add(call.to)
        if name in reader.MANIFESTS:
            self._commit(call, folder)
        elif name.endswith(GONE):
            self._delete(call, folder, os.path.basename(call.path))
        elif call.to.startswith(self.series + "/") and reader.is_data(name):
            self._event(call)
        elif reader.is_data(name) and name.endswith(".parquet") and not call.path.endswith(GONE):
            self._output(call, name)
        self._standing(call, folder)
        self._mark(call.to, GIVEN)
        self._mark(call.path, TAKEN)

    def _standing(self, call, folder):
        """What a name is put into must not be lost with it."""
        while folder != self.disk.path:
            above, name = os.path.split(folder)
            self._want(name not in self.names.get(above, {}), call, f"{folder} is not on the disk")
            folder = above

    def _commit(self, call, folder):
        """Outputs, the note, deletes and the commit before it are on the disk; so are the events that
        it marks. The lock is held."""
        self._want(self.locks.get(folder) == call.pid, call, "without the lock")
        self._lasting(call, folder, "a commit", [(NOTE, TAKEN)])
        pid = self._pid(folder)
        for other in self.names:
            if other.startswith(self.series):
                strange = [event for event in self.names[other].items() if f"_{pid}_" not in event[0]]
                self._lasting(call, other, "a commit may say that its events are there", strange)

    def _journals(self):
        """By directory, what each journal says."""
        found = {}
        for folder in self.disk.folders(self.lake + JOURNALS.rstrip("/")):
            found[folder] = [json.loads(self.disk.data(f"{folder}/{name}")) for name in self.disk.names(folder)
                             if name.endswith(".json")]
        return found

    def _output(self, call, name):
        """With readers = glob a journal that names it is on the disk before an output can be seen."""
        if json.loads(self.disk.data(self.lake + "/_lithify.json"))["readers"] != "glob":
            return
        naming = [folder for folder, told in self._journals().items()
                  if any(output["path"] == call.to[len(self.lake) + 1:] for one in told for output in one["outputs"])]
        self._want(naming, call, "no journal names it")
        for folder in naming:
            self._lasting(call, folder, "an output that a journal names")

    def _delete(self, call, folder, name):
        if name == NOTE:
            for other in self.names:
                if other == folder or other.startswith(self.series):
                    self._lasting(call, other, "nothing is owed any more")
            return
        if JOURNALS in folder:
            for other in self.names:
                if (other + "/").startswith(self.lake + "/") and other != folder:
                    self._lasting(call, other, "what a journal names is settled", [(NOTE, TAKEN)])
            return
        self._want("manifest.json" not in self.names.get(folder, {}), call, "the fence is not on the disk")
        ours = json.loads(self.disk.data(folder + "/manifest.json"))["lithify"]
        if reader.is_data(name):
            self._want(name in ours["condemned"], call, "no fence condemns it")
        else:
            self._want(ours["log"][-1]["op"] == "fence", call, f"after a {ours['log'][-1]['op']}")

    def _event(self, call):
        """What it tells of is on the disk, and the mark that says what it is."""
        for other in self.names:
            pid = self._pid(other)
            is_of = pid is None or f"_{pid}_" in os.path.basename(call.to)
            if other == self.series:
                self._lasting(call, other, "an event of it", [(SERIES, GIVEN)])
            elif (other + "/").startswith(self.lake + "/") and is_of and JOURNALS not in other:
                # A note where nothing was committed yet is of an event to come.
                self._lasting(call, other, "an event of it", [(NOTE, TAKEN)] + [(NOTE, GIVEN)] * (pid is None))

    def _pid(self, folder):
        """The id of a partition, which its events have in their names; None: it has no manifest."""
        for name in reader.MANIFESTS:
            try:
                return json.loads(self.disk.data(folder + "/" + name))["lithify"]["pid"]
            except KeyError:
                continue
        return None


def final(names):
    """Those that anybody goes by."""
    return [name for name in names if not name.endswith(TMP) and not name.startswith(PROBE)]


def broken(disk, *runs):
    """What breaks a rule in runs one after the other: (calls, whether it came to its end)."""
    watch = Watch(disk)
    for calls, ends in runs:
        watch.follow(calls, ends)
    return watch.broken


def loose(disk, calls):
    """Names that anybody goes by, and that a power cut after these calls might take or give."""
    watch = Watch(disk)
    watch.follow(calls, False)
    return [f"{folder}/{name}" for folder, names in watch.names.items() for name in final(names)
            if (name, names[name]) != (NOTE, TAKEN)]


def needed(disk, calls):
    """Places of the fsyncs that have something to do, but for those of a probe."""
    watch, places = Watch(disk), []
    for place, call in enumerate(calls):
        if call.kind == "sync" and (call.path in watch.wet or final(watch.names.get(call.path, {}))):
            places.append(place)
        watch.follow([call], False)
    return places
