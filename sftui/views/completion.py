"""What could be written next in a patch: scopes, planes, the keys that are there, the value that stands there."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from engine.memory.scope import SCOPES
from engine.records import dataclass
from engine.values import Json, decode, get, is_array, is_object, pretty
from engine.values.text import escape_surrogates
from engine.values.types import KeyPath
from sftui.commands.jsontext import safe_for_terminal
from sftui.views.kinds import Path, View
from sftui.views.picture import Picture
from sftui.views.targets import scope_names, writable
from sftui.views.typed import literal

# So many offers are listed.
SHOWN: Final = 12
# A value longer than this is not written in by completing.
_MOST_WRITTEN: Final = 20_000

_STRING: Final = re.compile(r'"(?:[^"\\\n]|\\.)*("?)')
_BARE: Final = re.compile(r"[A-Za-z_$\[][A-Za-z0-9_$\-\[\]]*\Z")


@dataclass(frozen=True, slots=True)
class Completion:
    """Put `text` in the place of what stands from `start` to `end`; '' for nothing. `offers` are what it could be."""

    start: int
    end: int
    text: str
    title: str = ""
    offers: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Spot:
    """Where in the text somebody writes: in the object at `path`, a key or the value of `key`.

    `written` is what stands there already, from `start` on.
    """

    path: KeyPath
    key: str | None
    written: str
    start: int
    keys: tuple[str, ...] = ()


def spot(text: str, at: int) -> Spot | None:
    """Find where `at` is in a text that need not be whole yet; None inside an array or behind a value."""
    frames: list[_Frame] = []
    position = 0
    while position < at:
        character = text[position]
        if character == '"':
            match = _STRING.match(text, position)
            end = at if match is None else match.end()
            closed = match is not None and bool(match[1])
            if end > at or (not closed and end >= at) or match is None:
                return _spot(frames, text[position + 1 : at], position)
            if frames:
                frames[-1].string(_unquoted(text[position:end]))
            position = end
            continue
        if character == "{":
            frames.append(_Frame("{", frames[-1].key if frames else None))
        elif character == "[":
            # Behind a comma or at the beginning of an object it begins a key without quotes.
            if frames and frames[-1].kind == "{" and frames[-1].at_key:
                break
            frames.append(_Frame("[", frames[-1].key if frames else None))
        elif character in "}]" and frames:
            frames.pop()
            if frames:
                frames[-1].done()
        elif character == ":" and frames:
            frames[-1].at_key = False
        elif character == "," and frames:
            frames[-1].next()
        position += 1
    bare = _BARE.search(text[:at])
    start = at if bare is None else bare.start()
    return _spot(frames, text[start:at], start)


class _Frame:
    """An object or array that is open at some place of the text."""

    def __init__(self, kind: str, name: str | None) -> None:
        self.kind = kind
        self.name = name
        self.key: str | None = None
        self.keys: list[str] = []
        self.at_key = kind == "{"
        self.full = False

    def string(self, text: str) -> None:
        if self.kind == "{" and self.at_key:
            self.key = text
            self.keys.append(text)
        else:
            self.full = True

    def done(self) -> None:
        self.full = True

    def next(self) -> None:
        self.at_key, self.key, self.full = self.kind == "{", None, False


def _spot(frames: list[_Frame], written: str, start: int) -> Spot | None:
    if not frames or frames[-1].kind != "{" or frames[-1].full or any(frame.kind == "[" for frame in frames):
        return None
    path = tuple(frame.name for frame in frames[1:] if frame.name is not None)
    here = frames[-1]
    return Spot(path, None if here.at_key else here.key, written, start, tuple(here.keys))


def _unquoted(text: str) -> str:
    value = decode(escape_surrogates(text).encode("utf-8")).value
    return value if isinstance(value, str) else ""


def skeleton(picture: Picture, view: View, row: Path) -> tuple[str, int]:
    """Give the beginning of a patch beside a row, and where to go on in it."""
    names: list[str] = []
    scope = next((one for one in SCOPES if one == view), None)
    if scope is None:
        able = writable(picture)
        scope = able[0] if able else "cwd"
    for key in row[:-1] if len(row) > 1 else row:
        if isinstance(key, int):
            break
        names.append(key)
    steps = [scope, *names]
    opening = "{\n"
    for depth, name in enumerate(steps, 1):
        opening += "  " * depth + f"{literal(name)}: {{\n"
    opening += "  " * (len(steps) + 1)
    closing = "".join("\n" + "  " * depth + "}" for depth in range(len(steps), -1, -1))
    return opening + closing, len(opening)


def complete(picture: Picture, text: str, at: int) -> Completion:
    """Say what Tab would write at `at`."""
    here = spot(text, at)
    if here is None:
        return Completion(at, at, "")
    if here.key is not None:
        return _value(picture, here, text, at)
    known = [key for key in _keys(picture, here.path) if key not in here.keys]
    found = [key for key in known if key.startswith(here.written)]
    title = ("scopes", "planes")[len(here.path)] if len(here.path) < 2 else "keys"
    offers = tuple(found[:SHOWN]) + (("…",) if len(found) > SHOWN else ())
    if not found:
        return Completion(at, at, "", title, tuple(known[:SHOWN]))
    shared = _shared(found)
    if len(found) == 1:
        return Completion(here.start, _end(text, at), f"{literal(shared)}: ")
    if len(shared) > len(here.written):
        # Still open: the next letter goes on from here.
        return Completion(here.start, at, literal(shared)[:-1], title, offers)
    return Completion(at, at, "", title, offers)


def _end(text: str, at: int) -> int:
    """Give where the key that is being written ends: its quote and colon are there already, maybe."""
    match = re.compile(r'"?(?:\s*:[ ]?)?').match(text, at)
    return at if match is None else match.end()


def _keys(picture: Picture, path: KeyPath) -> tuple[str, ...]:
    """Give the keys that are known to go into the object at `path`, the scope first."""
    dialect = picture.dialect
    if not path:
        return scope_names(picture)
    if dialect is None or len(path) == 1:
        return () if dialect is None else dialect.patchable
    value = _at(picture, path)
    if is_object(value):
        return tuple(value)
    return tuple(f"[{index}]" for index in range(len(value))) if is_array(value) else ()


def _at(picture: Picture, path: KeyPath) -> Json:
    """Give what stands at a path of a patch, where `[N]` keys select elements."""
    node: Json = {scope: state for scope, state in picture.states.items()}  # noqa: C416
    for key in path:
        if is_array(node) and isinstance(key, str) and key[1:-1].isdigit():
            node = get(node, (int(key[1:-1]),), None)
        else:
            node = get(node, (key,), None)
    return node


def _value(picture: Picture, here: Spot, text: str, at: int) -> Completion:
    """Write in the value that stands there, to be changed."""
    assert here.key is not None
    value = _at(picture, (*here.path, here.key))
    if here.written or text[here.start : at].strip():
        return Completion(at, at, "")
    if len(here.path) < 2:
        return Completion(at, at, "{}") if _is_free(text, at) else Completion(at, at, "")
    if value is None or not _is_free(text, at):
        return Completion(at, at, "")
    written = pretty(value) if is_object(value) or is_array(value) else literal(value)
    if len(written) > _MOST_WRITTEN:
        return Completion(at, at, "", "too long to be written in:", (f"{len(written):,} characters",))
    lead = text[text.rfind("\n", 0, at) + 1 : at]
    indent = lead[: len(lead) - len(lead.lstrip())]
    return Completion(at, at, safe_for_terminal(written).replace("\n", f"\n{indent}"))


def _is_free(text: str, at: int) -> bool:
    return text[at:].lstrip()[:1] in {"", "}", ","}


def _shared(keys: Sequence[str]) -> str:
    """Give what all keys begin with."""
    first, last = min(keys), max(keys)
    length = next(
        (index for index, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), min(len(first), len(last))
    )
    return first[:length]
