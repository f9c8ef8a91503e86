"""What it costs to change one key."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Iterator

from benchmarks.counting import Count, counting
from benchmarks.measure import Figure, alternate, ratio
from benchmarks.stores import KB, MB, Place, store
from engine.memory.patching import stage
from engine.store.lock import acquire
from engine.store.publication import publish
from engine.store.snapshot import Snapshot, snapshot


class Warm:
    """A writer that keeps its last snapshot; each call publishes one new value of one key."""

    def __init__(self, place: Place) -> None:
        self.place = place
        self.last: Snapshot = snapshot(place.shared)
        self.step = 0

    def __call__(self) -> None:
        self.step += 1
        authored = {"cwd": {"tactics": {"next": f"step {self.step}"}}}
        self.last = publish(self.place.shared, authored, wanted=("global", "cwd"), previous=self.last).snapshot


def full_tail() -> Iterator[Figure]:
    """With a full tail the oldest patch is folded, so the whole checkpoint is written anew."""
    for size, label, limit in ((10 * KB, "10 kB", 2), (10 * MB, "10 MB", 4)):
        with store(size) as place:
            warm = Warm(place)
            warm()
            names = ("checkpoint.json", "patches.jsonl", "meta.json")
            datas = [read(place.file("cwd", name)) for name in names]
            target = tempfile.mkdtemp(dir=os.path.dirname(place.root))

            def least(datas: list[bytes] = datas, target: str = target) -> None:
                for number, data in enumerate(datas):
                    with open(os.path.join(target, str(number)), "wb") as file:
                        file.write(data)
                        file.flush()
                        os.fsync(file.fileno())

            ours, theirs = alternate(warm, least, rounds=41 if size < MB else 9)
            what = "write + fsync of the three files that change"
            yield ratio(f"publish one key, warm, full tail, {label}", limit, ours, theirs, what)


def room_in_tail() -> Iterator[Figure]:
    """With room in the tail a line is added; what is stored beside it must not matter."""
    with store(10 * KB, limit=100) as small, store(10 * MB, limit=100) as large:
        ours, theirs = alternate(Warm(large), Warm(small), rounds=41)
        yield ratio("publish one key, warm, room in the tail, 10 MB", 1.5, ours, theirs, "the same at 10 kB")


def nodes() -> Iterator[Figure]:
    """Counted, not timed: how many containers and members are visited to stage and validate one key at 10 MB."""
    with store(10 * MB) as place:
        seen = snapshot(place.shared)
        assert seen.cohort is not None
        streams = seen.cohort.streams
        count = Count()
        states = {scope: counting(stream.current, count) for scope, stream in streams.items()}
        tidy = frozenset(scope for scope, stream in streams.items() if stream.tidy)
        count.visits = 0
        stage(seen.cohort.dialect, states, {"cwd": {"tactics": {"next": "counted"}}}, tidy=tidy)
        yield Figure("nodes visited by staging one key, 10 MB", count.visits, 200, "", "counted")


def lock_cycle(rounds: int = 2000) -> Iterator[Figure]:
    """Take the publication lock and let it go, nobody else about."""
    with store(10 * KB) as place:
        taken = []
        for _ in range(rounds):
            began = time.perf_counter()
            acquire(place.root).release()
            taken.append(time.perf_counter() - began)
        taken.sort()
        yield Figure(
            "lock cycle, uncontended",
            taken[rounds // 2] * 1e6,
            60,
            "us",
            f"p99 {taken[rounds * 99 // 100] * 1e6:.0f} us",
        )


def read(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read()
