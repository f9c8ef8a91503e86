"""Everything that is known about one path."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from engine.errors import EngineError
from engine.memory.overlay import provenance, providers
from engine.memory.references import find
from engine.memory.scope import SCOPES, Scope, initial
from engine.records import dataclass, replace
from engine.values import Json, JsonObject, dotted, get, is_addressable
from sftui.display import clean
from sftui.times import clock
from sftui.views.authorship import author_words, unknown_words
from sftui.views.blaming import last_change
from sftui.views.kinds import Path, View
from sftui.views.mentions import is_small, naming
from sftui.views.picture import Picture
from sftui.views.preview import badge, brief, gist, kind_words
from sftui.views.spans import Span, Spans
from sftui.views.units import human, human_tokens

# Composing what a deletion reveals is left out where more than so many values would have to be merged.
_MOST_COMPOSED: Final = 5_000
# References are looked for in this many values, and so many are listed.
_MOST_LOOKS: Final = 1_000
_MOST_LISTED: Final = 6
LAST_CHANGE: Final = "last change"


@dataclass(frozen=True, slots=True)
class Details:
    """One path in words. `facts` are label and text, in order; `title` is its full path."""

    title: str
    shape: str
    facts: tuple[tuple[str, str], ...]

    def to_json(self) -> JsonObject:
        """The details as data."""
        return {"path": self.title, "shape": self.shape, "facts": [[label, text] for label, text in self.facts]}

    def with_setter(self, label: str, words: str) -> Details:
        """The details with what is known of who set this, in place of the last change that was seen."""
        facts = tuple((label, words) if name == LAST_CHANGE else (name, text) for name, text in self.facts)
        return replace(self, facts=facts)

    def lines(self) -> list[Spans]:
        """Give one line for each fact."""
        told: list[Spans] = [((self.shape, "text"),)]
        for label, text in self.facts:
            style = _MARKS.get(label)
            if style is not None:
                told.append((style, (f" {text}", "text")))
            else:
                told.append(((f"{label} ", "muted"), (text, "text")))
        return told


_MARKS: Final[dict[str, Span]] = {
    "wins": ("✓", "good"),
    "references": ("→", "muted"),
    "owner": ("←", "accent"),
    "named": ("←", "muted"),
}


def details(picture: Picture, view: View, path: Path) -> Details:
    """Tell about `path` in `view`. Bounded work, whatever the sizes."""
    root = picture.memory.get(view, {})
    value = get(root, path, None)
    title = clean(dotted(view, path))
    shape = kind_words(value)
    size = picture.sizes.quick(value)
    if size is not None:
        shape += f" · {human(size)} · {human_tokens(size)}"
    facts: list[tuple[str, str]] = []
    dialect = picture.dialect
    if dialect is not None and path and path[0] in dialect.lazy:
        facts.append(("lazy", "not in context; an agent reads it when it needs it"))
    facts.append((LAST_CHANGE, _last_change(picture, view, path)))
    facts.extend(_provenance(picture, view, path))
    facts.extend(_owners(picture, view, path))
    facts.extend(_references(picture, view, path, value))
    odd = next((key for key in path if isinstance(key, str) and not is_addressable(key)), None)
    if odd is not None:
        facts.append(("not addressable", f"no read path can name the key {brief(odd, 40)}"))
    told, _ = gist(value, 400)
    if told and not (dialect is not None and path and path[0] in dialect.lazy):
        facts.append(("says", told))
    return Details(title, shape, tuple(facts))


def _provenance(picture: Picture, view: View, path: Path) -> Iterator[tuple[str, str]]:
    dialect = picture.dialect
    if dialect is None or not path or "effective" not in picture.memory:
        if picture.trouble is not None:
            yield "effective", clean(picture.trouble)
        return
    states = picture.states
    try:
        who, masked = providers(dialect, states, path)
    except EngineError as error:
        yield "effective", clean(error.message)
        return
    if view != "effective" and who and view != who[-1]:
        yield from _beside(picture, view, path, who)
        return
    for scope in reversed(who):
        stored = get(states[scope], path, None) if scope in states else None
        word = "wins" if scope == who[-1] else "merged in"
        here = f" {badge(stored)}" if stored is not None and badge(stored) else ""
        yield word, f"{initial(scope)} {scope}{here}" + (" (wins)" if scope == who[-1] else "")
    for layer in reversed(masked):
        yield "masked", f"{initial(layer.scope)} {layer.scope}: {_shape(layer.value)}"
    if who:
        yield f"deleting it in {who[-1]} reveals", _revealed(picture, path, who, len(masked))


def _beside(picture: Picture, view: View, path: Path, who: tuple[Scope, ...]) -> Iterator[tuple[str, str]]:
    """Tell, in the view of one scope, what a narrower one makes of its value."""
    winner = who[-1]
    shape = _shape(get(picture.states.get(winner, {}), path, None))
    told = f"{initial(winner)} {winner}" + (f" {shape}" if shape else "")
    if view in who:
        yield "effective", f"merged; where both say something, {told} wins"
    else:
        yield "effective", f"not this: {told} masks it"
        yield f"deleting it in {view} reveals", "nothing: what shows stays as it is"


def _shape(value: Json) -> str:
    return badge(value) or brief(value, 40)


def _revealed(picture: Picture, path: Path, who: tuple[Scope, ...], masked: int) -> str:
    """Say what shows once the winner's own value is gone."""
    if len(who) == 1 and masked == 0:
        return "nothing"
    if len(path) < 1 or picture.dialect is None:
        return "nothing"
    stored = [get(state, path, None) for state in picture.states.values()]
    if not all(is_small(value, _MOST_COMPOSED) for value in stored):
        return f"what {' and '.join(scope for scope in SCOPES if scope in who[:-1]) or 'a broader scope'} holds"
    try:
        found = provenance(picture.dialect, picture.states, path)
    except EngineError as error:
        return clean(error.message)
    for scope, value in found.revealed.items():
        return f"{scope} {_shape(value)}"
    return "nothing"


def _owners(picture: Picture, view: View, path: Path) -> Iterator[tuple[str, str]]:
    scopes: tuple[Scope, ...] = SCOPES if view == "effective" else (view,)
    for scope in scopes:
        claims = picture.claims.get(scope, ())
        if len(path) == 2 and path[0] == "intents":
            mine = [claim for claim in claims if claim.intent == path[1]]
            for claim in mine[:_MOST_LISTED]:
                ending = "" if claim.exists else " (dangling)"
                shared = f", shared with {', '.join(claim.shared_with)}" if claim.shared_with else ""
                yield "owns", clean(dotted(scope, claim.path)) + ending + clean(shared)
            if len(mine) > _MOST_LISTED:
                yield "owns", f"{len(mine) - _MOST_LISTED} more"
        for claim in claims:
            if claim.path and claim.path == path[: len(claim.path)]:
                yield "owner", f"{clean(dotted(scope, ('intents', claim.intent)))} owns it"


def _last_change(picture: Picture, view: View, path: Path) -> str:
    entry = last_change(picture, view, path)
    if entry is None:
        return f"unknown: {_known_changes(picture, None if view == 'effective' else view)}"
    when = unknown_words(aside=picture.aside) if entry.seen is None else f"seen {clock(entry.seen)}"
    return f"in {entry.short}, {when}, {author_words(entry.ours)}"


def _known_changes(picture: Picture, scope: Scope | None) -> str:
    """Say which changes there is any knowledge of, when none of them touched a path."""
    spans: list[str] = []
    for name in SCOPES if scope is None else (scope,):
        revisions = sorted({entry.revision for entry in picture.log if entry.scope == name})
        if revisions:
            first, last = revisions[0], revisions[-1]
            spans.append(f"{initial(name)}{first}" + (f"–{initial(name)}{last}" if last > first else ""))
    return f"not touched in {', '.join(spans)}, all that is known here" if spans else "no change is known here"


def _references(picture: Picture, view: View, path: Path, value: Json) -> Iterator[tuple[str, str]]:
    out: list[str] = []
    if is_small(value, _MOST_LOOKS):
        out = [mention.target for mention in find(value)]
    for target in list(dict.fromkeys(out))[:_MOST_LISTED]:
        yield "references", clean(target)
    if len(set(out)) > _MOST_LISTED:
        yield "references", f"{len(set(out)) - _MOST_LISTED} more"
    scopes: tuple[Scope, ...] = SCOPES if view == "effective" else (view,)
    if path in {claim.path for scope in scopes for claim in picture.claims.get(scope, ())}:
        return
    wanted = frozenset((*(dotted(scope, path) for scope in scopes), dotted("effective", path)))
    found = list(naming(picture.mentions, wanted, scopes))
    for scope, at in found[:_MOST_LISTED]:
        yield "named", f"{clean(dotted(scope, at))} names it"
    if len(found) > _MOST_LISTED:
        yield "named", f"{len(found) - _MOST_LISTED} more"
