"""Which scope an edit of a row is an edit of, and what there is to choose between."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from engine.errors import EngineError
from engine.memory.dialect import RESPONSE
from engine.memory.draft import PreImage
from engine.memory.gathering import array_of, pre_image
from engine.memory.overlay import providers
from engine.memory.ownership import INTENTS, Claim
from engine.memory.scope import SCOPES, Scope
from engine.records import dataclass
from engine.values import Json, JsonObject, dotted, get, has, is_array, is_object
from sftui.display import clean
from sftui.views.kinds import Path, View
from sftui.views.picture import Picture
from sftui.views.preview import badge, brief, key_text
from sftui.views.spans import Spans

if TYPE_CHECKING:
    from sftui.views.staging import Staging


@dataclass(frozen=True, slots=True)
class Target:
    """A row as something of one scope, when a key was pressed.

    `path` is its place there, `row` the row; `value` what the scope holds after the draft, `before` what it held without.
    `state` is all that the scope held then: in it an element is told from its neighbours.
    """

    scope: Scope
    path: Path
    row: Path
    value: Json
    before: PreImage
    state: JsonObject | None = None

    @property
    def name(self) -> str:
        """Its full path, to be shown."""
        return clean(dotted(self.scope, self.path))


class Refused(Exception):
    """A row that cannot be edited so, and why, in a sentence."""


# An offer: the key that takes it, what it does, what else is to know.
Offer = tuple[str, str, str]


@dataclass(frozen=True, slots=True)
class Question:
    """Something to be decided first. `start` is the offer that can do least harm, None where none is to go by itself."""

    title: str
    about: tuple[Spans, ...]
    offers: tuple[Offer, ...]
    start: int | None = 0


def then(picture: Picture, staging: Staging | None) -> Picture:
    """Give the picture with the draft carried out: the next step begins there."""
    return picture if staging is None else staging.picture


def target(picture: Picture, staging: Staging | None, view: View, row: Path) -> Target:
    """Find the scope that a row is edited in: of the effective view the narrowest that provides it.

    Raises Refused.
    """
    after = then(picture, staging)
    if after.dialect is None or not row:
        raise Refused("There is nothing here that could be changed")
    if row[0] == RESPONSE:
        raise Refused("The answer belongs to the runtime: it cannot be changed")
    over = None if staging is None else staging.overlaid.get(view)
    if over is not None and not over.stays(row):
        taker = None if staging is None else staging.taker(view, row)
        if taker is not None:
            raise Refused(f"It goes with intents.{key_text(taker)}, which the draft deletes")
        to = "" if staging is None else staging.moves.to(view, row)
        raise Refused(f"The draft moves it to {to}: edit it there" if to else "The draft deletes it already")
    scope = _scope(after, view, row)
    path = stored(after.states.get(scope, {}), row)
    if path is None:
        raise Refused(f"{clean(dotted(view, row))} is not there now")
    value = get(after.states[scope], path, None)
    # An element is the one that is seen, wherever the draft has moved it; what it stands in is told by its array.
    before = pre_image(picture.states if array_of(path) is None else after.states, scope, path)
    return Target(scope, path, row, value, before, after.states[scope])


def _scope(after: Picture, view: View, row: Path) -> Scope:
    if view != "effective":
        return view
    assert after.dialect is not None
    try:
        who, _ = providers(after.dialect, after.states, row)
    except EngineError as error:
        raise Refused(clean(error.message)) from None
    if not who:
        raise Refused(f"{clean(dotted(view, row))} is not there now")
    return who[-1]


def stored(state: JsonObject, row: Path) -> Path | None:
    """Give the path of a row in what a scope stores: a scope may hold a selection `[N]` of an array below it."""
    node: Json = state
    path: list[str | int] = []
    for key in row:
        name = f"[{key}]" if isinstance(key, int) and is_object(node) else key
        if not has(node, (name,)):
            return None
        node = get(node, (name,))
        path.append(name)
    return tuple(path)


def writable(picture: Picture) -> tuple[Scope, ...]:
    """Give the scopes that can be written, the one that is safest to write to first."""
    snapshot = picture.snapshot
    if snapshot is None:
        return ()
    readable = {scope for scope, reading in snapshot.scopes.items() if reading.status in {"healthy", "absent"}}
    return tuple(scope for scope in _SAFEST if scope in readable)


_SAFEST: Final[tuple[Scope, ...]] = ("cwd", "global", "session")


def session_warning(picture: Picture) -> tuple[Spans, ...]:
    """Say what a write to the session does to its agent."""
    runtime = None if picture.snapshot is None else picture.snapshot.runtime
    lines: list[Spans] = [
        (
            ("A session belongs to its agent. ", "strong"),
            ("After a write there the agent's next publication fails once; ", "text"),
            ("selecting its mode again accepts the new memory.", "text"),
        )
    ]
    if runtime is not None and runtime.specification is not None:
        lines.append(
            (("Its run is unfinished: ", "warn"), ("the review refuses the write unless it is forced.", "text"))
        )
    return tuple(lines)


def where_to_put(picture: Picture, found: Target, word: str) -> Question:
    """Ask where a value of the session is to be written: cwd comes first, and goes by itself nowhere it has no effect."""
    scopes = writable(picture)
    if is_object(found.value):
        effect = "shows only in keys that the session does not hold"
        told = "What is put into a broader scope shows only in keys that the session itself does not hold."
    else:
        effect = "no effect: the session's own value shows"
        told = f"In a broader scope it has no effect: the session's own {_short(found.value)} shows."
    offers: list[Offer] = []
    if "cwd" in scopes:
        offers.append(("1", "put it in cwd instead", effect))
    offers.append(("2", f"{word} it in the session", ""))
    if "global" in scopes:
        offers.append(("3", "put it in global", effect))
    return Question(f"{word} {found.name}", (*session_warning(picture), ((told, "text"),)), tuple(offers), None)


def which_to_delete(picture: Picture, after: Picture, found: Sequence[Target]) -> Question:
    """Ask before something is deleted from a session."""
    own = [one for one in found if one.scope == "session"]
    others = len(found) - len(own)
    if len(found) == 1:
        title, them, stay = f"delete {own[0].name}", "it", "keep it"
    else:
        title = f"delete {len(found)} rows, {len(own)} of them the session's"
        them, stay = "them", f"delete only the other {others}" if others else "keep them"
    if len(found) == 1 and (below := _below_session(after, found[0])) is not None:
        scope, value = below
        shows = f"then {scope}'s {_short(value)} shows"
        if scope in writable(picture):
            instead = f"{scope}'s {_short(value)}; the session's stays, and shows"
            offers = (("1", f"delete it in {scope} instead", instead), ("2", "delete it in the session", shows))
        else:
            offers = (("1", stay, ""), ("2", "delete it in the session", shows))
    else:
        offers = (("1", stay, ""), ("2", f"delete {them} in the session", ""))
    return Question(title, session_warning(picture), offers)


def instead_of_session(picture: Picture, after: Picture, found: Target) -> Target | None:
    """Give what lies below a key of the session, to be deleted in its place."""
    below = _below_session(after, found)
    if below is None:
        return None
    scope, value = below
    return Target(scope, found.row, found.row, value, pre_image(picture.states, scope, found.row))


def _below_session(after: Picture, found: Target) -> tuple[Scope, Json] | None:
    # An element of an array has no counterpart in another one.
    if all(isinstance(key, str) for key in found.row):
        for scope in ("cwd", "global"):
            if has(after.states.get(scope, {}), found.row):
                return scope, get(after.states[scope], found.row)
    return None


def may_touch_session(picture: Picture, title: str, word: str) -> Question:
    """Ask before something of a session is changed that has no counterpart elsewhere."""
    offers = (("1", "leave it as it is", ""), ("2", f"{word} it in the session", ""))
    return Question(title, session_warning(picture), offers)


def where_to_move(picture: Picture, found: Sequence[Target]) -> Question:
    """Ask where to move or copy rows to. A digit always means the same, whatever else can be done.

    The cursor begins on what leaves a session as it is.
    """
    from_session = any(one.scope == "session" for one in found)
    others = {scope for scope in writable(picture) if any(one.scope != scope for one in found)}
    offers: list[Offer] = []
    start = 0
    for number, (word, scope) in enumerate(((word, scope) for word in ("move", "copy") for scope in SCOPES), 1):
        if scope not in others:
            continue
        writes = scope == "session" or (from_session and word == "move")
        # Of several the one that is safest to write to.
        if (word, scope) == ("copy" if from_session else "move", next(one for one in _SAFEST if one in others)):
            start = len(offers)
        offers.append((str(number), f"{word} to {scope}", "writes to the session" if writes else ""))
    if len(found) == 1:
        offers.append((str(2 * len(SCOPES) + 1), "move to another path", ""))
    name = found[0].name if len(found) == 1 else f"{len(found)} rows"
    about = session_warning(picture) if from_session or "session" in others else ()
    return Question(f"move or copy {name}", about, tuple(offers), start)


def owned_by(after: Picture, found: Sequence[Target]) -> tuple[Claim, ...]:
    """Give what there is of what whole intents own; () for anything else."""
    whole = {(one.scope, one.path[1]) for one in found if len(one.path) == 2 and one.path[0] == INTENTS}
    scopes = dict.fromkeys(scope for scope, _ in whole)
    claims = ((scope, claim) for scope in scopes for claim in after.claims.get(scope, ()))
    return tuple(claim for scope, claim in claims if claim.exists and (scope, claim.intent) in whole)


def take_along(found: Target | None, along: Sequence[Claim]) -> Question:
    """Ask whether what an intent owns goes along; taking it is the first answer: it loses nothing."""
    about: list[Spans] = []
    own = [claim.path for claim in along if not claim.shared_with]
    if own:
        about.append((("owns ", "text"), (_some(own), "strong")))
    shared = [claim.path for claim in along if claim.shared_with]
    if shared:
        others = sorted({other for claim in along for other in claim.shared_with})
        told = f", which stays as well: it is named by {_some([(INTENTS, other) for other in others])}, too"
        about.append((("shares ", "text"), (_some(shared), "strong"), (told, "text")))
    take = "take along what it owns" if own else "take a copy of it along"
    rest = "it would own it no longer" if own else "it would name it no longer"
    return Question(
        "move intents" if found is None else f"move {found.name}",
        tuple(about),
        (("1", take, ""), ("2", "leave that where it is", rest)),
    )


def _some(paths: Sequence[Path]) -> str:
    return ", ".join(clean(dotted("", path)) for path in paths[:3]) + (", …" if len(paths) > 3 else "")


def naming_count(picture: Picture, found: Sequence[Target]) -> int:
    """Count the known references to places and to what is inside."""
    names = {dotted(one.scope, one.path) for one in found}
    count = 0
    for index in picture.mentions.values():
        for text, places in index.places.items():
            ends = (*(at for at, sign in enumerate(text) if sign in ".["), len(text))
            if any(text[:end] in names for end in ends):
                count += len(places)
    return count


def rewrite_references(found: Target | None, count: int) -> Question:
    """Ask whether references follow what moves; that they do is the first answer."""
    about: Spans = (
        (
            f"{count:,} reference{'s' if count != 1 else ''} to what moves {'are' if count != 1 else 'is'} known.",
            "text",
        ),
    )
    return Question(
        "references" if found is None else f"references to {found.name}",
        (about,),
        (("1", "rewrite them along", ""), ("2", "leave them as they are", "they would lead nowhere")),
    )


def lazy_path(picture: Picture, path: Path) -> Path | None:
    """Give the place in lazy memory that a path goes to; None if it is there already."""
    dialect = picture.dialect
    if dialect is None or not path or path[0] in dialect.lazy or any(isinstance(key, int) for key in path):
        return None
    return ("lazy", *path[1:]) if len(path) > 1 else None


def parent_for_new(picture: Picture, view: View, row: Path | None, *, expanded: bool) -> Path:
    """Give the row that a new key goes into: an object or array that is open, else what holds the row."""
    if row is None:
        return ()
    value = get(picture.memory.get(view, {}), row, None)
    if len(row) == 1 or (expanded and (is_object(value) or is_array(value))):
        return row
    return row[:-1]


def scope_names(picture: Picture) -> tuple[Scope, ...]:
    """Give the scopes that are open, broadest first."""
    able = writable(picture)
    return tuple(scope for scope in SCOPES if scope in able)


def _short(value: Json) -> str:
    return badge(value) or brief(value, 30)
