"""The review in lines: the same ones on the screen and on the command line."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from engine.memory.scope import Scope, initial
from engine.records import dataclass
from sftui.display import clean
from sftui.views.diffs import ROLES, DiffLine, ScopeDiff
from sftui.views.entails import Entails
from sftui.views.growth import Growth, delta, token_delta
from sftui.views.spans import Role, Span, Spans
from sftui.views.units import human

if TYPE_CHECKING:
    from sftui.views.reach import Reach
    from sftui.views.review import Obstacle, Review
    from sftui.views.steps import StepLine

RowKey = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Row:
    """A line before it is wrapped. `key` is its identity among all, `hang` how far what does not fit is indented."""

    key: RowKey
    spans: Spans
    hang: int = 4


def heading(name: str, remark: Spans = ()) -> Row:
    """Give the title of a section."""
    ending: Spans = (("  ", "text"), *remark) if remark else ()
    return Row(("section", name), ((name, "strong"), *ending), 2)


def change_rows(told: Entails, revisions: Mapping[Scope, int] | None = None) -> Iterator[Row]:
    """The net change of each scope, as a diff."""
    remarks: dict[Scope, Spans] = {}
    for scope in (one.scope for one in told.diffs):
        now = None if revisions is None else revisions.get(scope)
        if scope in told.created:
            remarks[scope] = (("new", "added"),)
        elif now is not None:
            remarks[scope] = ((f"{initial(scope)}{now} → {initial(scope)}{now + 1}", "muted"),)
    return diff_rows(told.diffs, remarks, more="; --json shows everything")


def diff_rows(diffs: Iterable[ScopeDiff], remarks: Mapping[Scope, Spans], *, more: str = "") -> Iterator[Row]:
    """Diffs, each below the name of its scope and what else is to say of it; `more` ends the count of what is left out."""
    for one in diffs:
        remark = remarks.get(one.scope, ())
        ending: Spans = (("  ", "text"), *remark) if remark else ()
        yield Row(("scope", one.scope), ((f"  {one.scope}", "strong"), *ending))
        for line in one.lines:
            yield from _diff_rows(line)
        if one.more:
            yield Row(("more", one.scope), ((f"    and {one.more:,} more{more}", "muted"),))


def _diff_rows(line: DiffLine) -> Iterator[Row]:
    key = ("diff", line.scope, line.where)
    yield Row(key, ((f"    {line.sign} ", ROLES[line.sign]), (line.where, "key"), (f"  {line.what}", "text")), 6)
    for number, (sign, text) in enumerate(line.inner):
        yield Row(
            (*key, str(number)), ((f"        {sign} ", ROLES[sign]), (text, "text" if sign.strip() else "muted")), 10
        )
    if line.more:
        yield Row((*key, "more"), ((f"          and {line.more:,} more", "muted"),), 10)


def effect_rows(told: Entails) -> Iterator[Row]:
    """What follows for what shows, and what went along or missed."""
    signs: dict[str, Span] = {
        "masked": ("    ≡ ", "warn"),
        "same": ("    ≡ ", "muted"),
        "stays": ("    ≡ ", "muted"),
        "reveals": ("    ↑ ", "accent"),
    }
    words = {"masked": "no effect: ", "same": "no effect: ", "stays": "", "reveals": ""}
    for shown in told.shown:
        where = f"{shown.scope}.{shown.where}"
        text = f"  {words[shown.how]}{shown.why}"
        yield Row(("shown", where), (signs[shown.how], (where, "key"), (text, "text")), 6)


def taken_rows(told: Entails) -> Iterator[Row]:
    """What goes along with deleted intents and does not stand in the diff: what is written again, or beyond its end."""
    for taken in told.untold:
        yield Row(
            ("taken", taken.path),
            (("    × ", "cascade"), (taken.path, "key"), (f"  goes with its intent, {human(taken.size)}", "muted")),
            6,
        )


def surprise_rows(told: Entails, remarks: Collection[str] = (), *, advice: bool = True) -> Iterator[Row]:
    """What is worth a look (!), and with `advice` what only follows (i)."""
    for missing in told.missed:
        where = clean(missing.path)
        yield _said("missed", where, (where, "key"), ("  was not there to delete", "warn"))
    for warning in told.warnings:
        where = clean(warning.path)
        yield _said("warning", f"{warning.code} {where}", (where, "key"), (f"  {clean(warning.detail)}", "warn"))
    for remark in remarks:
        yield _said("remark", remark, (remark, "warn"))
    for alarm in told.alarms:
        yield _said("alarm", alarm, (clean(alarm), "warn"))
    for words in told.advice if advice else ():
        yield Row(("advice", words), (("  i ", "muted"), (clean(words), "muted")), 4)


def _said(kind: str, name: str, *spans: Span) -> Row:
    return Row((kind, name), (("  ! ", "warn"), *spans), 4)


def fold_rows(told: Entails) -> Iterator[Row]:
    """What history lets go of."""
    for fold in told.folds:
        short = f"{initial(fold.scope)}{fold.revision}"
        paths = ", ".join(fold.paths) + (f" and {fold.more} more" if fold.more else "")
        yield Row(
            ("fold", fold.scope, str(fold.revision)),
            (
                ("    ", "text"),
                (short, "accent"),
                (f"  can no longer be read back or undone from the store: {paths}", "text"),
            ),
            6,
        )


def reach_rows(reach: Reach) -> Iterator[Row]:
    """What it costs sessions, the worst first: each reason once, and below it whom it concerns."""
    from sftui.views.reach import LISTED, reason_spans, session_spans

    several = len({one.key for one in reach.listed}) > 1
    told: tuple[str, str] | None = None
    for one in reach.listed:
        if told != (one.effect, one.reason):
            told = (one.effect, one.reason)
            yield Row(("reason", *told, one.session), reason_spans(one), 6)
        yield Row(("session", one.key, one.session), session_spans(one, elsewhere=several), 8)
    more = sum(count for effect, count in reach.counts.items() if effect != "keeps") - len(reach.listed)
    if more > 0:
        yield Row(("session", "more"), ((f"      and {more:,} more; at most {LISTED} are listed", "muted"),))


def growth_spans(grew: Growth) -> Spans:
    """How much memory grows or shrinks, in bytes and in what a model is given."""
    spans: list[Span] = [("hot ", "muted"), (delta(grew.hot), "text")]
    if grew.lazy:
        spans += [("  lazy ", "muted"), (delta(grew.lazy), "text")]
    tokens = grew.given_tokens
    if tokens is None:
        spans.append(("  what a model gets cannot be told", "warn"))
    else:
        spans += [("  a model gets ", "muted"), (token_delta(tokens), "text")]
    return tuple(spans)


def step_rows(steps: Collection[StepLine]) -> Iterator[Row]:
    """The steps of a draft: ticked ones are carried out, in this order."""
    for step in steps:
        key = ("step", str(step.index))
        role: Role = ROLES.get(step.sign, "text") if step.ticked else "muted"
        box = "[x] " if step.ticked else "[ ] "
        spans: list[Span] = [
            ("  ", "text"),
            (box, "accent" if step.ticked else "muted"),
            (f"{step.sign} ", role),
            (step.where, "key" if step.ticked else "muted"),
            (f"  {step.what}", "text" if step.ticked else "muted"),
        ]
        if step.note:
            spans.append((f"  {step.note}", "muted"))
        yield Row(key, tuple(spans), 8)
        if step.problem:
            yield Row((*key, "problem"), (("        ✖ ", "bad"), (step.problem, "bad")), 10)
        for number, remark in enumerate(step.remarks):
            yield Row((*key, str(number)), (("        ! ", "warn"), (remark, "warn")), 10)


def authored_rows(review: Review) -> Iterator[Row]:
    """The authored patch, as it is handed to whoever writes it."""
    for number, line in enumerate(review.written):
        yield Row(("authored", str(number)), (("    ", "text"), (line, "muted")), 6)
    if review.unwritten:
        yield Row(("authored", "more"), ((f"    and {review.unwritten:,} more lines", "muted"),))


def obstacle_rows(review: Review) -> Iterator[Row]:
    """What stands in the way, as the command line says it."""
    for one in review.obstacles:
        if one.option is None:
            yield Row(("blocked", one.code, one.reason), (("blocked  ", "bad"), (clean(one.reason), "bad")), 9)
        else:
            yield Row(
                ("needs", one.code),
                (("needs    ", "warn"), (one.option, "strong"), (f"  {clean(one.reason)}", "warn")),
                9,
            )


def _key(action: str) -> str:
    from sftui.actions import key_for  # a command line shows no keys, and need not load them

    return key_for(action)


def consent_key(one: Obstacle) -> str:
    """Give the key that agrees."""
    return _key("review.force" if one.option == "--force-session" else "review.allow")


def consent_row(one: Obstacle, *, agreed: bool) -> Row:
    """What a person is asked to agree to, what it does, and the key that agrees."""
    force = one.option == "--force-session"
    text = clean(one.reason)
    if force:
        text += (
            ". Its next publication would then be refused once; selecting its mode again accepts the new memory."
            f" {_key('review.instead')} puts it into the cwd scope instead"
        )
    ending: Spans = (
        ((" agreed", "muted"),) if agreed else ((" writes it all the same" if force else " agrees", "muted"),)
    )
    box = "[x] " if agreed else "[ ] "
    return Row(
        ("needs", one.code),
        (
            ("  ", "text"),
            (box, "warn"),
            (f"{text}.", "warn"),
            ("  ", "text"),
            (consent_key(one), "accent"),
            *ending,
        ),
        6,
    )
