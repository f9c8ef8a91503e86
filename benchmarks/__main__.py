"""`python -m benchmarks` runs all figures, `python -m benchmarks NAME...` some; `--list` names them."""

from __future__ import annotations

import argparse
import os
import platform
import sys
import tempfile
from collections.abc import Callable, Iterator
from importlib import import_module

from benchmarks.measure import Figure

GROUPS = {
    "open": "opening:open_cold",
    "reload": "opening:reload",
    "memory": "opening:memory",
    "full-tail": "publishing:full_tail",
    "room": "publishing:room_in_tail",
    "nodes": "publishing:nodes",
    "lock": "publishing:lock_cycle",
    "draft-save": "drafts:saving",
    "draft-many": "drafts:many",
    "review": "reviewing:one_key",
    "consequences": "reviewing:sessions",
    "health": "health:looking_through",
    "append": "ledger:append",
    "open-log": "ledger:opening",
    "refold": "ledger:refold",
    "blame": "ledger:asking",
    "context": "weighing:weighing",
    "patch": "commands:patch",
    "status": "commands:status",
    "first-paint": "window:first_paint",
    "pixels": "window:change_to_pixels",
    "keys": "keys:key_to_frame",
    "stall": "keys:longest_stall",
    "rows": "rows:many_rows",
    "as-of": "asof:steps",
    "idle": "window:idle",
    "search": "searching:searching",
}


def group(name: str) -> Callable[[], Iterator[Figure]]:
    module, _, function = GROUPS[name].partition(":")
    found: Callable[[], Iterator[Figure]] = getattr(import_module(f"benchmarks.{module}"), function)
    return found


def machine() -> str:
    model = platform.processor() or platform.machine()
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            model = next(line.partition(":")[2].strip() for line in file if line.startswith("model name"))
    except (OSError, StopIteration):
        pass
    return f"Python {platform.python_version()}, {platform.system()}, {os.cpu_count()} x {model}"


def main() -> int:
    arguments = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    arguments.add_argument("names", nargs="*", help="figures to take; all of them when none is named")
    arguments.add_argument("--list", action="store_true", help="name the figures and leave")
    arguments.add_argument("--markdown", action="store_true", help="print rows of a Markdown table")
    options = arguments.parse_args()
    if options.list or not set(options.names) <= set(GROUPS):
        print("\n".join(GROUPS))
        return 0 if options.list else 2
    print(machine(), flush=True)
    missed = 0
    with tempfile.TemporaryDirectory(prefix="sftui-bench-state-") as state:
        os.environ["XDG_STATE_HOME"] = state  # nothing of a benchmark stays in a real home
        for name in options.names or GROUPS:
            for figure in group(name)():
                print(figure.row() if options.markdown else figure.line(), flush=True)
                missed += not figure.met
    print(f"{missed} missed" if missed else "all met")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
