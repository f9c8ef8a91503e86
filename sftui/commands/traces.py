"""`sftui traces PATH|--value TEXT`: every place where a value still stands, and what can be done about each."""

from __future__ import annotations

import os
import sys
import time
from argparse import Namespace
from typing import Final

from engine.errors import InvalidRequest
from engine.store.layout import default_root
from engine.store.snapshot import snapshot
from engine.values import Json
from sftui.commands.output import complain, print_json, print_lines
from sftui.commands.target import target
from sftui.traces.everywhere import look
from sftui.traces.sought import Sought, of_text, of_value
from sftui.traces.standing import standing
from sftui.views.traces import NOT_LOOKED_AT, Found, Looked, hiding, looked_words, masked, traces_page

NOTHING: Final = 0
FOUND: Final = 7
FAILED: Final = 1
# How often a person is told how far it is, in seconds.
_TELL: Final = 1.0


def run(options: Namespace) -> int:
    root, sought, told = _meant(options)
    found = Found()
    last = time.monotonic()
    for step in look(root, sought):
        if step is None:
            continue
        found.take(step)
        if isinstance(step, Looked) and sys.stderr.isatty() and time.monotonic() - last > _TELL:
            last = time.monotonic()
            complain(f"looking; {looked_words([step])}")
    if options.json:
        print_json(_json(told, sought, found, show=options.show), compact=True)
    else:
        print_lines(traces_page(told, sought, found, show=options.show, home=os.path.expanduser("~")))
    if found.traces:
        return FOUND
    return FAILED if found.unseen else NOTHING


def _meant(options: Namespace) -> tuple[str, Sought, str]:
    """The store, what is looked for in it, and how that was told."""
    if (options.path is None) == (options.value is None):
        raise InvalidRequest("what", "name a path, or give the value with --value", hint="--value - reads it")
    if options.value is not None:
        root = os.path.realpath(options.store or default_root(os.environ))
        if not os.path.isdir(root):
            raise InvalidRequest("no-store", "there is no store here", path=root)
        return root, of_text(_read() if options.value == "-" else options.value), "the value that was given"
    wanted = target(options)
    stood = standing(snapshot(wanted.address), options.path, ledger=True)
    return wanted.address.root, of_value(stood.value), stood.told


def _read() -> str:
    """The value from standard input, without the line end that ends it."""
    data = sys.stdin.buffer.read()
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise InvalidRequest("not-text", f"standard input is not UTF-8 text (byte {error.start})") from None
    return text.removesuffix("\n").removesuffix("\r")


def _json(told: str, sought: Sought, found: Found, *, show: bool) -> Json:
    hide = hiding(sought.texts, show=show)
    texts: list[Json] = [text if show else masked(text) for text in sought.texts]
    return {
        "sought": texts,
        "told": hide(told),
        "whole": sought.whole,
        "left_out": sought.left_out,
        "count": len(found.traces),
        "traces": [trace.to_json(hide) for trace in found.traces],
        "unseen": [one.to_json(hide) for one in found.unseen],
        "not_looked_at": NOT_LOOKED_AT,
    }
