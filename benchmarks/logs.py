"""Logs of a wanted length, as an agent fills them: for some time one module, with what comes next at each step."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Iterator
from typing import Final

from engine.ledger.events import TransitionSeen
from engine.ledger.lines import from_line, to_line

ADDRESS: Final = "--work-demo-app--/2026-11-01T10-00-00-000Z_11111111-1111-4111-8111-111111111111"
# Changes to one module before the next one is worked on, and how many there are.
_STEPS, _MODULES = 40, 5000
_PART: Final = 5000

_CHANGE: Final = (
    '{"lazy":{"modules":{"%(module)s":{"lines":%(number)d,"notes":['
    '"what was found in module %(number)d, line %(more)d: the list is merged before it is shown, see ticket %(less)d",'
    '"what was found in module %(less)d, line %(number)d: the list is merged before it is shown, see ticket %(more)d; d\u00e9j\u00e0 vu"],'
    '"share":0.5}}},"tactics":{"next":"look at %(module)s, then at what it calls; step %(number)d"}}'
)
_LINE: Final = (
    '{"address":"%(address)s","boundary":{"id":"%(id)s","parent":"%(parent)s","position":%(revision)d},'
    '"event":"transition","grew":{"lazy":%(less)d,"tactics":-3},"hash":"%(hash)s","inverse":%(inverse)s,'
    '"patch":%(patch)s,"revision":%(revision)d,"scope":"session","seen":%(seen)d.5,"session":"%(address)s","v":1,'
    '"written":%(written)d}\n'
)


def lines(count: int) -> Iterator[bytes]:
    """The lines of so many transitions of one session, many at a time."""
    chance = random.Random(4)
    parent = _identifier(chance)
    for start in range(1, count + 1, _PART):
        part: list[str] = []
        for revision in range(start, min(start + _PART, count + 1)):
            module = f"module-{(revision // _STEPS) % _MODULES + chance.randrange(4):06d}"
            values = {"module": module, "number": revision, "more": revision * 7, "less": revision % 97}
            name = _identifier(chance)
            part.append(
                _LINE
                % {
                    "address": ADDRESS,
                    "id": name,
                    "parent": parent,
                    "revision": revision,
                    "less": revision % 97,
                    "hash": hashlib.sha256(name.encode()).hexdigest(),
                    "inverse": _CHANGE % {**values, "number": revision - 1},
                    "patch": _CHANGE % values,
                    "seen": 1_800_000_000 + revision,
                    "written": (1_800_000_000 + revision) * 10**9,
                }
            )
            parent = name
        if start == 1:
            _are_ours(part[0].encode())
        yield "".join(part).encode()


def _are_ours(line: bytes) -> None:
    """They are what the ledger itself would write."""
    event = from_line(line.rstrip(b"\n"))
    assert isinstance(event, TransitionSeen)
    assert to_line(event) == line, (to_line(event), line)


def _identifier(chance: random.Random) -> str:
    text = f"{chance.getrandbits(128):032x}"
    return "-".join((text[:8], text[8:12], text[12:16], text[16:20], text[20:]))
