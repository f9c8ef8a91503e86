"""How one value became another, on a part of a line: what differs is what is shown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from engine.values import Json, is_array, is_object, same
from sftui.display import one_line
from sftui.views.inner import common
from sftui.views.preview import brief, key_text, scalar

# Members named of a structure that became another, and how many are compared at all.
_NAMED: Final = 4
_COMPARED: Final = 200
_NAME: Final = 30
# What is told of a long text before the part that differs.
_BEFORE: Final = 8
# So far back a word is looked for that it can begin with.
_WORD: Final = 12


def became(old: Json, new: Json, limit: int) -> str:
    """Give both values in at most about `limit` characters each, cleaned: of long texts the part that differs."""
    if isinstance(old, str) and isinstance(new, str):
        return " → ".join(beside((old, new), limit))
    told = f"{brief(old, limit)} → {brief(new, limit)}"
    names = list(_members(old, new))
    if not names:
        return told
    more = f" and {len(names) - _NAMED:,} more" if len(names) > _NAMED else ""
    return f"{told}  {', '.join(names[:_NAMED])}{more}"


def beside(values: Sequence[Json], limit: int) -> list[str]:
    """Give values that stand beside each other, each in at most about `limit` characters; texts where they differ."""
    texts = [value for value in values if isinstance(value, str)]
    if len(texts) < len(values) or max(map(len, texts), default=0) <= limit:
        return [brief(value, limit) for value in values]
    start = min(_apart(texts[0], text) for text in texts[1:]) if len(texts) > 1 else 0
    return [_from(text, start, limit) for text in texts]


def _apart(old: str, new: str) -> int:
    """Where two texts begin to be told from: a little before they differ."""
    at = max(0, common(old, new, min(len(old), len(new))) - _BEFORE)
    word = old.rfind(" ", 0, at) + 1
    return word if at - word <= _WORD else at


def _from(text: str, start: int, limit: int) -> str:
    return f"{'…' if start else ''}{scalar(text[start:], limit)[0]}"


def _members(old: Json, new: Json) -> Iterator[str]:
    """The members that came (+), went (-) or are others (~); of arrays of one length the places that are."""
    if is_object(old) and is_object(new):
        if len(old) + len(new) > _COMPARED:
            return
        for key in {**old, **new}:
            sign = "+" if key not in old else "-" if key not in new else "~"
            if sign != "~" or not same(old[key], new[key]):
                yield f"{sign} {one_line(key_text(key), _NAME)}"
    elif is_array(old) and is_array(new) and len(old) == len(new) <= _COMPARED:
        for index in range(len(old)):
            if not same(old[index], new[index]):
                yield f"~ {key_text(index)}"
