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
from typing import Final, NoReturn

from sftui.commands.output import complain, drop_stdout

OK: Final = 0
FAILED: Final = 1
USAGE: Final = 2
CANCELLED: Final = 4
_LONGEST_WAIT: Final = 4_000_000  # what every system can wait for, 46 days

COMMANDS: Final = {
    "status": "scopes, revisions, sizes, the lock, a verdict",
    "read": "what an agent's read_state would answer",
    "patch": "changes memory as an agent's patch_state does",
    "log": "what changed, newest first",
    "intents": "what each intent owns and uses, and what belongs to none",
    "doctor": "what is wrong, if anything, and what stays usable",
    "keys": "every action of the app with its keys, and what of your key map does not count",
    "debug": "what a report of a fault should say; nothing that is remembered",
}

_DESCRIPTIONS: Final = {
    "status": "Print scopes, revisions, modes, sizes, what intents own, the lock and a verdict.",
    "read": "Print exactly what an agent's read_state would answer.",
    "patch": "Change memory as an agent's patch_state does, and print the receipt.",
    "log": "Print what changed, newest first: a session's history, or each scope's own.",
    "intents": "Print what each intent owns, shares, uses and names in vain, what its deletion would take along, and what no intent owns.",
    "doctor": "Print what is wrong, if anything, and what stays usable.",
    "keys": "Print every action of the app with the keys that it has, where your key map is, and what of it does not count.",
    "debug": "Print what a report of a fault should say: versions, terminal, states and sizes; nothing that is remembered.",
}

_EXITS: Final = """\
exit codes: 0 done; 2 wrong usage; 3 invalid request; 4 locked by another program, or cancelled;
5 the memory is fenced; 6 it moved since it was approved; 1 anything else"""


class Parser(argparse.ArgumentParser):
    """Says what is wrong with the arguments in one line."""

    def error(self, message: str) -> NoReturn:
        complain(f"{message}; see {self.prog} --help")
        raise SystemExit(USAGE)


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


_TAKE_VALUE: Final = frozenset(
    {
        "--store",
        "--cwd",
        "--session",
        "--scopes",
        "--projection",
        "--approved",
        "--dialect",
        "--timeout",
        "--allow",
    }
)


def _first(given: Sequence[str]) -> int | None:
    skip = False
    for number, argument in enumerate(given):
        if skip:
            skip = False
        elif argument == "--":
            return number + 1 if number + 1 < len(given) else None
        elif argument in _TAKE_VALUE:
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


def app_parser() -> argparse.ArgumentParser:
    """The arguments of `sftui [STORE]`."""
    width = max(map(len, COMMANDS))
    commands = "\n".join(f"  sftui {name:<{width}}  {what}" for name, what in COMMANDS.items())
    parser = Parser(
        prog="sftui",
        usage="sftui [options] [STORE]\n       sftui COMMAND [options]",
        description="Watch an AI agent's memory while it works. With a command, does one thing and ends:",
        epilog=f"{commands}\n\n`sftui COMMAND --help` explains each.\n\n{_EXITS}",
        formatter_class=_formatter,
        allow_abbrev=False,
    )
    parser.add_argument(
        "directory", nargs="?", metavar="STORE", help="the store's directory (default: the agent's own)"
    )
    parser.add_argument("--store", type=_named, metavar="DIR", help="the same, as an option")
    _add_place(parser, "the most recently active one")
    parser.add_argument(
        "--demo", action="store_true", help="open a store made up for the occasion, with an agent at work"
    )
    parser.add_argument("--readonly", action="store_true", help="refuse every change")
    parser.add_argument("--no-ledger", action="store_true", help="keep no record of what was seen")
    parser.add_argument("--ascii", action="store_true", help="draw with ASCII signs only")
    parser.add_argument("--version", action="store_true", help="print the version and end")
    return parser


def command_parser(command: str) -> argparse.ArgumentParser:
    """The arguments of one command."""
    parser = Parser(
        prog=f"sftui {command}",
        description=_DESCRIPTIONS[command],
        epilog=_EXITS,
        formatter_class=_formatter,
        allow_abbrev=False,
    )
    if command == "read":
        parser.add_argument("paths", nargs="+", metavar="PATH", help="such as effective.lazy, cwd.lazy.notes[0:3]")
        parser.add_argument(
            "--projection", choices=("value", "keys", "patch"), default="value", help="what of it (default: value)"
        )
    elif command == "patch":
        parser.add_argument(
            "file", nargs="?", default="-", metavar="FILE|-", help="the patch (default: standard input)"
        )
        parser.add_argument("--dry-run", action="store_true", help="show what would happen, and write nothing")
        parser.add_argument("--approved", metavar="DIGEST", help="write only what a dry run gave this digest for")
        parser.add_argument("--force-session", action="store_true", help="write a session that has an unfinished run")
        parser.add_argument(
            "--allow",
            action="append",
            default=[],
            metavar="CODE",
            help="go on although this fault's evidence is replaced",
        )
        parser.add_argument("--dialect", type=int, choices=(2, 4), help="the vocabulary of a store that has none yet")
        parser.add_argument(
            "--create", action="store_true", help="begin a store even where the directory above it is not there"
        )
        parser.add_argument("--timeout", type=_seconds, metavar="SECONDS", help="how long to wait for the lock")
        parser.add_argument("--no-ledger", action="store_true", help="do not record that the change was made here")
    elif command == "log":
        parser.add_argument("--no-ledger", action="store_true", help="do not look up when a change was first seen")
    parser.add_argument("--json", action="store_true", help="print one JSON document on one line")
    if command == "keys":
        return parser
    parser.add_argument("--store", type=_named, metavar="DIR", help="the store's directory (default: the agent's own)")
    _add_place(parser, "none: only global and cwd memory")
    parser.add_argument("--scopes", type=_named, metavar="NAMES", help="the scopes to use, such as global,cwd")
    return parser


def _formatter(prog: str) -> argparse.RawDescriptionHelpFormatter:
    """Argparse makes a formatter for each argument; one that is told its width does not load shutil to learn it."""
    try:
        width = os.get_terminal_size(sys.stdout.fileno()).columns
    except (OSError, ValueError):
        width = 0
    return argparse.RawDescriptionHelpFormatter(prog, width=min(width or 100, 120) - 2)


def _add_place(parser: argparse.ArgumentParser, session: str) -> None:
    parser.add_argument("--cwd", type=_named, metavar="DIR", help="the project's directory (default: the current one)")
    parser.add_argument(
        "--session", type=_named, metavar="KEY", help=f"the session's key, or newest (default: {session})"
    )


def _named(text: str) -> str:
    """An option's value. Nothing, as from a variable that is not set, is no way to ask for the default."""
    if not text:
        raise argparse.ArgumentTypeError("it was given nothing; leave the option out for its default")
    return text


def _seconds(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value <= _LONGEST_WAIT:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of seconds from 0 to {_LONGEST_WAIT:,}")
    return value


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
