"""`sftui read`: exactly what an agent's read_state would answer."""

from __future__ import annotations

from argparse import Namespace

from engine.errors import InvalidRequest
from engine.memory.dialect import V4
from engine.memory.reading import View, read_state
from engine.memory.scope import SCOPES, Wanted
from engine.memory.selectors import try_parse
from engine.store.snapshot import snapshot
from engine.values import Json
from sftui.commands.output import print_json
from sftui.commands.target import Target, composed, hint_at_session, target


def run(options: Namespace) -> int:
    wanted = target(options)
    try:
        return _read(options, wanted)
    except InvalidRequest as error:
        hint_at_session(error, options)
        raise


def _read(options: Namespace, wanted: Target) -> int:
    cohort = composed(snapshot(wanted.address), _needed(wanted.wanted, options.paths))
    paths: list[Json] = list(options.paths)
    request: dict[str, Json] = {"projection": options.projection}
    if len(paths) == 1:
        request["path"] = paths[0]
    else:
        request["paths"] = paths
    answer = read_state(View(cohort, wanted.wanted), request)
    print_json(answer, compact=options.json)
    return 0


def _needed(wanted: Wanted, paths: list[str]) -> Wanted:
    """The scopes that the paths are about: the one that a path names, all wanted ones for an effective path."""
    selectors = [try_parse(V4, path) for path in paths]  # a path that names a scope is the same in every dialect
    named = [None if selector is None else selector.scope for selector in selectors]
    return wanted if None in named else tuple(scope for scope in SCOPES if scope in named)
