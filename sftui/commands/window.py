"""`sftui [STORE]`: opens the app on a store."""

from __future__ import annotations

import os
import threading
from argparse import Namespace
from typing import Final

from engine.store.layout import LOCK_NAME, default_root, store_home
from sftui import app

_PATIENCE_SECONDS: Final = 1.0


def run(options: Namespace) -> int:
    store = options.directory or options.store or default_root(os.environ)
    session = None if options.session == "newest" else options.session
    if not options.readonly:
        _settle(store)
    return app.run(
        store=store,
        cwd=options.cwd or os.getcwd(),
        session=session,
        readonly=options.readonly,
        no_ledger=options.no_ledger,
        ascii_signs=options.ascii,
    )


def _settle(store: str) -> None:
    """Finish or undo what a killed process of ours had begun. Whatever comes of it, the app opens and shows the store."""
    if not _may_be_unsettled(store):
        return
    from engine.errors import EngineError
    from engine.store.journal import finish_or_undo
    from sftui.commands.output import complain

    cancel = threading.Event()
    patience = threading.Timer(_PATIENCE_SECONDS, cancel.set)
    patience.daemon = True
    patience.start()
    try:
        for found in finish_or_undo(os.path.realpath(store), cancel=cancel):
            complain(f"an earlier publication, interrupted in process {found.pid}: {found.outcome}")
    except EngineError as error:
        complain(str(error))
    finally:
        patience.cancel()


def _may_be_unsettled(store: str) -> bool:
    """Whether there is a lock or a journal at all: without either the window need not wait for the writing part to load."""
    if os.path.lexists(os.path.join(store, LOCK_NAME)):
        return True
    try:
        return bool(os.listdir(os.path.join(store_home(store), "journal")))
    except OSError:
        return False
