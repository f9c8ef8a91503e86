"""What stands at the places of a publication: the old files, the new ones, or neither. Looks only."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from engine.records import dataclass
from engine.store.places import exists, mark_at
from engine.store.writeahead import Entry, mark_of, new_id
from engine.store.writing import Place, Target

Settled = Literal["finished", "undone"]


class Conflict(Exception):
    """Files that hold neither what was there before nor what was to come; nothing was touched."""

    def __init__(self, places: tuple[Place, ...]) -> None:
        super().__init__(places)
        self.places = places


@dataclass(frozen=True, slots=True)
class Standing:
    """The entries of a publication by what stands in their places."""

    new: tuple[Entry, ...]
    old: tuple[Entry, ...]
    others: tuple[Entry, ...]


def planned(targets: Sequence[Target], pid: int) -> list[Entry]:
    """An entry for each target, with names of its own for the new file and for the old one aside."""
    token = new_id()
    return [
        Entry(
            target.directory,
            target.name,
            f".{target.name}.{pid}.{token}.tmp",
            f".{target.name}.{pid}.{token}.old",
            before=None if target.before.identity is None else mark_of(target.before.identity),
        )
        for target in targets
    ]


def standing(opened: Mapping[str, int], entries: Sequence[Entry]) -> Standing:
    """Look at each place; the directories are open."""
    new = tuple(entry for entry in entries if _is_new(opened, entry))
    old = tuple(entry for entry in entries if entry not in new and _is_old(opened, entry))
    return Standing(new, old, tuple(entry for entry in entries if entry not in new and entry not in old))


def is_ready(opened: Mapping[str, int], entry: Entry) -> bool:
    """Whether the new file of an entry is complete under its temporary name."""
    return entry.after is not None and mark_at(opened, entry.directory, entry.temporary) == entry.after


def missing(root: int, targets: Sequence[Target]) -> list[str]:
    """The directories that have to be made, parents first."""
    wanted: dict[str, None] = {}
    for target in targets:
        parts = [] if target.directory == "." else target.directory.split("/")
        for depth in range(1, len(parts) + 1):
            wanted["/".join(parts[:depth])] = None
    return [name for name in wanted if not exists(root, name)]


def _is_new(opened: Mapping[str, int], entry: Entry) -> bool:
    return entry.after is not None and mark_at(opened, entry.directory, entry.name) == entry.after


def _is_old(opened: Mapping[str, int], entry: Entry) -> bool:
    mark = mark_at(opened, entry.directory, entry.name)
    return mark == entry.before or (mark is not None and mark == entry.kept)
