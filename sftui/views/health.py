"""Screen 6 in words: what is wrong, here and in other scopes in view, before what could be cleaned."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from engine.records import dataclass
from sftui.views.findings import Findings, counts
from sftui.views.notices import Elsewhere, Notice, notices
from sftui.views.picture import Picture
from sftui.views.spans import Span, Spans

RowKey = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Wrong:
    """A fault or a warning; `other` names its scope where that is not open, `command` says the same with codes."""

    notice: Notice
    other: str = ""
    command: str = "sftui doctor"

    def line(self) -> Spans:
        """Give it on one line."""
        mark, *rest = self.notice.line()
        named: tuple[Span, ...] = ((f"{self.other}  ", "strong"),) if self.other else ()
        return ((" ", "text"), mark, *named, *rest)

    def lines(self) -> list[Spans]:
        """Give all there is to say of it."""
        notice = self.notice
        told: list[Spans] = []
        if self.other:
            told.append(((self.other, "strong"), ("  not open here", "muted")))
        if notice.where:
            told.append(((notice.where, "muted"),))
        told += [((text, "text"),) for text in (notice.reason, notice.usable) if text]
        if self.command:
            told.append(((self.command, "text"), ("  says the same, with codes", "muted")))
        return [*told, (("Nothing was changed.", "muted"),)]


def wrongs(picture: Picture, elsewhere: Iterable[Elsewhere]) -> dict[RowKey, Wrong]:
    """Give everything that is wrong, by row: in the open scopes, then in the others."""
    found = [Wrong(notice) for notice in notices(picture) if notice.level != "info"]
    for other in elsewhere:
        found += [Wrong(notice, other.name, other.command) for notice in other.found]
    keyed: dict[RowKey, Wrong] = {}
    for one in found:
        keyed.setdefault(("wrong", one.other, one.notice.title, one.notice.where), one)
    return keyed


def title(wrong: Sequence[Wrong], found: Findings | None, marks: int) -> tuple[Spans, Spans]:
    """Give the counts above the list, and what is marked."""
    faults = sum(1 for one in wrong if one.notice.level == "fault")
    warnings = len(wrong) - faults
    said: list[Span] = [("health", "strong")]
    if faults:
        said += [("  ", "text"), (f"{faults:,} fault{'' if faults == 1 else 's'}", "bad")]
    if warnings:
        said += [("  ", "text"), (f"{warnings:,} warning{'' if warnings == 1 else 's'}", "warn")]
    said.append(("  ", "text"))
    told: Spans = (*said, (("looking…", "muted")) if found is None else ("", "text"))
    if found is not None:
        told = (*said, *counts(found))
    return told, ((f"{marks:,} marked", "accent"),) if marks else ()


def unread_line(found: Findings) -> Spans:
    """Say which scopes could not be looked into."""
    unread = found.report.unread
    return ((f"not looked into: {', '.join(unread)}", "warn"),) if unread else ()
