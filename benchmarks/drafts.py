"""What it costs to keep a person's draft safe while it changes."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator

from benchmarks.measure import Figure, alternate, ratio, show
from benchmarks.stores import KB
from engine.memory.collecting import collect
from engine.memory.compiling import compile_draft
from engine.memory.dialect import V4
from engine.memory.draft import Draft, Operation, PreImage, Put, Remove, Step, Transfer
from engine.memory.patching import stage
from engine.memory.scope import Scope
from engine.store.layout import locate
from engine.values import JsonObject
from sftui.drafts import DraftFile, Drafts
from sftui.views.diffs import diff

LIMIT_MS = 5.0
# A clean-up of many values, and one large value that was edited.
SHAPES = (("50 small edits", 50, 200), ("one value of 100 kB", 1, 100 * KB))


def saving() -> Iterator[Figure]:
    """A draft is saved with each change: what that takes beyond writing the same bytes and making them durable."""
    with tempfile.TemporaryDirectory(prefix="sftui-bench-") as home:
        address = locate(os.path.join(home, "store"), "/work/demo/app")
        for label, count, size in SHAPES:
            file = Drafts(address.root).open()
            turn = 0

            def save(count: int = count, size: int = size, file: DraftFile = file) -> None:
                nonlocal turn
                turn += 1
                file.save(address, _draft(count, size, turn))

            save()
            with open(file.path, "rb") as saved:
                data = saved.read()
            bare = os.path.join(os.path.dirname(file.path), "bare")

            def least(data: bytes = data, bare: str = bare) -> None:
                with open(bare, "wb") as plain:
                    plain.write(data)
                    plain.flush()
                    os.fsync(plain.fileno())

            ours, theirs = alternate(save, least, rounds=41)
            file.discard()
            os.unlink(bare)
            yield Figure(
                f"save a draft, {label}",
                (ours - theirs) * 1e3,
                LIMIT_MS,
                "ms",
                f"{show(ours)}, less {show(theirs)} for write + fsync of its {len(data) / KB:.0f} kB",
            )


def _draft(count: int, size: int, turn: int) -> Draft:
    before = PreImage(exists=True, value="y" * (size // 2))
    return Draft(
        tuple(
            Step(Put("cwd", ("lazy", f"key-{number}", "note"), f"{turn} " + "x" * (size // 2), before))
            for number in range(count)
        )
    )


FEW, MANY = 500, 2_000
ABSENT = PreImage(exists=False)


def many() -> Iterator[Figure]:
    """Very many steps at once: four times as many should cost about four times as much."""
    for name in ("move to global", "delete"):
        few, more = (_bulk(name, count) for count in (FEW, MANY))
        ours, theirs = alternate(more, few, rounds=5)
        yield ratio(f"{name} {MANY:,} intents with what they own", 6, ours, theirs, f"{FEW} of them")


def _bulk(name: str, count: int) -> Callable[[], object]:
    """From marked rows to the diff of what would be written."""
    intents: JsonObject = {
        f"i{n}": {"goal": f"as $cwd.lazy.n{(n + 1) % count} says", "own": {"$ref": f"cwd.lazy.n{n}"}}
        for n in range(count)
    }
    notes: JsonObject = {f"n{n}": {"text": f"see $cwd.intents.i{n}"} for n in range(count)}
    states: dict[Scope, JsonObject] = {"cwd": {"intents": intents, "lazy": notes}, "global": {}, "session": {}}
    operations: list[Operation] = []
    for key, value in intents.items():
        path, before = ("intents", key), PreImage(exists=True, value=value)
        move = name != "delete"
        operations.append(
            Transfer("cwd", path, "global", path, before, ABSENT) if move else Remove("cwd", path, before)
        )

    def work() -> None:
        draft = collect(Draft(), operations, states, V4)
        staged = stage(V4, states, compile_draft(draft, V4, states).patch)
        assert diff(V4, staged.net, states, staged.after, staged.cascaded)

    return work
