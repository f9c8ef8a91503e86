"""An event as one line of JSON, and back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final, cast

from engine import values
from engine.errors import DecodeError
from engine.ledger.events import (
    Baseline,
    Composed,
    Event,
    FaultGone,
    FaultSeen,
    Gap,
    MadeHere,
    Retained,
    ScopeGone,
    TransitionSeen,
    Whole,
)
from engine.memory.stream import Boundary
from engine.records import maker
from engine.values.fast import library_pays
from engine.values.proof import prove

VERSION: Final = 1
# How much deeper a patch stands in an event than in its own file.
_ENVELOPE: Final = 8
# Numbers of an event itself are kept by sqlite, too.
WIDEST: Final = 1 << 63
LEAST: Final = -WIDEST


# The name of a complete state is the last of its line: what comes before it says all else.
_VALUE: Final = b',"value":'
_IS_WHOLE: Final = b',"event":"whole",'
# From this length on a line is looked at for being a complete state, and then so much of it for the rest.
_LONG: Final = 1 << 14
_HEAD: Final = 1 << 16

_new: Final = tuple.__new__
_retain: Final = maker(Retained)
_make_seen: Final = maker(TransitionSeen)


def to_line(event: Event) -> bytes:
    """Write an event as one line of JSON, its line end included."""
    return values.encode(_to_json(event)) + b"\n"


def to_whole_line(event: Whole, text: Iterable[bytes]) -> bytes:
    """The same for a complete state whose text, as `values.encode` writes it, is at hand."""
    head = values.encode(_to_json(event))[:-1]
    return b"".join((head, _VALUE, *text, b"}\n"))


def from_line(line: bytes, *, outline: bool = False, slice_bytes: int | None = None) -> Event | None:
    """Read a line back. None for one that this version does not understand: it is kept, and passed over.

    With `outline` a complete state may come without its value. `slice_bytes` is as in `values.decode`.
    """
    if outline and len(line) > _LONG and (whole := _outlined(line)) is not None:
        return whole
    depth = values.MAX_DEPTH + _ENVELOPE
    try:
        # What is odd about its numbers is nobody's business here, and telling it would take most of the time.
        at_once = slice_bytes is None or len(line) <= slice_bytes
        proved = prove(line, depth) if at_once and values.fast_paths() and library_pays(len(line)) else None
        value = values.decode(line, max_depth=depth, slice_bytes=slice_bytes).value if proved is None else proved.value
    except DecodeError:
        return None
    return _understood(value)


def glance(line: bytes) -> Event | None:
    """The same for whoever asks what an event is and not what numbers its patches hold: they may be rounded."""
    if not values.fast_paths():
        return from_line(line, outline=True)
    from orjson import loads

    if len(line) > _LONG and (whole := _outlined(line)) is not None:
        return whole
    try:
        event = _understood(loads(line))
    except ValueError:
        event = None
    # A number that was rounded may be the reason that nothing was understood.
    return from_line(line) if event is None else event


def _outlined(line: bytes) -> Whole | None:
    """What a line says of a complete state, without reading that; None for any other line."""
    end = line.find(_VALUE, 0, _HEAD)
    if end < 0 or line.find(_IS_WHOLE, 0, end) < 0 or not line.endswith(b"}}"):
        return None
    event = from_line(line[:end] + b"}")
    return event if isinstance(event, Whole) else None


def _understood(value: values.Json) -> Event | None:
    if not values.is_object(value) or value.get("v") != VERSION:
        return None
    try:
        return _from_json(value)
    except (KeyError, TypeError, ValueError, OverflowError):
        return None


def _boundary_json(boundary: Boundary) -> values.JsonObject:
    return {"id": boundary.id, "position": boundary.position, "parent": boundary.parent}


def _retained_json(transition: Retained) -> values.JsonObject:
    told: dict[str, values.Json] = {
        "revision": transition.revision,
        "boundary": _boundary_json(transition.boundary),
        "hash": transition.hash,
        "patch": transition.patch,
    }
    if transition.inverse is not None:
        told["inverse"] = transition.inverse
    if transition.session is not None:
        told["session"] = transition.session
    if transition.grew is not None:
        told["grew"] = dict(transition.grew)
    return told


def _to_json(event: Event) -> values.JsonObject:
    head: dict[str, values.Json] = {"v": VERSION, "seen": event.seen}
    match event:
        case Baseline():
            tail = [_retained_json(transition) for transition in event.tail]
            return head | {
                "event": "baseline",
                "written": event.written,
                "scope": event.scope,
                "address": event.address,
                "revision": event.revision,
                "boundary": _boundary_json(event.boundary),
                "tail": tail,
            }
        case TransitionSeen():
            return (
                head
                | {"event": "transition", "written": event.written}
                | {"scope": event.scope, "address": event.address}
                | dict(_retained_json(event.transition))
            )
        case MadeHere():
            changes: list[values.Json] = [
                {"scope": scope, "address": address, "revision": revision, "hash": digest}
                for scope, address, revision, digest in event.changes
            ]
            return head | {"event": "made-here", "boundary": _boundary_json(event.boundary), "changes": changes}
        case Gap():
            return head | {
                "event": "gap",
                "written": event.written,
                "scope": event.scope,
                "address": event.address,
                "reason": event.reason,
                "first": event.first,
                "last": event.last,
                "boundary": _boundary_json(event.boundary),
            }
        case ScopeGone():
            return head | {
                "event": "scope-gone",
                "scope": event.scope,
                "address": event.address,
                "revision": event.revision,
            }
        case Whole():
            told = head | {
                "event": "whole",
                "scope": event.scope,
                "address": event.address,
                "revision": event.revision,
                "boundary": _boundary_json(event.boundary),
            }
            return told if event.value is None else told | {"value": event.value}
        case Composed():
            return head | {"event": "composed", "address": event.address, "revisions": dict(event.revisions)}
        case FaultSeen():
            return head | {
                "event": "fault",
                "place": event.place,
                "code": event.code,
                "file": event.file,
                "line": event.line,
                "column": event.column,
                "reason": event.reason,
            }
        case FaultGone():
            return head | {"event": "fault-gone", "place": event.place, "code": event.code, "file": event.file}


def _from_json(value: values.JsonObject) -> Event | None:
    seen = _number(value["seen"])
    match value["event"]:
        case "baseline":
            return Baseline(
                seen,
                _integer(value["written"]),
                _text(value["scope"]),
                _text(value["address"]),
                _integer(value["revision"]),
                _boundary(value["boundary"]),
                tuple(_retained(_object(entry)) for entry in _array(value["tail"])),
            )
        case "transition":
            return _transition(seen, value)
        case "made-here":
            changes = [_object(change) for change in _array(value["changes"])]
            return MadeHere(
                seen,
                _boundary(value["boundary"]),
                tuple(
                    (
                        _text(change["scope"]),
                        _text(change["address"]),
                        _integer(change["revision"]),
                        _text(change["hash"]),
                    )
                    for change in changes
                ),
            )
        case "gap":
            return Gap(
                seen,
                _integer(value["written"]),
                _text(value["scope"]),
                _text(value["address"]),
                _text(value["reason"]),
                _integer(value["first"]),
                _integer(value["last"]),
                _boundary(value["boundary"]),
            )
        case "scope-gone":
            return ScopeGone(seen, _text(value["scope"]), _text(value["address"]), _integer(value["revision"]))
        case "whole":
            return Whole(
                seen,
                _text(value["scope"]),
                _text(value["address"]),
                _integer(value["revision"]),
                _boundary(value["boundary"]),
                _object(value["value"]) if "value" in value else None,
            )
        case "composed":
            return Composed(seen, _text(value["address"]), _counts(value["revisions"]))
        case "fault":
            line, column = value["line"], value["column"]
            return FaultSeen(
                seen,
                _text(value["place"]),
                _text(value["code"]),
                _text_or_none(value["file"]),
                None if line is None else _integer(line),
                None if column is None else _integer(column),
                _text(value["reason"]),
            )
        case "fault-gone":
            return FaultGone(seen, _text(value["place"]), _text(value["code"]), _text_or_none(value["file"]))
        case _:
            return None


def _transition(seen: float, value: Mapping[str, Any]) -> TransitionSeen:
    """The one event that comes a million times: looked at in one go."""
    written, scope, address, boundary = value["written"], value["scope"], value["address"], value["boundary"]
    revision, digest, patch, inverse = value["revision"], value["hash"], value["patch"], value.get("inverse")
    session, grew = value.get("session"), value.get("grew")
    if inverse is not None or "inverse" in value:
        _object(inverse)
    if grew is not None:
        _counts(grew)
    # Of what is no object this cannot be had: a TypeError.
    name, position, parent = boundary["id"], boundary["position"], boundary["parent"]
    if (
        type(written) is int
        and type(scope) is str
        and type(address) is str
        and type(revision) is int
        and type(digest) is str
        and (type(session) is str or session is None)
        and values.is_object(patch)
        and type(name) is str
        and type(position) is int
        and (type(parent) is str or parent is None)
        and LEAST <= written < WIDEST
        and LEAST <= revision < WIDEST
        and LEAST <= position < WIDEST
    ):
        at = _new(Boundary, (name, position, parent))
        return _make_seen(seen, written, scope, address, _retain(revision, at, digest, patch, inverse, session, grew))
    raise TypeError


def _retained(value: values.JsonObject) -> Retained:
    return Retained(
        _integer(value["revision"]),
        _boundary(value["boundary"]),
        _text(value["hash"]),
        _object(value["patch"]),
        _object(value["inverse"]) if "inverse" in value else None,
        _text_or_none(value.get("session")),
        None if value.get("grew") is None else _counts(value["grew"]),
    )


def _boundary(value: values.Json) -> Boundary:
    members = _object(value)
    return Boundary(_text(members["id"]), _integer(members["position"]), _text_or_none(members["parent"]))


def _object(value: values.Json) -> values.JsonObject:
    if not values.is_object(value):
        raise TypeError
    return value


def _counts(value: values.Json) -> Mapping[str, int]:
    counts = _object(value)
    for count in counts.values():
        if type(count) is not int or not LEAST <= count < WIDEST:
            raise TypeError
    return cast("Mapping[str, int]", counts)


def _array(value: values.Json) -> values.JsonArray:
    if not values.is_array(value):
        raise TypeError
    return value


def _text(value: values.Json) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value


def _text_or_none(value: values.Json) -> str | None:
    return None if value is None else _text(value)


def _integer(value: values.Json) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not LEAST <= value < WIDEST:
        raise TypeError
    return value


def _number(value: values.Json) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise TypeError
    return float(value)
