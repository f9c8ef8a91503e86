"""What the ledger costs: to append, to open when it is long, to fold anew, and to ask."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial

from benchmarks.logs import ADDRESS, lines
from benchmarks.measure import INFORMATION, Figure, alternate, child, percentile, ratio, show, timed
from benchmarks.stores import KB, MB, store
from engine.ledger import Ledger
from engine.ledger.blame import blame
from engine.ledger.folds import Folds
from engine.ledger.log import LOG_NAME
from engine.ledger.states import STATE_NAME
from engine.ledger.timeline import page
from engine.store.publication import publish
from engine.store.snapshot import Snapshot, snapshot
from engine.values import JsonObject

MANY = 1_000_000
REFOLDED = 200_000
ASKED = 100_000


def append() -> Iterator[Figure]:
    """One transition noticed, recorded and made durable, beyond the write and the flush of the same line."""
    with store(10 * KB) as place, tempfile.TemporaryDirectory(prefix="sftui-bench-") as home:
        ledger = Ledger.open(place.root, directory=home)
        last: Snapshot = snapshot(place.shared)
        ledger.observe(last)
        # As in the app: what is recorded is folded beside it, and that has the JSON library loaded.
        Folds(home).catch_up()
        log = os.path.join(home, LOG_NAME)
        bare = os.open(os.path.join(home, "bare"), os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        taken: list[tuple[float, float]] = []
        sizes: list[int] = []
        data = b""
        for number in range(201):
            notes = [f"what was found in module {number}, line {part}: the list is merged" for part in range(8)]
            authored: JsonObject = {"cwd": {"lazy": {"found": {"notes": notes}}, "tactics": {"next": f"step {number}"}}}
            last = publish(place.shared, authored, wanted=("global", "cwd"), previous=last).snapshot
            # Whoever is first has the publication's own traces flushed along: each is, in turn.
            theirs = timed(partial(_write, bare, data)) if number % 2 else None
            before = os.path.getsize(log)
            ours = timed(partial(ledger.observe, last))
            with open(log, "rb") as file:
                file.seek(before)
                data = file.read()
            if theirs is None:
                theirs = timed(partial(_write, bare, data))
            taken.append((ours, theirs))
            sizes.append(len(data))
        os.close(bare)
        ours, theirs = (percentile([one[side] for one in taken], 0.5) for side in (0, 1))
        detail = f"{show(ours)}, less {show(theirs)} for write + fsync of its {percentile([*map(float, sizes)], 0.5) / KB:.1f} kB"
        yield Figure("append one transition, beyond write + fsync", (ours - theirs) * 1e3, 0.3, "ms", detail)


# What the app does with its log when it opens: takes up what it knew, catches up, reads a page and what it is about.
_OPEN = """
import sys, time
began = time.perf_counter()
from engine.store.layout import locate
from engine.store.snapshot import snapshot
from engine.ledger import Ledger, retained
from engine.ledger.folds import Folds
from engine.ledger.blame import blame
from engine.ledger.timeline import page
directory, address, root, cwd, session = sys.argv[1:]
shot = snapshot(locate(root, cwd, session))
ledger = Ledger.open(root, directory=directory)
ledger.observe(shot)
ledger.sightings({r.address: retained(r.stream, 0) for r in shot.scopes.values() if r.stream})
folds = Folds(directory)
assert folds.catch_up(), folds.complaint()
page(folds, [address])
blame(folds, address, ("tactics", "next"))
took = time.perf_counter() - began
with open("/proc/self/status") as status:
    peak = next(int(line.split()[1]) * 1024 for line in status if line.startswith("VmHWM"))
print(took, peak)
"""


def opening() -> Iterator[Figure]:
    """A process that opens a log of a million events whose folds are current, against one that opens an empty log."""
    with store(10 * KB) as place, _log(0) as empty, _log(MANY) as long:
        size = os.path.getsize(os.path.join(long, LOG_NAME))
        for directory in (empty, long):
            Ledger.open(place.root, directory=directory).observe(snapshot(place.address))
        folds = Folds(long)
        first = timed(folds.catch_up)
        folds.close()
        words = ("-c", _OPEN)
        rest = (ADDRESS, place.root, place.cwd, place.session)
        taken: dict[str, list[tuple[float, float]]] = {empty: [], long: []}
        for _ in range(9):
            for directory, slot in taken.items():
                told = child(*words, directory, *rest).stdout.split()
                slot.append((float(told[0]), float(told[1])))
        (ours, peak), (theirs, least) = (
            (percentile([one for one, _ in slot], 0.5), max(two for _, two in slot))
            for slot in (taken[long], taken[empty])
        )
        detail = f"{show(ours)} against {show(theirs)}; {size / MB:,.0f} MB of log"
        yield Figure("open a log of 1,000,000 events, beyond an empty one", (ours - theirs) * 1e3, 50, "ms", detail)
        detail = f"{peak / MB:.1f} MB against {least / MB:.1f} MB, the whole process at its highest"
        yield Figure("memory for that, beyond an empty one", (peak - least) / MB, 64, "MB", detail)
        kept = os.path.getsize(os.path.join(long, STATE_NAME)) / MB
        yield Figure(
            "its first folding", first, INFORMATION, "s", f"beside the interface; {kept:.0f} MB are kept of it"
        )


def refold() -> Iterator[Figure]:
    """All units folded from the first line, and written down, against json.loads of every line of the file."""
    with _log(REFOLDED) as directory:
        path = os.path.join(directory, LOG_NAME)

        def ours() -> None:
            os.unlink(os.path.join(directory, STATE_NAME))
            folds = Folds(directory)
            assert folds.catch_up()
            folds.close()

        def theirs() -> None:
            with open(path, "rb") as file:
                for line in file:
                    json.loads(line)

        open(os.path.join(directory, STATE_NAME), "wb").close()
        fold, parse = alternate(ours, theirs, rounds=5)
        mean = os.path.getsize(path) / REFOLDED / KB
        yield ratio(f"fold {REFOLDED:,} events anew", 1.5, fold, parse, f"json.loads of every line, {mean:.2f} kB each")


def asking() -> Iterator[Figure]:
    """Blame of a place, from a process that has just opened the folds, and a page of the timeline."""
    with _log(ASKED) as directory:
        folds = Folds(directory)
        folds.catch_up()
        folds.close()
        taken: list[float] = []
        for number in range(0, 2400, 12):
            path = ("lazy", "modules", f"module-{number:06d}", "notes")
            places = (path, path[:2], ("lazy", "modules", "nowhere"))
            taken += [timed(partial(_ask, directory, asked)) for asked in places]
        detail = f"median {show(percentile(taken, 0.5))}, of {len(taken)} places, the folds opened for each"
        yield Figure(f"blame among {ASKED:,} transitions, p99", percentile(taken, 0.99) * 1e3, 50, "ms", detail)
        folds = Folds(directory)
        pages = [timed(lambda: page(folds, [ADDRESS])) for _ in range(21)]
        yield Figure(
            "a page of 200 of those", percentile(pages, 0.5) * 1e3, INFORMATION, "ms", "bodies read and decoded"
        )
        folds.close()


def _write(descriptor: int, data: bytes) -> None:
    os.write(descriptor, data)
    os.fsync(descriptor)


def _ask(directory: str, path: tuple[str, ...]) -> None:
    folds = Folds(directory)
    blame(folds, ADDRESS, path)
    folds.close()


@contextmanager
def _log(count: int) -> Iterator[str]:
    with tempfile.TemporaryDirectory(prefix="sftui-bench-") as home:
        with open(os.path.join(home, LOG_NAME), "wb") as file:
            file.writelines(lines(count))
        yield home
