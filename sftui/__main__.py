"""`python -m sftui`: the same as the `sftui` command."""

from __future__ import annotations

import sys

from sftui.cli import main

if __name__ == "__main__":
    sys.exit(main())
