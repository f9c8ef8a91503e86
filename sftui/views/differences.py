"""A difference to be read on a page: of one transition, between two moments, or between two scopes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final, cast

from engine.memory.dialect import Dialect
from engine.memory.scope import SCOPES, Scope
from engine.records import dataclass, field
from engine.values import Json, JsonObject, net_patch
from sftui.views.diffs import ScopeDiff, diff
from sftui.views.kinds import Path, View
from sftui.views.picture import Picture
from sftui.views.review_lines import Row, RowKey, diff_rows
from sftui.views.spans import Spans
from sftui.views.transition import states_diff

# Lines of a page; more than that nobody reads.
MOST: Final = 20_000
_SIGNS: Final = {"+": "added", "-": "removed", "~": "changed", "→": "moved", "×": "gone with an intent"}


@dataclass(frozen=True, slots=True)
class Difference:
    """What differs. `title` names both sides, cleaned; `remarks` say more of scopes, `unknown` what cannot be told."""

    title: str
    diffs: tuple[ScopeDiff, ...]
    remarks: Mapping[Scope, Spans] = field(default_factory=dict)
    unknown: tuple[str, ...] = ()

    @property
    def counted(self) -> str:
        """How many places differ in which way."""
        counts = dict.fromkeys(_SIGNS, 0)
        for one in self.diffs:
            for line in one.lines:
                # What was moved is told where it came to and where it was.
                if not (line.sign == "-" and line.place):
                    counts[line.sign] += 1
        told = [f"{count:,} {_SIGNS[sign]}" for sign, count in counts.items() if count]
        more = sum(one.more for one in self.diffs)
        if more:
            told.append(f"{more:,} more not shown")
        return ", ".join(told) or "nothing differs"

    def rows(self) -> Iterator[Row]:
        """The lines of the page."""
        for words in self.unknown:
            yield Row(("unknown", words), (("  ! ", "warn"), (words, "warn")), 4)
        if not self.diffs and not self.unknown:
            yield Row(("same",), (("  nothing differs", "muted"),))
        yield from diff_rows(self.diffs, self.remarks)

    def place(self, row: RowKey) -> tuple[View, Path] | None:
        """The place of memory that a line is about."""
        for one in self.diffs:
            for line in one.lines:
                if row[:3] == ("diff", line.scope, line.where):
                    return line.scope, line.path
        return None

    def to_json(self) -> JsonObject:
        """The difference as data."""
        scopes: list[Json] = [one.to_json() for one in self.diffs]
        unknown: list[Json] = list(self.unknown)
        return {"title": self.title, "scopes": scopes, "unknown": unknown}


def between_moments(
    dialect: Dialect,
    one: tuple[str, Mapping[Scope, JsonObject]],
    other: tuple[str, Mapping[Scope, JsonObject]],
    *,
    most: int = MOST,
) -> Difference:
    """The net difference between memory at two moments, scope by scope; each side has a name."""
    (name, before), (then, after) = one, other
    lacking = [scope for scope in SCOPES if (scope in before) != (scope in after)]
    unknown = tuple(f"{scope}: not known {name if scope not in before else then}" for scope in lacking)
    return Difference(f"{name} → {then}", states_diff(dialect, before, after, most=most), unknown=unknown)


def between_values(
    dialect: Dialect, view: View, one: tuple[str, JsonObject], other: tuple[str, JsonObject], *, most: int = MOST
) -> Difference:
    """The difference between two scopes, or of one view at two moments; places are those of `view`."""
    (name, before), (then, after) = one, other
    net = net_patch(before, after)
    # A diff names the side that its places are on; that may be the effective view, too.
    side = cast("Scope", view)
    told = diff(dialect, {side: net}, {side: before}, {side: after}, {}, most=most) if net else ()
    return Difference(f"{name} → {then}", told)


@dataclass(frozen=True, slots=True)
class Side:
    """Memory at one moment, and what that is called."""

    name: str
    picture: Picture


_BETWEEN: Final[tuple[tuple[View, View], ...]] = (("global", "cwd"), ("cwd", "session"), ("global", "session"))


def sides_to_choose(*, same: bool) -> tuple[tuple[str, str], ...]:
    """What can be compared of two moments, or of one with now and within itself: a title and a remark each."""
    if not same:
        return ("every scope", "what each one holds"), ("effective memory", "what shows of them all")
    within = tuple((f"{one} with {other}", "as both were then") for one, other in _BETWEEN)
    return ("now, every scope", "what each one holds"), ("now, effective memory", "what shows of them all"), *within


def compared(dialect: Dialect, one: Side, other: Side, choice: int) -> Difference:
    """Compare what was chosen. What is not known of a side is said, and never taken for empty."""
    if choice == 0:
        return between_moments(dialect, (one.name, one.picture.states), (other.name, other.picture.states))
    if choice == 1:
        return _views(dialect, one, "effective", other, "effective")
    left, right = _BETWEEN[choice - 2]
    return _views(dialect, one, left, one, right)


def _views(dialect: Dialect, one: Side, view: View, other: Side, then: View) -> Difference:
    names = (f"{view}, {one.name}", f"{then}, {other.name}")
    before, after = one.picture.memory.get(view), other.picture.memory.get(then)
    if before is None or after is None:
        lacking = tuple(
            f"{name}: not known" for name, value in zip(names, (before, after), strict=True) if value is None
        )
        return Difference(" → ".join(names), (), unknown=lacking)
    return between_values(dialect, then, (names[0], before), (names[1], after))
