"""A page on stdout or in a file, in the format that was asked for."""

from __future__ import annotations

import os
from argparse import Namespace
from typing import Final

from sftui.commands.output import on_terminal, print_bytes, print_json, print_lines
from sftui.export.document import Document, plain_lines
from sftui.views.spans import plain

# Cells of a line where no terminal says how many there are, and as many as are read with ease.
_WIDTH: Final = 100
_WIDEST: Final = 160


def page_width(options: Namespace) -> int:
    """How wide a page is laid out."""
    if options.format != "text" or options.output is not None or not on_terminal():
        return _WIDTH
    try:
        return min(_WIDEST, os.get_terminal_size(1).columns)
    except OSError:
        return _WIDTH


def emit(document: Document, options: Namespace, root: str) -> int:
    """Print a page, or save it; gives the exit code. Raises EngineError."""
    form = "json" if options.json else options.format
    if options.output is not None:
        from sftui.saved_file import save

        save(options.output, _bytes(document, form), root=root, force=options.force)
    elif form == "json":
        print_json(document.data, compact=options.json or not on_terminal())
    elif form == "text":
        print_lines(plain_lines(document))
    else:
        print_bytes(_bytes(document, form))
    return 0


def _bytes(document: Document, form: str) -> bytes:
    if form == "json":
        from sftui.commands.jsontext import json_text

        return f"{json_text(document.data, indent=2)}\n".encode()
    if form == "md":
        from sftui.export.markdown import markdown

        return markdown(document).encode()
    if form == "svg":
        from sftui.export.svg import svg

        return svg(document).encode()
    return "".join(f"{plain(line).rstrip()}\n" for line in plain_lines(document)).encode()
