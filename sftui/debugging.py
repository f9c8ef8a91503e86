"""Gathers what a report of a fault should say about program, terminal and machine. Use from a thread."""

from __future__ import annotations

import locale
import os
import platform
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

import sftui
from engine.store.layout import state_home, store_home
from sftui import glyphs, keymap
from sftui.views.debug import Debug, Facts, Section, store_facts
from sftui.views.units import human

if TYPE_CHECKING:
    from engine.store.readings import Snapshot

LIBRARIES: Final = ("textual", "rich", "orjson", "watchfiles", "filelock")
# What these say of a terminal; nothing else of the environment is anybody's business.
VARIABLES: Final = ("TERM", "COLORTERM", "TERM_PROGRAM", "TERM_PROGRAM_VERSION", "COLORFGBG", "NO_COLOR", "SFTUI_ASCII")
# Listing goes no further than this.
MOST_FILES: Final = 10_000


def gather(root: str, snapshot: Snapshot | None, *, feed: str, app: Facts = ()) -> Debug:
    """Everything, on one page. `app`: what only a running app knows."""
    sections = [
        Section("program", _program()),
        Section("terminal", _terminal(os.environ)),
        Section("store", store_facts(tilde(root), snapshot, feed)),
        Section("files of ours", _files(root)),
    ]
    if app:
        sections.insert(2, Section("app", app))
    return Debug(tuple(sections))


def tilde(path: str) -> str:
    """Name a path without the name of whose home it is in."""
    home = os.path.expanduser("~")
    return f"~{path[len(home) :]}" if home not in {"~", "/"} and (path + os.sep).startswith(home + os.sep) else path


def _program() -> Facts:
    from importlib.metadata import PackageNotFoundError, version

    found: list[tuple[str, str]] = [
        ("sftui", sftui.__version__),
        ("python", f"{platform.python_version()} {platform.python_implementation()}"),
        ("system", f"{platform.system()} {platform.release()} {platform.machine()}"),
    ]
    for name in LIBRARIES:
        try:
            found.append((name, version(name)))
        except PackageNotFoundError:
            found.append((name, "not found"))
    return tuple(found)


def _terminal(environ: Mapping[str, str]) -> Facts:
    found = [(name, environ[name]) for name in VARIABLES if name in environ]
    inside = [
        name for name, sign in (("tmux", "TMUX"), ("screen", "STY"), ("ssh", "SSH_CONNECTION")) if sign in environ
    ]
    encoding = locale.getencoding()
    signs, _ = glyphs.wanted(environ, encoding)
    return (
        *found,
        ("inside", " ".join(inside) or "nothing that is known"),
        ("locale", ".".join(part or "none" for part in locale.getlocale())),
        ("encoding", encoding),
        ("output", str(getattr(sys.stdout, "encoding", None) or "none")),
        ("signs", "ASCII" if signs else "all"),
        ("key map", _key_map(environ)),
    )


def _key_map(environ: Mapping[str, str]) -> str:
    found = keymap.load(keymap.config_file(environ))
    if not found.found:
        return f"none at {tilde(found.path)}"
    problems = f", {len(found.problems)} left out" if found.problems else ""
    return f"{tilde(found.path)}: {len(found.own)} own{problems}"


def _files(root: str) -> Facts:
    home = store_home(root)
    facts = [("all stores", tilde(state_home(os.environ))), ("this store", tilde(home))]
    try:
        names = sorted(os.listdir(home))
    except FileNotFoundError:
        return (*facts, ("", "nothing has been kept of this store"))
    except OSError as error:
        return (*facts, ("", error.strerror or type(error).__name__))
    for name in names:
        count, size = _weight(os.path.join(home, name))
        facts.append((name, f"{human(size)} in {count} {'file' if count == 1 else 'files'}"))
    return tuple(facts)


def _weight(path: str) -> tuple[int, int]:
    """How many files there are at a path, and how large they are together."""
    try:
        if not os.path.isdir(path):
            return 1, os.lstat(path).st_size
    except OSError:
        return 0, 0
    count = size = 0
    for directory, _, names in os.walk(path):
        for name in names:
            try:
                size += os.lstat(os.path.join(directory, name)).st_size
            except OSError:
                continue
            count += 1
            if count >= MOST_FILES:
                return count, size
    return count, size
