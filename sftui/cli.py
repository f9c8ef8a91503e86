"""The `sftui` command: finds out what was asked and hands it to one command module.

Everything heavy is imported by the command that needs it: a command line that
is run from scripts pays for its imports each time.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Final

from sftui.arguments import COMMANDS, TAKE_VALUE, USAGE, app_parser, command_parser
from sftui.commands.output import complain, drop_stdout

OK: Final = 0
FAILED: Final = 1
CANCELLED: Final = 4


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and give its exit code. Never shows a traceback."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    _replace_closed_streams()
    try:
        return _run(given)
    except SystemExit as wish:
        # argparse's way of saying that it is done.
        return wish.code if isinstance(wish.code, int) else USAGE
    except KeyboardInterrupt:
        return CANCELLED
    except BrokenPipeError:
        drop_stdout()
        return FAILED
    except Exception as error:  # noqa: BLE001 - whatever it was, a person gets one line
        return _failed(error)


def _run(given: list[str]) -> int:
    if os.environ.get("SFTUI_FAST_PATHS") == "off":
        from engine.values import set_fast_paths

        set_fast_paths(False)
    command, rest = split(given)
    if command is None:
        word = first_word(given)
        if word is not None and not os.path.lexists(word):
            complain(_no_such(word))
            return USAGE
        return _open_app(app_parser().parse_args(rest))
    options = command_parser(command).parse_args(rest)
    code: int = import_module(f"sftui.commands.{command}").run(options)
    return code


def _replace_closed_streams() -> None:
    """A program may be started with its streams closed; reading then gives nothing, and writing goes nowhere."""
    if sys.stdin is None:
        sys.stdin = open(os.devnull)  # noqa: SIM115 - for as long as the process lives
    if sys.stdout is None:
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115


def _failed(error: Exception) -> int:
    from engine.errors import EngineError

    if isinstance(error, EngineError):
        complain(str(error))
        return error.exit_code
    if isinstance(error, MemoryError):
        complain("there is not enough memory for this")
    elif isinstance(error, OSError):
        name = error.filename or ("standard output" if _drop_broken_stdout() else "")
        where = f" ({name})" if name else ""
        complain(f"{error.strerror or error}{where}")
    else:
        # A defect of ours: say its kind, not the values that happened to be around.
        complain(f"internal error: {type(error).__name__}; please report it with the command that was run")
    return FAILED


def _drop_broken_stdout() -> bool:
    """Whether it was stdout that failed: the interpreter would try again at its end, and complain in its own way."""
    try:
        sys.stdout.flush()
    except (OSError, ValueError):
        drop_stdout()
        return True
    return False


def split(given: Sequence[str]) -> tuple[str | None, list[str]]:
    """Find the command among the arguments, options before it included; None opens the app.

    Only the first argument that is not an option or an option's value counts: `sftui ./status` opens
    a store of that name.
    """
    number = _first(given)
    if number is None or given[number] not in COMMANDS or "--" in given[:number]:
        return None, list(given)
    return given[number], [*given[:number], *given[number + 1 :]]


def first_word(given: Sequence[str]) -> str | None:
    """The first argument that is neither an option nor an option's value: a command, or a store's directory."""
    number = _first(given)
    return None if number is None else given[number]


def _first(given: Sequence[str]) -> int | None:
    skip = False
    for number, argument in enumerate(given):
        if skip:
            skip = False
        elif argument == "--":
            return number + 1 if number + 1 < len(given) else None
        elif argument in TAKE_VALUE:
            skip = True
        elif not argument.startswith("-"):
            return number
    return None


def _no_such(word: str) -> str:
    """Why a word that is neither a command nor there leads nowhere."""
    from difflib import get_close_matches

    close = get_close_matches(word.lower(), COMMANDS, n=1, cutoff=0.6)
    if close:
        return f"there is no command {word!r}; did you mean `sftui {close[0]}`?"
    return f"there is no store at {word!r}, and it is no command either; see sftui --help"


def _open_app(options: argparse.Namespace) -> int:
    if options.version:
        from sftui import __version__
        from sftui.commands.output import print_lines

        print_lines([((f"sftui {__version__}", "text"),)])
        return OK
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        complain("the app needs a terminal; `sftui --help` lists the commands that do not")
        return USAGE
    from sftui import process

    process.begin()
    if options.demo:
        from sftui import demo

        return demo.run(readonly=options.readonly, ascii_signs=options.ascii)
    if options.directory and options.store and options.directory != options.store:
        complain("the store was named twice, as an argument and with --store")
        return USAGE
    from sftui.commands.window import run

    return run(options)
