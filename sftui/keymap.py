"""A person's own keys: a file of action ids and keys, judged entry by entry.

    "memory.edit" = ["e", "f4"]

An entry that cannot be kept is told with its line and left out; the others count.
"""

from __future__ import annotations

import os
import re
import stat
import sys
from collections.abc import Iterator, Mapping
from typing import Final

from engine.records import dataclass, field
from sftui.actions import ACTIONS, BY_ID, Where
from sftui.keynames import is_typed, key_name, parse_key

FILE_NAME: Final = "keys.toml"
# No honest key map is longer.
LONGEST: Final = 65_536

# Terminals, multiplexers and shells have these for themselves; ctrl+h, i and m are backspace, tab and enter.
TAKEN: Final = frozenset(f"ctrl+{letter}" for letter in "baszqhim")
# How much of a name must be right before another one is taken to be meant: more than its first word.
_LIKE: Final = 0.8
# Whatever is typed here is text.
TYPED: Final[frozenset[Where]] = frozenset(("prompt", "palette", "edit"))
# Places whose keys count at the same time; where one key has two meanings the place named first has it.
TOGETHER: Final[tuple[tuple[Where, ...], ...]] = (
    ("list", "watch", "app"),
    ("list", "tree", "memory", "app"),
    ("scopes", "list", "tree", "memory", "app"),
    ("list", "history", "app"),
    ("list", "difference", "history"),
    ("list", "tree", "intents", "app"),
    ("list", "tree", "context", "app"),
    ("review", "list", "app"),
    ("value", "app"),
    ("switcher", "scopes", "list", "tree"),
    ("choice", "list"),
    ("help", "list"),
    ("list", "health", "app"),
    ("debug", "list"),
    ("palette",),
    ("search",),
    ("traces", "list"),
    ("edit",),
    ("prompt",),
)

Keys = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class KeyProblem:
    """An entry that was left out, and why."""

    line: int | None
    entry: str
    reason: str


@dataclass(frozen=True, slots=True)
class KeyMap:
    """The keys that a person chose, and what could not be taken over."""

    path: str = ""
    found: bool = False
    own: Mapping[str, Keys] = field(default_factory=dict)
    problems: tuple[KeyProblem, ...] = ()


def config_file(environ: Mapping[str, str], platform: str = sys.platform, name: str = FILE_NAME) -> str:
    """Give the place of the key map, or of another file, in the platform's directory for configurations.

    As platformdirs has it; worked out here, since the first frame waits for it.
    """
    home = os.path.expanduser("~")
    if platform == "darwin":
        base = os.path.join(home, "Library", "Application Support")
    elif platform == "win32":
        base = environ.get("LOCALAPPDATA") or os.path.join(home, "AppData", "Local")
    else:
        named = environ.get("XDG_CONFIG_HOME", "").strip()
        base = named or os.path.join(home, ".config")
    return os.path.join(base, "sftui", name)


def load(path: str) -> KeyMap:
    """Read a key map; none at all is no problem."""
    try:
        status = os.stat(path)
        if not stat.S_ISREG(status.st_mode):
            return _unread(path, "it is not a file")
        if status.st_size > LONGEST:
            return _unread(path, f"it is longer than {LONGEST:,} bytes")
        with open(path, "rb") as file:
            data = file.read(LONGEST)
    except FileNotFoundError:
        return KeyMap(path)
    except OSError as error:
        return _unread(path, error.strerror or type(error).__name__)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        return _unread(path, f"it is not UTF-8 (byte {error.start})")
    return parse(text, path)


def _unread(path: str, reason: str) -> KeyMap:
    return KeyMap(path, True, {}, (KeyProblem(None, "", f"the key map cannot be read: {reason}"),))


def parse(text: str, path: str = "") -> KeyMap:
    """Judge a key map."""
    import tomllib

    try:
        document = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError, ValueError) as error:
        line = re.search(r"at line (\d+)", str(error))
        reason = f"this is not TOML, so that none of the file counts: {error}"
        return KeyMap(path, True, {}, (KeyProblem(int(line[1]) if line else None, "", reason),))
    own: dict[str, Keys] = {}
    problems: list[KeyProblem] = []
    for name, given in _entries(document):
        keys, reason = _judged(name, given)
        if reason:
            problems.append(KeyProblem(_line_of(text, name), name, reason))
        else:
            own[name] = keys
    for name, reason in _drop_clashes(own):
        problems.append(KeyProblem(_line_of(text, name), name, reason))
    problems.sort(key=lambda problem: problem.line or 0)
    return KeyMap(path, True, own, tuple(problems))


def _entries(document: Mapping[str, object], prefix: str = "") -> Iterator[tuple[str, object]]:
    """Name what stands there: `memory.edit = ...` and a `[memory]` table mean the same as `"memory.edit" = ...`."""
    from engine.values import is_object

    for name, given in document.items():
        if is_object(given):
            yield from _entries(given, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", given


def _line_of(text: str, name: str) -> int | None:
    """Find the line of an entry: the reader of TOML does not tell."""
    last = name.rpartition(".")[2]
    forms = "|".join(re.escape(form) for form in (f'"{name}"', f"'{name}'", name, last, f'"{last}"'))
    pattern = re.compile(rf"\s*(?:{forms})\s*=")
    lines = text.split("\n")
    return next((number for number, line in enumerate(lines, 1) if pattern.match(line)), None)


def _judged(name: str, given: object) -> tuple[Keys, str]:
    """Give the keys of an entry, or what is wrong with it on its own."""
    from engine.values import is_array

    action = BY_ID.get(name)
    if action is None:
        from difflib import get_close_matches

        close = get_close_matches(name, BY_ID, n=1, cutoff=_LIKE)
        return (), "there is no such action" + (f"; did you mean {close[0]}?" if close else "; `sftui keys` lists them")
    written = [given] if isinstance(given, str) else list(given) if is_array(given) else []
    if not written:
        return (), 'an action needs a key, such as "e", or several, such as ["e", "f4"]'
    keys: list[str] = []
    for one in written:
        key = parse_key(one) if isinstance(one, str) else None
        shown = one if isinstance(one, str) else repr(one)
        if isinstance(one, str) and one.lower().startswith("alt+"):
            return (), f"{shown}: alt with a key arrives as esc and the key, which means two things"
        if key is None:
            return (), f"{shown} is no key that a terminal sends"
        if key in TAKEN:
            return (), f"{shown} belongs to terminals, multiplexers and shells"
        if action.where in TYPED and is_typed(key):
            return (), f"{shown} is typed here as text"
        keys.append(key)
    if set(keys) == {"escape"}:
        return (), "esc needs a twin: a second key that does the same"
    return tuple(dict.fromkeys(keys)), ""


def _drop_clashes(own: dict[str, Keys]) -> Iterator[tuple[str, str]]:
    """Leave out entries, the later ones first, until no key has two meanings that the table did not give it."""
    while True:
        for name in reversed(own):
            reason = _clash(name, own)
            if reason:
                break
        else:
            return
        del own[name]
        yield name, reason


def _clash(name: str, own: Mapping[str, Keys]) -> str:
    action = BY_ID[name]
    near = {place for places in TOGETHER if action.where in places for place in places}
    for other in ACTIONS:
        if other.id == name or other.where not in near:
            continue
        both = set(own[name]) & set(own.get(other.id, other.keys))
        # Where the table itself gives one key two meanings, the inner place has it, and nothing is lost.
        for key in both - (set(action.keys) & set(other.keys)):
            return f"{key_name(key)} is {other.id} ({other.title}) already"
    return ""
