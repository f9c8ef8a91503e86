"""What it costs to look at a draft before it is applied."""

from __future__ import annotations

import json
import os
import tracemalloc
from collections.abc import Iterator
from pathlib import Path

from benchmarks.measure import INFORMATION, Figure, alternate, ratio, timed
from benchmarks.stores import KB, MB, Place, dump, put, store
from engine.memory.draft import Draft, PreImage, Put, Step
from engine.store.consequences import consequences
from engine.store.publication import publish
from engine.store.snapshot import prepare, snapshot
from sftui.views.reach import gathered
from sftui.views.review import review
from sftui.views.review_lines import authored_rows, change_rows, effect_rows, fold_rows, obstacle_rows

SESSIONS = 10_000
LIMIT_MB = 8.0


class Looking:
    """A person with a draft of one key: each call edits it once more and has the review worked out from memory as it is."""

    def __init__(self, place: Place) -> None:
        self.address = place.shared
        self.seen = snapshot(self.address)
        prepare(self.seen)
        self.step = 0

    def __call__(self) -> None:
        self.step += 1
        edit = Put("cwd", ("tactics", "next"), f"by hand {self.step}", PreImage(exists=True, value="n7"))
        draft = Draft((Step(edit),))
        told = publish(self.address, draft, previous=self.seen, dry_run=True)
        view = review(told, draft)
        rows = (*change_rows(view.entails), *effect_rows(view.entails), *fold_rows(view.entails))
        assert rows
        assert tuple(authored_rows(view))
        assert not tuple(obstacle_rows(view))


def one_key() -> Iterator[Figure]:
    """The tail is full in one pair, so that something is folded away, and has room in the other."""
    for limit, label in ((7, "full tail"), (100, "room in the tail")):
        with store(10 * KB, limit=limit) as small, store(10 * MB, limit=limit) as large:
            ours, theirs = alternate(Looking(large), Looking(small), rounds=41)
            yield ratio(f"review a draft of one key, {label}, 10 MB", 2, ours, theirs, "the same at 10 kB")


def sessions() -> Iterator[Figure]:
    """What a change of global memory means for many sessions; told as they are found, and nothing of them is held."""
    with store(10 * KB) as place:
        _multiply(place)
        told = publish(place.shared, {"global": {"strategy": {"style": "long"}}}, dry_run=True)
        first = timed(lambda: next(consequences(told)))
        yield Figure("the first of 10,000 sessions is told of", first * 1e3, 200, "ms", "by the review")
        whole = timed(lambda: list(gathered(consequences(told))))
        yield Figure("all 10,000 sessions are told of", whole, INFORMATION, "s", "beside the interface")
        tracemalloc.start()
        try:
            list(gathered(consequences(told)))
            _, peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
        yield Figure("memory for that, at most", peak / MB, LIMIT_MB, "MB", "beyond what was held before")


def _multiply(place: Place) -> None:
    """Give the store many more sessions, each with files of its own."""
    original = Path(place.address.scope_dir("session"))
    runtime = json.loads((original / "runtime.json").read_bytes())
    for number in range(SESSIONS - 1):
        name = f"2026-10-01T10-00-00-000Z_{number:08d}-1111-4111-8111-111111111111"
        directory = str(original.parent / name)
        os.mkdir(directory)
        for file in original.iterdir():
            if file.name != "runtime.json":
                os.link(file, os.path.join(directory, file.name))
        identity = {**runtime["identity"], "sessionId": name.partition("_")[2]}
        put(directory, "runtime.json", dump({**runtime, "identity": identity}) + b"\n")
