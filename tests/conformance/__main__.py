"""`python -m tests.conformance [--data DIR] [--translated] [--verbose]`"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from engine.memory.dialect import V2
from tests.conformance.runner import DATA, passes, run


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.conformance", description="Run the recorded vectors")
    parser.add_argument(
        "--data", type=Path, default=DATA, help="a folder of this layout (default: the one beside the runner)"
    )
    parser.add_argument("--translated", action="store_true", help="also run every case translated to dialect 4")
    parser.add_argument("--verbose", action="store_true", help="say what differs")
    arguments = parser.parse_args()
    passed = failed = 0
    for name, dialect in passes(arguments.data):
        if dialect is not V2 and not arguments.translated:
            continue
        with tempfile.TemporaryDirectory(prefix="conformance-", ignore_cleanup_errors=True) as scratch:
            result = run(arguments.data, name, dialect, Path(scratch))
        print(result.line(), flush=True)
        if arguments.verbose:
            for failure in result.failures:
                print(*(f"  {failure.id}: {difference}" for difference in failure.differences), sep="\n")
        passed += result.passed
        failed += result.failed
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
