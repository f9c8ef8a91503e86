"""Several fixes as one change of a draft: each place is changed once, by the worst of its findings."""

from __future__ import annotations

from collections.abc import Iterable

from engine.health.findings import Finding
from engine.memory.draft import Draft, Operation, Remove
from engine.memory.gathering import Place, ends
from engine.records import dataclass
from engine.values import related


@dataclass(frozen=True, slots=True)
class Fixes:
    """The edits to stage. `clashing` findings change what another one changes; `unfixed` ones have no fix.

    `staged` are about places that the draft changes already.
    """

    operations: tuple[Operation, ...] = ()
    taken: tuple[Finding, ...] = ()
    clashing: tuple[Finding, ...] = ()
    unfixed: tuple[Finding, ...] = ()
    staged: tuple[Finding, ...] = ()


def fixes(findings: Iterable[Finding], draft: Draft) -> Fixes:
    """The fixes of findings, in the order of the list: what goes with a deletion needs no edit of its own."""
    operations: list[Operation] = []
    taken: list[Finding] = []
    clashing: list[Finding] = []
    unfixed: list[Finding] = []
    staged: list[Finding] = []
    known = [place for step in draft.steps for place in _places(step.operation)]
    listed = list(findings)
    deletions = [one for finding in listed for one in finding.fix if isinstance(one, Remove)]
    mine: list[Place] = []
    for finding in listed:
        if not finding.fix:
            unfixed.append(finding)
            continue
        places = [place for one in finding.fix for place in _places(one)]
        if any(_meet(place, other) for place in places for other in known):
            staged.append(finding)
        elif all(_goes(place, deletions, finding) for place in places):
            taken.append(finding)
        elif any(_meet(place, other) for place in places for other in mine):
            clashing.append(finding)
        else:
            operations.extend(finding.fix)
            mine.extend(places)
            taken.append(finding)
    return Fixes(tuple(operations), tuple(taken), tuple(clashing), tuple(unfixed), tuple(staged))


def _places(operation: Operation) -> list[Place]:
    return [(scope, path) for scope, path, _ in ends(operation)]


def _meet(one: Place, other: Place) -> bool:
    return one[0] == other[0] and related(one[1], other[1])


def _goes(place: Place, deletions: Iterable[Remove], finding: Finding) -> bool:
    """Whether a deletion of another finding takes a place along: one above it."""
    scope, path = place
    return any(
        one.scope == scope and len(one.path) < len(path) and path[: len(one.path)] == one.path
        for one in deletions
        if one not in finding.fix
    )
