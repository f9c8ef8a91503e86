"""What changed inside a long text or an array: the few lines that differ, whatever the size of the rest."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, TypeVar

from engine.values import Json, changes, dotted, encode, is_array, is_object
from sftui.display import clean, one_line
from sftui.views.aligning import alike_at_ends
from sftui.views.preview import brief

# Lines shown of one value; the rest is counted.
SHOWN: Final = 12
# Texts and arrays in whose differing middle there are more lines or items are not lined up, only shown one after the other.
_ALIGNED: Final = 300
_WIDTH: Final = 200
# Items with at most so many members are compared member by member, and written out.
_COMPARED: Final = 2_000
_WRITTEN_OUT: Final = 20
# A text that fits on the line that tells the change needs no lines below it.
_ON_THE_LINE: Final = 60
# What is told of a long line around the part that differs.
_AROUND: Final = 20

V = TypeVar("V", bound=Json)

Inner = tuple[str, str]
"""A sign (+ - ~, a space for what stayed) and a cleaned text."""


def inside(before: Json, after: Json) -> tuple[tuple[Inner, ...], int]:
    """Give the lines that tell how one value became the other, and how many more there are."""
    found: list[Inner] = []
    if isinstance(before, str) and isinstance(after, str):
        if max(len(before), len(after)) > _ON_THE_LINE or "\n" in before or "\n" in after:
            found = _texts(before, after)
    elif is_array(before) and is_array(after):
        found = _arrays(before, after)
    return tuple(found[:SHOWN]), max(0, len(found) - SHOWN)


def whole(sign: str, value: Json) -> tuple[tuple[Inner, ...], int]:
    """Give the lines of a text, or the items of an array, that came or went altogether."""
    if isinstance(value, str):
        if len(value) <= _ON_THE_LINE and "\n" not in value:
            return (), 0
        count = value.count("\n") + 1
        lines = value.split("\n", SHOWN)[:SHOWN]
        return tuple((sign, one_line(line, _WIDTH)) for line in lines), max(0, count - SHOWN)
    if is_array(value):
        shown = tuple((sign, _item(item)) for item in value[:SHOWN])
        return shown, max(0, len(value) - SHOWN)
    return (), 0


def _texts(before: str, after: str) -> list[Inner]:
    old, new = before.split("\n"), after.split("\n")
    if len(old) == len(new) == 1:
        return _words(before, after)
    found: list[Inner] = []
    start, left, right = _middle(old, new)
    if start:
        found.append((" ", _unchanged(start, "line")))
    for tag, gone, come in _blocks(left, right, left, right):
        if tag == "equal":
            found.append((" ", _unchanged(len(gone), "line")))
            continue
        found += [("-", one_line(line, _WIDTH)) for line in gone]
        found += [("+", one_line(line, _WIDTH)) for line in come]
    ending = len(old) - start - len(left)
    if ending:
        found.append((" ", _unchanged(ending, "line")))
    return found


def _words(before: str, after: str) -> list[Inner]:
    """One long line became another: what differs, with a little of what stands around it."""
    most = min(len(before), len(after))
    start = common(before, after, most)
    end = common(before[::-1], after[::-1], most - start)

    def told(text: str) -> str:
        first = max(0, start - _AROUND)
        last = min(len(text), len(text) - end + _AROUND)
        shown = one_line(text[first:last], _WIDTH)
        return ("…" if first else "") + shown + ("…" if last < len(text) else "")

    return [("-", told(before)), ("+", told(after))]


def common(one: str, other: str, most: int) -> int:
    """Give how many of their first characters are the same, at most `most`; by halves, so that it costs no loop."""
    low, high = 0, most
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _arrays(before: Sequence[Json], after: Sequence[Json]) -> list[Inner]:
    found: list[Inner] = []
    start, left, right = _middle(before, after)
    if start:
        found.append((" ", _unchanged(start, "item")))
    old_at = new_at = start
    short = max(len(left), len(right)) <= _ALIGNED
    for tag, gone, come in _blocks(left, right, _keys(left) if short else (), _keys(right) if short else ()):
        if tag == "equal":
            found.append((" ", _unchanged(len(gone), "item")))
        elif len(gone) == len(come):
            for number, (old, new) in enumerate(zip(gone, come, strict=True)):
                found += _pair(f"[{old_at + number}]", old, new)
        else:
            found += [("-", f"[{old_at + number}] {_item(item)}") for number, item in enumerate(gone)]
            found += [("+", f"[{new_at + number}] {_item(item)}") for number, item in enumerate(come)]
        old_at += len(gone)
        new_at += len(come)
    ending = len(before) - start - len(left)
    if ending:
        found.append((" ", _unchanged(ending, "item")))
    return found


def _pair(where: str, old: Json, new: Json) -> list[Inner]:
    """One item became another: of two objects, or two arrays, what differs in them."""
    alike = (is_object(old) and is_object(new)) or (is_array(old) and is_array(new))
    if not alike or not (_is_small(old, _COMPARED) and _is_small(new, _COMPARED)):
        return [("~", f"{where} {_item(old)} → {_item(new)}")]
    found: list[Inner] = []
    for change in changes(old, new):
        place = clean(dotted(where, change.path))
        if change.op == "changed":
            found.append(("~", f"{place} {_item(change.before)} → {_item(change.after)}"))
        elif change.op == "added":
            found.append(("+", f"{place} {_item(change.after)}"))
        else:
            found.append(("-", f"{place} {_item(change.before)}"))
    return found


def _item(value: Json) -> str:
    """A value on the rest of a line: a small object or array is written out."""
    if (is_object(value) or is_array(value)) and _is_small(value, _WRITTEN_OUT):
        return one_line(encode(value).decode("utf-8", "replace"), _WIDTH)
    return brief(value, _WIDTH)


def _is_small(value: Json, looks: int) -> bool:
    from sftui.views.mentions import is_small  # not needed where no array holds more than words and numbers

    return is_small(value, looks)


def _middle(old: Sequence[V], new: Sequence[V]) -> tuple[int, Sequence[V], Sequence[V]]:
    """Give how many members are the same at the beginning, and what is left of both without these and the same ending."""
    start, end = alike_at_ends(old, new)
    return start, old[start : len(old) - end], new[start : len(new) - end]


def _blocks(
    old: Sequence[V], new: Sequence[V], old_keys: Sequence[str], new_keys: Sequence[str]
) -> list[tuple[str, Sequence[V], Sequence[V]]]:
    """Line two sequences up by their keys; long ones stand there one after the other."""
    if not old and not new:
        return []
    if max(len(old), len(new)) > _ALIGNED:
        return [("replace", old, new)]
    from difflib import SequenceMatcher  # not needed where nothing is lined up

    matcher = SequenceMatcher(None, old_keys, new_keys, autojunk=False)
    return [(tag, old[a:b], new[c:d]) for tag, a, b, c, d in matcher.get_opcodes()]


def _keys(items: Sequence[Json]) -> list[str]:
    return [encode(item).decode("ascii", "surrogateescape") for item in items]


def _unchanged(count: int, word: str) -> str:
    return f"{count:,} {word}{'' if count == 1 else 's'} as before"
