"""Which element of an array became which: by what they hold, never by where they stand."""

from __future__ import annotations

from typing import Final

from engine.values import JsonArray, same

# Where one element stands before and after; None: it has gone, or it has come.
Pair = tuple[int | None, int | None]

# Differing middles of more elements together are not compared each with each.
_MOST_COMPARED: Final = 40_000


def aligned(before: JsonArray, after: JsonArray) -> tuple[Pair, ...]:
    """Line two arrays up, in the order in which both can be shown.

    Elements that hold the same are the same. Of others, one that stands between the same neighbours as before was
    changed in place; where their number differs nobody knows which is which: they have gone, and others have come.
    """
    head, tail = alike_at_ends(before, after)
    old, new = range(head, len(before) - tail), range(head, len(after) - tail)
    pairs: list[Pair] = [(index, index) for index in range(head)]
    at_old, at_new = head, head
    for kept_old, kept_new in (*_common(before, after, old, new), (old.stop, new.stop)):
        pairs += _between(range(at_old, kept_old), range(at_new, kept_new))
        if kept_old < old.stop:
            pairs.append((kept_old, kept_new))
        at_old, at_new = kept_old + 1, kept_new + 1
    pairs += [(old.stop + index, new.stop + index) for index in range(tail)]
    return tuple(pairs)


def alike_at_ends(before: JsonArray, after: JsonArray) -> tuple[int, int]:
    """How many elements are the same at the beginning of both, and how many of the others at their end."""
    head = 0
    most = min(len(before), len(after))
    while head < most and same(before[head], after[head]):
        head += 1
    tail = 0
    while tail < most - head and same(before[-1 - tail], after[-1 - tail]):
        tail += 1
    return head, tail


def _between(old: range, new: range) -> list[Pair]:
    if len(old) == len(new):
        return list(zip(old, new, strict=True))
    return [(index, None) for index in old] + [(None, index) for index in new]


def _common(before: JsonArray, after: JsonArray, old: range, new: range) -> list[tuple[int, int]]:
    """Give the longest run of elements, in order, that both middles hold."""
    if not old or not new or len(old) * len(new) > _MOST_COMPARED:
        return []
    # lengths[i][j]: the longest run from the i-th and the j-th on.
    lengths = [[0] * (len(new) + 1) for _ in range(len(old) + 1)]
    alike = [[same(before[i], after[j]) for j in new] for i in old]
    for i in range(len(old) - 1, -1, -1):
        for j in range(len(new) - 1, -1, -1):
            lengths[i][j] = 1 + lengths[i + 1][j + 1] if alike[i][j] else max(lengths[i + 1][j], lengths[i][j + 1])
    found: list[tuple[int, int]] = []
    i = j = 0
    while i < len(old) and j < len(new):
        if alike[i][j]:
            found.append((old[i], new[j]))
            i, j = i + 1, j + 1
        elif lengths[i + 1][j] >= lengths[i][j + 1]:
            i += 1
        else:
            j += 1
    return found
