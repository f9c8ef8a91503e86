"""Signs in ASCII: one for one, in the same cells, wherever they come from."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from sftui.cells import cell_len
from sftui.glyphs import ASCII, in_ascii, wanted
from sftui.keynames import key_name, use_words
from tests.app.driving import SIZES, opened
from tests.app.stores import MEMORY, begin
from tests.app.terminal import Terminal

SFTUI = Path(__file__).parents[2] / "sftui"
# They name what is dangerous or not allowed in stored text, and draw none of it in a terminal.
OF_STORED_TEXT = {"display.py", "jsontext.py", "pages.py", "svg.py", "health_settings.py"}


@pytest.fixture(autouse=True)
def _words_end() -> Iterator[None]:
    yield
    use_words(False)


def drawn() -> dict[str, str]:
    """Every sign in a string of ours, and where it is."""
    found: dict[str, str] = {}
    for path in SFTUI.rglob("*.py"):
        if path.name in OF_STORED_TEXT or path.name == "glyphs.py" or path.name.startswith("demo"):
            continue
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                found |= {sign: path.name for sign in node.value if not sign.isascii()}
    return found


def test_every_sign_that_we_draw_has_a_plain_one() -> None:
    found = drawn()
    assert {"●", "▸", "…", "×", "⏎"} <= set(found), "the search finds signs at all"
    assert {sign: where for sign, where in found.items() if ord(sign) not in ASCII} == {}


def test_a_plain_sign_takes_the_same_room() -> None:
    for code, plain in ASCII.items():
        assert cell_len(chr(code)) == cell_len(plain) == 1
        assert plain.isascii()
        assert plain.isprintable()


def test_letters_stay_where_they_can_be_shown_and_keep_their_cells_where_not() -> None:
    assert in_ascii("né → 日本 …") == "né-> 日本.."
    assert in_ascii("né → 日本 …", only=True) == "n?-> ????.."
    assert cell_len(in_ascii("日本", only=True)) == cell_len("日本")


@pytest.mark.parametrize(
    ("drawn", "plain"),
    [
        ("10 → 9", "10-> 9"),
        ('"half moved"  ← migrate', '"half moved" <- migrate'),
        ("→ cwd.tactics.store", "> cwd.tactics.store"),
        ("~ strategy.review ask be…", "~ strategy.review ask b.."),
        ("…ctics.store", "..tics.store"),
        ("/tmp/abc…xyz", "/tmp/ab..xyz"),
        ("日…", "日."),
        ("…", "."),
        ("looking…", "looking."),
        ("being…", "bein.."),
    ],
)
def test_an_arrow_is_no_comparison_and_what_is_cut_off_no_change(drawn: str, plain: str) -> None:
    assert in_ascii(drawn) == plain
    assert cell_len(drawn) == cell_len(plain), "nothing moves"


def test_live_wins_and_marked_are_told_apart() -> None:
    assert len({in_ascii(sign) for sign in ("●", "✓", "*", "•", "▸", "▾", "+", "-", "~", "×", "≡", "↑", "!")}) == 13


@pytest.mark.parametrize(
    ("environ", "encoding", "asked", "expected"),
    [
        ({}, "UTF-8", False, (False, False)),
        ({}, "utf8", True, (True, False)),
        ({"SFTUI_ASCII": "1"}, "UTF-8", False, (True, False)),
        ({"SFTUI_ASCII": ""}, "UTF-8", False, (False, False)),
        ({}, "ISO-8859-1", False, (True, True)),
        ({}, "ANSI_X3.4-1968", False, (True, True)),
        ({"SFTUI_ASCII": "0"}, "ISO-8859-1", False, (False, False)),
        ({"SFTUI_ASCII": "0"}, "UTF-8", True, (True, False)),
        ({"TERM": "linux"}, "UTF-8", False, (True, False)),
        ({"TERM": "dumb"}, "UTF-8", False, (True, False)),
        ({"TERM": "xterm-256color"}, "UTF-8", False, (False, False)),
    ],
)
def test_when_signs_are_plain(environ: dict[str, str], encoding: str, asked: bool, expected: tuple[bool, bool]) -> None:
    assert wanted(environ, encoding, asked=asked) == expected


@pytest.mark.parametrize("size", SIZES)
async def test_no_other_sign_reaches_the_screen(
    size: tuple[int, int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SFTUI_ASCII", "1")
    states = {**MEMORY, "session": {**MEMORY["session"], "tactics": {"next": "a → b\x1b[2J", "long": "x" * 300}}}
    store = begin(str(tmp_path / "store"), str(tmp_path / "app"), states)
    store.patch(session={"tactics": {"next": "run …"}})
    async with opened(store, size) as driver:
        assert key_name("enter") == "enter"
        for keys in (
            ("1",),
            ("2", "j", "j"),
            ("question_mark", "G"),
            ("q", "colon"),
            ("escape", "s"),
            ("escape", "6"),
            ("q",),
        ):
            await driver.press(*keys)
            await driver.pilot.pause(0.1)
            assert driver.text.isascii(), sorted({sign for sign in driver.text if not sign.isascii()})
            assert all(len(line) == size[0] for line in driver.text.split("\n")), "nothing has moved"


@pytest.mark.parametrize(
    ("options", "environ"),
    [(("--ascii",), {}), ((), {"SFTUI_ASCII": "1"}), ((), {"SFTUI_ASCII": "", "TERM": "linux"})],
    ids=["option", "variable", "console"],
)
def test_a_terminal_gets_ascii_alone(tmp_path: Path, options: tuple[str, ...], environ: dict[str, str]) -> None:
    store = begin(str(tmp_path / "store"), str(tmp_path / "app"), MEMORY)
    place = ("--store", store.root, "--cwd", store.cwd, "--no-ledger", *options)
    with Terminal(*place, environ=environ) as terminal:
        terminal.wait_for("half moved")
        for keys, wanted in (
            ("?", "enter o"),
            ("q:", "edit in $EDITOR"),
            ("\x07", "half moved"),
            ("s", "follow newest"),
            ("q1", "following"),
        ):
            terminal.send(keys)
            terminal.wait_for(wanted)
        terminal.send("q")
        terminal.pump(1.0)
        assert bytes(terminal.raw).isascii()


def test_signs_are_drawn_where_nothing_speaks_against_them(tmp_path: Path) -> None:
    store = begin(str(tmp_path / "store"), str(tmp_path / "app"), MEMORY)
    with Terminal("--store", store.root, "--cwd", store.cwd, "--no-ledger") as terminal:
        terminal.wait_for("● live")
