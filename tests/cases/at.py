"""How the command line is told which memory is meant."""

from __future__ import annotations

import json

from engine.values import Json
from tests.store.building import CWD, SESSION, Home


def at(home: Home, *, cwd: str = CWD, session: bool = False) -> list[str]:
    """The options that name a cohort of a store."""
    place = ["--store", str(home.root), "--cwd", cwd]
    return [*place, "--session", SESSION] if session else place


def patch(**scopes: Json) -> str:
    """The text of a patch; `global_` stands for global."""
    return json.dumps({scope.rstrip("_"): change for scope, change in scopes.items()})
