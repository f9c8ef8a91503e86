"""A watcher beside many writers: `python -m tests.standin.monitor --help`.

It follows a store live and looks for what must never be seen: a fence, a counter that runs backwards, or counters that
one publication wrote into two files and that do not agree. At the end of its input it prints a report as JSON.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from typing import Any

from engine.store.layout import Address
from engine.store.snapshot import Snapshot
from engine.store.watch import watch
from tests.standin.agent import stop_with_input


def states(seen: Snapshot) -> dict[str, Any]:
    return {name: reading.stream.current for name, reading in seen.scopes.items() if reading.stream is not None}


def mixed(seen: Snapshot, plane: str) -> list[str]:
    """The writers whose paired counters differ between the global and the cwd scope in this one snapshot."""
    now = states(seen)
    one, other = (now.get(scope, {}).get(plane, {}).get("pair", {}) for scope in ("global", "cwd"))
    return [
        f"{name}: {one.get(name)} and {other.get(name)}" for name in {*one, *other} if one.get(name) != other.get(name)
    ]


def backwards(before: dict[str, int], seen: Snapshot, plane: str) -> list[str]:
    """Counters lower than they were; `before` is brought up to date."""
    found = []
    for scope, state in states(seen).items():
        for name, count in state.get(plane, {}).get("soak", {}).items():
            key = f"{scope}.{name}"
            if count < before.get(key, 0):
                found.append(f"{key}: {before[key]} then {count}")
            before[key] = count
    return found


async def follow(address: Address, plane: str) -> dict[str, Any]:
    report: dict[str, Any] = {"updates": 0, "busy": 0, "fences": [], "mixed": [], "backwards": [], "feeds": []}
    counters: dict[str, int] = {}
    stopped = stop_with_input()
    stop = asyncio.Event()

    async def relay() -> None:
        await asyncio.to_thread(stopped.wait)
        stop.set()

    task = asyncio.create_task(relay())
    async for update in watch(address, stop=stop):
        seen = update.snapshot
        report["updates"] += 1
        report["busy"] += seen.verdict == "busy"
        if update.feed not in report["feeds"]:
            report["feeds"].append(update.feed)
        if seen.verdict == "broken":
            report["fences"] += [f"{fault.code} in {fault.file}: {fault.reason}" for fault in seen.all_faults]
        report["mixed"] += mixed(seen, plane)
        report["backwards"] += backwards(counters, seen, plane)
        if stop.is_set():
            break
    task.cancel()
    return report


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__)
    for name in ("root", "cwd", "session"):
        arguments.add_argument(f"--{name}", required=True)
    arguments.add_argument("--dialect", type=int, default=4, choices=(2, 4))
    options = arguments.parse_args()
    plane = "tactics" if options.dialect == 4 else "working"
    report = asyncio.run(follow(Address(root=options.root, cwd=options.cwd, session=options.session), plane))
    print(json.dumps(report), flush=True)
    return 1 if report["fences"] or report["mixed"] or report["backwards"] else 0


if __name__ == "__main__":
    sys.exit(main())
