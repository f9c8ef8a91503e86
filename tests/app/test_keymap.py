"""A person's own keys: what counts, what is left out and why, and that every text follows them."""

from __future__ import annotations

import ast
import json
import os
import re
from collections.abc import Iterator
from pathlib import Path

import platformdirs
import pytest
from textual.keys import _character_to_key

from sftui.actions import ACTIONS, BY_ID, key_for, keys_of, use_keys
from sftui.cli import main
from sftui.keymap import LONGEST, TAKEN, TOGETHER, KeyMap, KeyProblem, config_file, load, parse
from sftui.keynames import key_name, parse_key, use_words
from sftui.screens.dialogs import HelpScreen
from sftui.widgets.bars import TextPane
from tests.app.driving import opened
from tests.app.stores import MEMORY, begin


@pytest.fixture(autouse=True)
def _own_keys_end() -> Iterator[None]:
    yield
    use_keys({})
    use_words(False)


def only(found: KeyMap) -> KeyProblem:
    assert len(found.problems) == 1, found.problems
    return found.problems[0]


# Names of keys.


@pytest.mark.parametrize(
    ("written", "key"),
    [
        ("e", "e"), ("E", "E"), ("ä", "ä"), ("?", "question_mark"), ("<", "less_than_sign"), (" ", "space"),
        ("esc", "escape"), ("Enter", "enter"), ("f4", "f4"), ("F12", "f12"), ("ctrl+r", "ctrl+r"), ("^r", "ctrl+r"),
        ("CTRL+R", "ctrl+r"), ("shift+up", "shift+up"), ("ctrl+shift+left", "ctrl+shift+left"), ("shift+tab", "shift+tab"),
        ("question_mark", "question_mark"), ("pgup", "pageup"), ("del", "delete"), ("+", "plus"), ("^", "circumflex_accent"),
    ],
)  # fmt: skip
def test_what_a_person_writes_is_a_key(written: str, key: str) -> None:
    assert parse_key(written) == key


@pytest.mark.parametrize("written", ["", "ee", "f99", "shift+e", "ctrl+?", "super+e", "ctrl+", "\x1b", "e,f", "fn"])
def test_what_no_terminal_sends_is_no_key(written: str) -> None:
    assert parse_key(written) is None


def test_signs_are_named_as_textual_names_them() -> None:
    for code in range(0x21, 0x7F):
        character = chr(code)
        assert parse_key(character) == _character_to_key(character), character
        assert key_name(_character_to_key(character)) == character


def test_every_key_of_the_table_can_be_written() -> None:
    for action in ACTIONS:
        for key in action.keys:
            assert parse_key(key) == key, action.id


# Judging a file.


def test_a_table_a_dotted_name_and_a_quoted_one_mean_the_same() -> None:
    for text in ('"memory.edit" = ["f4", "e"]', 'memory.edit = ["f4", "e"]', '[memory]\nedit = ["f4", "e"]'):
        found = parse(text)
        assert found.own == {"memory.edit": ("f4", "e")}
        assert found.problems == ()


def test_one_key_needs_no_brackets_and_the_same_key_twice_is_once() -> None:
    assert parse('"memory.edit" = "f4"').own == {"memory.edit": ("f4",)}
    assert parse('"memory.edit" = ["f4", "F4"]').own == {"memory.edit": ("f4",)}


@pytest.mark.parametrize(
    ("entry", "reason"),
    [
        ('"memory.edti" = "f4"', "there is no such action; did you mean memory.edit?"),
        ('"memory.nosuch" = "f4"', "there is no such action; `sftui keys` lists them"),
        ('"xxxxxxxx" = "f4"', "there is no such action; `sftui keys` lists them"),
        ('"memory.edit" = []', "an action needs a key"),
        ('"memory.edit" = 4', "an action needs a key"),
        ('"memory.edit" = [4]', "4 is no key that a terminal sends"),
        ('"memory.edit" = "hyper+e"', "hyper+e is no key that a terminal sends"),
        ('"memory.edit" = ["f4", "alt+e"]', "alt+e: alt with a key arrives as esc and the key"),
        ('"help.close" = "esc"', "esc needs a twin"),
        ('"prompt.submit" = "j"', "j is typed here as text"),
        ('"palette.close" = ["esc", "/"]', "/ is typed here as text"),
        ('"edit.submit" = "space"', "space is typed here as text"),
        ('"memory.edit" = "d"', "d is memory.delete (delete) already"),
        ('"memory.edit" = "j"', "j is list.cursor-down (down) already"),
        ('"memory.edit" = "q"', "q is app.quit (quit) already"),
        ('"app.theme" = "e"', "e is memory.edit (edit) already"),
    ],
)
def test_an_entry_that_cannot_be_kept_is_told_with_its_line(entry: str, reason: str) -> None:
    found = parse(f'# mine\n\n{entry}\n"watch.follow" = "f6"\n')
    problem = only(found)
    assert problem.line == 3
    assert reason in problem.reason
    assert found.own == {"watch.follow": ("f6",)}, "the others count"


@pytest.mark.parametrize("letter", "absqzhim")
def test_keys_of_terminals_and_multiplexers_stay_theirs(letter: str) -> None:
    assert f"ctrl+{letter}" in TAKEN
    assert "belongs to terminals" in only(parse(f'"memory.edit" = ["e", "ctrl+{letter}"]')).reason


def test_two_actions_may_trade_their_keys() -> None:
    found = parse('"memory.edit" = "d"\n"memory.delete" = "e"')
    assert found.problems == ()
    assert found.own == {"memory.edit": ("d",), "memory.delete": ("e",)}


def test_of_two_that_want_one_key_the_first_has_it() -> None:
    found = parse('"memory.edit" = "f4"\n"memory.delete" = "f4"')
    assert found.own == {"memory.edit": ("f4",)}
    assert only(found) == KeyProblem(2, "memory.delete", "f4 is memory.edit (edit) already")


def test_an_entry_that_falls_takes_along_what_relied_on_it() -> None:
    # edit gives up e only if it may have q, which it may not: so delete cannot have e either.
    found = parse('"memory.edit" = "q"\n"memory.delete" = "e"')
    assert found.own == {}
    assert [problem.entry for problem in found.problems] == ["memory.edit", "memory.delete"]


def test_places_that_never_count_together_share_keys() -> None:
    assert parse('"watch.follow" = "e"').problems == ()
    assert parse('"help.close" = ["escape", "x"]').problems == ()


def test_what_the_table_itself_gives_two_meanings_may_stay_so() -> None:
    # esc clears the filter, and where there is none it takes messages off.
    assert parse('"memory.clear" = ["escape", "f6"]').problems == ()


@pytest.mark.parametrize(
    ("text", "line"), [("a = 1\nb = = 2\n", 2), ("x = 1\nx = 2\n", 2), ("[" * 3000, 1), ('"a" = "b\n', 1)]
)
def test_what_is_no_toml_is_left_out_as_a_whole(text: str, line: int) -> None:
    problem = only(parse(text))
    assert "this is not TOML" in problem.reason
    assert problem.line in {line, None}


def test_every_place_is_with_others_or_alone() -> None:
    assert {place for places in TOGETHER for place in places} == {action.where for action in ACTIONS}


# The file.


def test_the_file_lies_where_the_platform_keeps_configurations(monkeypatch: pytest.MonkeyPatch) -> None:
    assert os.path.dirname(config_file(os.environ)) == platformdirs.user_config_dir("sftui")
    monkeypatch.delenv("XDG_CONFIG_HOME")
    assert os.path.dirname(config_file(os.environ)) == platformdirs.user_config_dir("sftui")
    home = os.path.expanduser("~")
    assert config_file({}, "darwin") == f"{home}/Library/Application Support/sftui/keys.toml"
    assert config_file({"LOCALAPPDATA": "/c"}, "win32") == "/c/sftui/keys.toml"


def test_files_that_cannot_be_read_are_told_and_nothing_else_happens(tmp_path: Path) -> None:
    path = tmp_path / "keys.toml"
    assert load(str(path)) == KeyMap(str(path))
    path.mkdir()
    assert "it is not a file" in only(load(str(path))).reason
    path.rmdir()
    os.mkfifo(path)
    assert "it is not a file" in only(load(str(path))).reason
    path.unlink()
    path.write_bytes(b'"memory.edit" = "\xff"')
    assert "it is not UTF-8 (byte 17)" in only(load(str(path))).reason
    path.write_bytes(b"#" * (LONGEST + 1))
    assert "longer than" in only(load(str(path))).reason
    path.write_bytes(b'\xef\xbb\xbf"memory.edit" = "f4"\r\n')
    assert load(str(path)).own == {"memory.edit": ("f4",)}


# In the app.


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    path = tmp_path / "config" / "sftui" / "keys.toml"
    path.parent.mkdir(parents=True)
    return path


async def test_everything_follows_a_key_map(own: Path, tmp_path: Path) -> None:
    own.write_text(
        '"app.watch" = "f8"\n"list.cursor-down" = ["n", "down"]\n"memory.new" = "f6"\n"app.help" = "f9"\n"x.y" = "f"\n'
    )
    store = begin(str(tmp_path / "store"), str(tmp_path / "app"), MEMORY)
    async with opened(store) as driver:
        assert "keys.toml, line 5, x.y: there is no such action" in driver.told
        before = driver.tree.cursor
        await driver.press("n")
        assert driver.tree.cursor == before + 1
        await driver.press("j")
        assert driver.tree.cursor == before + 1, "j has been given up"
        await driver.press("escape")
        assert driver.told == ""
        await driver.until(lambda: "f8 opens them" in driver.text)
        await driver.press("1")
        assert driver.top() is driver.memory
        await driver.press("f8")
        assert driver.top() is driver.watch
        assert "f9 help" in driver.text
        await driver.press("f9")
        assert isinstance(driver.app.screen, HelpScreen)
        pane = driver.app.screen.query_one(TextPane)
        told = ["".join(text for text, _ in line) for line in pane._lines]
        assert any(line.startswith("  f8 ") and "Open Watch" in line for line in told)
        assert not any(line.startswith("  1 ") for line in told)
        assert any("line 5: x.y: there is no such action" in line for line in told)
        await driver.press("n")
        assert pane.scroll_offset.y == 1, "the page moves with the keys of lists"


async def test_without_a_key_map_the_table_counts(tmp_path: Path) -> None:
    store = begin(str(tmp_path / "store"), str(tmp_path / "app"), MEMORY)
    async with opened(store) as driver:
        assert driver.told == ""
        assert all(keys_of(action.id) == action.keys for action in ACTIONS)
        assert key_for("list.open") == "⏎"
        assert BY_ID["list.open"].shown_keys == "⏎ o"


BY_HAND = re.compile(
    r"(?:^|[ ;·(])(?:[a-zA-Z0-9]|enter|esc|tab|space|f[0-9]{1,2}|ctrl\+[a-z])"
    r" (?:opens?|lists?|goes|follows|tells|holds|shows?|chooses?|reviews?|appl(?:y|ies)|undoes|takes|drops|stages?|cancels"
    r"|closes|resumes|forces|allows|agrees|edits|marks|brings|stops|reads|clears|keeps|leaves|completes)\b"
)


def test_no_text_names_a_key_by_hand() -> None:
    """Whoever has keys of their own would be told wrong ones."""
    assert BY_HAND.search("held · f follows")
    found: list[str] = []
    for path in sorted((Path(__file__).parents[2] / "sftui").rglob("*.py")):
        tree = ast.parse(path.read_text("utf-8"))
        told = {id(line.value) for line in ast.walk(tree) if isinstance(line, ast.Expr)}
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in told:
                found += [f"{path.name}: {node.value}"] if BY_HAND.search(node.value) else []
    assert found == []


def test_a_help_that_names_keys_follows_them() -> None:
    use_keys({"memory.delete": ("f6",)})
    assert "f6, m and L then take all marked rows" in BY_ID["memory.mark"].words
    for action in ACTIONS:
        assert "{" not in action.words, action.id


# The command.


def test_the_command_prints_the_table_and_what_does_not_count(own: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["keys"]) == 0
    told = capsys.readouterr().out
    assert f"{own} (there is none)" in told
    assert all(action.id in told and action.words in told for action in ACTIONS)
    own.write_text('"memory.edit" = "f4"\n"x\x1b.y" = "f"\n')
    assert main(["keys"]) == 3
    assert "! line 2: this is not TOML" in capsys.readouterr().out
    own.write_text('"memory.edit" = "f4"\n"x.\\u001b" = "f"\n"x.y" = "f"\n')
    assert main(["keys"]) == 3
    told = capsys.readouterr().out
    assert "(1 action of your own)" in told
    assert "! x.␛: there is no such action" in told, "written with an escape it is not found again"
    assert "! line 3: x.y: there is no such action" in told
    assert "\x1b" not in told
    assert main(["keys", "--json"]) == 3
    document = json.loads(capsys.readouterr().out)
    assert document["file"] == str(own)
    assert document["found"] is True
    assert [problem["line"] for problem in document["problems"]] == [None, 3]
    edit = next(action for action in document["actions"] if action["id"] == "memory.edit")
    assert edit == {
        "id": "memory.edit",
        "place": "memory",
        "keys": ["f4"],
        "own": True,
        "title": "edit",
        "help": BY_ID["memory.edit"].help,
    }


def test_the_command_takes_nothing_else(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["keys", "--store", "x"]) == 2
    assert "unrecognized arguments" in capsys.readouterr().err
