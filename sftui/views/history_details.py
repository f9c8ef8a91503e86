"""What is known of one row of History: when, whose, from where, and what it changed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from engine.memory.scope import Scope, initial
from sftui.actions import key_for
from sftui.display import clean
from sftui.times import clock, date
from sftui.views.authorship import author_words, seen_words
from sftui.views.diffs import ScopeDiff
from sftui.views.history import BEGINS, OLDER, History, Note, RowKey, when
from sftui.views.history_rows import note_words
from sftui.views.review_lines import diff_rows
from sftui.views.spans import Spans

if TYPE_CHECKING:
    from sftui.views.moments import Moment

_FROM: Final = {
    "lineage": "retained, in this session's lineage",
    "tail": "retained, not in this session's lineage",
    "ledger": "only in the ledger",
}
# Lines of a diff beside a list; the page that enter opens has them all.
MOST_LINES: Final = 60


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
    title: Spans = ((clean(moment.shorts), "strong"), (f"  {when(moment)[0]}", "muted"))
    lines: list[Spans] = [((words, "warn"),) for words in lacking]
    if diffs is not None:
        lines += [row.spans for row in diff_rows(diffs, remarks(moment))]
        if any(one.more for one in diffs):
            lines.append(((f"  {key_for('list.open')} shows all of it", "muted"),))
    return title, [*lines, *_facts(told, moment)]


def remarks(moment: Moment) -> Mapping[Scope, Spans]:
    """Which revisions of each scope a transition led from and to."""
    return {
        part.scope: ((f"{initial(part.scope)}{part.revision - 1} → {part.short}", "muted"),) for part in moment.parts
    }


def _facts(told: History, moment: Moment) -> Iterator[Spans]:
    said: dict[str, list[str]] = {}
    for part in moment.parts:
        origin = "retained" if part.source == "tail" and told.session is None else _FROM[part.source]
        seen = part.seen is not None or part.before
        when_it = seen_words(part.seen, told.today, aside=told.aside) if seen else "time unknown"
        words = f"  {when_it} · {author_words(part.ours)} · {origin}"
        said.setdefault(words, []).append(part.short)
    for words, shorts in said.items():
        yield (" ".join(shorts), "strong"), (words, "text")
    for session in dict.fromkeys(part.session for part in moment.parts if part.session not in {None, told.session}):
        yield ("in the lineage of ", "muted"), (clean((session or "").rpartition("/")[2]), "text")
    if moment.order == "unknown":
        yield (("whether it came before or after the change above it is not known", "warn"),)
    boundary = moment.boundary
    yield ((f"boundary {clean(boundary.id[:_LONGEST_ID])}, position {boundary.position:,}", "muted"),)


_LONGEST_ID: Final = 40


def _note_lines(note: Note) -> Iterator[Spans]:
    yield ((note_words(note), "text"),)
    yield ((f"recorded {date(note.seen)} {clock(note.seen)}", "muted"),)
    if note.address:
        yield ((clean(note.address), "muted"),)
