"""`sftui doctor`: what is wrong with a cohort, and what stays usable."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterator
from typing import Final

from engine.store.faults import FAULTS, Fault
from engine.store.listing import leftovers
from engine.store.lockstate import LockState, duration
from engine.store.readings import Verdict
from engine.store.snapshot import snapshot
from sftui.commands.output import print_json, print_lines
from sftui.commands.target import place, target
from sftui.display import clean
from sftui.views.doctor import Health, ScopeHealth, health
from sftui.views.spans import Role, Spans

EXIT_CODES: Final[dict[Verdict, int]] = {"ok": 0, "busy": 4, "broken": 5}
VERDICT_ROLES: Final[dict[Verdict, Role]] = {"ok": "good", "busy": "warn", "broken": "bad"}
STATUS_ROLES: Final[dict[str, Role]] = {"healthy": "good", "absent": "muted", "fenced": "bad"}


def run(options: Namespace) -> int:
    wanted = target(options, lenient=True, judging=True)
    found = snapshot(wanted.address)
    judged = health(found, leftovers(wanted.address) if found.lock.is_broken else ())
    if options.json:
        print_json(judged.to_json(), compact=True)
    else:
        print_lines(_lines(judged, wanted.address.root))
    return EXIT_CODES[judged.verdict]


def lock_text(lock: LockState) -> str:
    """What there is to say of the lock, on one line."""
    if lock.kind == "free":
        return "free"
    if lock.kind == "unreadable":
        return f"unknown: {clean(lock.reason)}"
    age = "" if lock.age_s is None else f" for {duration(lock.age_s)}"
    if lock.is_live:
        owner = "a program that has not said its pid yet" if lock.pid is None else f"pid {lock.pid}"
        return f"locked{age} by {owner}"
    owner = "" if lock.pid is None else f" by pid {lock.pid}"
    age = "" if lock.age_s is None else f" {duration(lock.age_s)} ago"
    return f"left behind{owner}{age}; nothing can be written"


def fault_lines(fault: Fault, address: str) -> Iterator[Spans]:
    """A fault for people: where, why, what stays usable."""
    where = place(address if fault.address == "" else fault.address, fault.file)
    spot = "" if where is None else clean(where)
    if fault.line is not None:
        spot += f":{fault.line}" if fault.column is None else f":{fault.line}:{fault.column}"
    role: Role = "bad" if fault.severity == "fault" else "warn"
    title = FAULTS[fault.code].title if fault.code in FAULTS else fault.code
    yield (("    ", "text"), ("✖ " if fault.severity == "fault" else "! ", role), (clean(title), role))
    if spot:
        yield (("      ", "text"), (spot, "muted"))
    yield (("      ", "text"), (clean(fault.reason), "text"))
    if fault.kept:
        yield (("      kept  ", "muted"), (clean(fault.kept), "text"))
    if fault.hint:
        yield (("      next  ", "muted"), (clean(fault.hint), "text"))


def _lines(judged: Health, root: str) -> Iterator[Spans]:
    verdict = judged.verdict
    warned = verdict == "ok" and any(scope.faults for scope in judged.scopes)
    yield (
        (f"{verdict:<8}", VERDICT_ROLES[verdict]),
        (clean(root), "muted"),
        ("  with warnings" if warned else "", "warn"),
    )
    role: Role = "bad" if judged.lock_faults else "text"
    yield (("lock    ", "muted"), (lock_text(judged.lock), role))
    for fault in judged.lock_faults:
        yield from fault_lines(fault, ".")
    for name in judged.leftovers:
        yield (("    ! ", "warn"), ("left-over temporary  ", "warn"), (clean(name), "text"))
    for scope in judged.scopes:
        yield from _scope_lines(scope, stale=scope.scope in judged.stale)


def _scope_lines(scope: ScopeHealth, *, stale: bool) -> Iterator[Spans]:
    note = "  not confirmed beside the lock's owner" if stale else ""
    status = f"{scope.status:<8}"
    yield (
        (f"{scope.scope:<8}", "strong"),
        (status, STATUS_ROLES[scope.status]),
        (f"  {clean(scope.address)}", "muted"),
        (note, "warn"),
    )
    for fault in scope.faults:
        yield from fault_lines(fault, scope.address)
    for remark in scope.remarks:
        where = clean(f"{place(scope.address, remark.file)}:{remark.line}:{remark.column}")
        yield (("    · ", "muted"), (clean(remark.detail), "text"), (f"  {where}", "muted"))
