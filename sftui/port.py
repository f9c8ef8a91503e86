"""The write port: the one place of the app where memory is written, and where `--readonly` is enforced."""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection
from typing import TYPE_CHECKING

from engine.errors import InvalidRequest

if TYPE_CHECKING:
    from engine.memory.draft import Draft
    from engine.store.layout import Address
    from engine.store.proposal import Published
    from engine.store.readings import Snapshot
    from engine.store.waiting import OnWait


class WritePort:
    """Says what a draft would do, and does it. Blocks: use from threads."""

    def __init__(self, *, readonly: bool, ledger: bool) -> None:
        self.readonly = readonly
        # The vocabulary of a store that has none yet, once a person has said it.
        self.dialect: int | None = None
        self._ledger = ledger

    def preview(self, snapshot: Snapshot, draft: Draft) -> Published:
        """What the draft would do to memory as it is now; `snapshot` may be older. Raises EngineError."""
        from engine.store.publication import publish

        return publish(snapshot.address, draft, previous=snapshot, dialect=self.dialect, dry_run=True)

    def publish(
        self,
        snapshot: Snapshot,
        draft: Draft,
        approved: str,
        *,
        force_session: bool = False,
        allow: Collection[str] = (),
        on_wait: OnWait | None = None,
        cancel: threading.Event | None = None,
        done: Callable[[Published], None] = lambda _: None,
    ) -> Published:
        """Write exactly what was approved, or nothing; raises EngineError.

        `done` is called as soon as it is written, whatever becomes of whoever asked for it.
        """
        if self.readonly:
            raise InvalidRequest(
                "read-only",
                "this window was opened with --readonly",
                kept="nothing was written, and the draft is kept",
                hint="open the store without --readonly to apply it",
            )
        from engine.store.publication import publish

        published = publish(
            snapshot.address,
            draft,
            previous=snapshot,
            approved=approved,
            force_session=force_session,
            allow=allow,
            dialect=self.dialect,
            on_wait=on_wait,
            cancel=cancel,
        )
        done(published)
        if self._ledger:
            self._record(snapshot.address, published)
        return published

    def _record(self, address: Address, published: Published) -> None:
        """Tell the ledger that it was made here: our own feed hears of it there. Of trouble that one tells."""
        from engine.ledger import Ledger

        Ledger.open(address.root).made_here(published)
