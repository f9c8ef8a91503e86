"""`sftui ledger status|verify|rotate`: what was recorded of a store, whether its folds are right, a new beginning."""

from __future__ import annotations

import os
import sys
import time
from argparse import Namespace
from typing import TYPE_CHECKING, Final

from engine.ledger.folds import Folds
from engine.ledger.last_good import LAST_GOOD_VIEW, LastGoodAsk
from engine.ledger.ledger import Ledger
from engine.ledger.log import CRASH_NAME, LOG_NAME, Log
from engine.ledger.states import STATE_NAME
from engine.values import Json, JsonObject
from sftui.commands.output import complain, print_json, print_lines
from sftui.commands.target import target
from sftui.display import clean
from sftui.times import date
from sftui.views.ledger import LedgerStatus, status_lines
from sftui.views.spans import Spans
from sftui.views.units import human

if TYPE_CHECKING:
    from engine.ledger.verifying import Report
    from engine.store.layout import Address

DONE: Final = 0
FAILED: Final = 1
DIFFERS: Final = 7
# How often a person is told how far it is, in seconds.
_TELL: Final = 1.0
_UNANSWERED: Final = (
    "no longer answered from it: who changed what and when, what was made here (sftui script), and moments and undo "
    "beyond what is retained; search and traces still read it"
)


def run(options: Namespace) -> int:
    address = target(options, lenient=True).address
    if options.task == "rotate":
        return _rotate(options, address)
    folds = Folds.open(address.root)
    try:
        return _status(options, address, folds) if options.task == "status" else _verify(options, folds)
    finally:
        folds.close()


def _status(options: Namespace, address: Address, folds: Folds) -> int:
    told = _look(folds, address)
    if options.json:
        print_json(told.to_json(), compact=True)
    else:
        print_lines(status_lines(told, date(time.time())))
    return DONE if told.log is None or told.folded is not None else FAILED


def _look(folds: Folds, address: Address) -> LedgerStatus:
    """Look at the record of a store, and fold what is new in it."""
    directory = folds.directory or ""
    log = _size(os.path.join(directory, LOG_NAME))
    known = log is not None and folds.catch_up()
    addresses = {scope: address.scope_address(scope) for scope in address.scopes}
    return LedgerStatus(
        directory,
        log,
        folds.events,
        folds.offset if known else None,
        _size(os.path.join(directory, STATE_NAME)) or 0,
        folds.counts() if known else {},
        tuple((name, _size(os.path.join(directory, name)) or 0) for name in Log(directory).kept()),
        _size(os.path.join(directory, CRASH_NAME)) or 0,
        folds.complaint(),
        {scope: folds.view(LAST_GOOD_VIEW, LastGoodAsk(at)) if known else None for scope, at in addresses.items()},
        addresses,
    )


def _verify(options: Namespace, folds: Folds) -> int:
    last = time.monotonic()

    def step(done: int, of: int) -> None:
        nonlocal last
        if sys.stderr.isatty() and time.monotonic() - last > _TELL:
            last = time.monotonic()
            complain(f"comparing; {100 * done // max(1, of)} %")

    report = folds.checked(step)
    if options.json:
        print_json(_report_json(report), compact=True)
    else:
        print_lines([_report(report)])
    return FAILED if report.ok is None else DONE if report.ok else DIFFERS


def _report(report: Report) -> Spans:
    what = f"{report.events:,} events, {human(report.offset)}"
    if report.ok is None:
        return (("not compared", "warn"), (f": {clean(report.reason or 'nobody knows why')}", "text"))
    if report.ok:
        return (("the same", "good"), (f": what is kept is the fold of the log from its first line ({what})", "text"))
    named = ", ".join(f"{unit} at {clean(key)}" for unit, key in report.differing)
    return (("different", "bad"), (f": {named} ({what}); what was kept is given up and folded anew", "text"))


def _report_json(report: Report) -> JsonObject:
    differing: list[Json] = [{"unit": unit, "key": key} for unit, key in report.differing]
    return {
        "ok": report.ok,
        "bytes": report.offset,
        "events": report.events,
        "differing": differing,
        "reason": report.reason,
    }


def _rotate(options: Namespace, address: Address) -> int:
    kept = Ledger.open(address.root).rotate()
    if options.json:
        print_json({"kept": kept}, compact=True)
    elif kept is None:
        print_lines([(("there is nothing to put aside", "muted"),)])
    else:
        print_lines(
            [
                (("a new log begins", "good"), (f"; the old one is kept as {kept}", "text")),
                (("nothing was removed: what it holds still stands there", "muted"),),
                ((_UNANSWERED, "warn"),),
            ]
        )
    return DONE


def _size(path: str) -> int | None:
    try:
        return os.stat(path, follow_symlinks=False).st_size
    except OSError:
        return None
