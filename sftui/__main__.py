"""`python -m sftui` and the `sftui` command: the same."""

import sys

# Nothing else is imported before the try below, so that Ctrl-C while the rest is loaded ends quietly, too.

CANCELLED = 4


def main() -> int:
    """Run the command line and give its exit code."""
    try:
        from sftui.cli import main as run

        return run()
    except KeyboardInterrupt:
        return CANCELLED


if __name__ == "__main__":
    sys.exit(main())
