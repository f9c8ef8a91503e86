"""Screen 2 around its tree: which planes are open at first, what the tabs say, why there are no rows."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from engine.memory.scope import Scope
from engine.values import dotted
from sftui.actions import key_for
from sftui.display import clean
from sftui.views.kinds import VIEWS, Path, View
from sftui.views.notices import is_absent
from sftui.views.picture import Picture
from sftui.views.spans import Span, Spans
from sftui.views.units import human_tokens, signed_tokens

NOWHERE: Final[Mapping[View, Path]] = MappingProxyType({})


def tab_marks(picture: Picture) -> dict[View, Span]:
    """Give what follows the names of the tabs: a fence, an absence, a scope that could not be confirmed."""
    marks: dict[View, Span] = {}
    snapshot = picture.snapshot
    if snapshot is None:
        return marks
    for scope, reading in snapshot.scopes.items():
        if reading.status == "fenced":
            marks[scope] = ("✖", "bad")
        elif reading.status == "absent":
            marks[scope] = ("–", "muted")
        elif picture.as_of is not None and scope in picture.as_of.unknown:
            marks[scope] = ("?", "warn")
        elif scope in snapshot.stale and picture.as_of is None:
            marks[scope] = ("stale", "warn")
    if "effective" not in picture.memory:
        marks["effective"] = ("✖", "bad") if picture.as_of is None else ("?", "warn")
    return marks


def tabs_remark(picture: Picture, *, wide: bool, delta: int | None = None) -> Spans:
    """Give what stands right of the tabs; a wide header says most of it already. `delta` is what a draft adds, in bytes."""
    remark: Spans = (("as of now", "muted"),)
    if picture.as_of is not None:
        remark = ((f"as of {picture.as_of.moment.shorts or 'then'}", "warn"),)
    if wide:
        return remark
    snapshot = picture.snapshot
    if (
        delta is None
        and picture.as_of is None
        and snapshot is not None
        and snapshot.address.session is not None
        and not picture.pinned
    ):
        remark = (("newest session · ", "muted"), *remark)
    if picture.hot_bytes is not None:
        remark += (("   hot ", "muted"), (human_tokens(picture.hot_bytes), "text"))
        if delta is not None:
            remark += ((f" ({signed_tokens(delta)})", "accent"),)
    return remark


def tree_title(view: View, filtered: str, matches: int | None, marked: int = 0) -> Spans:
    """Give the title of the tree: its view, or what it is filtered by and the number of matches (None: looking).

    `marked` counts the rows with a mark.
    """
    if marked:
        return (*tree_title(view, filtered, matches), (f"  {marked:,} marked", "accent"))
    if not filtered:
        return ((view, "strong"),)
    count = "looking…" if matches is None else f"{matches:,} match" + ("" if matches == 1 else "es")
    return (("filter ", "muted"), (clean(filtered), "accent"), (f"  {count}", "text"))


# Over the columns of the rows: three cells and seven, before the scroll bar's.
FROM_AND_SIZE: Spans = (("from     size", "muted"),)


def open_at_first(picture: Picture, view: View) -> set[Path]:
    """Open the planes that are in context; lazy ones stay closed."""
    dialect = picture.dialect
    lazy = dialect.lazy if dialect is not None else frozenset()
    return {(plane,) for plane in picture.memory.get(view, {}) if plane not in lazy}


def fresh_paths(picture: Picture) -> frozenset[Path]:
    """Give the paths of the newest change that was seen to happen, with all above them."""
    if not picture.arrived or not picture.log:
        return frozenset()
    newest = picture.log[0]
    together = [entry for entry in picture.log[: len(VIEWS)] if entry.boundary == newest.boundary]
    return frozenset(
        line.path[:length] for entry in together for line in entry.lines for length in range(1, len(line.path) + 1)
    )


def _unknown_then(view: View, unknown: Mapping[Scope, str]) -> list[Spans]:
    """Say why nothing is shown of an earlier moment."""
    whole = view == "effective"
    lines: list[Spans] = [((f" the {view} memory of that moment is not known", "warn"),)]
    lines += [((f" {clean(why)}", "text"),) for scope, why in unknown.items() if whole or scope == view]
    if whole:
        lines.append(
            (
                (" a partial overlay would be a lie; ", "muted"),
                (key_for("memory.view-next"), "accent"),
                (" shows each scope that is known", "muted"),
            )
        )
    return lines


def empty_lines(
    picture: Picture, view: View, *, filtered: bool = False, elsewhere: Mapping[View, Path] = NOWHERE
) -> list[Spans]:
    """Say why there are no rows; `elsewhere` is where else a row holds what is filtered by, the first of each view."""
    if filtered and picture.memory.get(view):
        found: list[Spans] = [
            ((f" {clean(dotted(other, path))}", "text"), (" holds it", "muted")) for other, path in elsewhere.items()
        ]
        return [((f" no row holds this text in {view}", "muted"),), *found]
    snapshot = picture.snapshot
    if snapshot is None:
        return [((" reading…", "muted"),)]
    if is_absent(snapshot):
        return [((" no store here yet", "text"),), ((" memory appears as soon as an agent writes it", "muted"),)]
    if picture.as_of is not None and picture.as_of.unknown and (view in picture.as_of.unknown or view == "effective"):
        return _unknown_then(view, picture.as_of.unknown)
    if view == "effective":
        if view not in picture.memory:
            fenced = any(reading.status == "fenced" for reading in snapshot.scopes.values())
            why = " a scope is fenced" if fenced else " the scopes do not fit together"
            return [
                ((" the effective memory cannot be composed", "bad"),),
                ((f"{why}, and a partial overlay would be a lie", "text"),),
                (
                    (
                        f" {key_for('memory.view-next')} shows each healthy scope on its own"
                        if picture.memory
                        else " sftui doctor says more",
                        "muted",
                    ),
                ),
            ]
        return [((" nothing is remembered here yet", "text"),)]
    reading = snapshot.scopes.get(view)
    if reading is None:
        return [((f" no {view} is open", "text"),), ((f" {key_for('app.scopes')} chooses one", "muted"),)]
    if reading.status == "absent":
        return [
            ((f" the {view} scope has no memory yet", "text"),),
            ((" absent counts as empty: nothing is wrong", "muted"),),
        ]
    if reading.status == "fenced":
        lines: list[Spans] = [((f" the {view} scope is fenced", "bad"),)]
        for fault in reading.faults:
            place = fault.file or ""
            if fault.line is not None:
                place += f" line {fault.line}"
            lines.append((((f" {clean(place)}: " if place else " "), "strong"), (clean(fault.reason), "text")))
        lines.append(((" its bytes are kept as they are; nothing reads it as empty", "muted"),))
        return lines
    return [((" nothing is remembered here yet", "text"),)]
