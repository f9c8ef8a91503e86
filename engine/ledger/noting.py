"""Reading very many lines for the fold: the one event that comes a million times is made as little of as will do."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from engine import values
from engine.ledger.events import Event, TransitionSeen
from engine.ledger.lines import LEAST, VERSION, WIDEST, from_line, glance
from engine.ledger.units import Noted

# Longer lines may be complete states, whose values need not be read at all.
_LONG: Final = 1 << 14


def noting() -> Callable[[bytes], Event | Noted | None]:
    """Give what reads a line: the same events as `from_line`, transitions as `Noted`."""
    if not values.fast_paths():
        return lambda line: noted(glance(line))
    from orjson import loads

    new = tuple.__new__

    def note(line: bytes) -> Event | Noted | None:
        if len(line) > _LONG:
            return noted(glance(line))
        try:
            value: Any = loads(line)
            if value["event"] != "transition" or value["v"] != VERSION:
                return glance(line)
            boundary, patch, grew, inverse = value["boundary"], value["patch"], value.get("grew"), value.get("inverse")
            seen, written, address, revision = value["seen"], value["written"], value["address"], value["revision"]
            session, name, position, parent = (
                value.get("session"),
                boundary["id"],
                boundary["position"],
                boundary["parent"],
            )
            if grew is not None:
                for count in grew.values():
                    if type(count) is not int or not LEAST <= count < WIDEST:
                        return noted(from_line(line))
            if (
                type(address) is str
                and type(revision) is int
                and type(name) is str
                and type(position) is int
                and type(written) is int
                and (type(seen) is float or type(seen) is int)
                and type(value["scope"]) is str
                and type(value["hash"]) is str
                and values.is_object(patch)
                and (values.is_object(inverse) or "inverse" not in value)
                and (type(session) is str or session is None)
                and (type(parent) is str or parent is None)
                and LEAST <= revision < WIDEST
                and LEAST <= position < WIDEST
                and LEAST <= written < WIDEST
            ):
                return new(Noted, (address, revision, name, patch, grew))
        except (KeyError, TypeError, ValueError, AttributeError):
            pass
        # Whatever is odd about it is looked at properly: a number that was rounded, an encoding, a kind of value.
        return noted(from_line(line))

    return note


def noted(event: Event | None) -> Event | Noted | None:
    """The same of an event that has been read."""
    if isinstance(event, TransitionSeen):
        t = event.transition
        return Noted(event.address, t.revision, t.boundary.id, t.patch, t.grew)
    return event
