"""What the screens show, on a page: each from the very view object that its screen draws."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from engine.memory.scope import Wanted
from engine.records import dataclass
from engine.store.readings import Snapshot
from engine.values import Json, JsonObject
from sftui.display import clean
from sftui.export.document import Document, Heading, Table, lines
from sftui.views.picture import Picture
from sftui.views.spans import Role, Span, Spans

if TYPE_CHECKING:
    from sftui.views.changes import Entry
    from sftui.views.chronicle import Chronicle
    from sftui.views.context import Context
    from sftui.views.findings import Findings
    from sftui.views.history import RowKey, Summary
    from sftui.views.intents import Intents
    from sftui.views.watch import IntentRow


@dataclass(frozen=True, slots=True)
class Given:
    """What a view is made of: what was read, which scopes of it are wanted, and whether the ledger may be asked."""

    snapshot: Snapshot
    picture: Picture
    wanted: Wanted
    ledger: bool


# Watch.


@dataclass(frozen=True, slots=True)
class Watch:
    """Screen 1: the intents, and what changed, newest first."""

    intents: tuple[IntentRow, ...]
    changes: tuple[Entry, ...]

    def to_json(self) -> JsonObject:
        """It as data."""
        intents: list[Json] = [row.to_json() for row in self.intents]
        changes: list[Json] = [_entry_json(entry) for entry in self.changes]
        return {"intents": intents, "changes": changes}


def _entry_json(entry: Entry) -> JsonObject:
    told: list[Json] = [line.to_json() for line in entry.lines]
    return {
        "scope": entry.scope,
        "revision": entry.revision,
        "boundary": entry.boundary.to_json(),
        "seen": entry.seen,
        "ours": entry.ours,
        "changes": told,
        "more": entry.more,
    }


def watch(given: Given) -> Watch:
    """Make what Watch shows of the wanted scopes."""
    from sftui.views.watch import intent_rows

    picture = given.picture
    return Watch(
        tuple(row for row in intent_rows(picture) if row.scope in given.wanted),
        tuple(entry for entry in picture.log if entry.scope in given.wanted),
    )


def watch_page(told: Watch, width: int) -> Document:
    """Lay Watch out."""
    from sftui.views.preview import key_text
    from sftui.views.watch import change_line, heading

    rows: tuple[tuple[Span, ...], ...] = tuple(
        ((row.scope, "muted"), (key_text(row.name), "strong"), (row.says, "text"), (str(row.owns or ""), "text"))
        for row in told.intents
    )
    stream: list[Spans] = []
    for entry in told.changes:
        left, right = heading(entry, width)
        stream.append((*left, ("  ", "text"), *right) if right else left)
        stream.extend(change_line(line, width) for line in entry.lines)
        if entry.more:
            stream.append(((f"  and {entry.more:,} more", "muted"),))
    blocks = (
        _title("intents"),
        Table(("in", "intent", "says", "owns"), rows, frozenset({3})) if rows else lines([(("  none", "muted"),)]),
        _title("changes"),
        lines(stream or [(("  none is retained", "muted"),)]),
    )
    return Document("watch", blocks, told.to_json())


# Intents.


def intents(given: Given) -> Intents:
    """Make what Intents shows."""
    from sftui.views.intents import intents as found

    return found(given.picture, given.wanted)


def intents_page(told: Intents, width: int) -> Document:
    """Lay the intents out, by the lines of `sftui intents`."""
    from sftui.commands.intents import intent_lines

    del width
    return Document("intents", (lines(intent_lines(told)),), told.to_json())


# The timeline.


@dataclass(frozen=True, slots=True)
class Timeline:
    """Screen 3: every transition that is known, newest first, and what the ledger notes between them."""

    chronicle: Chronicle
    summaries: Mapping[RowKey, Summary]

    def to_json(self) -> JsonObject:
        """It as data."""
        known = self.chronicle
        transitions: list[Json] = []
        for key, moment in known.moments.items():
            summed = self.summaries.get(key)
            transitions.append({**moment.to_json(), **({} if summed is None else summed.to_json())})
        notes: list[Json] = [note.to_json() for note in known.notes]
        return {"adopted": known.adopted, "transitions": transitions, "notes": notes, "more": known.more}


# Pages of the ledger that are read besides the newest.
_OLDER_PAGES: Final = 9


def timeline(given: Given) -> Timeline:
    """Put together what is retained and, where it may be asked, what the ledger holds."""
    from engine.ledger.folds import Folds
    from sftui.ledger_pages import Records
    from sftui.views.chronicle import chronicle, summed

    folds = Folds.open(given.snapshot.address.root, given.ledger)
    try:
        records = Records(folds)
        scopes = given.snapshot.scopes
        addresses = tuple(scopes[scope].address for scope in scopes if scope in given.wanted)
        recorded = records.newest(addresses, _OLDER_PAGES)
        made = chronicle(given.picture, recorded.rows, recorded.troubles, more=recorded.more)
        summaries = {key: summed(made, moment, records.body) for key, moment in made.moments.items()}
    finally:
        folds.close()
    return Timeline(made, summaries)


def timeline_page(told: Timeline, width: int) -> Document:
    """Lay the timeline out as History lists it."""
    from sftui.times import date
    from sftui.views.authorship import ASIDE
    from sftui.views.history import history
    from sftui.views.history_rows import LEGEND, row_line

    known = told.chronicle
    listed = history(
        known.moments, known.notes, told.summaries, more=False, adopted=known.adopted, today=date(known.picture.at)
    )
    laid: list[Spans] = []
    for key in listed.keys:
        left, right = row_line(listed, key, width)
        laid.append((*left, ("  ", "text"), *right) if right else left)
    if known.more:
        laid.append((("the ledger has older ones", "muted"),))
    elif known.picture.aside:
        laid.append(((f"of anything older, {ASIDE}", "muted"),))
    return Document("timeline", (Heading(LEGEND), lines(laid or [(("nothing is known", "muted"),)])), told.to_json())


# Context.


@dataclass(frozen=True, slots=True)
class ModelView:
    """Screen 5: what a model would be given now."""

    found: Context
    given: JsonObject | None

    def to_json(self) -> JsonObject:
        """It as data."""
        return self.found.to_json(self.given)


def context(given: Given) -> ModelView:
    """Work out what a model would be given in the mode of the session."""
    from sftui.commands.context import gathered

    found, document = gathered(given.snapshot, given.wanted, None)
    return ModelView(found, document())


def context_page(told: ModelView, width: int) -> Document:
    """Lay it out, by the lines of `sftui context`."""
    from sftui.commands.context import given_lines

    del width
    return Document("context", (lines(given_lines(told.found)),), told.to_json())


# Health.


@dataclass(frozen=True, slots=True)
class Health:
    """Screen 6: what could be cleaned."""

    found: Findings

    def to_json(self) -> JsonObject:
        """It as data."""
        return self.found.to_json(every=False)


def health(given: Given) -> Health:
    """Look for what could be cleaned, by the person's own settings."""
    from sftui.commands.lint import examined
    from sftui.health_settings import load, settings_file

    settings = load(settings_file(os.environ), must_exist=False)
    return Health(examined(given.snapshot, given.wanted, settings)[0])


def health_page(told: Health, width: int) -> Document:
    """Lay the findings out, by the lines of `sftui lint`."""
    from sftui.commands.lint import lint_lines

    del width
    return Document("health", (lines(lint_lines(told.found, every=False)),), told.to_json())


def _title(text: str, role: Role = "strong") -> Heading:
    span: Span = (clean(text), role)
    return Heading((span,))
