"""What it costs to tell how large the context of a model is."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from benchmarks.counting import Count, counting
from benchmarks.measure import Figure, alternate, ratio
from engine.memory.cohort import Cohort, advance, begin
from engine.memory.context import context
from engine.memory.dialect import V4
from engine.memory.overlay import effective
from engine.memory.reading import View
from engine.memory.scope import SCOPES
from engine.memory.staging import stage
from engine.values import canonical_bytes
from sftui.views.sizes import Sizes
from sftui.views.weighing import State, done, weigh

KEYS = 2_000
EACH = 5_000


def hot(keys: int = KEYS) -> Any:
    """About 10 MB of hot memory, a tenth of it in two scopes."""
    tactics = {f"k{number:05}": {"text": "x" * EACH, "list": [1, {"a": number}]} for number in range(keys)}
    return {
        "cwd": {"tactics": tactics},
        "session": {"tactics": {f"k{n:05}": {"note": "n"} for n in range(0, keys, 10)}},
    }


class Weighing:
    """Each call changes one key, and weighs what there is now."""

    def __init__(self, cohort: Cohort) -> None:
        self.cohort = cohort
        self.sizes = Sizes()
        self.known: State | None = None
        self.number = 0

    def look(self) -> int:
        whole = effective(V4, self.cohort.states)
        found = done(weigh(View(self.cohort, SCOPES), whole, "active", self.sizes, self.known))
        self.known = found.state
        return found.total

    def __call__(self) -> None:
        self.number += 1
        patch: Any = {"session": {"tactics": {"k00010": {"note": f"n{self.number}"}}}}
        staged = stage(V4, self.cohort.states, patch, tidy=frozenset(SCOPES))
        self.cohort = advance(self.cohort, f"b{self.number}", staged.net, staged.after, tidy=staged.tidied)
        assert self.look()


def weighing() -> Iterator[Figure]:
    """10 MB in 2,000 keys: all of it, then once more after one of them has changed; and how much a step looks at."""
    cohort = begin(V4, hot(), origin_id="o", limit=7)
    document = context(View(cohort, SCOPES), "active")
    assert Weighing(cohort).look() == len(canonical_bytes(document))
    again = Weighing(cohort)
    again.look()
    first, changed, text = alternate(
        lambda: Weighing(cohort).look(), again, lambda: canonical_bytes(document), rounds=15
    )
    yield ratio("weigh a context, 10 MB hot", 4, first, text, "its canonical text")
    yield ratio("weigh it again after a change of one key", 0.5, changed, text, "its canonical text")
    tally = Count()
    counted = begin(V4, counting(hot(KEYS // 4), tally), origin_id="o", limit=7)
    whole = effective(V4, counted.states)
    most, before = 0, 0

    def step() -> None:
        nonlocal most, before
        most, before = max(most, tally.visits - before), tally.visits

    tally.visits = 0
    done(weigh(View(counted, SCOPES), whole, "active", Sizes()), step)
    yield Figure("members looked at in one step of it", most, 5_000, "", "counted; the interface runs in between")
