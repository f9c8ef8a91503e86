"""Findings as they are shown: what is ignored marked, what looks like a secret veiled, fixes in words."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from engine.health.findings import SEVERITIES, TITLES, Finding, Report, Severity
from engine.health.secrets import masked
from engine.memory.draft import Operation, Put, Remove, Transfer
from engine.memory.references import ref_of
from engine.records import dataclass, field
from engine.values import Json, JsonObject, canonical, dotted
from sftui.cells import cell_len, cut_middle
from sftui.display import clean
from sftui.views.ignoring import Ignored, Settings, Where
from sftui.views.spans import Role, Span, Spans

SEVERITY_ROLES: Final[dict[Severity, Role]] = {"high": "bad", "medium": "warn", "low": "muted"}
_SHORTEST_VEILED: Final = 8
# From so many cells on a row says in words what kind of finding it is.
_WORDS_FROM: Final = 72


@dataclass(frozen=True, slots=True)
class Item:
    """One finding; `ignored` is the entry of the settings that says to say no more of it."""

    finding: Finding
    ignored: Ignored | None = None


@dataclass(frozen=True, slots=True)
class Findings:
    """What a look has found, the worst first."""

    report: Report = field(default_factory=Report)
    items: tuple[Item, ...] = ()

    @property
    def counted(self) -> tuple[Item, ...]:
        """What is not ignored."""
        return tuple(item for item in self.items if item.ignored is None)

    def count(self, severity: Severity) -> int:
        """How many of a severity there are, without what is ignored."""
        return sum(1 for item in self.counted if item.finding.severity == severity)

    @property
    def ignored(self) -> int:
        """How many are ignored."""
        return len(self.items) - len(self.counted)

    @property
    def left_out(self) -> int:
        """How many of a kind there were beyond those that are told."""
        return sum(count for _, count in self.report.left_out)

    def is_at_least(self, severity: Severity) -> bool:
        """Whether anything is at least as severe."""
        worst = SEVERITIES[: SEVERITIES.index(severity) + 1]
        return any(self.count(one) for one in worst)

    def masks(self, text: str) -> str:
        """A text that quotes memory with whatever looks like a secret in it masked."""
        pattern = _any_of(self.report.secrets)
        return text if pattern is None else pattern.sub(lambda match: masked(match[0]), text)

    def veiled(self, text: str) -> str:
        """The same, cleaned for a screen."""
        return clean(self.masks(text))

    def to_json(self, *, every: bool) -> JsonObject:
        """All of it as data; ignored ones are marked, and there only for `every`."""
        findings: list[Json] = []
        for item in self.items if every else self.counted:
            one = item.finding.to_json(self.masks)
            findings.append(one if item.ignored is None else {**one, "ignored": True})
        counts: dict[str, Json] = {severity: self.count(severity) for severity in SEVERITIES}
        left: dict[str, Json] = dict(self.report.left_out)
        unread: list[Json] = list(self.report.unread)
        return {"findings": findings, "counts": counts, "ignored": self.ignored, "left_out": left, "unreadable": unread}


@lru_cache(maxsize=4)
def _any_of(secrets: tuple[str, ...]) -> re.Pattern[str] | None:
    """What finds any of these texts, also as a path spells them. Shorter ones stand in too much that is none."""
    forms = {
        form for secret in secrets if len(secret) >= _SHORTEST_VEILED for form in (secret, canonical(secret)[1:-1])
    }
    return re.compile("|".join(map(re.escape, sorted(forms, key=len, reverse=True)))) if forms else None


def told(report: Report, settings: Settings, where: Where, only: frozenset[str] = frozenset()) -> Findings:
    """What there is to tell of a report; `only` are the kinds that were asked for, none for all."""
    items = tuple(
        Item(finding, settings.ignores(finding, where))
        for finding in report.findings
        if not only or finding.code in only
    )
    return Findings(report, items)


# In words.


def counts(found: Findings) -> Spans:
    """The counts on one line, the worst first."""
    spans: list[Span] = []
    for severity in SEVERITIES:
        count = found.count(severity)
        if count:
            spans += [(", " if spans else "", "muted"), (f"{count:,} {severity}", SEVERITY_ROLES[severity])]
    if not spans:
        spans = [("nothing to clean", "good")]
    if found.ignored:
        spans.append((f", {found.ignored:,} ignored", "muted"))
    if found.left_out:
        spans.append((f", {found.left_out:,} more of a kind not listed", "warn"))
    return tuple(spans)


def step_text(found: Findings, step: Operation) -> str:
    """An edit of a fix in words; no value is told, unless it is a reference of ours."""
    if isinstance(step, Remove):
        return f"delete {found.veiled(dotted(step.scope, step.path))}"
    if isinstance(step, Transfer):
        return (
            f"move {found.veiled(dotted(step.scope, step.path))} to {found.veiled(dotted(step.to_scope, step.to_path))}"
        )
    if isinstance(step, Put):
        place = found.veiled(dotted(step.scope, step.path))
        target = ref_of(step.value)
        if target is not None:
            return f"put a reference to {found.veiled(target)} at {place}"
        if isinstance(step.before.value, str):
            return f"cut it out of {place}"
        return f"write {place} as a text"
    return "patch"


def fix_lines(found: Findings, finding: Finding) -> Iterator[Spans]:
    """What the fix would put into a draft, or why there is none."""
    if not finding.fix:
        yield (("no fix ", "muted"), (found.veiled(finding.unfixed), "text"))
        return
    for step in finding.fix:
        yield (("fix ", "accent"), (step_text(found, step), "text"))
    if finding.same:
        what = "what a model is given" if finding.code == "empty" else "the effective value"
        yield ((f"{what} stays as it is", "muted"),)
    if finding.code == "secret":
        # Where it is a part of a text, that text is another one once it has been cut out: then only it itself finds it.
        whole = any(isinstance(step, Remove) for step in finding.fix)
        sought = found.veiled(dotted(finding.scope, finding.path)) if whole else "--value -"
        yield (
            ("histories keep it: ", "warn"),
            (f"sftui traces {sought}", "text"),
            ("" if whole else " (then type it; ctrl+d ends it)", "text"),
            (" lists where; renew what it opens", "text"),
        )


def finding_lines(found: Findings, item: Item) -> Iterator[Spans]:
    """All there is to say of a finding, without its place."""
    finding = item.finding
    yield ((f"{finding.severity}: ", SEVERITY_ROLES[finding.severity]), (TITLES[finding.code], "strong"))
    yield ((found.veiled(finding.reason), "text"),)
    for evidence in finding.evidence:
        yield (("· ", "muted"), (found.veiled(evidence), "text"))
    yield from fix_lines(found, finding)
    if item.ignored is not None:
        line = f" line {item.ignored.line}" if item.ignored.line else ""
        yield (("ignored by the settings", "warn"), (line, "muted"))


def row(found: Findings, item: Item, width: int, *, marked: bool, sign: str) -> tuple[Spans, Spans]:
    """Lay a row out: mark, severity, place; and what it is, in a word where it is narrow."""
    finding = item.finding
    kind = TITLES[finding.code] if width >= _WORDS_FROM else finding.code
    right: Spans = ((f" {kind}", "muted" if item.ignored is not None else "text"), (" ", "text"))
    room = width - 12 - cell_len(kind) - 2
    role: Role = "muted" if item.ignored is not None else SEVERITY_ROLES[finding.severity]
    word = "ignored" if item.ignored is not None else finding.severity
    left: Spans = (
        ("*" if marked else " ", "accent"),
        (f"{sign or ' '} ", "changed"),
        (f"{word:<7} ", role),
        (cut_middle(found.veiled(finding.place), max(8, room)), "key"),
    )
    return left, right
