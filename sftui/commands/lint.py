"""`sftui lint`: what could be cleaned, each finding with its reason and its fix. Changes nothing."""

from __future__ import annotations

import os
from argparse import Namespace
from collections.abc import Iterator
from typing import Final

from engine.errors import EngineError, InvalidRequest
from engine.health.examine import examine
from engine.health.findings import CODES, SEVERITIES, Report
from engine.health.looking import Looker
from engine.health.subject import subject_of
from engine.memory.scope import Wanted
from engine.store.readings import Snapshot
from engine.store.snapshot import snapshot
from sftui.commands.output import complain, print_json, print_lines
from sftui.commands.target import obstacle, target
from sftui.health_settings import load, settings_file
from sftui.views.findings import SEVERITY_ROLES, Findings, Item, counts, finding_lines, told
from sftui.views.ignoring import Settings, Where
from sftui.views.picture import Picture, look
from sftui.views.spans import Spans

FOUND: Final = 7


def run(options: Namespace) -> int:
    wanted = target(options)
    only = frozenset(options.only)
    for code in sorted(only - set(CODES)):
        raise InvalidRequest(
            "no-such-finding", "there is no such kind of finding", path=code, hint=f"there are {', '.join(CODES)}"
        )
    settings = load(options.config or settings_file(os.environ), must_exist=options.config is not None)
    if settings.problem:
        raise InvalidRequest("bad-settings", settings.problem)
    seen = snapshot(wanted.address)
    if not seen.present:
        complain(f"there is no store at {wanted.address.root}, so nothing was looked into")
    found, whole = examined(seen, wanted.wanted, settings, only)
    if options.json:
        print_json(found.to_json(every=options.all), compact=True)
    else:
        print_lines(lint_lines(found, every=options.all))
    trouble: EngineError | None = None
    if not whole and seen.present:
        trouble = obstacle(seen, wanted.wanted)
        complain(str(trouble))
        return trouble.exit_code
    if options.fail_on in SEVERITIES and found.is_at_least(options.fail_on):
        return FOUND
    return 0


def examined(
    seen: Snapshot, wanted: Wanted, settings: Settings, only: frozenset[str] = frozenset()
) -> tuple[Findings, bool]:
    """Look through a snapshot; tells whether all of it could be read."""
    picture = look(Picture(), seen, "live", 0.0, pinned=True, sightings={})
    states = {scope: state for scope, state in picture.states.items() if scope in wanted}
    subject = subject_of(seen, states, wanted)
    report = Report()
    if subject is not None:
        report, _ = examine(subject, Looker().look(subject, settings.limits), settings.limits)
    address = seen.address
    found = told(report, settings, Where(address.root, address.cwd or "", address.session or ""), only)
    return found, subject is not None and not report.unread


def lint_lines(found: Findings, *, every: bool) -> Iterator[Spans]:
    """Findings for people."""
    for item in found.items if every else found.counted:
        yield from _finding(found, item)
        yield ()
    yield counts(found)


def _finding(found: Findings, item: Item) -> Iterator[Spans]:
    finding = item.finding
    head, *rest = finding_lines(found, item)
    del head
    yield (
        (f"{finding.severity:<8}", SEVERITY_ROLES[finding.severity]),
        (f"{finding.code:<16}", "strong"),
        (found.veiled(finding.place), "key"),
    )
    for line in rest:
        yield (("        ", "text"), *line)
