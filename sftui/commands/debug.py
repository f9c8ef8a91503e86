"""`sftui debug`: what a report of a fault should say."""

from __future__ import annotations

from argparse import Namespace

from engine.store.snapshot import snapshot
from sftui.commands.output import print_json, print_lines
from sftui.commands.target import target
from sftui.debugging import gather


def run(options: Namespace) -> int:
    wanted = target(options, lenient=True, judging=True)
    found = gather(wanted.address.root, snapshot(wanted.address), feed="none: this is a command")
    if options.json:
        print_json(found.to_json(), compact=True)
    else:
        print_lines(found.lines())
    return 0
