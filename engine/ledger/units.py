"""What a unit of the ledger's fold is: what it keeps, and how one event changes that.

A unit's state is a table of small rows; bodies stay in the log, and a row says where by offset and length. `apply` is
pure: it is given the rows as they are and one recorded event, and gives the rows to put. So the same unit folds over
a dict, over sqlite, one event at a time or many. Every unit's state is kept; none can opt out.

What a screen, `--json` or an export gets of a unit is its view, and only a `ViewedUnit` has one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from hashlib import blake2b
from typing import Any, Final, Generic, Literal, NamedTuple, Protocol, TypeAlias, TypeVar

from engine.ledger.events import Event
from engine.values import JsonObject

Cell: TypeAlias = int | float | str | bytes | None
Row: TypeAlias = tuple[Cell, ...]
"""One row of a unit's state. Text is kept as bytes (`to_cell`) where it may hold anything."""

S = TypeVar("S", bound=tuple[Any, ...])
S_co = TypeVar("S_co", bound=tuple[Any, ...], covariant=True)
A = TypeVar("A")
V = TypeVar("V")

Kind = Literal["int", "float", "text", "bytes"]
_TYPES: Final[dict[Kind, type]] = {"int": int, "float": float, "text": str, "bytes": bytes}
# What sqlite keeps of an integer.
_INT_LIMIT: Final = 1 << 63


class Noted(NamedTuple):
    """A transition that was seen, as the fold is given it: what it is, where, and what it touches.

    Numbers in the patch are for its shape only: those beyond 64 bits may be rounded. `Folds.event` reads all of it,
    exactly.
    """

    address: str
    revision: int
    boundary_id: str
    patch: JsonObject
    grew: Mapping[str, int] | None


class Recorded(NamedTuple):
    """One event and where its line stands in the log: `offset`, and `length` without the line end."""

    offset: int
    length: int
    event: Event | Noted


class Column(NamedTuple):
    """One column of a unit's table: the schema of its cells."""

    name: str
    kind: Kind
    optional: bool = False


Changes: TypeAlias = Iterable[S] | Mapping[Any, Any]
"""Rows to put. A unit of a key and one cell may say them as a mapping."""


class Rows(Protocol[S_co]):
    """A unit's state as `apply` sees it: the row with this key, or None."""

    def get(self, key: tuple[Any, ...]) -> S_co | None: ...


class Unit(Generic[S]):
    """One fold over the log.

    `columns` and `sound` are the schema of its state: a row that does not meet it is never believed. The first `keyed`
    columns are a row's key. `wants` names the events that `apply` is given. With `grows` a key is put once at most, so
    nothing has to be looked for. `indexes` name columns that views look rows up by. `version` changes with the meaning
    of the state: one of another version is folded anew.
    """

    def __init__(
        self,
        *,
        key: str,
        version: int,
        columns: tuple[Column, ...],
        keyed: int,
        wants: tuple[type[Event | Noted], ...],
        apply: Callable[[Rows[S], Recorded], Changes[S]],
        sound: Callable[[S], bool] = lambda _: True,
        initial: tuple[S, ...] = (),
        grows: bool = False,
        indexes: tuple[tuple[str, ...], ...] = (),
    ) -> None:
        self.key: Final = key
        self.version: Final = version
        self.columns: Final = columns
        self.keyed: Final = keyed
        self.wants: Final = wants
        self.apply: Final = apply
        self.sound: Final = sound
        self.initial: Final = initial
        self.grows: Final = grows
        self.indexes: Final = indexes

    def is_row(self, row: S) -> bool:
        """Whether what was kept as a row of this unit's state may be one."""
        return len(row) == len(self.columns) and all(map(_is_cell, self.columns, row)) and self.sound(row)


class Source(Protocol):
    """Where a view takes rows and bodies from. Rows are validated; one that is malformed ends the view."""

    def select(self, unit: Unit[S], where: str, values: tuple[Cell, ...] = (), *, limit: int | None = None) -> list[S]:
        """Give the rows of a unit that meet `where`: an SQL condition with `?`, and an order if one is wanted."""

    def event(self, offset: int, length: int) -> Event | None:
        """Give the event whose line stands there, exactly."""


class ViewedUnit(Generic[S, A, V]):
    """A unit with a view: `A` is what is asked with, `V` what is given, and `is_view` the schema of that."""

    def __init__(
        self, *, unit: Unit[S], view: Callable[[Source, A], V], is_view: Callable[[object], bool], says: str
    ) -> None:
        self.unit: Final = unit
        self.view: Final = view
        self.is_view: Final = is_view
        self.says: Final = says


class Viewer(Protocol):
    """Who can be asked for views: `Folds`. A unit without a view is nothing to ask for."""

    def view(self, viewed: ViewedUnit[S, A, V], ask: A) -> V | None: ...


@lru_cache(maxsize=4096)
def place_of(address: str) -> int:
    """A scope's address as a number: rows stay small. Views compare the address in the line itself."""
    digest = blake2b(address.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "big", signed=True)


def to_cell(text: str) -> bytes:
    """Any text as sqlite keeps it, lone surrogates included."""
    return text.encode("utf-8", "surrogatepass")


def _is_cell(column: Column, cell: object) -> bool:
    if cell is None:
        return column.optional
    if type(cell) is not _TYPES[column.kind]:
        return False
    return not isinstance(cell, int) or -_INT_LIMIT <= cell < _INT_LIMIT
