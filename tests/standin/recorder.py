"""A monitor that records: `python -m tests.standin.recorder --help`.

It follows a store live and has the ledger record what it sees, as the app does. At the end of its input it looks once
more and leaves.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys

from engine.ledger import Ledger
from engine.store.layout import Address
from engine.store.snapshot import snapshot
from engine.store.watch import watch
from tests.standin.agent import stop_with_input


async def follow(address: Address, ledger: Ledger) -> int:
    stopped = stop_with_input()
    stop = asyncio.Event()

    async def relay() -> None:
        await asyncio.to_thread(stopped.wait)
        stop.set()

    task = asyncio.create_task(relay())
    updates = 0
    async for update in watch(address, stop=stop):
        await asyncio.to_thread(ledger.observe, update.snapshot, update.at)
        await asyncio.to_thread(ledger.keep_states, update.snapshot)
        if not updates:
            print("ready", flush=True)
        updates += 1
        if stop.is_set():
            break
    task.cancel()
    ledger.observe(snapshot(address))
    return updates


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__)
    for name in ("root", "cwd", "session"):
        arguments.add_argument(f"--{name}", required=True)
    options = arguments.parse_args()
    address = Address(root=options.root, cwd=options.cwd, session=options.session)
    ledger = Ledger.open(options.root)
    updates = asyncio.run(follow(address, ledger))
    print(json.dumps({"updates": updates, "complaint": ledger.complaint()}), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
