"""Make the pictures in docs/images, and docs/screens.md, from the demo store: `python docs/screenshots.py [NAME...]`."""

from __future__ import annotations

import asyncio
import os
import platform
import random
import re
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

IMAGES = Path(__file__).parent / "images"
sys.path.insert(0, str(IMAGES.parents[1]))

from engine.memory.draft import Put, Remove, Transfer  # noqa: E402
from engine.store.layout import locate  # noqa: E402
from engine.store.publication import publish  # noqa: E402
from sftui import demo, demo_agent  # noqa: E402
from sftui.app import SftuiApp  # noqa: E402

STEPS = 6
PATIENCE_S = 20.0
SIZES = ((120, 40), (80, 24))


@dataclass(frozen=True, slots=True)
class Shot:
    """One screen: what it shows, and the keys that lead to it. A key that begins with `'` is a path to go to."""

    name: str
    words: str
    keys: tuple[str, ...]
    draft: bool = False
    ledger: bool = False


SCREENS = (
    Shot("watch", "1 Watch: what the agent is after, and what changed last.", ("1",)),
    Shot("memory", "2 Memory: everything that is remembered, as a tree; where each value comes from.", ("2", "z", "2", "j", "j")),
    Shot("draft", "2 Memory with a draft: what it changes, and what goes along, stays in the tree, with a sign.", ("'cwd.strategy.api",), draft=True),
    Shot("review", "The review of a draft: all that it would do, before anything is written.", ("'cwd.strategy.api", "p"), draft=True),
    Shot("history", "3 History: what each change did, what was seen of it and by whom it was made, and how sizes went.", ("3", "j", "j"), ledger=True),
    Shot("difference", "What differs between any two moments.", ("3", "c", "j", "j", "j", "j", "c", "1"), ledger=True),
    Shot("as-of", "The whole app as memory was three changes ago; nothing is changed there.", ("2", *("left_square_bracket",) * 3), ledger=True),
    Shot("intents", "4 Intents, as a graph: what each one owns, uses and would take along.", ("4", "j")),
    Shot("intents-table", "4 Intents, as a table.", ("4", "t", "j")),
    Shot("context", "5 Context: what a model would be given now, the largest first, and what it takes.", ("5",)),
    Shot("value", "A value, whole, whatever its size.", ("'session.lazy", "enter")),
    Shot("edit", "A structure being edited; errors are told at their place.", ("'cwd.tactics.flaky", "e")),
    Shot("line", "A plain value being edited, on a line.", ("'cwd.strategy.api", "e")),
    Shot("patch", "A patch being written as JSON; tab completes known keys.", ("'cwd.strategy.api", "P")),
    Shot("move", "Where to move or copy a row.", ("'cwd.strategy.offline", "m")),
    Shot("health", "6 Health: what is wrong, then what could be cleaned, each with its reason and its fix as a proposal.", ("6",)),
    Shot("search", "A text, looked for in memory, in what scopes retain and in the ledger.", ("ctrl+f", *"api")),
    Shot("traces", "Where a value still stands, and what can be done about each place.", ("'cwd.strategy.api", "t")),
    Shot("scopes", "The other directories and sessions of the store.", ("s",)),
    Shot("palette", "Any action by its name.", ("colon",)),
    Shot("help", "The keys of where one is, from the one table of actions.", ("question_mark",)),
    Shot("debug", "What a report of a fault should say; nothing that is remembered.", ("f2",)),
)  # fmt: skip
# What README.md shows: (file, screen, columns, rows).
FRONT = (("memory.svg", "memory", 120, 40), ("watch.svg", "watch", 50, 30))


async def shoot(shot: Shot, columns: int, rows: int, file: str) -> None:
    """One picture of the app on a demo store in which its agent has just made a few changes."""
    # The machine that made the picture is nobody's business.
    setattr(platform, "release", lambda: "6.12")  # noqa: B010
    os.environ.update(TERM="xterm-256color", COLORTERM="truecolor", LANG="C.UTF-8")
    with tempfile.TemporaryDirectory(prefix="sftui-") as home:
        os.environ["HOME"] = os.path.realpath(home)  # paths are shown as below ~
        os.environ["XDG_STATE_HOME"] = os.path.join(home, "state")
        store = demo.make_store(home, observed=shot.ledger)
        app = SftuiApp(store.root, store.cwd, store.session, no_ledger=not shot.ledger)
        async with app.run_test(size=(columns, rows)) as pilot:
            await _until_read(app)
            for patch, _ in zip(demo_agent.work(random.Random(4)), range(STEPS), strict=False):
                address = locate(store.root, store.cwd, store.session)
                await asyncio.to_thread(
                    publish, address, patch, wanted=("global", "cwd", "session"), force_session=True
                )
                await pilot.pause(0.4)
            if shot.draft:
                _make_a_draft(app)
                await pilot.pause(1.0)
            for key in shot.keys:
                if key.startswith("'"):
                    await pilot.press("2", "apostrophe", *key[1:], "enter")
                else:
                    await pilot.press(key)
                await pilot.pause(0.4)
            await pilot.pause(1.0)
            # Where it happened to be made is nobody's business either, nor another picture each time.
            made_in = os.path.basename(home)
            picture = app.export_screenshot(title="sftui").replace(made_in, "sftui-pictures"[: len(made_in)])
    (IMAGES / file).write_text(self_contained(picture), "utf-8")
    print(IMAGES / file)


def _make_a_draft(app: SftuiApp) -> None:
    """A value changed, an intent deleted with what it owns, a branch moved out of the context."""
    drafting = app.drafting
    api, lazy = ("strategy", "api"), ("lazy", "offline")
    drafting.stage(Put("cwd", api, "v2 only; v1 is gone", drafting.pre_image("cwd", api)))
    drafting.stage(Remove("cwd", ("intents", "migrate"), drafting.pre_image("cwd", ("intents", "migrate"))))
    offline = ("strategy", "offline")
    before, there = drafting.pre_image("cwd", offline), drafting.pre_image("cwd", lazy)
    drafting.stage(Transfer("cwd", offline, "cwd", lazy, before, there))


async def _until_read(app: SftuiApp) -> None:
    for _ in range(int(PATIENCE_S / 0.05)):
        if app.picture.snapshot is not None:
            return
        await asyncio.sleep(0.05)
    raise TimeoutError("the store was never read")


def self_contained(picture: str) -> str:
    """Without fonts from elsewhere: the reader's own monospaced one is drawn in the same cells."""
    picture = re.sub(r"\s*@font-face \{.*?\}", "", picture, flags=re.DOTALL)
    return picture.replace("Fira Code", "DejaVu Sans Mono, Menlo, Consolas")


def page() -> str:
    """The document that shows them all."""
    lines = ["# The screens", "", "Made by `python docs/screenshots.py` from the demo (`sftui --demo`)."]
    for shot in SCREENS:
        lines += ["", f"## {shot.name}", "", shot.words, ""]
        lines += [
            f"![{shot.name}, {columns}x{rows}](images/{shot.name}-{columns}x{rows}.svg)" for columns, rows in SIZES
        ]
    return "\n".join(lines) + "\n"


def main(names: list[str]) -> None:
    """Make the pictures of these screens, of all where none is named."""
    IMAGES.mkdir(exist_ok=True)
    for shot in SCREENS:
        if names and shot.name not in names:
            continue
        for columns, rows in SIZES:
            asyncio.run(shoot(shot, columns, rows, f"{shot.name}-{columns}x{rows}.svg"))
        for file, name, columns, rows in FRONT:
            if name == shot.name:
                asyncio.run(shoot(shot, columns, rows, file))
    (IMAGES.parent / "screens.md").write_text(page(), "utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
