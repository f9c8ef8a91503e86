"""A writer of ours beside an agent: `python -m tests.standin.writer --help`.

It writes counters that nobody else writes, on the two shared scopes, alone and together, and sees after each accepted
patch that the step before was still there. At the end of its input it prints a report as one JSON object.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
import subprocess
import sys
from typing import Any

from engine.ledger import Ledger
from engine.memory.scope import Wanted
from engine.store.layout import Address
from engine.store.publication import publish
from engine.store.snapshot import Snapshot, snapshot
from tests.standin.agent import stop_with_input
from tests.standin.values import text

SHARED: Wanted = ("global", "cwd")
SLOTS = 50


def plan(name: str, step: int, plane: str) -> dict[str, Any]:
    """The nth patch of a writer: one scope, the other one, or both with equal counters."""
    unique = {"lazy": {"soak": {name: {f"k{step % SLOTS}": step}}}}
    counter = {"soak": {name: step}}
    if step % 3 == 0:
        both = {plane: {**counter, "pair": {name: step}}}
        return {"global": both, "cwd": {**both, **unique}}
    scope = "global" if step % 3 == 1 else "cwd"
    return {scope: {plane: counter, **unique}}


def by_library(
    address: Address, authored: dict[str, Any], warm: Snapshot | None, *, record: bool, told: list[Any]
) -> tuple[list[str], Snapshot]:
    done = publish(address, authored, wanted=SHARED, previous=warm)
    if record:
        Ledger.open(address.root).made_here(done)
    for scope in done.changed:
        stream = done.snapshot.scopes[scope].stream
        assert stream is not None
        assert done.boundary is not None
        digest = hashlib.sha256(text(done.staged.net[scope]).encode()).hexdigest()
        told.append([scope, stream.revision, done.boundary.id, digest])
    return list(done.changed), done.snapshot


def by_command(address: Address, authored: dict[str, Any]) -> tuple[list[str], Snapshot]:
    command = [
        sys.executable,
        "-m",
        "sftui",
        "patch",
        "--json",
        "--store",
        address.root,
        "--cwd",
        str(address.cwd),
        "-",
    ]
    done = subprocess.run(command, input=json.dumps(authored), capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"sftui patch left with {done.returncode}: {done.stderr.strip()}")
    json.loads(done.stdout)
    return list(authored), snapshot(address)


def present(seen: Snapshot, wrote: dict[str, dict[str, Any]], plane: str) -> list[str]:
    """The scopes in which a value that was accepted from this writer is not there any more."""
    lost: list[str] = []
    for scope in SHARED:
        reading = seen.scopes[scope]
        held = [reading.stream.current.get(part, {}) for part in (plane, "lazy")] if reading.stream else []
        for part, there in zip((plane, "lazy"), held, strict=False):
            lost += [scope for branch, mine in wrote[scope].get(part, {}).items() if not holds(there, branch, mine)]
    return lost


def holds(there: Any, branch: str, mine: dict[str, Any]) -> bool:
    found = there.get(branch, {})
    return all(
        all(found.get(name, {}).get(key) == value for key, value in entry.items())
        if isinstance(entry, dict)
        else found.get(name) == entry
        for name, entry in mine.items()
    )


def remember(wrote: dict[str, Any], authored: dict[str, Any]) -> None:
    for key, value in authored.items():
        if isinstance(value, dict):
            remember(wrote.setdefault(key, {}), value)
        else:
            wrote[key] = value


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__)
    for name in ("root", "cwd", "name"):
        arguments.add_argument(f"--{name}", required=True)
    arguments.add_argument("--dialect", type=int, default=4, choices=(2, 4))
    arguments.add_argument("--command", action="store_true", help="go through `sftui patch` each time")
    arguments.add_argument("--record", action="store_true", help="tell the ledger of each patch that was made here")
    arguments.add_argument("--pause", type=float, default=0.05, help="longest seconds between two patches")
    options = arguments.parse_args()
    address = Address(root=options.root, cwd=options.cwd, session=None)
    plane = "tactics" if options.dialect == 4 else "working"
    chance = random.Random(options.name)
    stop = stop_with_input()
    told: list[Any] = []
    report: dict[str, Any] = {"accepted": {"global": 0, "cwd": 0}, "transitions": told, "steps": 0, "failed": []}
    wrote: dict[str, dict[str, Any]] = {"global": {}, "cwd": {}}
    warm: Snapshot | None = None
    while not stop.is_set():
        step = report["steps"] = report["steps"] + 1
        authored = plan(options.name, step, plane)
        try:
            if options.command:
                changed, warm = by_command(address, authored)
            else:
                changed, warm = by_library(address, authored, warm, record=options.record, told=told)
        except Exception as problem:
            report["failed"].append(f"step {step}: {type(problem).__name__}: {problem}")
            break
        for scope in changed:
            report["accepted"][scope] += 1
        remember(wrote, authored)
        lost = present(warm, wrote, plane) if warm.verdict == "ok" else []
        if lost:
            report["failed"].append(f"step {step}: accepted values are gone from {lost}")
            break
        stop.wait(options.pause * chance.random())
    print(json.dumps({**report, "wrote": wrote}), flush=True)
    return 1 if report["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())
