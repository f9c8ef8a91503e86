"""What the command line takes: the parsers of the app and of every command."""

from __future__ import annotations

import argparse
import os
import sys
from typing import Final, NoReturn

from sftui.commands.output import complain

USAGE: Final = 2
_LONGEST_WAIT: Final = 4_000_000  # what every system can wait for, 46 days
_MOST: Final = 1_000_000_000

COMMANDS: Final = {
    "status": "scopes, revisions, sizes, the lock, a verdict",
    "read": "what an agent's read_state would answer",
    "patch": "changes memory as an agent's patch_state does",
    "log": "what changed, newest first",
    "blame": "which change set a value last, and what is known of who made it",
    "diff": "what differs between two moments, scopes or views",
    "search": "finds a text in keys, values and history",
    "context": "what a model would be given now, and how large it is",
    "intents": "what each intent owns and uses, and what belongs to none",
    "lint": "what could be cleaned, each with its reason",
    "traces": "every place where a value still stands after it was removed",
    "show": "a view as text, JSON, Markdown or a picture",
    "script": "the changes that were made here, as patches to be replayed",
    "ledger": "the record of what was seen of a store: its state, a check, a new beginning",
    "doctor": "what is wrong, if anything, and what stays usable",
    "keys": "every action of the app with its keys, and what of your key map does not count",
    "debug": "what a report of a fault should say; nothing that is remembered",
}

_DESCRIPTIONS: Final = {
    "status": "Print scopes, revisions, modes, sizes, what intents own, the lock and a verdict.",
    "read": "Print exactly what an agent's read_state would answer.",
    "patch": "Change memory as an agent's patch_state does, and print the receipt.",
    "log": "Print what changed, newest first: a session's history, or each scope's own.",
    "blame": "Print which change set a value last, when it was first seen, and what is known of who made it.",
    "diff": "Print what differs between two moments, scopes or views.",
    "search": "Find a text in keys and values, in what scopes retain, and in what was seen here of history.",
    "context": "Print what a model would be given now, and what of it takes how much room.",
    "intents": "Print what each intent owns, shares, uses and names in vain, what its deletion would take along, and what no intent owns.",
    "lint": "Print what could be cleaned, each finding with its reason and its fix. Nothing is changed.",
    "traces": "Print every place where a value still stands, and what can be done about each. Nothing is changed.",
    "show": "Print a view: memory as a tree, or what one of the app's screens shows.",
    "script": "Print the changes that were made here as one patch a line, for `sftui patch --script`.",
    "ledger": "Say what was recorded of a store, check it, or begin a new record and keep the old one.",
    "doctor": "Print what is wrong, if anything, and what stays usable.",
    "keys": "Print every action of the app with the keys that it has, where your key map is, and what of it does not count.",
    "debug": "Print what a report of a fault should say: versions, terminal, states and sizes; nothing that is remembered.",
}

_EXITS: Final = """\
exit codes: 0 done; 2 wrong usage; 3 invalid request; 4 locked by another program, or cancelled;
5 the memory is fenced; 6 it moved since it was approved; 7 something was found (lint, traces, ledger verify);
1 anything else"""


# Options that are followed by a value.
TAKE_VALUE: Final = frozenset(
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
        "--path",
        "--format",
        "--output",
        "--in",
        "--mode",
        "--fail-on",
        "--only",
        "--config",
        "--value",
        "--last",
        "--since",
        "--from-line",
    }
)


class Parser(argparse.ArgumentParser):
    """Says what is wrong with the arguments in one line."""

    def error(self, message: str) -> NoReturn:
        complain(f"{message}; see {self.prog} --help")
        raise SystemExit(USAGE)


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
        parser.add_argument(
            "--script", action="store_true", help="the file holds one patch a line, carried out one after another"
        )
        parser.add_argument(
            "--from-line", type=_count, metavar="N", help="with --script: begin at this line, as after a refusal"
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
    else:
        _add_own(command, parser)
    parser.add_argument("--json", action="store_true", help="print one JSON document on one line")
    if command == "keys":
        return parser
    parser.add_argument("--store", type=_named, metavar="DIR", help="the store's directory (default: the agent's own)")
    _add_place(parser, "none: only global and cwd memory")
    parser.add_argument("--scopes", type=_named, metavar="NAMES", help="the scopes to use, such as global,cwd")
    return parser


def _add_own(command: str, parser: argparse.ArgumentParser) -> None:
    """What the commands that look back, clean and export take besides a place."""
    if command == "blame":
        parser.add_argument("path", metavar="PATH", help="such as effective.tactics.checks or cwd.lazy.notes[3]")
        parser.add_argument("--no-ledger", action="store_true", help="look at what the scopes retain only")
    elif command == "diff":
        parser.add_argument("a", metavar="A", help="effective, effective[2], cwd, session[1], or cwd@8 for a revision")
        parser.add_argument("b", metavar="B", help="the same; what B has and A has not was added")
        parser.add_argument("--path", type=_named, metavar="PATH", help="only what is at or below this path")
        _add_format(parser)
        parser.add_argument("--no-ledger", action="store_true", help="look at what the scopes retain only")
    elif command == "search":
        parser.add_argument("text", metavar="TEXT", help="what to look for")
        parser.add_argument("--in", dest="within", type=_named, metavar="PLACES", help="memory, history or both")
        parser.add_argument(
            "--case", action="store_true", help="tell capitals from small letters (default: if the text has capitals)"
        )
        parser.add_argument("--no-ledger", action="store_true", help="look at memory and at what scopes retain only")
    elif command == "context":
        parser.add_argument("--mode", choices=("active", "passive"), help="the mode (default: the session's own)")
    elif command == "lint":
        parser.add_argument(
            "--fail-on",
            choices=("high", "medium", "low", "never"),
            default="medium",
            help="the least severity that ends with 7 (default: medium)",
        )
        parser.add_argument("--only", action="append", default=[], metavar="CODE", help="only findings of this kind")
        parser.add_argument("--config", type=_named, metavar="FILE", help="thresholds and what is suppressed")
        parser.add_argument("--all", action="store_true", help="also what is suppressed, marked so")
    elif command == "traces":
        parser.add_argument("path", nargs="?", metavar="PATH", help="where the value stands, or stood last")
        parser.add_argument(
            "--value",
            metavar="TEXT|-",
            help="the value itself; - reads it from standard input, so that it does not stay in your shell's history",
        )
        parser.add_argument("--show", action="store_true", help="print the value whole, not masked")
    elif command == "show":
        parser.add_argument(
            "what",
            metavar="WHAT",
            help="a path such as effective.tactics, cwd[1] or cwd@8; or watch, intents, timeline, context, health",
        )
        _add_format(parser)
        parser.add_argument("--no-ledger", action="store_true", help="look at what the scopes retain only")
    elif command == "script":
        parser.add_argument("--last", type=_count, metavar="N", help="only the last N changes")
        parser.add_argument(
            "--since", type=_named, metavar="WHEN", help="only what was made since, as 2026-11-30T12:00"
        )
        _add_output(parser)
    elif command == "ledger":
        parser.add_argument("task", choices=("status", "verify", "rotate"), help="what to do with the record")


def _add_format(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--format", choices=("text", "json", "md", "svg"), default="text", help="(default: text)")
    _add_output(parser)


def _add_output(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--output", type=_named, metavar="FILE", help="write it there instead of printing it")
    parser.add_argument("--force", action="store_true", help="replace that file if it is there")


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


def _count(text: str) -> int:
    if not (text.isascii() and text.isdigit() and 0 < int(text) <= _MOST):
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 1 to {_MOST:,}")
    return int(text)


def _seconds(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value <= _LONGEST_WAIT:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of seconds from 0 to {_LONGEST_WAIT:,}")
    return value
