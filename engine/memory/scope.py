"""The three scopes of memory, and which of them a caller wants."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, TypeGuard

from engine.errors import InvalidRequest

Scope = Literal["global", "cwd", "session"]
Wanted = tuple[Scope, ...]

# Broad to narrow: a later scope wins over an earlier one.
SCOPES: tuple[Scope, ...] = ("global", "cwd", "session")
SHARED: tuple[Scope, ...] = ("global", "cwd")


def is_scope(name: object) -> TypeGuard[Scope]:
    """Whether `name` is one of the three scope names, exactly spelled."""
    return name in SCOPES


def initial(scope: Scope) -> str:
    """The letter that stands for a scope in a revision vector."""
    return scope[0]


def parse_wanted(names: str | Iterable[str]) -> Wanted:
    """The wanted scopes in broad-to-narrow order, from names or one comma-separated text.

    Raises InvalidRequest for an unknown name and for no name at all.
    """
    given = [name.strip() for name in names.split(",")] if isinstance(names, str) else list(names)
    for name in given:
        if not is_scope(name):
            raise InvalidRequest(
                "unknown-scope", f"There is no scope named {name!r}", hint="The scopes are global, cwd and session"
            )
    wanted = tuple(scope for scope in SCOPES if scope in given)
    if not wanted:
        raise InvalidRequest("no-scope", "At least one scope must be wanted")
    return wanted
