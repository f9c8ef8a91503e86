"""What it costs to open a store, to look again, and to hold it in memory."""

from __future__ import annotations

import functools
import os
from collections.abc import Iterator

import orjson

from benchmarks.measure import Figure, alternate, child, ratio
from benchmarks.stores import KB, MB, Place, all_files, dump, lazy, put, store
from engine import values
from engine.store.publication import publish
from engine.store.snapshot import Snapshot, snapshot


def open_cold() -> Iterator[Figure]:
    """A snapshot without a previous one, against the least that anyone must do with the same bytes."""
    for size, label in ((1 * MB, "1 MB"), (10 * MB, "10 MB")):
        with store(size) as place:

            def theirs(place: Place = place) -> None:
                for path in all_files(place.root):
                    with open(path, "rb") as file:
                        data = file.read()
                    for line in data.split(b"\n") if path.endswith("l") else [data]:
                        if line:
                            orjson.dumps(orjson.loads(line))

            ours, library = alternate(functools.partial(snapshot, place.address), theirs)
            yield ratio(f"open, cold, {label}", 1.5, ours, library, "orjson loads + dumps of the same bytes")
    with store(10 * KB) as place:

        def touch(place: Place = place) -> None:
            for path in all_files(place.root):
                descriptor = os.open(path, os.O_RDONLY)
                os.fstat(descriptor)
                os.read(descriptor, 1 << 20)
                os.close(descriptor)
                os.stat(path)

        ours, library = alternate(lambda: snapshot(place.address), touch, rounds=101)
        yield ratio("open, cold, 10 kB", 2.5, ours, library, "open + fstat + read + stat of the same files")


def reload() -> Iterator[Figure]:
    """Looking again after somebody else wrote, with what was read before at hand."""
    with store(10 * MB) as place:
        checkpoint = place.file("cwd", "checkpoint.json")
        held = {"ours": snapshot(place.shared), "other": snapshot(place.shared)}
        predicted, parsing = [], []
        for number in range(9):
            authored = {"cwd": {"tactics": {"next": f"round {number}"}}}
            held["other"] = publish(place.shared, authored, wanted=("global", "cwd"), previous=held["other"]).snapshot
            took, parse, fresh = _look_again(place, held["ours"], checkpoint)
            held["ours"] = fresh
            assert fresh.cohort is not None
            predicted.append(took)
            parsing.append(parse)
        what = "strict parse of that scope's checkpoint"
        yield ratio("reload after a small patch that folds, 10 MB", 0.3, min(predicted), min(parsing), what)
        unpredicted = []
        for number in range(5):
            state = {"strategy": {"api": f"v{number}"}, "lazy": lazy(10 * MB, seed=number + 1)}
            put(os.path.dirname(checkpoint), "checkpoint.json", dump(state) + b"\n")
            took, parse, fresh = _look_again(place, held["ours"], checkpoint)
            held["ours"] = fresh
            unpredicted.append(took)
            parsing.append(parse)
        yield ratio("reload after everything changed, 10 MB", 1.5, min(unpredicted), min(parsing), what)


def _look_again(place: Place, before: Snapshot, checkpoint: str) -> tuple[float, float, Snapshot]:
    fresh: list[Snapshot] = []
    with open(checkpoint, "rb") as file:
        data = file.read()
    ours, parse = alternate(lambda: fresh.append(snapshot(place.shared, before)), lambda: values.decode(data), rounds=1)
    return ours, parse, fresh[-1]


# The highest resident set is asked of the address space: what getrusage says survives an exec, parent included.
_PEAK = """
import sys
if sys.platform == "linux":
    with open("/proc/self/status") as status:
        print(next(int(line.split()[1]) * 1024 for line in status if line.startswith("VmHWM")))
else:
    import resource
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""
_OPEN = """
import sys
from engine.store.layout import locate
from engine.store.snapshot import snapshot
held = snapshot(locate(*sys.argv[1:]))
"""


def memory() -> Iterator[Figure]:
    """The highest resident memory of a process that opens 10 MB, above a bare interpreter's."""
    with store(10 * MB) as place:
        bare = int(child("-c", _PEAK).stdout)
        ours = int(child("-c", _OPEN + _PEAK, place.root, place.cwd, place.session).stdout)
        detail = f"{(ours - bare) / MB:.1f} MB above {bare / MB:.1f} MB, for {place.lazy_bytes / MB:.1f} MB on disk"
        yield Figure("memory to open 10 MB, against its bytes", (ours - bare) / place.lazy_bytes, 8, "x", detail)
