"""A script: patches as an agent would send them, one a line, to be carried out one after another."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

from engine.values import Json, JsonObject
from sftui.commands.jsontext import json_text, safe_for_terminal

if TYPE_CHECKING:
    from engine.store.layout import Address
    from engine.store.proposal import Published

SUFFIX: Final = ".jsonl"


def write(patches: Iterable[Json]) -> bytes:
    """Write a script. What a terminal would obey is escaped: it may be printed as it is."""
    return "".join(f"{safe_for_terminal(json_text(patch))}\n" for patch in patches).encode()


class Curation:
    """What was applied in one run of the app, in order: the patch that was sent for each boundary."""

    def __init__(self) -> None:
        self._applied: list[tuple[Address, JsonObject]] = []

    def __len__(self) -> int:
        return len(self._applied)

    def add(self, address: Address, published: Published) -> None:
        """A patch was accepted; where it changed nothing there is nothing to do again."""
        if published.changed:
            self._applied.append((address, published.authored))

    def patches(self, here: Address) -> tuple[tuple[Json, ...], int]:
        """Give those that mean the same memory in this cohort, and how many others there are."""
        meant = [authored for address, authored in self._applied if _fits(authored, address, here)]
        return tuple(meant), len(self._applied) - len(meant)


def _fits(authored: JsonObject, made: Address, here: Address) -> bool:
    scopes = [scope for scope in made.scopes if scope in authored]
    if made.root != here.root or not set(scopes) <= set(here.scopes):
        return False
    return all(made.scope_address(scope) == here.scope_address(scope) for scope in scopes)
