"""What is known of one row of History: when, whose, from where, and what it changed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from engine.memory.scope import SCOPES, Scope, initial
from sftui.display import clean
from sftui.times import clock, date
from sftui.views.diffs import ScopeDiff
from sftui.views.history import BEGINS, OLDER, History, Note, RowKey, note_words, shorts, when, whose
from sftui.views.review_lines import diff_rows
from sftui.views.spans import Spans

if TYPE_CHECKING:
    from sftui.views.moments import Moment, MomentPart

_FROM = {
    "lineage": "retained, and in this session's lineage",
    "tail": "retained; not in this session's lineage",
    "ledger": "no longer retained; only in the ledger",
}
# Lines of a diff beside a list; the page that enter opens has them all.
MOST_LINES = 60


def row_details(
    told: History, key: RowKey, diffs: tuple[ScopeDiff, ...] | None, lacking: Sequence[str] = ()
) -> tuple[Spans, list[Spans]]:
    """Give title and lines about a row; `diffs` is what it changed, None while that is read, `lacking` what nobody knows."""
    if key == OLDER:
        return (("older changes", "strong"),), [(("enter loads the next page of the ledger", "muted"),)]
    if key == BEGINS or key not in told.moments:
        note = told.notes.get(key)
        return (((note.kind if note else "history"), "strong"),), [] if note is None else list(_note_lines(note))
    moment = told.moments[key]
    title: Spans = ((clean(shorts(moment)), "strong"), (f"  {when(moment)[0]}", "muted"))
    lines = list(_facts(moment))
    lines += [((words, "warn"),) for words in lacking]
    if diffs is not None:
        lines += [row.spans for row in diff_rows(diffs, remarks(moment))]
        if any(one.more for one in diffs):
            lines.append((("  enter shows all of it", "muted"),))
    return title, lines


def _facts(moment: Moment) -> Iterator[Spans]:
    for part in sorted(moment.parts, key=lambda one: SCOPES.index(one.scope)):
        yield _part_line(part)
    boundary = moment.boundary
    offset = moment.offset
    where = f"boundary {clean(boundary.id[:_LONGEST_ID])} at position {boundary.position:,}"
    if offset is not None:
        where += ", the session's newest" if offset == 0 else f", {offset:,} before the session's newest"
    yield ((where, "muted"),)


_LONGEST_ID = 40


def _part_line(part: MomentPart) -> Spans:
    seen = f"seen {date(part.seen)} {clock(part.seen)}" if part.seen is not None else _unseen(part)
    words = f"  {seen}, {_whose_words(part)}; {_FROM[part.source]}"
    if part.session:
        words += f"; session {clean(part.session)}"
    return ((f"{initial(part.scope)}{part.revision}", "strong"), (words, "text"))


def _unseen(part: MomentPart) -> str:
    return "there before anybody looked" if part.before else "time unknown"


def _whose_words(part: MomentPart) -> str:
    return {"ours": "ours", "not ours": "not ours", "unknown": "author unknown"}[whose((part,))]


def remarks(moment: Moment) -> Mapping[Scope, Spans]:
    """Which revisions of each scope a transition led from and to."""
    return {
        part.scope: ((f"{initial(part.scope)}{part.revision - 1} → {initial(part.scope)}{part.revision}", "muted"),)
        for part in moment.parts
    }


def _note_lines(note: Note) -> Iterator[Spans]:
    yield ((note_words(note), "text"),)
    yield ((f"recorded {date(note.seen)} {clock(note.seen)}", "muted"),)
    if note.address:
        yield ((clean(note.address), "muted"),)
