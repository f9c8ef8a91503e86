"""How a command speaks: lines of spans or JSON on stdout, one line on stderr.

On a terminal Rich colours what is said; in a pipe the same lines are plain. Text
of a store has been through `display.clean` before it gets into a span.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Final

from sftui.display import clean
from sftui.views.spans import Role, Span, Spans, plain

if TYPE_CHECKING:
    from engine.values import Json

# The command line's own colours; the app has its style sheet.
_STYLES: Final[dict[Role, str]] = {
    "muted": "dim",
    "strong": "bold",
    "key": "bold",
    "string": "green",
    "number": "cyan",
    "accent": "bold cyan",
    "added": "green",
    "removed": "red",
    "changed": "yellow",
    "cascade": "magenta",
    "good": "green",
    "warn": "yellow",
    "bad": "bold red",
}
_WORDS: Final = re.compile(r"\s+|\S+")
_LONGEST_WORD: Final = 300  # cells
_LONGEST_LINE: Final = 200_000  # characters, of which no more is looked at
_LONG_WORD: Final = re.compile(rf"\S{{{_LONGEST_WORD // 2 + 1},}}")
_STEPS: Final = re.compile(r"[^/]*/|[^/]+")


def on_terminal() -> bool:
    """Whether a person reads what is printed."""
    return sys.stdout.isatty()


def print_json(value: Json, *, compact: bool) -> None:
    """Print one JSON document: on one line for programs, indented for people."""
    from sftui.commands.jsontext import json_text, safe_for_terminal

    text = json_text(value, indent=None if compact else 2)
    _write(safe_for_terminal(text) if on_terminal() else text)


def print_bytes(data: bytes) -> None:
    """Print text that is ready to be read, or to be kept in a file, as it is; it ends with a line end."""
    sys.stdout.flush()
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()


def print_lines(lines: Iterable[Spans]) -> None:
    """Print lines; coloured on a terminal, where a longer line goes on below at a space or a slash, and nothing is cut."""
    if not on_terminal():
        _write("\n".join(plain(line).rstrip() for line in lines))
        return
    from rich.console import Console
    from rich.text import Text

    console = Console(highlight=False, markup=False, emoji=False, soft_wrap=True)
    for line in lines:
        for part in fitted(line, console.width):
            console.print(Text.assemble(*((text, _STYLES.get(role, "")) for text, role in part)))


def fitted(line: Spans, width: int) -> Iterator[Spans]:
    """A line in parts of at most `width` cells; later ones stand below what follows its label.

    Words stay whole where they fit below; paths that do not go on after a slash, anything else is left to the terminal.
    """
    hang = min(_hang(line), width // 3)
    parts: list[list[Span]] = [[]]
    used = 0
    for text, role in line:
        for word in _pieces(text, width - hang):
            begun = used > (hang if len(parts) > 1 else 0)
            if begun and used + cells(word.rstrip()) > width:
                parts.append([(" " * hang, "text")])
                used, begun = hang, False
            if word.isspace() and not begun and len(parts) > 1:
                continue
            last = parts[-1]
            if last and last[-1][1] == role:
                last[-1] = (last[-1][0] + word, role)
            else:
                last.append((word, role))
            used += cells(word)
    for part in parts:
        if part:
            part[-1] = (part[-1][0].rstrip(), part[-1][1])
        yield tuple(part)


def _pieces(text: str, room: int) -> Iterator[str]:
    """Words and the spaces between them; a longer one than there is room for, after each slash."""
    for word in _WORDS.findall(text):
        if cells(word.rstrip()) <= room:
            yield word
        else:
            yield from _STEPS.findall(word)


def _hang(line: Spans) -> int:
    """How far the text of a line is indented: past its label, if it has one."""
    start = 0
    for number, (text, _) in enumerate(line):
        start += cells(text)
        if text.strip():
            follows = line[number + 1][0] if number + 1 < len(line) else ""
            if text.endswith(" ") or follows.startswith(" "):
                return start + len(follows) - len(follows.lstrip(" "))
            return start - cells(text.lstrip())
    return 0


def complain(message: str) -> None:
    """Say one line on stderr. Whatever a terminal would obey in it is made visible, and what is endless is cut."""
    line = f"sftui: {_LONG_WORD.sub(_shortened, clean(message[:_LONGEST_LINE]))}\n"
    try:
        sys.stderr.buffer.write(line.encode("utf-8", "backslashreplace"))
        sys.stderr.flush()
    except (OSError, ValueError):
        # Nobody listens: the exit code says it.
        pass


def _shortened(word: re.Match[str]) -> str:
    """A word with its middle left out, where it takes more cells than a long path does."""
    text = word[0]
    if len(text) <= _LONGEST_WORD and cells(text) <= _LONGEST_WORD:
        return text
    half = _LONGEST_WORD // 2
    return f"{_within(text[:half], half)}…{_within(text[: -half - 1 : -1], half)[::-1]}"


def _within(text: str, width: int) -> str:
    """The beginning of a text that fits into so many cells."""
    while cells(text) > width:
        text = text[: -max(1, (cells(text) - width) // 2)]
    return text


def table(rows: Sequence[Sequence[Span]], right: frozenset[int] = frozenset()) -> tuple[Spans, ...]:
    """Align cells in columns two spaces apart; the columns in `right` are flush right."""
    columns = max((len(row) for row in rows), default=0)
    widths = [max((cells(row[column][0]) for row in rows if column < len(row)), default=0) for column in range(columns)]
    lines: list[Spans] = []
    for row in rows:
        line: list[Span] = []
        for column, (text, role) in enumerate(row):
            padding = " " * (widths[column] - cells(text))
            if column:
                line.append(("  ", "text"))
            if column in right:
                line.append((padding + text, role))
            else:
                line.append((text if column == len(row) - 1 else text + padding, role))
        lines.append(tuple(line))
    return tuple(lines)


def cells(text: str) -> int:
    """The width of cleaned text in terminal cells."""
    if text.isascii():
        return len(text)
    from unicodedata import combining, east_asian_width

    return sum(0 if combining(char) else 2 if east_asian_width(char) in "WF" else 1 for char in text)


def size(count: int) -> str:
    """A number of bytes for people, such as "412 B" or "8.1 kB"."""
    if count < 1000:
        return f"{count} B"
    amount = float(count)
    for unit in ("kB", "MB"):
        amount /= 1000
        if amount < 999.5:
            return f"{amount:.1f} {unit}" if amount < 99.95 else f"{amount:.0f} {unit}"
    return f"{amount / 1000:.1f} GB"


def moment(seconds: float) -> str:
    """A time in this machine's zone: the clock today, the date as well on other days."""
    import time

    then, now = time.localtime(seconds), time.localtime()
    return time.strftime("%H:%M:%S" if then[:3] == now[:3] else "%Y-%m-%d %H:%M:%S", then)


def drop_stdout() -> None:
    """After a broken pipe: nobody reads any more, so that the interpreter must not try again at exit."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)


def _write(text: str) -> None:
    sys.stdout.flush()
    sys.stdout.buffer.write(text.encode("utf-8", "backslashreplace") + b"\n" if text else b"")
    sys.stdout.buffer.flush()
