"""`sftui patch`: changes memory as an agent's patch_state does, and prints the receipt."""

from __future__ import annotations

import os
import sys
import threading
import time
from argparse import Namespace
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Final

from engine.errors import Busy, Cancelled, DecodeError, EngineError, Fenced, InvalidRequest
from engine.store.journal import Recovered, finish_or_undo, refuse_left
from engine.store.lock import LockState
from engine.store.proposal import Published
from engine.store.publication import publish
from engine.store.readings import Snapshot
from engine.values import Json, decode
from sftui.commands.absent import begins_directory, refuse_store
from sftui.commands.interrupts import wish_to_end
from sftui.commands.output import complain, drop_stdout, print_json, print_lines
from sftui.commands.target import Target, hint_at_session, target
from sftui.display import clean
from sftui.views.receipt import Done, done

# Waits shorter than this are nobody's business.
_SILENT_SECONDS: Final = 1.0
_FAILED: Final = 1
_INVALID: Final = 3


def run(options: Namespace) -> int:
    where = target(options, writing=True)
    try:
        return _patch(options, where)
    except InvalidRequest as error:
        hint_at_session(error, options)
        raise


def _script(options: Namespace, where: Target) -> int:
    from sftui.commands.replay import Run, replay

    data = _input(options.file)
    root = where.address.root
    if options.store is not None and not options.create:
        refuse_store(root)
    waiting = _Waiting()
    with wish_to_end() as cancel:
        if not options.dry_run:
            recovered = finish_or_undo(root, cancel=cancel, on_wait=waiting.told)
            _tell(recovered)
            refuse_left(recovered)

        def write(
            authored: Json,
            *,
            approved: str | None = None,
            previous: Snapshot | None = None,
            dry_run: bool = False,
        ) -> Published:
            if cancel.is_set():
                raise Cancelled("cancelled", "cancelled", kept="this patch was not begun")
            with _deadline(options.timeout, cancel) as timed_out:
                try:
                    published = publish(
                        where.address,
                        authored,
                        wanted=where.wanted,
                        previous=previous,
                        approved=approved,
                        force_session=options.force_session,
                        dry_run=dry_run,
                        dialect=options.dialect,
                        allow=options.allow,
                        cancel=cancel,
                        on_wait=waiting.told,
                    )
                except Cancelled as error:
                    raise _busy(error, waiting, options.timeout) if timed_out.is_set() else error from None
            if timed_out.is_set():
                cancel.clear()  # it was in time after all
            if not dry_run and not options.no_ledger:
                _record(root, published)
            return published

        return replay(Run(options, where, write, cancel), data)


def _busy(error: Cancelled, waiting: _Waiting, seconds: float) -> Busy:
    return Busy(
        "lock-held",
        f"the store was still locked{waiting.owner} after {seconds:g} s",
        file=error.file,
        kept="nothing was written",
        hint="try again when it is done",
    )


def _patch(options: Namespace, where: Target) -> int:
    if options.script:
        return _script(options, where)
    try:
        authored, notes = _authored(options.file)
    except DecodeError as error:
        name = "standard input" if options.file == "-" else options.file
        complain(f"{name}:{error.line or 1}:{error.column or 1}: {error.message}")
        return _INVALID
    for note in notes:
        complain(note)
    root = where.address.root
    if options.store is not None and not options.create:
        refuse_store(root)
    is_new = options.store is not None and not os.path.lexists(root)
    is_elsewhere = begins_directory(where.address, authored, where.wanted)
    waiting = _Waiting()
    with wish_to_end() as cancel, _deadline(options.timeout, cancel) as timed_out:
        try:
            if not options.dry_run:
                recovered = finish_or_undo(where.address.root, cancel=cancel, on_wait=waiting.told)
                _tell(recovered)
                refuse_left(recovered)
            published = publish(
                where.address,
                authored,
                wanted=where.wanted,
                approved=options.approved,
                force_session=options.force_session,
                dry_run=options.dry_run,
                dialect=options.dialect,
                allow=options.allow,
                cancel=cancel,
                on_wait=waiting.told,
            )
        except Fenced as error:
            if options.dry_run and options.json:
                from sftui.views.review import blocked

                print_json(blocked(error), compact=True)
            raise
        except Cancelled as error:
            if not timed_out.is_set():
                raise
            raise _busy(error, waiting, options.timeout) from None
        if not options.dry_run and not options.no_ledger:
            _record(root, published)
    if published.created:
        did = "would begin" if options.dry_run else "has begun"
        if is_new:
            complain(f"there was no store at {root}: the patch {did} one")
        if is_elsewhere:
            complain(f"there is no directory {where.address.cwd}: the patch {did} a memory for it all the same")
    if options.dry_run:
        return _show_review(published, options, cancel)
    view = done(published)
    try:
        if options.json:
            print_json(view.to_json(), compact=True)
        else:
            from sftui.commands.outcome import done_lines  # a program is told the receipt alone

            print_lines(done_lines(view, advice=_concerns_sessions(published)))
    except OSError as error:
        return _unprinted(view, error)
    return 0


def _show_review(published: Published, options: Namespace, cancel: threading.Event) -> int:
    """Print what would be done; gives the exit code that doing it would end with."""
    from sftui.commands.outcome import review_lines, reviewed

    view = reviewed(published, cancel)
    if options.json:
        print_json(view.to_json(), compact=True)
    else:
        print_lines(review_lines(view))
    return view.obstacles[0].exit_code if view.obstacles else 0


def _unprinted(view: Done, error: OSError) -> int:
    """What was done is done, even if nobody could be told of it on stdout."""
    drop_stdout()
    what = f"the change was made ({view.vector})" if view.changed else "there was nothing to change"
    complain(f"{what}, but the receipt could not be printed: {error.strerror or error}")
    return _FAILED


class _Waiting:
    """Says who is waited for, once, when it takes long."""

    def __init__(self) -> None:
        self._since: float | None = None
        self._said = False
        self.owner = ""

    def told(self, state: LockState) -> None:
        now = time.monotonic()
        if self._since is None:
            self._since = now
        self.owner = f" by pid {state.pid}" if state.pid is not None else ""
        if state.kind == "empty":
            # It is filled or found broken within two seconds: that is no wait to give up.
            return
        if not self._said and now - self._since >= _SILENT_SECONDS:
            self._said = True
            complain(f"locked{self.owner or ' by another program'}, waiting; Ctrl-C gives up")


def _authored(name: str) -> tuple[Json, tuple[str, ...]]:
    """The patch, and what to tell about it; raises DecodeError, OSError."""
    decoded = decode(_input(name))
    shown = "standard input" if name == "-" else name
    notes = tuple(f"{shown}:{note.line}:{note.column}: warning: {note.detail}" for note in decoded.notes)
    return decoded.value, notes


def _input(name: str) -> bytes:
    if name == "-":
        if sys.stdin.isatty():
            complain("type or paste a JSON patch, then end it with Ctrl-D on a line of its own; Ctrl-C gives up")
        return sys.stdin.buffer.read()
    with open(name, "rb") as file:
        return file.read()


@contextmanager
def _deadline(seconds: float | None, cancel: threading.Event) -> Iterator[threading.Event]:
    """Set `cancel`, and the event that is given, when `seconds` are over."""
    passed = threading.Event()
    if seconds is None:
        yield passed
        return

    def end() -> None:
        if not cancel.is_set():
            passed.set()
            cancel.set()

    timer = threading.Timer(seconds, end)
    timer.daemon = True
    timer.start()
    try:
        yield passed
    finally:
        timer.cancel()


def _concerns_sessions(published: Published) -> bool:
    """Whether there may be a session that a change means something to."""
    from engine.store.listing import has_sessions

    address = published.snapshot.address
    try:
        return has_sessions(address.root, None if "global" in published.changed else address.key)
    except (OSError, EngineError):
        return True


def _tell(recovered: Iterable[Recovered]) -> None:
    """Say what became of publications of ours that were interrupted."""
    for found in recovered:
        if found.outcome in ("finished", "undone"):
            complain(f"an earlier publication, interrupted in process {found.pid}, was {found.outcome}")


def _record(root: str, published: Published) -> None:
    """Tell the ledger; whatever happens there, the change itself is safe."""
    from engine.ledger import Ledger

    ledger = Ledger.open(root)
    ledger.made_here(published)
    trouble = ledger.complaint()
    if trouble is not None:
        complain(clean(trouble))
