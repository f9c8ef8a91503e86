"""`sftui intents`: what each intent owns and uses, what its deletion would take along, and what belongs to none."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterator

from engine.errors import EngineError
from engine.memory.relations import KINDS, Relation
from engine.memory.scope import Scope, Wanted, is_scope
from engine.store.readings import Snapshot
from engine.store.snapshot import snapshot
from sftui.commands.output import complain, print_json, print_lines, size, table
from sftui.commands.target import obstacle, target
from sftui.display import clean
from sftui.views.intents import Intent, Intents, intents, why_it_stays
from sftui.views.picture import Picture, look, measured
from sftui.views.preview import key_text
from sftui.views.spans import Role, Span, Spans


def run(options: Namespace) -> int:
    wanted = target(options)
    found = snapshot(wanted.address)
    picture = measured(look(Picture(), found, "live", 0.0, pinned=True, sightings={}))
    view = intents(picture, wanted.wanted)
    if options.json:
        print_json(view.to_json(), compact=True)
    else:
        print_lines(intent_lines(view))
    trouble = _trouble(found, view, wanted.wanted)
    if trouble is None:
        return 0
    complain(str(trouble))
    return trouble.exit_code


def _trouble(found: Snapshot, view: Intents, wanted: Wanted) -> EngineError | None:
    """Why some of what was asked for is not in the list."""
    if view.hidden or (found.cohort is None and found.dialect is None and found.present):
        return obstacle(found, wanted)
    return None


def intent_lines(view: Intents) -> Iterator[Spans]:
    """The intents for people."""
    if view.items:
        heads = ("intent", "in", *KINDS, "goes with it")
        titles: list[Span] = [(head, "muted") for head in heads]
        yield from table([titles, *(_row(view, item) for item in view.items)], frozenset(range(2, len(heads))))
    else:
        yield (("no intents", "muted"),)
    for item in view.items:
        if item.relations or not item.whole:
            yield ()
            yield (
                (clean(f"{item.scope}.intents."), "muted"),
                (key_text(item.name), "strong"),
                (f"  {item.says}", "text"),
            )
            yield from table([_place(view, relation) for relation in item.relations])
            if not item.whole:
                yield (("  too large to be looked through: what it uses is not listed", "warn"),)
    for scope, places in view.unowned.items():
        if places:
            yield ()
            yield ((f"unowned in {scope}", "strong"), (f"  {len(places):,}", "muted"))
            yield from table([_left(view, scope, told) for told in places])


def _row(view: Intents, item: Intent) -> tuple[Span, ...]:
    counts: list[Span] = [(str(item.count(kind) or ""), "warn" if kind == "dangling" else "text") for kind in KINDS]
    goes = "" if not item.takes.targets else size(view.goes(item) or 0)
    return ((key_text(item.name), "strong"), (item.scope, "text"), *counts, (goes, "text"))


def _place(view: Intents, relation: Relation) -> tuple[Span, ...]:
    why = ""
    if relation.kind in {"shared", "used"}:
        why = why_it_stays(relation)
    elif relation.kind == "dangling":
        why = "nothing is there"
    root = relation.root
    held = view.size(root, relation.path) if root is not None and is_scope(root) else None
    role: Role = "warn" if relation.kind == "dangling" else "muted"
    return (
        (f"  {relation.kind}", role),
        (clean(relation.target), "key"),
        ("" if held is None else size(held), "text"),
        (clean(why), "muted"),
    )


def _left(view: Intents, scope: Scope, told: str) -> tuple[Span, ...]:
    path = view.unowned[scope][told]
    users = view.users_of(scope, path)
    used = f"used by {clean(', '.join(users))}" if users else ""
    held = view.size(scope, path)
    return ((f"  {clean(told)}", "key"), ("" if held is None else size(held), "text"), (used, "muted"))
