"""What the ledger holds of the scopes in view, page by page: read in threads, one after another."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from engine.records import dataclass

if TYPE_CHECKING:
    from engine.ledger.events import Retained
    from engine.ledger.folds import Folds
    from engine.ledger.timeline import TimelineRow
    from engine.ledger.troubles import Trouble

PAGE: Final = 200
# So many pages are read to come from the newest rows to those that are listed; beyond that the list begins anew.
_MOST_PAGES: Final = 10
# Faults that are listed; of a store that is broken again and again the newest.
_MOST_TROUBLES: Final = 200


@dataclass(frozen=True, slots=True)
class Recorded:
    """Rows newest first, without a hole between them, and the faults of that time; `more`: the ledger has older ones."""

    rows: tuple[TimelineRow, ...] = ()
    troubles: tuple[Trouble, ...] = ()
    more: bool = False


class Records:
    """Reads on in both directions from what has been read. Only ever called from one thread at a time."""

    def __init__(self, folds: Folds) -> None:
        self._folds = folds
        self._addresses: tuple[str, ...] = ()
        self._held = Recorded()

    def body(self, row: TimelineRow) -> Retained | None:
        """The transition of a row, patch and way back."""
        return self._folds.body(row)

    def nothing(self) -> Recorded:
        """What is known without reading anything."""
        return Recorded()

    def newest(self, addresses: tuple[str, ...], pages: int = 0) -> Recorded:
        """Read what has been recorded since, of other scopes than before the newest page; and so many older `pages`."""
        if addresses != self._addresses:
            self._addresses, self._held = addresses, Recorded()
        self._folds.catch_up()
        held = self._held.rows
        newest = held[0].seq if held else None
        found: list[TimelineRow] = []
        more = self._held.more
        for _ in range(_MOST_PAGES):
            page = self._page(found[-1].seq if found else None)
            fresh = [row for row in page if newest is None or row.seq > newest]
            found += fresh
            if newest is None:
                more = len(page) == PAGE
                break
            if len(fresh) < len(page) or len(page) < PAGE:
                found += held
                break
        else:
            more = True
        self._hold(tuple(found), more)
        for _ in range(pages if more else 0):
            self.older()
        return self._held

    def older(self) -> Recorded:
        """Read the next older page."""
        held = self._held
        page = self._page(held.rows[-1].seq if held.rows else None)
        self._hold((*held.rows, *page), len(page) == PAGE)
        return self._held

    @property
    def _places(self) -> tuple[str, ...]:
        """Where faults of these scopes are recorded: at each of them, at the cohort, and at the lock."""
        from engine.ledger.facts import LOCK_PLACE

        return (*self._addresses, *(f"cohort {address}" for address in self._addresses), LOCK_PLACE)

    def _page(self, before: int | None) -> tuple[TimelineRow, ...]:
        from engine.ledger.timeline import TIMELINE_VIEW, TimelineAsk

        return self._folds.view(TIMELINE_VIEW, TimelineAsk(self._addresses, before, PAGE)) or ()

    def _hold(self, rows: tuple[TimelineRow, ...], more: bool) -> None:
        from engine.ledger.troubles import TROUBLES_VIEW, TroublesAsk

        since = rows[-1].seq if rows and more else 0
        ask = TroublesAsk(self._places, since, _MOST_TROUBLES)
        self._held = Recorded(rows, self._folds.view(TROUBLES_VIEW, ask) or (), more)
