"""What it costs to look through memory for what could be cleaned."""

from __future__ import annotations

import json
from collections.abc import Iterator

from benchmarks.measure import Figure, alternate, ratio
from benchmarks.stores import MB, lazy
from engine.health.examine import examine
from engine.health.findings import Limits
from engine.health.looking import Disk
from engine.health.secrets import patterns
from engine.health.subject import Subject
from engine.memory.dialect import V4
from engine.values import encode


def looking_through() -> Iterator[Figure]:
    """All rules over 10 MB: from nothing, and after one key has changed."""
    state = {"lazy": lazy(10 * MB), "tactics": {"next": 0}}
    text = encode(state)
    limits, disk = Limits(), Disk()
    patterns()
    above, modules = next(iter(state["lazy"].items()))
    name = next(iter(modules))
    changed = {**state, "lazy": {**state["lazy"], above: {**modules, name: {"purpose": "another"}}}}
    _, memo = examine(Subject(V4, {"cwd": state}), disk, limits)
    first, again, parsed = alternate(
        lambda: examine(Subject(V4, {"cwd": state}), disk, limits),
        lambda: examine(Subject(V4, {"cwd": changed}), disk, limits, memo),
        lambda: json.loads(text),
    )
    yield ratio("look through 10 MB for findings", 25, first, parsed, "json.loads of the same bytes")
    yield ratio("again after one key has changed", 1, again, parsed, "json.loads of the same bytes")
    _, after = examine(Subject(V4, {"cwd": changed}), disk, limits, memo)
    yield Figure("values looked at then, of those at first", 100 * after.visits / memo.visits, 25, "%", "counted")
