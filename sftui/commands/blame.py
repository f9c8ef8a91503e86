"""`sftui blame PATH`: which change set a value last, when it was first seen, and what is known of who made it."""

from __future__ import annotations

import time
from argparse import Namespace
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from engine.errors import InvalidRequest
from engine.store.snapshot import snapshot
from engine.values import Json, dotted
from sftui.commands.log import trouble_of
from sftui.commands.output import complain, print_json, print_lines
from sftui.commands.target import hint_at_session, target
from sftui.times import date
from sftui.views.authorship import ASIDE
from sftui.views.paths import parse_path
from sftui.views.setters import Records, page, setters

if TYPE_CHECKING:
    from engine.ledger.blame import Blame
    from sftui.views.kinds import Path, View


def run(options: Namespace) -> int:
    view, path = _place(options.path)
    wanted = target(options)
    if view not in {"effective", *wanted.wanted}:
        error = InvalidRequest("scope-not-wanted", f"the {view} scope is not among those that are used", path=options.path,
                               scope="session" if view == "session" else None)  # fmt: skip
        hint_at_session(error, options)
        raise error
    found = snapshot(wanted.address)
    with _records(wanted.address.root, ledger=not options.no_ledger) as records:
        told = setters(found, wanted.wanted, view, path, records)
        aside = records.aside
    if options.json:
        scopes: list[Json] = [one.to_json() for one in told]
        print_json({"path": dotted(view, path), "scopes": scopes}, compact=True)
    else:
        session = found.scopes.get("session")
        own = None if session is None else session.address
        print_lines(page(view, path, told, date(time.time()), own, aside=aside))
    trouble = trouble_of(found, wanted.wanted if view == "effective" else (view,))
    if trouble is None:
        return 0
    complain(str(trouble))
    return trouble.exit_code


def _place(text: str) -> tuple[View, Path]:
    parsed = parse_path(text.strip())
    if parsed is None:
        raise InvalidRequest("bad-path", "this is not a path", path=text,
                             hint="such as effective.tactics.checks or cwd.lazy.notes[3]")  # fmt: skip
    view, path = parsed
    return view or "effective", path


@contextmanager
def _records(root: str, *, ledger: bool) -> Iterator[Records]:
    """What was recorded; whatever cannot be kept of its folds is folded for this answer alone."""
    if not ledger:
        yield Records(lambda *_: None, lambda _: None, "the ledger is not looked at")
        return
    from engine.ledger.blame import blame
    from engine.ledger.folds import Folds
    from engine.ledger.log import Log

    folds = Folds.open(root)
    try:
        known = folds.catch_up() and folds.offset > 0
        aside = bool(Log(folds.directory or "").kept())
        words = "" if known else folds.complaint() or "nothing was recorded of this store"
        if aside and not folds.complaint():
            words = f"the log does not go back that far: {ASIDE}"

        def ask(address: str, path: Path) -> Blame | None:
            return blame(folds, address, path)

        yield Records(ask, folds.body, words, aside)
    finally:
        folds.close()
