"""Whether the state that grew with the log is the fold of the log from its first line.

`python -m engine.ledger.verifying DIRECTORY` sees to it in a process of its own that gives way to all others.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from itertools import zip_longest

from engine.ledger.folding import fold
from engine.ledger.states import State
from engine.records import dataclass

# Compared between two looks at whether to go on.
_ROWS = 10_000


@dataclass(frozen=True, slots=True)
class Report:
    """What a comparison found: `ok` is None when there was nothing to compare, and `reason` says why.

    `differing` names the units whose state was not the fold, with the first key that differs. Those were given up and
    are folded anew.
    """

    ok: bool | None
    offset: int = 0
    events: int = 0
    differing: tuple[tuple[str, str], ...] = ()
    reason: str | None = None

    def to_json(self) -> dict[str, object]:
        return {
            "ok": self.ok,
            "offset": self.offset,
            "events": self.events,
            "differing": [list(one) for one in self.differing],
            "reason": self.reason,
        }


def compared(kept: State, log: int, step: Callable[[int, int], object] | None = None) -> Report:
    """Compare a copy of a state with a fold of the log from its first line. Raises OSError, sqlite3.Error."""
    header = kept.header()
    sound = kept.connection.execute("PRAGMA integrity_check(1)").fetchone()
    differing: list[tuple[str, str]] = []
    if sound != ("ok",):
        differing.append(("file", str(sound[0]) if sound else ""))
    anew = State(None, kept.units)
    try:
        with anew.writing():
            anew.reset()
        offset = events = 0
        while offset < header.offset:
            with anew.writing():
                # In small parts: somebody may want it to end.
                reached, count = fold(anew, log, offset, min(offset + _PART, header.offset))
            if reached == offset:
                break
            offset, events = reached, events + count
            if step is not None:
                step(offset, header.offset)
        if (offset, events) != (header.offset, header.events):
            differing.append(("header", f"{header.events} events up to {header.offset}"))
        for key, table in kept.tables.items():
            keyed = table.unit.keyed
            for number, (one, other) in enumerate(zip_longest(table.all(), anew.tables[key].all())):
                if one != other:
                    differing.append((key, repr((one or other)[:keyed])))
                    break
                if step is not None and not number % _ROWS:
                    step(header.offset, header.offset)
    finally:
        anew.close()
    return Report(not differing, header.offset, header.events, tuple(differing))


_PART = 4 << 20


async def verify_apart(directory: str) -> Report:
    """Fold and verify in a process of its own, at the lowest priority; it ends when whoever waits for it is cancelled."""
    import asyncio

    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "engine.ledger.verifying",
        directory,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
    )
    try:
        text, _ = await process.communicate()
    except BaseException:
        if process.returncode is None:
            process.kill()
            await process.wait()
        raise
    return _from_text(text)


def _from_text(text: bytes) -> Report:
    try:
        told = json.loads(text)
        differing = tuple((str(unit), str(key)) for unit, key in told["differing"])
        return Report(told["ok"], told["offset"], told["events"], differing, told["reason"])
    except (ValueError, KeyError, TypeError):
        return Report(ok=None, reason="the comparison ended before it was done")


def main(directory: str) -> int:
    """Bring the folds beside the log in `directory` up to date, verify them, and print the report as JSON."""
    from engine.ledger.folds import Folds

    try:
        os.nice(19)
    except (AttributeError, OSError):
        pass
    folds = Folds(directory)
    report = folds.checked()
    folds.close()
    print(json.dumps(report.to_json()))  # noqa: T201 - read by who started it
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
