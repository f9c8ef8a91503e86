"""The list of screen 6: what is wrong, then what could be cleaned, by key."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from sftui.views.spans import Spans
from sftui.widgets.lines import KeyedLines

if TYPE_CHECKING:
    from sftui.views.findings import Findings, Item
    from sftui.views.health import Wrong

RowKey = tuple[str, ...]


class FindingList(KeyedLines[RowKey]):
    """Rows of faults and of findings; `marks` are the findings that a person has marked."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self.marks: set[RowKey] = set()
        self.wrong: Mapping[RowKey, Wrong] = {}
        self.items: Mapping[RowKey, Item] = {}
        self._found: Findings | None = None
        self._sign: Callable[[Item], str] = lambda _: ""

    def show(
        self,
        wrong: Mapping[RowKey, Wrong],
        found: Findings,
        items: Mapping[RowKey, Item],
        sign: Callable[[Item], str],
        empty: Spans,
    ) -> None:
        """Show these; cursor, scroll and marks stay with their keys."""
        self.wrong, self.items, self._found, self._sign = wrong, items, found, sign
        self.marks &= items.keys()
        self.replace([*wrong, *items], empty=[empty])
        self.forget_strips()

    def item(self) -> Item | None:
        """The finding under the cursor."""
        key = self.cursor_key
        return None if key is None else self.items.get(key)

    def line_spans(self, key: RowKey, width: int) -> tuple[Spans, Spans]:
        """Lay a row out."""
        from sftui.views.findings import row

        wrong = self.wrong.get(key)
        if wrong is not None:
            return wrong.line(), ()
        item = self.items[key]
        assert self._found is not None
        return row(self._found, item, width, marked=key in self.marks, sign=self._sign(item))
