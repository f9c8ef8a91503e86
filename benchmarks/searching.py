"""How soon a search of 100 MB shows something, how long it takes in all, and how soon it stops."""

from __future__ import annotations

import asyncio
import json
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from benchmarks.measure import Figure, child
from benchmarks.stores import MB, lazy, store
from benchmarks.watched import Watched, until
from engine.ledger.events import Retained, TransitionSeen, patch_hash
from engine.ledger.lines import to_line
from engine.memory.stream import Boundary
from engine.values.needle import Needle, needle
from sftui import process
from sftui.app import SftuiApp
from sftui.searching import Ground, Step, look
from sftui.views.search import Hit

SIZE = 100 * MB
# Found hardly ever, and nowhere: the whole of it is looked through either way.
TEXTS = (
    ("small letters, in any case", "module 7,"),
    ("capitals count", "Module 7,"),
    ("beyond ASCII, in any case", "déjà vux"),
)
FIRST_MS, ALL_MS, STOP_MS = 150, 1_500, 50


def searching() -> Iterator[Figure]:
    """By bytes in the ledger, in decoded memory, and both on the screen of the app."""
    with ledger(SIZE) as directory:
        ground = Ground({"cwd": ("--a--", {})}, {}, {}, directory)
        yield from _figures("the ledger", lambda text: _timed(ground, text))
    yield from _figures("memory", lambda text: json.loads(child("-m", "benchmarks.searching", "memory", text).stdout))
    with store(SIZE) as place:
        taken = [
            json.loads(child("-m", "benchmarks.searching", "app", place.root, place.cwd, place.session).stdout)
            for _ in range(3)
        ]
    for name, limit, number in (
        ("the first hit is on the screen", FIRST_MS, 0),
        ("all of it is searched", ALL_MS, 1),
        ("esc to 'stopped' on the screen", STOP_MS, 2),
        ("esc to the end of the thread", STOP_MS, 3),
        ("longest stall of the app meanwhile", STOP_MS, 4),
    ):
        values = [one[number] for one in taken]
        detail = "the median of " + ", ".join(f"{value:.0f}" for value in values)
        yield Figure(f"search of 100 MB of memory in the app: {name}", statistics.median(values), limit, "ms", detail)


def _figures(what: str, timed: Callable[[str], Sequence[float]]) -> Iterator[Figure]:
    for name, text in TEXTS:
        first, whole, longest = (
            statistics.median(values) for values in zip(*(timed(text) for _ in range(3)), strict=True)
        )
        if first:
            yield Figure(f"search of 100 MB of {what}, {name}: first hit", first, FIRST_MS, "ms", "the median of 3")
        yield Figure(f"search of 100 MB of {what}, {name}: all", whole, ALL_MS, "ms", "the median of 3")
        yield Figure(
            f"search of 100 MB of {what}, {name}: until it can stop", longest, STOP_MS, "ms", "its longest step"
        )


@contextmanager
def ledger(size: int) -> Iterator[str]:
    """A log of so many bytes, of transitions that set a few notes each; the newest hold what is looked for as well."""
    with tempfile.TemporaryDirectory(prefix="sftui-bench-") as directory:
        with open(os.path.join(directory, "events.jsonl"), "wb") as file:
            number = written = 0
            while written < size:
                number += 1
                patch: dict[str, Any] = {"lazy": lazy(3_000, seed=number * 7)}
                if written > size - 2 * MB:
                    patch["lazy"]["found"] = "in module 7, line 1; Module 7, too"
                boundary = Boundary(f"b{number}", number, f"b{number - 1}")
                transition = Retained(number, boundary, patch_hash(patch), patch, {"lazy": None})
                written += file.write(to_line(TransitionSeen(float(number), number, "cwd", "--a--", transition)))
        yield directory


def _timed(ground: Ground, text: str) -> tuple[float, float, float]:
    """Milliseconds to the first hit (0 where there is none) and to the end, and the longest step."""
    began = last = time.perf_counter()
    first = longest = 0.0
    for step in look(ground, needle(text)):
        now = time.perf_counter()
        longest, last = max(longest, now - last), now
        if isinstance(step, Hit) and not first:
            first = now - began
    return first * 1e3, (time.perf_counter() - began) * 1e3, longest * 1e3


async def _in_app(root: str, cwd: str, session: str) -> list[float]:
    import sftui.search as search_module

    ended: list[float] = []

    def noting(ground: Ground, sought: Needle) -> Iterator[Step]:
        try:
            yield from look(ground, sought)
        finally:
            ended.append(time.perf_counter())

    app = Watched(root, cwd, session, no_ledger=True)
    async with app.run_test(size=(120, 40)) as pilot:
        await until(lambda: app.picture.snapshot is not None and app.picture.hot_bytes is not None, pause=0.002)
        await asyncio.sleep(0.5)
        app.action_search()
        await pilot.pause()
        beat = asyncio.create_task(app.beat())
        search = app.search
        began = time.perf_counter()
        search.begin("module 7,")
        await until(lambda: "«module 7,»" in _text(app), pause=0.002)
        first = time.perf_counter() - began
        await until(lambda: search.state == "done", pause=0.002)
        whole = time.perf_counter() - began
        longest = app.longest
        setattr(search_module, "look", noting)  # noqa: B010 - it stands for the module's own
        search.begin("nowhere at all")
        await asyncio.sleep(0.2)
        assert search.state == "looking"
        assert not ended
        began = time.perf_counter()
        app.simulate_key("escape")
        await until(lambda: "stopped" in _text(app), pause=0.002)
        stopped = time.perf_counter() - began
        await until(lambda: bool(ended), pause=0.002)
        beat.cancel()
    return [first * 1e3, whole * 1e3, stopped * 1e3, (ended[0] - began) * 1e3, longest * 1e3]


def _text(app: SftuiApp) -> str:
    return "\n".join(strip.text for strip in app.screen._compositor.render_strips())


def main(words: list[str]) -> None:
    process.begin()
    if words[0] == "memory":
        ground = Ground({"cwd": ("--a--", {"lazy": lazy(SIZE)})}, {}, {}, None)
        process.loaded(much=True)
        print(json.dumps(_timed(ground, words[1])))
    else:
        print(json.dumps(asyncio.run(_in_app(*words[1:]))))


if __name__ == "__main__":
    main(sys.argv[1:])
