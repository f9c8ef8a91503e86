"""All rules over one cohort: pure, and cheap where little has changed since the last time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Final

from engine.errors import EngineError
from engine.health.findings import MOST_OF_A_KIND, Code, Finding, Limits, Report, ordered
from engine.health.gathering import Branch, Fact, Gatherer, Hidden, Hollow, Large, Number, Odd, Reference, Text
from engine.health.looking import Disk
from engine.health.naming import Names, unaddressable
from engine.health.overrides import Overlap, inherited
from engine.health.shape import empty, hidden, large, repeated, rounded
from engine.health.sources import judge
from engine.health.subject import Subject
from engine.memory.overlay import effective
from engine.memory.scope import Scope
from engine.records import dataclass, field, replace
from engine.values import JsonObject, KeyPath, get, is_object

# Texts that must not be shown whole; beyond, whatever holds one is not quoted at all.
_MOST_SECRETS: Final = 1_000


@dataclass(frozen=True, slots=True)
class Memo:
    """What the last look leaves for the next one: `visits` counts the values that it looked at."""

    limits: Limits
    branches: Mapping[tuple[Scope, str], Branch] = field(default_factory=dict)
    overlap: Overlap = field(default_factory=dict)
    visits: int = 0


def examine(
    subject: Subject,
    disk: Disk,
    limits: Limits,
    before: Memo | None = None,
    step: Callable[[], object] = lambda: None,
) -> tuple[Report, Memo]:
    """Every finding, and what makes the next look cheap. Calls `step` often meanwhile."""
    known = before if before is not None and before.limits == limits else Memo(limits)
    gatherer = Gatherer(limits, step)
    branches: dict[tuple[Scope, str], Branch] = {}
    for scope, state in subject.states.items():
        for plane in subject.dialect.planes:
            if plane in state:
                branches[scope, plane] = gatherer.gather(state[plane], known.branches.get((scope, plane)))
    equal, overlap = inherited(subject.dialect, subject.states, known.overlap)
    found = [*equal, *_told(subject, limits, branches, equal, step)]
    for source in disk.sources:
        one = judge(subject.states, source.scope, source.path, source.evidence, source.looked)
        if one is not None:
            found.append(one)
    found += [
        Finding(
            "orphan",
            "low",
            "cwd",
            (),
            f"the directory is not there now, and its memory is still kept in {orphan.key}",
            unfixed="a draft deletes no scope as a whole; move what is worth keeping from it, and remove it by hand",
            detail=orphan.directory,
            address=orphan.key,
        )
        for orphan in disk.orphans
    ]
    whole = {one.key: one for one in (_addressed(subject, one) for one in found)}
    findings, left_out = _bounded(ordered(list(whole.values())))
    report = Report(findings, left_out, _secrets(subject, branches), subject.unread)
    return report, Memo(limits, branches, overlap, gatherer.visits)


def _told(
    subject: Subject,
    limits: Limits,
    branches: Mapping[tuple[Scope, str], Branch],
    equal: list[Finding],
    step: Callable[[], object],
) -> Iterator[Finding]:
    states = subject.states
    names = Names(subject.dialect, states, _effective(subject))
    texts: list[tuple[Scope, KeyPath, Text]] = []
    for scope, at, fact in _facts(branches):
        step()
        match fact:
            case Reference():
                yield from _some(names.dangling(scope, at, fact))
            case Odd():
                yield from _some(unaddressable(states, scope, at, fact))
            case Hollow():
                yield from _some(empty(subject, scope, at))
            case Large():
                yield from _some(large(subject, limits, scope, at, fact.size))
            case Number():
                yield rounded(states, scope, fact, at)
            case Hidden():
                yield from hidden(states, scope, fact, at)
            case Text():
                texts.append((scope, at, fact))
    yield from repeated(subject.dialect, states, texts, ((one.scope, one.path) for one in equal))


def _facts(branches: Mapping[tuple[Scope, str], Branch]) -> Iterator[tuple[Scope, KeyPath, Fact]]:
    for (scope, plane), branch in branches.items():
        if branch.hollow and is_object(branch.value):
            for key in branch.value:
                yield scope, (plane, key), Hollow((plane, key))
        for at, fact in branch.all((plane,)):
            yield scope, at, fact


def _some(finding: Finding | None) -> tuple[Finding, ...]:
    return () if finding is None else (finding,)


def _effective(subject: Subject) -> JsonObject | None:
    """The effective value, None where a scope that would take part cannot be read or composed."""
    if subject.unread:
        return None
    try:
        return effective(subject.dialect, subject.states)
    except EngineError:
        return None


def _addressed(subject: Subject, finding: Finding) -> Finding:
    if finding.address or finding.scope not in subject.addresses:
        return finding
    return replace(finding, address=subject.addresses[finding.scope])


def _bounded(findings: tuple[Finding, ...]) -> tuple[tuple[Finding, ...], tuple[tuple[Code, int], ...]]:
    """No more of a kind in a scope than can be looked through; what is left out is counted."""
    counts: dict[tuple[Code, Scope], int] = {}
    kept: list[Finding] = []
    left: dict[Code, int] = {}
    for finding in findings:
        place = (finding.code, finding.scope)
        counts[place] = counts.get(place, 0) + 1
        if counts[place] <= MOST_OF_A_KIND:
            kept.append(finding)
        else:
            left[finding.code] = left.get(finding.code, 0) + 1
    return tuple(kept), tuple(left.items())


def _secrets(subject: Subject, branches: Mapping[tuple[Scope, str], Branch]) -> tuple[str, ...]:
    """The texts that look like secrets, the longest first: what quotes memory must mask them."""
    found: dict[str, None] = {}
    for scope, at, fact in _facts(branches):
        if isinstance(fact, Hidden):
            text = at[-1] if fact.in_key else get(subject.states[scope], at, None)
            if isinstance(text, str):
                found.update(dict.fromkeys(text[one.start : one.stop] for one in fact.secrets))
    return tuple(sorted(found, key=len, reverse=True)[:_MOST_SECRETS])
