"""A draft under review, and other processes beside it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Any

from engine.memory.draft import Operation, Put, Remove
from sftui.screens.review import ReviewScreen
from tests.app.driving import Driver, opened
from tests.app.stores import Store

REPOSITORY = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
LOCK = ".state-flow-publication.lock"
# Holds the lock as its owner would, until its input ends.
HOLD = """
import sys, threading
from engine.store.lock import acquire
with acquire(sys.argv[1]):
    print("held", flush=True)
    sys.stdin.read()
"""

Make = Callable[[Driver], list[Operation]]


def put(scope: Any, *path: str | int, value: Any) -> Make:
    """Make one step: set a value."""
    return lambda driver: [Put(scope, path, value, driver.app.drafting.pre_image(scope, path))]


def remove(scope: Any, *path: str | int) -> Make:
    """Make one step: delete."""
    return lambda driver: [Remove(scope, path, driver.app.drafting.pre_image(scope, path))]


def screen_of(driver: Driver) -> ReviewScreen:
    """The review, which must be up."""
    found = driver.app.screen
    assert isinstance(found, ReviewScreen), found
    return found


@asynccontextmanager
async def reviewed(
    store: Store, *makes: Make, size: tuple[int, int] = (80, 24), session: str | None = None
) -> AsyncIterator[Driver]:
    """Open the app, make a draft and open its review; wait until there is something to approve."""
    async with opened(store, size, session=session) as driver:
        driver.app.drafting.stage(*(operation for make in makes for operation in make(driver)))
        await driver.press("p")
        await worked_out(driver)
        yield driver


async def worked_out(driver: Driver) -> None:
    """Wait until the review speaks of the draft as it is now, and of the sessions."""
    await driver.until(lambda: _is_done(screen_of(driver)))


def _is_done(screen: ReviewScreen) -> bool:
    page = screen.page
    return page.trouble is not None or (page.is_current and page.review is not None)


def patch_elsewhere(store: Store, **patches: Any) -> None:
    """Change memory in another process, through the command line."""
    command = [sys.executable, "-m", "sftui", "patch", "--store", store.root, "--cwd", store.cwd, "--no-ledger"]
    done = subprocess.run(
        command, input=json.dumps(patches), text=True, capture_output=True, cwd=REPOSITORY, check=False
    )
    assert done.returncode == 0, done.stderr


@contextmanager
def held_elsewhere(store: Store) -> Iterator[int]:
    """Another process holds the lock; gives its number."""
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLD, store.root],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=REPOSITORY,
    )
    try:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        yield holder.pid
    finally:
        holder.communicate("")


def files_of(store: Store) -> dict[str, bytes]:
    """Every file of the store but the lock, with its bytes."""
    found: dict[str, bytes] = {}
    for directory, _, names in os.walk(store.root):
        for name in names:
            if name != LOCK:
                path = os.path.join(directory, name)
                with open(path, "rb") as file:
                    found[os.path.relpath(path, store.root)] = file.read()
    return found
