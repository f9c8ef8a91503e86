"""The agent of the demo: `python -m sftui.demo_agent ROOT CWD SESSION [SEED [PAUSE [HOME]]]`.

It works on its session as an agent that cuts a release would: checks advance, notes grow, an idea is opened with what
it owns and closed again, and now and then a rule of the project changes. It ends when its input ends.
"""

from __future__ import annotations

import os
import random
import sys
import threading
from collections.abc import Iterator
from typing import Any

from engine.errors import EngineError
from engine.store.layout import Address, locate
from engine.store.publication import publish
from engine.store.snapshot import Snapshot
from sftui import demo_content as content
from sftui.commands.interrupts import Wish, wish_to_end

Patch = dict[str, Any]


def work(chance: random.Random) -> Iterator[Patch]:
    """The patches of a working agent, without end; one seed, one sequence. Each is a step of its session."""
    checks = content.RELEASE["tactics"]["checks"]
    done, batch, turn = 7, 31, 0
    while True:
        turn += 1
        done = done % len(checks) + 1
        yield {
            "session": {"tactics": {"done": done, "next": f"run {checks[done % len(checks)]}", "last": _said(chance)}}
        }
        batch += chance.randint(3, 12)
        backfill = {"done": batch, "slowest_ms": chance.randint(300, 1400)}
        yield {"session": {"lazy": {"backfill": backfill}, "tactics": {"last": None}}}
        name = f"idea-{turn}"
        idea = {"goal": _said(chance), "finding": {"$ref": f"session.lazy.ideas.{name}"}}
        found = {"tried": [_said(chance) for _ in range(3)]}
        yield {"session": {"intents": {name: idea}, "lazy": {"ideas": {name: found}}}}
        shared: Patch = {"flaky": {"test_sync_two_phones": "fails once in 40 runs", "seen": 4 + turn}}
        shared["store"] = {"state": f"{batch} batches moved"}
        yield {"cwd": {"tactics": shared}, "session": {"tactics": {"note": _said(chance)}}}
        yield {"session": {"intents": {name: None}}}
        if turn % 2:
            learned = {f"n{turn % 6}": _said(chance)}
            yield {"cwd": {"strategy": {"learned": learned}}, "session": {"tactics": {"note": f"kept rule {turn}"}}}
        else:
            load = round(chance.uniform(0.2, 3.5), 1)
            yield {"global": {"tactics": {"machine": {"load": load}}}, "session": {"tactics": {"note": f"load {load}"}}}


def _said(chance: random.Random) -> str:
    module = chance.choice(("scanner", "sync", "stock", "widgets", "shopping list", "search"))
    what = chance.choice(("keeps", "loses", "counts", "shows", "merges", "retries"))
    rest = chance.choice(
        ("the last change", "an empty shelf", "photos twice", "old dates", "a shared list", "the badge")
    )
    return f"{module} {what} {rest}"


def main(arguments: list[str]) -> int:
    root, cwd, session = arguments[:3]
    seed, pause = int((arguments[3:] or ["0"])[0]), float((arguments[4:] or ["3"])[0])
    stop, alone = Wish(), Wish()

    def follow() -> None:
        # Not by way of sys.stdin, whose lock an interpreter that ends meanwhile would miss.
        while os.read(0, 4096):
            pass
        alone.set()
        stop.set()

    threading.Thread(target=follow, daemon=True).start()
    with wish_to_end(stop):
        _live(locate(root, cwd, session), random.Random(seed), pause, stop)
        for home in arguments[5:]:
            from sftui.demo import remove

            stop.wait()
            if alone.is_set():  # else somebody still looks at it, and removes it
                remove(home)
    return 0


def _live(address: Address, chance: random.Random, pause: float, stop: threading.Event) -> None:
    """Patch until told to stop, or until the store is gone."""
    warm: Snapshot | None = None
    for patch in work(chance):
        if stop.wait(pause * chance.uniform(0.5, 1.5)):
            return
        try:
            warm = publish(
                address,
                patch,
                wanted=("global", "cwd", "session"),
                previous=warm,
                force_session=True,  # it is its own session
                cancel=stop,
            ).snapshot
        except EngineError:
            warm = None  # a person may be trying something: look again, go on
        except OSError:
            return


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
