"""A patch for people: its leaves, one line each."""

from __future__ import annotations

from collections.abc import Iterator

from engine.values import Json, JsonObject, dotted, is_object
from sftui.commands.jsontext import json_text
from sftui.display import clean, one_line
from sftui.views.spans import Spans

# Wide enough to recognise a value, short enough for one line.
VALUE_WIDTH = 60


def leaves(patch: JsonObject, *, most: int | None = None, root: str = "") -> Iterator[Spans]:
    """What a patch sets and deletes, in its own order; after `most` lines how much more there is."""
    pending: list[tuple[tuple[str, ...], Json]] = [((key,), patch[key]) for key in reversed(list(patch))]
    shown = 0
    while pending:
        path, value = pending.pop()
        if is_object(value) and value:
            pending += [((*path, key), value[key]) for key in reversed(list(value))]
            continue
        if shown == most:
            yield ((f"    and {len(pending) + 1} more; --json shows everything", "muted"),)
            return
        shown += 1
        where = clean(dotted(root, path))
        if value is None:
            yield (("    - ", "removed"), (where, "key"))
        else:
            text = one_line(_start(value), VALUE_WIDTH)
            yield (("    + ", "added"), (where, "key"), (f"  {text}", "text"))


def _start(value: Json) -> str:
    """Enough of the text of a leaf; a long string is not escaped whole for its first words."""
    if isinstance(value, str):
        return json_text(value[: VALUE_WIDTH * 2])
    return json_text(value)
