"""What it costs to keep a person's draft safe while it changes."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator

from benchmarks.measure import Figure, alternate, show
from benchmarks.stores import KB
from engine.memory.draft import Draft, PreImage, Put, Step
from engine.store.layout import locate
from sftui.drafts import DraftFile, Drafts

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
