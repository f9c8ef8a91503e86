"""`sftui context`: exactly what a model would be given now, and what of it takes how much room."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Callable, Iterator
from typing import Final

from engine.memory.context import Mode, context
from engine.memory.overlay import effective
from engine.memory.reading import View
from engine.memory.scope import SCOPES, Wanted
from engine.store.readings import Snapshot
from engine.store.snapshot import snapshot
from engine.values import JsonObject, dotted
from sftui.commands.output import print_json, print_lines, size, table
from sftui.commands.target import composed, target
from sftui.display import clean
from sftui.views.context import ESTIMATED, UNKNOWN, Context, gather, largest, remarks
from sftui.views.context_lines import bar, delta_words, next_lines, part_words, recent_words, share
from sftui.views.picture import Picture, look, measured
from sftui.views.spans import Role, Span, Spans
from sftui.views.units import human_tokens
from sftui.views.weighing import Weighed, done

# So many keys are printed for people.
_MOST: Final = 40
_BAR: Final = 12


def run(options: Namespace) -> int:
    wanted = target(options)
    found, given = gathered(snapshot(wanted.address), wanted.wanted, options.mode)
    if options.json:
        print_json(found.to_json(given()), compact=True)
    else:
        print_lines(given_lines(found))
    return 0


def gathered(seen: Snapshot, wanted: Wanted, asked: Mode | None) -> tuple[Context, Callable[[], JsonObject | None]]:
    """What a model would be given of the wanted scopes, and the document itself when it is asked for."""
    view = View(composed(seen, wanted), wanted)
    states = {scope: state for scope, state in view.cohort.states.items() if scope in view.wanted}
    whole = effective(view.dialect, states)
    picture = measured(look(Picture(), seen, "live", 0.0, pinned=True, sightings={}))
    found = done(gather(picture, asked, given=(view, whole)))
    return found, lambda: None if found.weighed is None else context(view, found.weighed.mode)


def given_lines(found: Context) -> Iterator[Spans]:
    """It for people."""
    yield (("mode  ", "muted"), (found.choice.words, "strong"))
    for words in remarks(found):
        yield (("      ", "text"), (words, "warn"))
    weighed = found.weighed
    if weighed is not None:
        yield from _given(weighed)
    yield ()
    yield (("the next change", "strong"),)
    for line in next_lines(found.next):
        yield (("  ", "text"), *line)
    yield ()
    yield ((ESTIMATED, "muted"),)
    yield ((UNKNOWN, "muted"),)


def _given(weighed: Weighed) -> Iterator[Spans]:
    yield ()
    rows: list[list[Span]] = [[("a model would be given", "strong"), *_sized(weighed.total, "strong")]]
    rows += [[(f"  {part_words(name)}", "text"), *_sized(count)] for name, count in weighed.parts.items()]
    yield from table(rows, frozenset({1, 2}))
    yield delta_words(weighed)
    items = largest(weighed.state)
    if items:
        yield ()
        yield (("by key", "strong"), ("  the largest first", "muted"))
        cells: list[list[Span]] = [
            [
                (f"  {clean(dotted('', item.path))}", "key"),
                ("".join(scope[0] for scope in item.providers), "text"),
                *_sized(item.size),
                (bar(item.size, weighed.total, _BAR), "accent"),
                (share(item.size, weighed.total), "muted"),
            ]
            for item in items[:_MOST]
        ]
        yield from table(cells, frozenset({2, 3, 5}))
        if len(items) > _MOST:
            rest = sum(item.size for item in items[_MOST:])
            yield ((f"  {len(items) - _MOST:,} more keys, {size(rest)}; --json has them all", "muted"),)
        yield ()
        yield (("by plane", "strong"),)
        planes = sorted(weighed.state.planes, key=lambda plane: -plane.size)
        yield from table(
            [[(f"  {clean(plane.name)}", "key"), *_sized(plane.size), (share(plane.size, weighed.total), "muted")] for plane in planes],
            frozenset({1, 2, 3}),
        )  # fmt: skip
        yield ()
        yield (("by scope", "strong"), ("  what each alone provides", "muted"))
        scopes = weighed.state.scopes
        told: list[list[Span]] = [
            [(f"  {scope}", "key"), *_sized(scopes[scope])] for scope in SCOPES if scope in scopes
        ]
        told.append([("  names and brackets", "muted"), *_sized(weighed.state.size - sum(scopes.values()))])
        yield from table(told, frozenset({1, 2}))
    yield ()
    yield (("recent transitions", "strong"), (f"  {recent_words(weighed)}", "muted"))
    yield from table(
        [
            [(f"  effective[{one.told.offset}]", "key"), (", ".join(one.told.patches), "text"), *_sized(one.size)]
            for one in weighed.recent
        ],
        frozenset({2, 3}),
    )


def _sized(count: int, role: Role = "text") -> tuple[Span, Span]:
    return (size(count), role), (human_tokens(count), "muted")
