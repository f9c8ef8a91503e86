"""A patch for people: its leaves, one line each."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from engine.values import Json, JsonObject, dotted, get, is_object
from sftui.commands.jsontext import json_text
from sftui.display import clean, one_line
from sftui.views.spans import Spans

# Wide enough to recognise a value, short enough for one line.
VALUE_WIDTH = 60


def leaves(
    patch: JsonObject,
    *,
    before: JsonObject | None = None,
    cascaded: Collection[tuple[str | int, ...]] = (),
    most: int | None = None,
    root: str = "",
) -> Iterator[Spans]:
    """What a patch adds, replaces and removes in `before`, in its own order; after `most` lines how much more there is.

    `cascaded` are paths that went with an intent.
    """
    state: JsonObject = before or {}
    pending: list[tuple[tuple[str, ...], Json]] = [((key,), patch[key]) for key in reversed(list(patch))]
    shown = 0
    while pending:
        path, value = pending.pop()
        old = get(state, path, None)
        if is_object(value) and value and (old is None or is_object(old)):
            pending += [((*path, key), value[key]) for key in reversed(list(value))]
            continue
        if shown == most:
            yield ((f"    and {len(pending) + 1} more; --json shows everything", "muted"),)
            return
        shown += 1
        where = clean(dotted(root, path))
        if value is None and any(path[: len(target)] == target for target in cascaded):
            yield (("    × ", "cascade"), (where, "key"), ("  went with its intent", "muted"))
        elif value is None:
            yield (("    - ", "removed"), (where, "key"))
        elif old is None:
            yield (("    + ", "added"), (where, "key"), (f"  {_brief(value)}", "text"))
        else:
            yield (("    ~ ", "changed"), (where, "key"), (f"  {_brief(old)} → {_brief(value)}", "text"))


def _brief(value: Json) -> str:
    return one_line(_start(value), VALUE_WIDTH)


def _start(value: Json) -> str:
    """Enough of the text of a leaf; a long string is not escaped whole for its first words."""
    if isinstance(value, str):
        return json_text(value[: VALUE_WIDTH * 2])
    return json_text(value)
