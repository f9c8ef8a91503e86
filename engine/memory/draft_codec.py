"""A draft as plain JSON, for whoever keeps it."""

from __future__ import annotations

from typing import Final

from engine.errors import InvalidRequest
from engine.memory.draft import Draft, Operation, PreImage, Put, Raw, Remove, Seen, Step, Transfer
from engine.memory.scope import Scope, is_scope
from engine.records import replace
from engine.values import Json, JsonObject, KeyPath, get, has, is_array, is_object

VERSION: Final = 1


def to_json(draft: Draft) -> JsonObject:
    """The draft in plain JSON; `encode` writes it without losing a digit."""
    return {"version": VERSION, "steps": [_step(step) for step in draft.steps]}


def from_json(value: Json) -> Draft:
    """The draft that `to_json` made the value of; raises InvalidRequest "bad-draft" or "draft-version"."""
    version = get(value, ("version",), None)
    if is_object(value) and version is not None and (isinstance(version, bool) or version != VERSION):
        raise InvalidRequest("draft-version", f"A draft of version {version!r} cannot be read here",
                             hint=f"This program reads version {VERSION}")  # fmt: skip
    if not is_object(value) or version is None:
        raise _bad("This is no draft", ())
    return Draft(tuple(_read_step(step, ("steps", index)) for index, step in enumerate(_list(value, ("steps",)))))


def _step(step: Step) -> JsonObject:
    told: JsonObject = {**_operation(step.operation), "ticked": step.ticked, "note": step.note}
    arrays = step.operation.arrays
    return {**told, "arrays": _seen(arrays)} if arrays else told


def _operation(operation: Operation) -> JsonObject:
    if isinstance(operation, Raw):
        return {"act": "patch", "patch": operation.patch, "before": _seen(operation.before)}
    place: JsonObject = {"scope": operation.scope, "path": list(operation.path), "before": _image(operation.before)}
    if isinstance(operation, Put):
        return {"act": "set", **place, "value": operation.value}
    if isinstance(operation, Remove):
        return {"act": "delete", **place}
    return {
        "act": "copy" if operation.keep else "move",
        **place,
        "to_scope": operation.to_scope,
        "to_path": list(operation.to_path),
        "there": _image(operation.there),
        "along": operation.along,
        "rewrite": operation.rewrite,
    }


def _seen(seen: Seen) -> list[Json]:
    return [{"scope": scope, "path": list(path), "before": _image(image)} for scope, path, image in seen]


def _image(image: PreImage) -> JsonObject:
    return {"value": image.value} if image.exists else {}


def _read_step(value: Json, at: KeyPath) -> Step:
    note = _member(value, at, "note")
    if not isinstance(note, str):
        raise _bad("The note is not a text", (*at, "note"))
    operation = _read_operation(value, at)
    if has(value, ("arrays",)):
        operation = replace(operation, arrays=_read_seen(value, at, "arrays"))
    return Step(operation, _flag(value, at, "ticked"), note)


def _read_operation(value: Json, at: KeyPath) -> Operation:
    act = _member(value, at, "act")
    if act == "patch":
        return _read_raw(value, at)
    scope, path = _scope(value, at, "scope"), _path(value, at, "path")
    before = _read_image(value, at, "before")
    if act == "set":
        return Put(scope, path, _member(value, at, "value"), before)
    if act == "delete":
        return Remove(scope, path, before)
    if not isinstance(act, str) or act not in {"move", "copy"}:
        raise _bad("This is no act of a draft", (*at, "act"))
    return Transfer(
        scope, path, _scope(value, at, "to_scope"), _path(value, at, "to_path"), before,
        _read_image(value, at, "there"), act == "copy", _flag(value, at, "along"), _flag(value, at, "rewrite"),
    )  # fmt: skip


def _read_raw(value: Json, at: KeyPath) -> Raw:
    patch = _member(value, at, "patch")
    if not is_object(patch):
        raise _bad("The patch is not an object", (*at, "patch"))
    return Raw(patch, _read_seen(value, at, "before"))


def _read_seen(value: Json, at: KeyPath, name: str) -> Seen:
    places = [((*at, name, index), place) for index, place in enumerate(_list(value, at, name))]
    return tuple(
        (_scope(place, here, "scope"), _path(place, here, "path"), _read_image(place, here, "before"))
        for here, place in places
    )


def _member(value: Json, at: KeyPath, name: str) -> Json:
    if not has(value, (name,)):
        raise _bad(f"It has no {name}", at)
    return get(value, (name,))


def _list(value: Json, at: KeyPath, name: str = "") -> list[Json]:
    found = get(value, at, None) if not name else _member(value, at, name)
    if not is_array(found):
        raise _bad("This is not an array", (*at, name) if name else at)
    return list(found)


def _scope(value: Json, at: KeyPath, name: str) -> Scope:
    found = _member(value, at, name)
    if not is_scope(found):
        raise _bad("This is no scope", (*at, name))
    return found


def _path(value: Json, at: KeyPath, name: str) -> KeyPath:
    found: list[str | int] = []
    for index, key in enumerate(_list(value, at, name)):
        if not isinstance(key, str) and (isinstance(key, bool) or not isinstance(key, int) or key < 0):
            raise _bad("This is neither a key nor an index", (*at, name, index))
        found.append(key)
    return tuple(found)


def _flag(value: Json, at: KeyPath, name: str) -> bool:
    found = _member(value, at, name)
    if not isinstance(found, bool):
        raise _bad("This is neither true nor false", (*at, name))
    return found


def _read_image(value: Json, at: KeyPath, name: str) -> PreImage:
    found = _member(value, at, name)
    if not is_object(found):
        raise _bad("This does not say what stood there", (*at, name))
    return PreImage(exists=True, value=found["value"]) if "value" in found else PreImage(exists=False)


def _bad(message: str, at: KeyPath) -> InvalidRequest:
    where = "".join(f"[{key}]" if isinstance(key, int) else f".{key}" for key in at).removeprefix(".")
    return InvalidRequest("bad-draft", message, path=where or None, kept="the draft's file is as it was")
