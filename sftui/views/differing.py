"""A structure that both have changed, member by member: what it was, what they made of it, what the draft would."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from engine.records import dataclass
from engine.values import Json, JsonObject, dotted, get, has, is_array, is_object, same
from sftui.display import clean
from sftui.views.becoming import beside
from sftui.views.kinds import Path

if TYPE_CHECKING:
    from collections.abc import Iterator

    from engine.memory.draft import PreImage

NOTHING: Final = "nothing there"
# Members told of one place, and members looked at: a review is drawn between two keys.
SHOWN: Final = 12
LOOKS: Final = 2_000
_BRIEF: Final = 80


@dataclass(frozen=True, slots=True)
class Member:
    """A member of a structure that is not the same on all sides; texts cleaned.

    `reverts` says that they alone have changed it, so that the draft's value puts it back.
    """

    where: str
    before: str
    theirs: str
    mine: str
    reverts: bool

    def to_json(self) -> JsonObject:
        """It as data."""
        return {
            "where": self.where,
            "before": self.before,
            "theirs": self.theirs,
            "mine": self.mine,
            "reverts": self.reverts,
        }


@dataclass(frozen=True, slots=True)
class Differing:
    """The members that differ. `more` counts those left out; without `all_seen` there may be others."""

    members: tuple[Member, ...] = ()
    more: int = 0
    all_seen: bool = True


NONE: Final = Differing()
_Side = tuple[bool, Json]


def differing(before: PreImage, theirs: PreImage, mine: PreImage) -> Differing:
    """Tell the members that differ, in the order of the draft's value; none unless both made a structure of it."""
    sides = tuple((one.exists, one.value) for one in (before, theirs, mine))
    if not _is_open(sides):
        return NONE
    found: list[Member] = []
    more = looks = 0
    stack: list[tuple[Path, tuple[_Side, ...]]] = [((), sides)]
    while stack:
        path, sides = stack.pop()
        looks += 1
        if looks > LOOKS:
            return Differing(tuple(found), more, all_seen=False)
        if _is_open(sides):
            stack.extend(reversed([((*path, key), below) for key, below in _members(sides)]))
            continue
        was, now, wanted = sides
        if _same(was, now) and _same(now, wanted):
            continue
        if len(found) < SHOWN:
            told = iter(beside([value for there, value in sides if there], _BRIEF))
            texts = [next(told) if there else NOTHING for there, _ in sides]
            found.append(Member(clean(dotted("", path)), texts[0], texts[1], texts[2], _same(was, wanted)))
        else:
            more += 1
    return Differing(tuple(found), more)


def _is_open(sides: tuple[_Side, ...]) -> bool:
    """Whether it can be told member by member: it is an object on both sides, or an array of one length on all."""
    values = [value for there, value in sides if there]
    if not sides[1][0] or not sides[2][0]:
        return False
    if all(is_object(value) for value in values):
        return any(values)
    lengths = {len(value) if is_array(value) else 0 for value in values}
    return len(values) == len(sides) and len(lengths) == 1 and 0 not in lengths


def _members(sides: tuple[_Side, ...]) -> Iterator[tuple[str | int, tuple[_Side, ...]]]:
    """Each member as it is on all sides; what is shared by all of them is left out unseen."""
    order: dict[str | int, None] = {}
    for _, value in reversed(sides):
        order.update(dict.fromkeys(value if is_object(value) else range(len(value)) if is_array(value) else ()))
    for key in order:
        below = tuple(
            (has(value, (key,)), get(value, (key,), None)) if there else (False, None) for there, value in sides
        )
        if len({id(value) for _, value in below}) > 1:
            yield key, below


def _same(one: _Side, other: _Side) -> bool:
    return one[0] == other[0] and same(one[1], other[1])
