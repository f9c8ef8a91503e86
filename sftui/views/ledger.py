"""The record of a store: how much of it there is, what is folded of it, and what it would have of each scope."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Final

from engine.ledger.log import CRASH_NAME
from engine.memory.cohort import vector
from engine.memory.scope import Scope, initial
from engine.records import dataclass
from engine.values import Json, JsonObject
from sftui.display import clean
from sftui.times import clock, date
from sftui.views.spans import Spans
from sftui.views.units import human

if TYPE_CHECKING:
    from engine.ledger.last_good import LastGood

_WIDTH: Final = 9


@dataclass(frozen=True, slots=True)
class LedgerStatus:
    """What is recorded of a store, in bytes; `folded` is None where nothing can be folded, and `trouble` says why.

    `kept` has the logs that were put aside, `crashed` the size of what never became a line.
    """

    directory: str
    log: int | None
    events: int
    folded: int | None
    state: int
    rows: Mapping[str, int]
    kept: tuple[tuple[str, int], ...]
    crashed: int
    trouble: str | None
    good: Mapping[Scope, LastGood | None]
    addresses: Mapping[Scope, str]

    def to_json(self) -> JsonObject:
        """The status as data."""
        kept: list[Json] = [{"name": name, "bytes": size} for name, size in self.kept]
        good: dict[str, Json] = {scope: None if one is None else _good_json(one) for scope, one in self.good.items()}
        return {
            "directory": self.directory,
            "log_bytes": self.log,
            "events": self.events,
            "folded_bytes": self.folded,
            "state_bytes": self.state,
            "rows": dict(self.rows),
            "kept": kept,
            "crashed_bytes": self.crashed,
            "trouble": self.trouble,
            "last_good": good,
        }


def status_lines(told: LedgerStatus, today: str) -> Iterator[Spans]:
    """Lay the status out."""
    yield _row("ledger", clean(told.directory))
    if told.log is None:
        yield _row("log", "nothing was recorded of this store")
    else:
        folded = "" if told.folded is None else f", folded up to {_of(told.folded, told.log)}"
        yield _row("log", f"{human(told.log)}, {told.events:,} event{'' if told.events == 1 else 's'}{folded}")
    for name, size in told.kept:
        yield _row("kept", f"{name}, {human(size)}")
    if told.crashed:
        yield _row("crashed", f"{human(told.crashed)} of lines that were never completed, put aside in {CRASH_NAME}")
    if told.rows:
        rows = ", ".join(f"{key} {count:,}" for key, count in told.rows.items())
        yield _row("folds", f"{human(told.state)} on disk: rows of {rows}")
    if told.trouble:
        yield (("trouble".ljust(_WIDTH), "warn"), (clean(told.trouble), "text"))
    if told.log is None:
        return
    yield ()
    yield (("last known to be valid", "strong"),)
    for scope, good in told.good.items():
        yield ((f"  {scope:<8}", "accent"), *_good(scope, good, told.addresses, today))


def _good(scope: Scope, good: LastGood | None, addresses: Mapping[Scope, str], today: str) -> Spans:
    if good is None:
        return (("unknown: no cohort of it was seen that could be composed", "muted"),)
    scopes = {name: good.revisions[at] for name, at in addresses.items() if at in good.revisions}
    own = good.cohort in addresses.values()
    when = clock(good.seen) if date(good.seen) == today else f"{date(good.seen)} {clock(good.seen)}"
    within = f"in {vector(scopes)}" if own else f"in another cohort, {clean(good.cohort)}"
    again = "its value can be given again" if good.start is not None else "its value is not recorded"
    return ((f"{initial(scope)}{good.revision}", "strong"), (f"  {within}, seen {when}; {again}", "text"))


def _good_json(good: LastGood) -> JsonObject:
    return {
        "revision": good.revision,
        "boundary": good.boundary.to_json(),
        "seen": good.seen,
        "cohort": good.cohort,
        "revisions": dict(good.revisions),
        "start": good.start,
        "end": good.end,
    }


def _row(name: str, words: str) -> Spans:
    return ((name.ljust(_WIDTH), "muted"), (words, "text"))


def _of(part: int, whole: int) -> str:
    return "its end" if part == whole else human(part)
