"""`sftui log`: what changed, newest first."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterator
from typing import Final

from engine.errors import EngineError
from engine.ledger import Ledger
from engine.store.readings import Snapshot
from engine.store.snapshot import snapshot
from sftui.commands.leaves import leaves
from sftui.commands.output import complain, moment, print_json, print_lines
from sftui.commands.target import obstacle, target
from sftui.display import clean
from sftui.views.authorship import author_words, unknown_words
from sftui.views.log import Change, Lineage, Tails, lineage, retained_of, tails
from sftui.views.spans import Role, Spans

# A patch is shown by its leaves, at most this many of them.
_MOST_LINES: Final = 12


def run(options: Namespace) -> int:
    wanted = target(options)
    found = snapshot(wanted.address)
    retained = retained_of(found, wanted.wanted)
    ledger = Ledger.open(wanted.address.root, enabled=not options.no_ledger)
    sightings = ledger.sightings(retained)
    view: Lineage | Tails
    if wanted.address.session is not None and found.cohort is not None:
        view = lineage(found, found.cohort, wanted.wanted, sightings)
    else:
        view = tails(found, wanted.wanted, sightings)
    if options.json:
        print_json(view.to_json(), compact=True)
    else:
        aside = ledger.has_kept()
        print_lines(_moments(view, aside=aside) if isinstance(view, Lineage) else _tails(view, aside=aside))
    trouble = trouble_of(found, wanted.wanted)
    if trouble is None:
        return 0
    complain(str(trouble))
    return trouble.exit_code


def trouble_of(found: Snapshot, wanted: tuple[str, ...]) -> EngineError | None:
    """Why something that was asked for is not in the list."""
    hidden = any(found.scopes[scope].status == "fenced" for scope in found.scopes if scope in wanted)
    composed = found.cohort is not None or found.address.session is None
    return None if composed and not hidden else obstacle(found)


def _moments(view: Lineage, *, aside: bool) -> Iterator[Spans]:
    if view.adopted:
        yield (("the session's lineage starts here: shared memory moved on without it", "warn"),)
    for number, entry in enumerate(view.moments):
        if number:
            yield ()
        back = "before the lineage" if entry.offset is None else "now" if not entry.offset else f"{entry.offset} back"
        yield ((f"position {entry.boundary.position}", "strong"), (f"  {back}  {clean(entry.boundary.id)}", "muted"))
        for change in entry.changes:
            yield _heading(change, aside=aside)
            yield from _leaves(change)
    if not view.moments:
        yield (("nothing is retained", "muted"),)


def _tails(view: Tails, *, aside: bool) -> Iterator[Spans]:
    for number, tail in enumerate(view.tails):
        if number:
            yield ()
        role: Role = "bad" if tail.status == "fenced" else "muted"
        revision = "" if tail.revision is None else f"  revision {tail.revision}"
        yield (
            (tail.scope, "strong"),
            (f"  {tail.status}", role),
            (revision, "text"),
            (f"  {clean(tail.address)}", "muted"),
        )
        for boundary, change in tail.entries:
            yield (*_heading(change, aside=aside), (f"  {clean(boundary.id)}", "muted"))
            yield from _leaves(change)


def _leaves(change: Change) -> Iterator[Spans]:
    return leaves(change.transition.patch, before=change.before, cascaded=change.cascaded, most=_MOST_LINES)


def _heading(change: Change, *, aside: bool) -> Spans:
    seen = unknown_words(aside=aside) if change.seen is None else f"seen {moment(change.seen)}"
    author = author_words(change.ours if change.ours or change.seen is not None else None)
    return (
        ("  ", "text"),
        (f"{change.scope[0]}{change.transition.revision}", "accent"),
        (f"  {change.scope}", "text"),
        (f"  {seen}, {author}", "muted"),
    )
