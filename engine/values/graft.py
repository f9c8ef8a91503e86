"""`merge` for the patches that most are: members set or removed, with nothing to report and nothing to look into."""

from __future__ import annotations

from typing import Final

from engine.values.types import Json, JsonObject, same

_SCALARS: Final = frozenset({str, int, float, bool})
_NOTHING: Final[dict[str, Json]] = {}


def graft(base: JsonObject, patch: JsonObject) -> JsonObject | None:
    """The value of `merge(base, patch)`, or None where only that can tell.

    An answer also says that the patch brought no null and no empty object into the value, and left none behind.
    """
    if type(base) is not dict or type(patch) is not dict:
        return None
    result: dict[str, Json] | None = None
    for key, wanted in patch.items():
        known = key in base
        if wanted is None:
            if not known:
                if base is _NOTHING:
                    return None
                continue
            if result is None:
                result = dict(base)
            del result[key]
            continue
        if not known and key[:1].isdigit():
            return None  # where a new index stands among the members is for the slow way to say
        new: Json
        if type(wanted) is dict:
            grown = graft(base[key] if known else _NOTHING, wanted) if wanted else None
            if grown is None:
                return None
            new = grown
        elif type(wanted) in _SCALARS or (type(wanted) is list and all(type(item) in _SCALARS for item in wanted)):
            new = base[key] if known and same(base[key], wanted) else wanted
        else:
            return None
        if not known or new is not base[key]:
            if result is None:
                result = dict(base)
            result[key] = new
    if result is None:
        return base
    return result or None
