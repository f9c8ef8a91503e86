"""`sftui read`: exactly what an agent's read_state would answer."""

from __future__ import annotations

from argparse import Namespace

from engine.memory.reading import View, read_state
from engine.store.snapshot import snapshot
from engine.values import Json
from sftui.commands.output import print_json
from sftui.commands.target import composed, target


def run(options: Namespace) -> int:
    wanted = target(options)
    cohort = composed(snapshot(wanted.address))
    paths: list[Json] = list(options.paths)
    request: dict[str, Json] = {"projection": options.projection}
    if len(paths) == 1:
        request["path"] = paths[0]
    else:
        request["paths"] = paths
    answer = read_state(View(cohort, wanted.wanted), request)
    print_json(answer, compact=options.json)
    return 0
