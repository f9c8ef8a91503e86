"""Make the pictures in docs/images from the demo store: `python docs/screenshots.py`."""

from __future__ import annotations

import asyncio
import os
import random
import re
import sys
import tempfile
from pathlib import Path

IMAGES = Path(__file__).parent / "images"
sys.path.insert(0, str(IMAGES.parents[1]))

from engine.store.layout import locate  # noqa: E402
from engine.store.publication import publish  # noqa: E402
from sftui import demo, demo_agent  # noqa: E402
from sftui.app import SftuiApp  # noqa: E402

STEPS = 6
PATIENCE_S = 20.0
# (file, columns, rows, keys pressed before the picture is taken)
SHOTS = (
    ("memory.svg", 120, 40, ("2", "z", "2", "j", "j")),
    ("watch.svg", 50, 30, ()),
)


async def shoot(name: str, columns: int, rows: int, keys: tuple[str, ...]) -> None:
    """One picture of the app on a demo store in which its agent has just made a few changes."""
    with tempfile.TemporaryDirectory(prefix="sftui-") as home:
        os.environ["HOME"] = os.path.realpath(home)  # paths are shown as below ~
        store = demo.make_store(home)
        app = SftuiApp(store.root, store.cwd, store.session, no_ledger=True)
        async with app.run_test(size=(columns, rows)) as pilot:
            await _until_read(app)
            for patch, _ in zip(demo_agent.work(random.Random(4)), range(STEPS), strict=False):
                address = locate(store.root, store.cwd, store.session)
                await asyncio.to_thread(
                    publish, address, patch, wanted=("global", "cwd", "session"), force_session=True
                )
                await pilot.pause(0.4)
            for key in keys:
                await pilot.press(key)
                await pilot.pause(0.2)
            await pilot.pause(1.0)
            picture = app.export_screenshot(title="sftui")
    (IMAGES / name).write_text(self_contained(picture), "utf-8")


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


def main() -> None:
    IMAGES.mkdir(exist_ok=True)
    for name, columns, rows, keys in SHOTS:
        asyncio.run(shoot(name, columns, rows, keys))
        print(IMAGES / name)


if __name__ == "__main__":
    main()
