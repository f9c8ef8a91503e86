"""`sftui keys`: every action with the keys that it has, and what of the key map does not count."""

from __future__ import annotations

import os
from argparse import Namespace

from sftui.actions import use_keys
from sftui.commands.output import print_json, print_lines
from sftui.keymap import config_file, load
from sftui.views.keys import KeyTable


def run(options: Namespace) -> int:
    found = load(config_file(os.environ))
    use_keys(found.own)
    table = KeyTable(found)
    if options.json:
        print_json(table.to_json(), compact=True)
    else:
        print_lines(table.lines())
    # Wrong entries are told and left out; a script may want to know.
    return 3 if found.problems else 0
