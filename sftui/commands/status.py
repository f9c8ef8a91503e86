"""`sftui status`: a cohort at a glance."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterator, Sequence

from engine.store.listing import sessions
from engine.store.snapshot import snapshot
from sftui.commands.doctor import EXIT_CODES, STATUS_ROLES, VERDICT_ROLES, fault_lines, lock_text
from sftui.commands.output import print_json, print_lines, size, table
from sftui.commands.target import target
from sftui.display import clean, one_line
from sftui.views.spans import Role, Span, Spans
from sftui.views.status import ScopeStatus, Status, status

# What a person recognises of a long specification.
_SPECIFICATION_WIDTH = 60
# So many sessions are listed by their keys.
_MOST_SESSIONS = 5


def run(options: Namespace) -> int:
    wanted = target(options, judging=True)
    address = wanted.address
    there = () if address.key is None else sessions(address.root, address.key)
    found = status(snapshot(address), wanted.wanted, there)
    if options.json:
        print_json(found.to_json(), compact=True)
    else:
        print_lines(_lines(found))
    return EXIT_CODES[found.verdict]


def _lines(found: Status) -> Iterator[Spans]:
    yield from table(list(_head(found)))
    yield ()
    yield from table(
        [
            _cells("scope", "status", "rev", "kept", "size", "address", role="muted"),
            *(_scope_row(scope) for scope in found.scopes),
        ],
        frozenset({2, 3, 4}),
    )
    planes = [row for scope in found.scopes for row in _plane_rows(scope)]
    if planes:
        yield ()
        heading = _cells("scope", "plane", "keys", "size", "owned", "", role="muted")
        yield from table([heading, *planes], frozenset({2, 3, 4}))
    for scope in found.scopes:
        if scope.health.faults:
            yield ()
            yield ((scope.health.scope, "strong"),)
            for fault in scope.health.faults:
                yield from fault_lines(fault, scope.health.address)


def _head(found: Status) -> Iterator[tuple[Span, ...]]:
    yield ("store", "muted"), (clean(found.root), "text")
    empty = not found.present and found.verdict == "ok"
    warned = any(scope.health.faults for scope in found.scopes)
    verdict: str = "ok, but there is no store here yet" if empty else found.verdict
    if found.verdict == "ok" and warned:
        verdict = "ok, with warnings: see below"
    yield ("verdict", "muted"), (verdict, VERDICT_ROLES[found.verdict])
    yield ("revisions", "muted"), (found.vector, "strong")
    if found.cwd is not None:
        yield ("cwd", "muted"), (clean(found.cwd), "text")
    if found.session is not None:
        yield ("session", "muted"), (clean(found.session), "text")
        run = found.specification
        if run is not None:
            yield ("unfinished", "muted"), (one_line(run, _SPECIFICATION_WIDTH), "warn")
    elif found.sessions:
        yield from _sessions(found.sessions)
    mode = found.mode if found.session is not None else None
    if mode or found.operator_mode or found.session is not None:
        default = "" if mode else " (the store's default)" if found.operator_mode else ""
        yield ("mode", "muted"), (f"{mode or found.operator_mode or 'not set'}{default}", "text")
    yield ("history", "muted"), (_history(found), "text")
    role: Role = "bad" if found.lock_faults else "text"
    yield ("lock", "muted"), (lock_text(found.lock), role)


def _sessions(keys: Sequence[str]) -> Iterator[tuple[Span, ...]]:
    """How many sessions there are, and the keys of the newest: `--session` takes one."""
    yield ("sessions", "muted"), (str(len(keys)), "text")
    for number, key in enumerate(keys[:_MOST_SESSIONS]):
        yield ("" if number else "newest", "muted"), (clean(key), "text")
    if len(keys) > _MOST_SESSIONS:
        yield ("", "muted"), (f"and {len(keys) - _MOST_SESSIONS:,} older; --json lists them all", "muted")


def _history(found: Status) -> str:
    limit = f"{found.history_limit} {'transition' if found.history_limit == 1 else 'transitions'} a scope"
    if found.session is None or found.lineage is None:
        return limit
    if found.adopted:
        return f"{limit}; the session's lineage starts here: shared memory moved on without it"
    return f"{limit}; {found.lineage - 1} of them in the session's lineage"


def _scope_row(scope: ScopeStatus) -> tuple[Span, ...]:
    state = f"{scope.health.status}, stale" if scope.stale else scope.health.status
    return (
        (scope.health.scope, "strong"),
        (state, STATUS_ROLES[scope.health.status]),
        ("?" if scope.revision is None else str(scope.revision), "text"),
        ("" if scope.retained is None else str(scope.retained), "text"),
        (size(scope.size) if scope.planes else "", "text"),
        (clean(scope.health.address), "muted"),
    )


def _plane_rows(scope: ScopeStatus) -> Iterator[tuple[Span, ...]]:
    for plane in scope.planes:
        yield (
            (scope.health.scope, "muted"),
            (clean(plane.plane), "key"),
            ("" if plane.keys is None else str(plane.keys), "text"),
            (size(plane.size), "text"),
            (_share(plane.owned, plane.size), "text"),
            ("" if plane.hot else "not in context", "muted"),
        )


def _share(owned: int, whole: int) -> str:
    """How much of a plane intents own, in percent."""
    if not owned:
        return ""
    return f"{max(1, round(100 * owned / whole))} %" if whole else "100 %"


def _cells(*texts: str, role: Role) -> tuple[Span, ...]:
    return tuple((text, role) for text in texts)
