"""Measuring: alternating runs, medians, one line a figure."""

from __future__ import annotations

import gc
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

INFORMATION = float("inf")
"""The limit of a figure that is told for what it explains, not held to anything."""


def environment(**more: str) -> dict[str, str]:
    """Our environment for a child, but with compiled modules kept, as they are where something is installed."""
    kept = {name: value for name, value in os.environ.items() if name not in {"PYTHONDONTWRITEBYTECODE", "NO_COLOR"}}
    return {**kept, **more}


@dataclass(frozen=True, slots=True)
class Figure:
    """One line of the table. `value` and `limit` are in `unit` ('x' for a ratio); `detail` says what was measured."""

    name: str
    value: float
    limit: float
    unit: str
    detail: str

    @property
    def met(self) -> bool:
        return self.value <= self.limit

    def line(self) -> str:
        if self.limit == INFORMATION:
            return f"     {self.name:<60} {self.value:9.2f} {self.unit:<3} {self.detail}"
        mark = "ok  " if self.met else "MISS"
        return f"{mark} {self.name:<60} {self.value:9.2f} {self.unit:<3} (at most {self.limit:g})  {self.detail}"

    def row(self) -> str:
        """The same as a row of a Markdown table."""
        bound = "told only" if self.limit == INFORMATION else f"{self.limit:g} {self.unit}"
        measured = f"{self.value:.2f}".rstrip("0").rstrip(".") + f" {self.unit}"
        missed = "" if self.met else " **missed**"
        return f"| {self.name} | {bound} | {measured}{missed} | {self.detail} |"


def timed(work: Callable[[], object]) -> float:
    """Seconds that one call takes."""
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def alternate(*works: Callable[[], object], rounds: int = 9) -> list[float]:
    """The median seconds of each, run in turn, so that a slow moment of the machine meets all of them."""
    taken: list[list[float]] = [[] for _ in works]
    for _ in range(rounds):
        for slot, work in zip(taken, works, strict=True):
            gc.collect()
            slot.append(timed(work))
    return [statistics.median(slot) for slot in taken]


def ratio(name: str, limit: float, ours: float, theirs: float, what: str) -> Figure:
    return Figure(name, ours / theirs, limit, "x", f"{show(ours)} against {show(theirs)}, {what}")


def show(seconds: float) -> str:
    if seconds < 1e-3:
        return f"{seconds * 1e6:.0f} us"
    if seconds < 1:
        return f"{seconds * 1e3:.1f} ms"
    return f"{seconds:.2f} s"


def child(*words: str, check: bool = True, **more: Any) -> subprocess.CompletedProcess[bytes]:
    """Run this Python with these arguments and wait for it."""
    return subprocess.run([sys.executable, *words], check=check, capture_output=True, env=environment(), **more)


def percentile(values: list[float], share: float) -> float:
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]
