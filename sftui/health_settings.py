"""A person's settings for findings: a file beside the key map, read strictly, replaced whole.

hot-bytes = 8000

[[ignore]]
path = "cwd.lazy.notes"
code = "same-text"
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from typing import Final

from engine.errors import InvalidRequest
from engine.health.findings import CODES, Limits
from engine.records import replace
from engine.store import files
from engine.values import is_array, is_object
from sftui.keymap import config_file
from sftui.views.ignoring import Ignored, Settings

FILE_NAME: Final = "health.toml"
# No honest file of settings is longer.
LONGEST: Final = 1_000_000
MOST: Final = 10**12

_LIMITS: Final = {
    "hot-bytes": "hot_bytes",
    "text-characters": "text_characters",
    "source-bytes": "source_bytes",
}
_FIELDS: Final = ("path", "code", "store", "cwd", "session")
_HEAD: Final = re.compile(r"\s*\[\[\s*ignore\s*\]\]")
_LINE: Final = re.compile(r"at line (\d+)")


def settings_file(environ: Mapping[str, str]) -> str:
    """Give the place of the file."""
    return config_file(environ, name=FILE_NAME)


def load(path: str, *, must_exist: bool = False) -> Settings:
    """Read settings; without a file there are none, unless it was named. What is wrong is in `problem`."""
    try:
        data = files.read_private(path)
    except FileNotFoundError:
        return Settings(path, problem=f"{path}: there is no such file" if must_exist else "")
    except OSError as error:
        return Settings(path, problem=f"{path}: it cannot be read: {error.strerror or error}")
    if len(data) > LONGEST:
        return Settings(path, problem=f"{path}: it is longer than {LONGEST:,} bytes")
    try:
        return parse(data.decode("utf-8-sig"), path)
    except UnicodeDecodeError as error:
        return Settings(path, problem=f"{path}: it is not UTF-8 (byte {error.start})")
    except InvalidRequest as error:
        line = "" if error.line is None else f" line {error.line}"
        return Settings(path, problem=f"{path}{line}: {error.message}")


def parse(text: str, path: str = "") -> Settings:
    """Judge settings; raises InvalidRequest at the first thing that is not as it must be."""
    import tomllib

    try:
        document: Mapping[str, object] = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError, ValueError) as error:
        line = _LINE.search(str(error))
        last = text.count("\n") + 1 if "end of document" in str(error) else None
        at = int(line[1]) if line else last
        raise InvalidRequest("bad-settings", f"this is not TOML: {error}", line=at) from error
    limits = Limits()
    ignored: tuple[Ignored, ...] = ()
    for name, given in document.items():
        if name == "ignore":
            ignored = _entries(text, given)
        elif name in _LIMITS:
            if isinstance(given, bool) or not isinstance(given, int) or not 0 < given <= MOST:
                raise _bad(f"{name} must be a whole number above 0", _line_of(text, name))
            limits = replace(limits, **{_LIMITS[name]: given})
        else:
            raise _bad(f"there is no setting {name}", _line_of(text, name))
    return Settings(path, limits, ignored)


def add(path: str, entry: Ignored) -> Settings:
    """Put one more entry at the end of the file, as a whole new file; raises InvalidRequest, OSError.

    What a person wrote there stays as it is. A file that does not count is left alone.
    """
    known = load(path)
    if known.problem:
        raise InvalidRequest("bad-settings", f"{known.problem}; it was left as it is")
    try:
        text = files.read_private(path).decode("utf-8-sig")
    except FileNotFoundError:
        files.make_private(os.path.dirname(path))
        text = ""
    lines = [f"{name} = {_quoted(value)}" for name in _FIELDS if (value := getattr(entry, name))]
    block = "\n".join(("[[ignore]]", *lines, ""))
    new = f"{text.rstrip()}\n\n{block}" if text.strip() else block
    made = parse(new, path)
    files.replace_private(path, new.encode(), f"{path}.{os.getpid()}.tmp")
    return made


def _entries(text: str, given: object) -> tuple[Ignored, ...]:
    heads = [number for number, line in enumerate(text.split("\n"), 1) if _HEAD.match(line)]
    if not is_array(given):
        raise _bad("what is ignored stands in [[ignore]] tables", _line_of(text, "ignore"))
    found: list[Ignored] = []
    for number, one in enumerate(given):
        line = heads[number] if number < len(heads) else None
        if not is_object(one):
            raise _bad("an entry of what is ignored must be a table", line)
        for name, value in one.items():
            if name not in _FIELDS:
                raise _bad(f"an entry of what is ignored has no {name}", line)
            if not isinstance(value, str) or not value:
                raise _bad(f"{name} must be a text", line)
        path, code, store, cwd, session = (str(one.get(name, "")) for name in _FIELDS)
        entry = Ignored(path, code, store, cwd, session, line or 0)
        if not path:
            raise _bad("an entry of what is ignored needs a path", line)
        if entry.code and entry.code not in CODES:
            raise _bad(f"there is no kind of finding {entry.code}; there are {', '.join(CODES)}", line)
        found.append(entry)
    return tuple(found)


def _line_of(text: str, name: str) -> int | None:
    forms = "|".join(re.escape(form) for form in (name, f'"{name}"', f"'{name}'"))
    pattern = re.compile(rf"\s*(?:(?:{forms})\s*[=.]|\[+\s*(?:{forms})\s*[\].])")
    return next((number for number, line in enumerate(text.split("\n"), 1) if pattern.match(line)), None)


def _bad(message: str, line: int | None) -> InvalidRequest:
    return InvalidRequest("bad-settings", message, line=line)


def _quoted(text: str) -> str:
    """A text as TOML writes it; what it cannot hold is refused."""
    from engine.values import canonical

    if any("\ud800" <= char <= "\udfff" for char in text):
        raise InvalidRequest("bad-settings", "this path cannot be written into the settings")
    return canonical(text).replace("\x7f", "\\u007F")
