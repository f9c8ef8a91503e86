"""Values as a reader of their canonical text has them: the order of members, the kind of numbers."""

from __future__ import annotations

from engine.values.decode import decode
from engine.values.encode import encode
from engine.values.fast import fast_paths, library_pays
from engine.values.paths import utf16_order
from engine.values.types import Json, JsonObject, is_array, is_object


def as_read(value: Json, text: bytes) -> Json:
    """What decoding `text` gives, which is known to be the canonical text of `value`: that itself where it is the same."""
    if fast_paths() and library_pays(len(text)):
        import orjson

        try:
            if orjson.dumps(value) == text:
                return value
        except (TypeError, RecursionError):
            pass
    read = decode(text).value
    return value if _is_spelled_alike(value, read) else read


def _is_spelled_alike(value: Json, read: Json) -> bool:
    """Whether two equal values have their members in the same order and their numbers of the same kind."""
    pending = [(value, read)]
    while pending:
        one, other = pending.pop()
        if is_object(one) and is_object(other):
            if list(one) != list(other):
                return False
            pending.extend(zip(one.values(), other.values(), strict=True))
        elif is_array(one) and is_array(other):
            pending.extend(zip(one, other, strict=True))
        elif type(one) is not type(other):
            return False
    return True


def settled(value: JsonObject) -> JsonObject:
    """A value as it is after it was written and read again."""
    read = decode(encode(value)).value
    assert is_object(read)
    return read


def arranged(value: Json, patch: Json) -> Json:
    """`value`, in canonical order but for what `patch` has just put into it, in canonical order throughout.

    Only containers along the patch are looked at, and those in order already stay the same objects.
    """
    if is_object(value) and is_object(patch):
        members: dict[str, Json] | None = None
        for key, change in patch.items():
            if key not in value:
                continue
            old = value[key]
            new = arranged(old, change)
            if new is not old:
                members = dict(value) if members is None else members
                members[key] = new
        found: JsonObject = value if members is None else members
        ordered = utf16_order(found)
        return found if list(found) == ordered else {key: found[key] for key in ordered}
    if isinstance(value, float) or is_object(value) or (is_array(value) and not all(map(_is_plain, value))):
        return decode(encode(value)).value
    return value


def _is_plain(item: Json) -> bool:
    return not (isinstance(item, float) or is_object(item) or is_array(item))
