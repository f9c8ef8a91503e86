"""Keys, clicks and sizes at random, faster than anybody types, while memory changes: the app stays up."""

from __future__ import annotations

import os
import random
import time
from pathlib import Path

import pytest

from sftui.actions import ACTIONS
from tests.app.stores import MEMORY, begin
from tests.app.terminal import Terminal

SECONDS = 8.0
NAMED = {
    "escape": "\x1b",
    "enter": "\r",
    "up": "\x1b[A",
    "down": "\x1b[B",
    "left": "\x1b[D",
    "right": "\x1b[C",
    "pageup": "\x1b[5~",
    "pagedown": "\x1b[6~",
    "home": "\x1b[H",
    "end": "\x1b[F",
    "slash": "/",
    "question_mark": "?",
    "colon": ":",
    "apostrophe": "'",
    "less_than_sign": "<",
    "greater_than_sign": ">",
    "space": " ",
    "backspace": "\x7f",
    "ctrl+r": "\x12",
    "ctrl+o": "\x0f",
    "ctrl+g": "\x07",
    "exclamation_mark": "!",
    "f2": "\x1bOQ",
}
# q would end it: that is not what this is about.
KEYS = [
    NAMED.get(key, key) for action in ACTIONS for key in action.keys if key in NAMED or (len(key) == 1 and key != "q")
]
SIZES = [(80, 24), (120, 40), (50, 30), (20, 5), (200, 60)]


@pytest.mark.parametrize("seed", [1, 2])
def test_nothing_that_is_pressed_ends_it(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    store = begin(str(tmp_path / "store"), str(tmp_path / "app"), MEMORY)
    arguments = ("--store", store.root, "--cwd", store.cwd, "--no-ledger")
    pressed: list[str] = []
    # An editor that leaves at once: it would take all the keys.
    environ = {"EDITOR": "true", "VISUAL": "true"}
    with Terminal(*arguments, columns=100, lines=30, environ=environ) as terminal:
        terminal.wait_for("live")
        until = time.monotonic() + SECONDS
        while time.monotonic() < until:
            pressed.append(chance.choice([*KEYS, "z3", "!mig\r", "\t", "1", "2"]))
            terminal.send(pressed[-1])
            if chance.random() < 0.02:
                terminal.resize(*chance.choice(SIZES))
            if chance.random() < 0.02:
                x, y = chance.randint(1, 80), chance.randint(1, 24)
                terminal.send(f"\x1b[<0;{x};{y}M\x1b[<0;{x};{y}m")
            if chance.random() < 0.05:
                store.patch(session={"tactics": {f"k{chance.randint(0, 9)}": chance.choice([None, 1, "text", [1]])}})
            terminal.pump(0.02)
            assert not os.waitpid(terminal.pid, os.WNOHANG)[0], f"it ended after {pressed[-20:]}:\n{terminal.text}"
        assert "internal error" not in terminal.text.lower(), f"{pressed[-20:]}:\n{terminal.text}"
