"""Paths as a person types them."""

from __future__ import annotations

import re
from typing import Final

from sftui.views.kinds import VIEWS, Path, View

# An index, a quoted key, or a plain key: anything up to the next dot or bracket.
_STEP: Final = re.compile(r"""\[(?P<index>\d+)\]|\["(?P<quoted>(?:[^"\\]|\\.)*)"\]|\.?(?P<key>[^.\[\]]+)""")


def parse_path(text: str) -> tuple[View | None, Path] | None:
    """Read a path; the view is None unless the path begins with one. None if it is not a path.

    Takes what the screens print, so odd keys can be written as `["odd key"]`.
    """
    steps: list[str | int] = []
    position = 0
    while position < len(text):
        match = _STEP.match(text, position)
        if match is None:
            return None
        position = match.end()
        if match["index"] is not None:
            steps.append(int(match["index"]))
        elif match["quoted"] is not None:
            steps.append(_unquoted(match["quoted"]))
        else:
            steps.append(match["key"])
    if not steps:
        return None
    if steps[0] in VIEWS:
        return steps[0], tuple(steps[1:])
    return None, tuple(steps)


def _unquoted(text: str) -> str:
    from engine.errors import EngineError
    from engine.values import decode

    try:
        value = decode(f'"{text}"'.encode("utf-8", "surrogatepass")).value
    except EngineError:
        return text
    return value if isinstance(value, str) else text
