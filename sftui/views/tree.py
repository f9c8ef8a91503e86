"""Memory as rows of a tree: what each says is computed only when it is asked for."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from engine.errors import EngineError
from engine.memory.overlay import providers
from engine.memory.ownership import INTENTS
from engine.memory.scope import SCOPES, Scope, initial
from engine.records import dataclass, replace
from engine.values import Json, JsonObject, get, has, is_array, is_object
from sftui.cells import cell_len, cut, fit, fit_right
from sftui.views.details import Details, details
from sftui.views.filtering import Kept, excerpt
from sftui.views.kinds import Path, View
from sftui.views.picture import Picture
from sftui.views.preview import badge, gist, key_text, kind_words
from sftui.views.spans import SIGN_ROLES, Span, Spans
from sftui.views.units import human

if TYPE_CHECKING:
    from sftui.views.staging import Staging

# Deeper rows are not indented further: the key would leave the screen.
MAX_INDENT: Final = 12
# Widths of the two columns on the right: providers and size.
FROM_WIDTH: Final = 3
SIZE_WIDTH: Final = 7
# Below this width there is room for the name of a row only.
_COLUMNS_FROM: Final = 34
# Below this width there is no room for what a row says about others.
_NOTE_FROM: Final = 60


@dataclass(frozen=True, slots=True)
class Row:
    """What one row says. `note` is about others: what it owns, masks, or who owns it."""

    path: Path
    sign: str
    marked: bool
    key: str
    badge: str
    gist: Span
    note: str
    providers: tuple[Scope, ...]
    size: int | None

    def to_json(self) -> JsonObject:
        """The row as data."""
        return {
            "path": list(self.path),
            "sign": self.sign,
            "marked": self.marked,
            "key": self.key,
            "shape": self.badge,
            "providers": list(self.providers),
            "size": self.size,
            "note": self.note,
        }


@dataclass(frozen=True, slots=True)
class Staged:
    """A value as the draft leaves it, and what the draft does to it."""

    value: Json
    words: str


class MemorySource:
    """One view of a picture as the source of a tree, with what a draft makes of it.

    `kept` are the rows that a filter leaves, `fresh` those that have just changed, `marks` those that a person marked.
    """

    def __init__(
        self,
        picture: Picture,
        view: View,
        kept: Kept | None = None,
        *,
        fresh: frozenset[Path] = frozenset(),
        staging: Staging | None = None,
        marks: Container[Path] = frozenset(),
    ) -> None:
        self.before = picture
        self.staging = staging
        self.picture = picture if staging is None else staging.picture
        self.over = None if staging is None else staging.overlaid.get(view)
        self.view = view
        self.kept = kept
        self.fresh = fresh
        self.marks = marks
        self.root: JsonObject = self.picture.memory.get(view, {})
        self._claims = _claims_by_path(self.picture, view)
        self._owned_count = _owned_count(self.picture, view)

    def value(self, path: Path) -> Json:
        """Give the value at `path`: what will be there, or what goes from there; None where there is none."""
        return get(self.root, path, None) if self.over is None else self.over.value(path)

    def has(self, path: Path) -> bool:
        """Tell whether there is a row for `path`, whatever hides it."""
        return has(self.root, path) if self.over is None else self.over.has(path)

    def stays(self, path: Path) -> bool:
        """Tell whether there will be something at `path`, once the draft is applied."""
        return has(self.root, path) if self.over is None else self.over.stays(path)

    def children(self, path: Path) -> Sequence[Path]:
        """Give the children of `path` in the order of the value."""
        if self.kept is not None and not self.kept.whole(path):
            return self.kept.children(path)
        if self.over is not None:
            return self.over.children(path)
        value = self.value(path)
        if is_object(value):
            return [(*path, key) for key in value]
        if is_array(value):
            return [(*path, index) for index in range(len(value))]
        return ()

    def elements(self, path: Path) -> tuple[Sequence[int], Sequence[Json]]:
        """Give the last keys of the rows below an array, and what they show, whatever a filter hides."""
        if self.over is not None:
            return self.over.elements(path)
        value = self.value(path)
        return (range(len(value)), value) if is_array(value) else ((), ())

    def expandable(self, path: Path) -> bool:
        """Tell whether there is something inside."""
        if self.over is not None and path in self.over.above:
            return True
        value = self.value(path)
        return (is_object(value) or is_array(value)) and bool(value)

    def token(self, path: Path) -> object:
        """Give the value itself: shared structure makes identity mean 'unchanged'."""
        if self.kept is not None:
            return self
        if self.over is not None and (not path or path in self.over.above or path in self.over.signs):
            return self.over
        return self.value(path)

    def row(self, path: Path, *, expanded: bool, width: int) -> tuple[Spans, Spans]:
        """Give the row laid out in columns; a closed one tells that something in it is staged."""
        row = self.describe(path)
        if not expanded and self.over is not None and path in self.over.above and row.sign not in SIGN_ROLES:
            row = replace(row, sign="~")
        return layout(row, expanded=expanded, expandable=self.expandable(path), width=width)

    def describe(self, path: Path) -> Row:
        """Say everything about one row."""
        value = self.value(path)
        picture, place = self._where(path)
        who, masks = self._providers(picture, place)
        lazy = self._is_lazy(path)
        told: Span
        hit = self._hit(path, value)
        if hit:
            told = (hit, "string")
        elif len(path) == 1:
            told = ("not in context", "muted") if lazy else ("", "muted")
        elif lazy:
            told = (kind_words(value), "muted")
        else:
            told = gist(value, _GIST_LIMIT)
        shape = f"({len(value):,})" if len(path) == 1 and is_object(value) else badge(value)
        sign = self.over.sign(path) if self.over is not None else ""
        sign = sign or ("•" if path in self.fresh else "")
        note = self._note(path, masks)
        return Row(path, sign, path in self.marks, key_text(place[-1]), shape, told, note, who, self._size(value))

    def details(self, path: Path) -> Details:
        """Tell everything that is known about one row, what the draft does to it first."""
        picture, place = self._where(path)
        found = details(picture, self.view, place)
        if self.staging is None:
            return found
        return replace(found, facts=(*self.staging.facts(self.view, path), *found.facts))

    def staged(self, path: Path) -> Staged | None:
        """Give what the draft makes of a value; None where it leaves it as it is."""
        if self.staging is None or self.over is None or not (self.over.sign(path) or path in self.over.above):
            return None
        return Staged(self.value(path), "; ".join(text for _, text in self.staging.facts(self.view, path)))

    def _where(self, path: Path) -> tuple[Picture, Path]:
        """Give the picture that a row is of, and its path there: what goes is a row of now."""
        if self.over is None or self.over.stays(path):
            return self.picture, path
        return self.before, self.over.place_before(path) or path

    def _hit(self, path: Path, value: Json) -> str:
        """Give what a filter found in a text whose beginning does not show it; also of a lazy one: it was asked for."""
        if self.kept is None or not self.kept.needle or path not in self.kept.matches or not isinstance(value, str):
            return ""
        return excerpt(value, self.kept.needle)

    def _size(self, value: Json) -> int | None:
        return self.picture.sizes.quick(value)

    def _is_lazy(self, path: Path) -> bool:
        dialect = self.picture.dialect
        return dialect is not None and path[0] in dialect.lazy

    def _providers(self, picture: Picture, path: Path) -> tuple[tuple[Scope, ...], str]:
        dialect = picture.dialect
        if dialect is None:
            return (self.view,) if self.view != "effective" else (), ""
        try:
            who, masked = providers(dialect, picture.states, path)
        except EngineError:
            return tuple(scope for scope in SCOPES if _holds(picture.states, scope, path)), ""
        if self.view != "effective":
            holders = {*who, *(layer.scope for layer in masked)}
            who = tuple(scope for scope in SCOPES if scope in holders)
        shown = [layer for layer in masked if self.view == "effective" or layer.scope != self.view]
        words = " ".join(f"{initial(layer.scope)}{badge(layer.value)}" for layer in shown)
        if self.view == "effective":
            return who, f"masks {words}" if words else ""
        return who, f"also {words}" if words else ""

    def _note(self, path: Path, masks: str) -> str:
        taker = None if self.staging is None else self.staging.taker(self.view, path)
        if taker is not None and self.over is not None and not self.over.stays(path):
            return f"goes with {key_text(taker)}"
        if len(path) == 2 and path[0] == INTENTS:
            count = self._owned_count.get(str(path[1]), 0)
            if count:
                return f"owns {count}"
        owner = self._claims.get(path)
        words = [masks] if masks else []
        if owner is not None:
            words.append(f"← {key_text(owner)}")
        return "  ".join(words)


_GIST_LIMIT: Final = 200


def _holds(states: Mapping[Scope, JsonObject], scope: Scope, path: Path) -> bool:
    state = states.get(scope)
    return state is not None and get(state, path, None) is not None


def _scopes_of(view: View) -> tuple[Scope, ...]:
    return SCOPES if view == "effective" else (view,)


def _claims_by_path(picture: Picture, view: View) -> dict[Path, str]:
    """Give the first owning intent of every owned path; narrower scopes win."""
    found: dict[Path, str] = {}
    for scope in _scopes_of(view):
        for claim in picture.claims.get(scope, ()):
            if claim.exists:
                found[claim.path] = claim.intent
    return found


def _owned_count(picture: Picture, view: View) -> dict[str, int]:
    found: dict[str, int] = {}
    for scope in _scopes_of(view):
        for claim in picture.claims.get(scope, ()):
            if claim.exists:
                found[claim.intent] = found.get(claim.intent, 0) + 1
    return found


def providers_text(who: Sequence[Scope]) -> str:
    """Give providers in three fixed places: `gcs`, ` c `, `g s`."""
    return "".join(initial(scope) if scope in who else " " for scope in SCOPES)


def layout(row: Row, *, expanded: bool, expandable: bool, width: int) -> tuple[Spans, Spans]:
    """Lay a row out in aligned columns for `width` cells."""
    size = "" if row.size is None else human(row.size)
    right_width = FROM_WIDTH + SIZE_WIDTH + 5 if width >= _COLUMNS_FROM else 0
    body = max(10, width - right_width - 1)
    depth = min(len(row.path), MAX_INDENT)
    marker = ("▾" if expanded else "▸") if expandable else "·"
    if len(row.path) == 1 and not expandable:
        marker = " "
    sign = (fit(row.sign, 1), SIGN_ROLES.get(row.sign, "accent"))
    indent = "  " * (depth - 1)
    # What a row says has the greater part.
    name_width = max(18, min(36, body * 9 // 20))
    # One cell stays free between the longest name and what it says.
    room = max(6, name_width - 2 - len(indent) - 3)
    shape = f" {row.badge}" if row.badge else ""
    key = cut(row.key, max(3, room - cell_len(shape)))
    used = 2 + len(indent) + 2 + cell_len(key) + cell_len(shape)
    left: list[Span] = [
        sign,
        ("*" if row.marked else " ", "accent"),
        (f"{indent}{marker} ", "muted"),
        (key, "strong" if len(row.path) == 1 else "key"),
        (shape, "muted"),
    ]
    note_width = min(22, body // 3, cell_len(row.note)) if width >= _NOTE_FROM else 0
    gap = max(1, name_width - used)
    left.append((" " * gap, "text"))
    remaining = body - used - gap - (note_width + 2 if note_width else 0)
    if remaining > 3:
        left.append((fit(row.gist[0], remaining), row.gist[1]))
        if note_width:
            left.append(("  " + fit_right(row.note, note_width), "muted"))
    if not right_width:
        return tuple(left), ()
    right: Spans = (
        ("│ ", "muted"),
        (providers_text(row.providers), "text"),
        (" │", "muted"),
        (fit_right(size, SIZE_WIDTH), "muted"),
    )
    return tuple(left), right
