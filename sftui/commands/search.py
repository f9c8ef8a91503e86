"""`sftui search TEXT`: where a text stands, in memory as it is and in what is known of its past."""

from __future__ import annotations

import time
from argparse import Namespace
from collections.abc import Iterable
from typing import Final

from engine.errors import InvalidRequest
from engine.store.snapshot import snapshot
from engine.values import Json
from engine.values.needle import Needle, needle
from sftui.commands.log import trouble_of
from sftui.commands.output import complain, print_json, print_lines
from sftui.commands.target import target
from sftui.display import quoted
from sftui.searching import PLACES, Known, ground_in, look
from sftui.views.search import MOST_HITS, Hit, HitKey, Progress, hit_line
from sftui.views.spans import Spans

# Hits of memory that are printed together; the first ones do not wait for that many.
_TOGETHER: Final = 64


def run(options: Namespace) -> int:
    if not options.text:
        raise InvalidRequest("no-text", "there is nothing to look for", hint="name a text, such as sftui search merge")
    within = _places(options.within)
    wanted = target(options)
    found = snapshot(wanted.address)
    sought = needle(options.text, case=options.case)
    ground = ground_in(found, wanted.wanted, ledger=not options.no_ledger)
    now, history = time.time(), dict[HitKey, Hit]()
    hits: list[Hit] = []
    waiting: list[Hit] = []
    end = Progress()
    for step in look(ground, sought, within):
        match step:
            case Hit(source="memory"):
                hits.append(step)
                waiting.append(step)
                if not options.json and (len(waiting) == _TOGETHER or len(hits) == 1):
                    print_lines(_lines(waiting, now))
                    waiting = []
            case Hit():
                # What is retained may turn out to have been seen: it is told once that is known.
                history[step.key] = step
            case Known():
                history[step.hit.key] = step.hit
            case Progress():
                end = step
    hits += history.values()
    if options.json:
        print_json(_json(options.text, sought, within, hits, end), compact=True)
    else:
        print_lines([*_lines([*waiting, *history.values()], now), _summary(options.text, sought, len(hits), end)])
    if end.trouble:
        complain(end.trouble)
    trouble = trouble_of(found, wanted.wanted)
    if trouble is None:
        return 1 if end.trouble else 0
    complain(str(trouble))
    return trouble.exit_code


def _places(named: str | None) -> tuple[str, ...]:
    if named is None:
        return PLACES
    asked = tuple(name.strip() for name in named.split(","))
    for name in asked:
        if name not in PLACES:
            raise InvalidRequest("bad-place", f"there is no {name!r} to look in", hint="it is memory, history or both")
    return asked


def _lines(hits: Iterable[Hit], now: float) -> list[Spans]:
    found: list[Spans] = []
    for hit in hits:
        left, right = hit_line(hit, now)
        found.append((*left[1:], ("  ", "text"), (right[0][0].strip(), right[0][1])))
    return found


def _summary(text: str, sought: Needle, count: int, end: Progress) -> Spans:
    how = "any case" if sought.any_case else "capitals count"
    said = f"{count:,} found" if count else "nothing found"
    parts = [f"{said} for {quoted(text, 60)}, {how}"]
    if end.cut:
        parts.append(f"cut at {MOST_HITS:,}: there is more")
    if end.elsewhere:
        parts.append(f"{end.elsewhere:,} changes elsewhere in the ledger may hold it too")
    return (("; ".join(parts), "muted"),)


def _json(text: str, sought: Needle, within: Iterable[str], hits: list[Hit], end: Progress) -> Json:
    places: list[Json] = list(within)
    return {
        "text": text,
        "any_case": sought.any_case,
        "in": places,
        "count": len(hits),
        "cut": end.cut,
        "elsewhere": end.elsewhere,
        "hits": [hit.to_json() for hit in hits],
    }
