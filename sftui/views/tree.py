"""Memory as rows of a tree: what each says is computed only when it is asked for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from engine.errors import EngineError
from engine.memory.overlay import providers
from engine.memory.ownership import INTENTS
from engine.memory.scope import SCOPES, Scope, initial
from engine.records import dataclass
from engine.values import Json, JsonObject, get, is_array, is_object
from sftui.cells import cell_len, cut, fit, fit_right
from sftui.views.filtering import Kept, excerpt
from sftui.views.kinds import Path, View
from sftui.views.picture import Picture
from sftui.views.preview import badge, gist, key_text, kind_words
from sftui.views.spans import SIGN_ROLES, Span, Spans
from sftui.views.units import human

# Deeper rows are not indented further: the key would leave the screen.
MAX_INDENT: Final = 12
# Widths of the two columns on the right: providers and size.
FROM_WIDTH: Final = 3
SIZE_WIDTH: Final = 7
# Below this width there is no room for what a row says about others.
_NOTE_FROM: Final = 60


@dataclass(frozen=True, slots=True)
class Row:
    """What one row says. `note` is about others: what it owns, masks, or who owns it."""

    path: Path
    sign: str
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
            "key": self.key,
            "shape": self.badge,
            "providers": list(self.providers),
            "size": self.size,
            "note": self.note,
        }


class MemorySource:
    """One view of a picture as the source of a tree; `kept` are the rows a filter leaves."""

    def __init__(
        self, picture: Picture, view: View, kept: Kept | None = None, fresh: frozenset[Path] = frozenset()
    ) -> None:
        self.picture = picture
        self.view = view
        self.kept = kept
        self.fresh = fresh
        self.root: JsonObject = picture.memory.get(view, {})
        self._claims = _claims_by_path(picture, view)
        self._owned_count = _owned_count(picture, view)

    def value(self, path: Path) -> Json:
        """Give the value at `path`; None where there is none."""
        return get(self.root, path, None)

    def children(self, path: Path) -> Sequence[Path]:
        """Give the children of `path` in the order of the value."""
        if self.kept is not None and not self.kept.whole(path):
            return self.kept.children(path)
        value = self.value(path)
        if is_object(value):
            return [(*path, key) for key in value]
        if is_array(value):
            return [(*path, index) for index in range(len(value))]
        return ()

    def expandable(self, path: Path) -> bool:
        """Tell whether there is something inside."""
        value = self.value(path)
        return (is_object(value) or is_array(value)) and bool(value)

    def token(self, path: Path) -> object:
        """Give the value itself: shared structure makes identity mean 'unchanged'."""
        return self if self.kept is not None else self.value(path)

    def row(self, path: Path, *, expanded: bool, width: int) -> tuple[Spans, Spans]:
        """Give the row laid out in columns."""
        return layout(self.describe(path), expanded=expanded, expandable=self.expandable(path), width=width)

    def describe(self, path: Path) -> Row:
        """Say everything about one row."""
        value = self.value(path)
        who, masks = self._providers(path)
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
        sign = "•" if path in self.fresh else ""
        return Row(path, sign, key_text(path[-1]), shape, told, self._note(path, masks), who, self._size(value))

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

    def _providers(self, path: Path) -> tuple[tuple[Scope, ...], str]:
        dialect = self.picture.dialect
        if dialect is None:
            return (self.view,) if self.view != "effective" else (), ""
        try:
            who, masked = providers(dialect, self.picture.states, path)
        except EngineError:
            return tuple(scope for scope in SCOPES if _holds(self.picture.states, scope, path)), ""
        if self.view != "effective":
            holders = {*who, *(layer.scope for layer in masked)}
            who = tuple(scope for scope in SCOPES if scope in holders)
        shown = [layer for layer in masked if self.view == "effective" or layer.scope != self.view]
        words = " ".join(f"{initial(layer.scope)}{badge(layer.value)}" for layer in shown)
        if self.view == "effective":
            return who, f"masks {words}" if words else ""
        return who, f"also {words}" if words else ""

    def _note(self, path: Path, masks: str) -> str:
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
    right_width = FROM_WIDTH + SIZE_WIDTH + 5
    body = max(10, width - right_width - 1)
    depth = min(len(row.path), MAX_INDENT)
    marker = ("▾" if expanded else "▸") if expandable else "·"
    if len(row.path) == 1 and not expandable:
        marker = " "
    sign = (fit(row.sign, 1), SIGN_ROLES.get(row.sign, "accent"))
    indent = " " + "  " * (depth - 1)
    name_width = max(18, min(36, body // 2 + 1))
    # One cell stays free between the longest name and what it says.
    room = max(6, name_width - 2 - len(indent) - 2)
    shape = f" {row.badge}" if row.badge else ""
    key = cut(row.key, max(3, room - cell_len(shape)))
    used = 1 + len(indent) + 2 + cell_len(key) + cell_len(shape)
    left: list[Span] = [
        sign,
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
    right: Spans = (
        ("│ ", "muted"),
        (providers_text(row.providers), "text"),
        (" │", "muted"),
        (fit_right(size, SIZE_WIDTH), "muted"),
    )
    return tuple(left), right
