"""`sftui script`: what was changed here, as one patch a line, to be carried out again by `sftui patch --script`."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterable

from engine.errors import EngineError
from engine.ledger import Ledger
from engine.ledger.authored import AuthoredAsk
from engine.ledger.folds import Folds
from engine.ledger.written import WRITTEN_VIEW, Written
from engine.memory.dialect import V4
from engine.store.layout import Address
from engine.store.snapshot import snapshot
from engine.values import Json, JsonObject
from sftui import script
from sftui.commands.output import complain, moment, print_bytes, print_json
from sftui.commands.target import target
from sftui.views.authorship import ASIDE

_LACKING = 1


class BadTime(EngineError):
    """A time that cannot be read: wrong usage."""

    exit_code = 2


def run(options: Namespace) -> int:
    wanted = target(options)
    address = wanted.address
    since = None if options.since is None else _seconds(options.since)
    found = _found(address, since)
    here = [one for one in found if _is_of(one, address)]
    elsewhere = len(found) - len(here)
    if options.last is not None:
        here = here[: options.last]
    whole = [one for one in reversed(here) if one.patch is not None]
    dialect = snapshot(address).dialect or V4
    for one in here:
        if one.patch is None:
            complain(
                f"what was made at {moment(one.made.seen)} is not in it: its record is gone, or does not say enough"
            )
    for number, one in enumerate(whole, 1):
        if one.is_doubtful(dialect):
            complain(
                f"line {number} may come to something else: it deletes an intent, and of all that this owned the record "
                "does not say what became of it; compare it with --dry-run"
            )
    if elsewhere:
        complain(f"{elsewhere:,} more {'was' if elsewhere == 1 else 'were'} made for other directories or sessions")
    data = _json(whole, elsewhere) if options.json else script.write(one.patch for one in whole)
    if options.output is not None:
        from sftui.saved_file import save

        save(options.output, data, root=address.root, force=options.force)
    elif options.json:
        print_json(_document(whole, elsewhere), compact=True)
    elif data:
        print_bytes(data)
    if not here:
        complain("nothing is known to have been made here" + (" since then" if since is not None else ""))
    if Ledger.open(address.root).has_kept():
        complain(f"what was made earlier is not asked for: {ASIDE}")
    return 0 if len(whole) == len(here) else _LACKING


def _found(address: Address, since: float | None) -> tuple[Written, ...]:
    """What was made here, newest first."""
    folds = Folds.open(address.root)
    try:
        folds.catch_up()
        found = folds.view(WRITTEN_VIEW, AuthoredAsk(since=since))
        if folds.complaint() is not None and found is None:
            complain(f"{folds.complaint()}")
        return found or ()
    finally:
        folds.close()


def _is_of(one: Written, address: Address) -> bool:
    """Whether all that it changed is memory of this cohort."""
    here = {(scope, address.scope_address(scope)) for scope in address.scopes}
    return all((scope, where) in here for scope, where, _, _ in one.made.changes)


def _document(whole: Iterable[Written], elsewhere: int) -> JsonObject:
    patches: list[Json] = [
        {
            "boundary": one.made.boundary.to_json(),
            "seen": one.made.seen,
            "changes": [{"scope": scope, "revision": revision} for scope, _, revision, _ in one.made.changes],
            "patch": one.patch,
        }
        for one in whole
    ]
    return {"patches": patches, "elsewhere": elsewhere}


def _json(whole: Iterable[Written], elsewhere: int) -> bytes:
    from sftui.commands.jsontext import json_text

    return f"{json_text(_document(whole, elsewhere))}\n".encode()


def _seconds(text: str) -> float:
    """A moment as a person writes it, in this machine's zone unless it names another one."""
    from datetime import datetime

    try:
        return datetime.fromisoformat(text).timestamp()
    except (ValueError, OverflowError, OSError):
        raise BadTime(
            "bad-time", f"{text!r} is no date or time", hint="write it as 2026-11-30 or 2026-11-30T12:00"
        ) from None
