"""`sftui [STORE]`: opens the app on a store."""

from __future__ import annotations

import os
from argparse import Namespace

from engine.store.layout import default_root
from sftui import app


def run(options: Namespace) -> int:
    store = options.directory or options.store or default_root(os.environ)
    session = None if options.session == "newest" else options.session
    return app.run(
        store=store,
        cwd=options.cwd or os.getcwd(),
        session=session,
        readonly=options.readonly,
        no_ledger=options.no_ledger,
    )
