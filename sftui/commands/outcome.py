"""What a patch would do, or did, as the command line prints it: the same lines as on the app's review."""

from __future__ import annotations

import threading
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from engine.memory.scope import Scope
from engine.records import replace
from engine.store.proposal import Published
from sftui.views.entails import Entails
from sftui.views.receipt import Done
from sftui.views.review_lines import (
    Row,
    change_rows,
    effect_rows,
    fold_rows,
    growth_spans,
    obstacle_rows,
    reach_rows,
    surprise_rows,
    taken_rows,
)
from sftui.views.spans import Spans

if TYPE_CHECKING:
    from sftui.views.review import Review


def reviewed(published: Published, cancel: threading.Event) -> Review:
    """The review of a dry run, with what it means for sessions."""
    from engine.store.consequences import consequences  # what is written already needs none of this
    from sftui.views.reach import gathered
    from sftui.views.review import review

    *_, reach = gathered(consequences(published, cancel))
    return replace(review(published), reach=reach)


def review_lines(view: Review) -> Iterator[Spans]:
    """A review for people."""
    told = view.entails
    if not told.net:
        yield (("nothing would change", "muted"),)
    else:
        yield (("would change", "strong"), ("  (nothing was written)  ", "muted"), *growth_spans(told.growth))
    # What it means for sessions is told of each of them, once they were looked at.
    yield from _changes(told, view.revisions, view.remarks, advice=view.reach is None)
    if view.reach is not None and view.reach.counts:
        yield (("  sessions  ", "strong"), *view.reach.words)
        yield from (row.spans for row in reach_rows(view.reach))
    yield from (row.spans for row in obstacle_rows(view))
    if told.net:
        yield (("approve  ", "muted"), (f"--approved {view.digest}", "text"))


def done_lines(view: Done, *, advice: bool = True) -> Iterator[Spans]:
    """What was done, for people; without `advice` where there is no session that it could mean something to."""
    if not view.changed:
        yield (("nothing to change", "strong"), ("  memory is like this already  ", "muted"), (view.vector, "accent"))
    else:
        yield (("changed", "good"), (f"  {', '.join(view.changed)}  ", "text"), (view.vector, "accent"))
    yield from _changes(view.entails, advice=advice)


def _changes(
    told: Entails,
    revisions: Mapping[Scope, int] | None = None,
    remarks: Collection[str] = (),
    *,
    advice: bool = True,
) -> Iterator[Spans]:
    sections: tuple[tuple[str, Iterable[Row]], ...] = (
        ("", change_rows(told, revisions)),
        ("goes along with intents", taken_rows(told)),
        ("what shows", effect_rows(told)),
        ("history folds away", fold_rows(told)),
        ("", surprise_rows(told, remarks, advice=advice)),
    )
    for title, rows in sections:
        for number, row in enumerate(rows):
            if title and not number:
                yield ((f"  {title}", "strong"),)
            yield row.spans
