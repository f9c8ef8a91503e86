"""Very many rows: how long the interface does not answer while they come, and while one comes among them."""

from __future__ import annotations

import asyncio
import json
import statistics
import subprocess
import sys
from collections.abc import Iterator
from functools import partial

from benchmarks.measure import Figure, child, environment
from benchmarks.stores import Place, store
from benchmarks.watched import Watched, until
from sftui import process
from sftui.widgets.memory_tree import MemoryTree

ROWS = 100_000
ROUNDS = 7
LIMIT_MS = 100
PATH = ("lazy", "rows")


def many_rows() -> Iterator[Figure]:
    """The longest time for which the event loop is not free, painting included; in a process of its own."""
    content = {"rows": {f"k{number:06d}": number for number in range(ROWS)}}
    with store(0, content=content) as place:
        took = json.loads(child("-m", "benchmarks.rows", place.root, place.cwd, place.session).stdout)
    for name, words in (("expand", "expand 100,000 rows"), ("insert", "insert a row above the cursor, among 100,000")):
        detail = "the median of " + ", ".join(f"{one:.0f}" for one in took[name])
        yield Figure(words, statistics.median(took[name]), LIMIT_MS, "ms", detail)


class Timed(Watched):
    """Watched all the time; tells the longest stall since it was last asked."""

    def on_mount(self) -> None:
        self.run_worker(self.beat(), exit_on_error=False)

    async def stall(self, seconds: float) -> float:
        """Wait so long; the longest stall in ms since the last time."""
        await asyncio.sleep(seconds)
        found, self.longest = self.longest * 1e3, 0.0
        return found


async def _run(place: Place) -> dict[str, list[float]]:
    app = Timed(place.root, place.cwd, place.session, no_ledger=True)
    took: dict[str, list[float]] = {"expand": [], "insert": []}
    async with app.run_test(size=(120, 40)) as pilot:
        await until(lambda: app.picture.hot_bytes is not None)
        await app.action_memory()
        await pilot.pause(1.0)
        tree = app.memory_screen.query_one(MemoryTree)
        tree.reveal(PATH)
        await pilot.pause(0.5)
        for _ in range(ROUNDS):
            await app.stall(0)
            tree.unfold(PATH)
            took["expand"].append(await app.stall(0.4))
            tree.enfold(PATH)
            await pilot.pause(0.4)
        tree.unfold(PATH)
        tree.reveal((*PATH, f"k{ROWS // 2:06d}"))
        await pilot.pause(1.0)
        for number in range(ROUNDS):
            had = len(tree.keys)
            await app.stall(0)
            await asyncio.to_thread(_insert, place, f"k000000-{number}")
            await until(partial(_has_more, tree, had))
            took["insert"].append(await app.stall(0.4))
            if tree.cursor_key != (*PATH, f"k{ROWS // 2:06d}"):
                raise RuntimeError(f"the cursor went to {tree.cursor_key}")
    return took


def _insert(place: Place, key: str) -> None:
    """By a process of its own, so that only what the app does is measured."""
    patch = json.dumps({"cwd": {"lazy": {"rows": {key: 0}}}}).encode()
    command = [sys.executable, "-m", "sftui", "patch", "--store", place.root, "--cwd", place.cwd, "-"]
    subprocess.run(command, input=patch, check=True, capture_output=True, env=environment())


def _has_more(tree: MemoryTree, rows: int) -> bool:
    return len(tree.keys) > rows


if __name__ == "__main__":
    process.begin()
    print(json.dumps(asyncio.run(_run(Place(sys.argv[1], sys.argv[2], sys.argv[3], lazy_bytes=0)))))
