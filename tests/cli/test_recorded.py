"""`sftui blame` and `sftui ledger`: what they say is what happened, and what nobody knows they say."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from engine.ledger import Ledger
from engine.ledger.log import CRASH_NAME, LOG_NAME
from engine.ledger.states import STATE_NAME
from engine.store.layout import store_home
from engine.store.snapshot import snapshot
from sftui.cli import main
from tests.app.stores import MEMORY, Store, begin
from tests.cli.conftest import fingerprint

Ask = Callable[..., tuple[int, Any, str]]


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return begin(str(tmp_path / "store"), str(tmp_path / "app"), MEMORY)


@pytest.fixture
def ask(store: Store, capsysbinary: pytest.CaptureFixture[bytes]) -> Ask:
    """Run a command here; give its exit code, what it printed, and what it complained of."""

    def run(*words: str, plain: bool = False, at: list[str] | None = None) -> tuple[int, Any, str]:
        place = ["--store", store.root, "--cwd", store.cwd, "--session", str(store.session)] if at is None else at
        code = main([*words, *place, *([] if plain else ["--json"])])
        out, err = capsysbinary.readouterr()
        return code, out.decode() if plain else json.loads(out or b"null"), err.decode()

    return run


def look(store: Store) -> Ledger:
    ledger = Ledger.open(store.root)
    ledger.observe(snapshot(store.address), at=1_000.0)
    return ledger


def home(store: Store) -> Path:
    return Path(store_home(store.root)) / "ledger"


def told(scopes: list[Any]) -> list[Any]:
    """Scope, share, and who set it, in short."""
    return [
        (
            one["scope"],
            one["share"],
            one["set_by"]
            and (one["set_by"]["revision"], one["set_by"]["how"], one["set_by"]["source"], one["set_by"]["ours"]),
        )
        for one in scopes
    ]


# Blame.


def test_of_an_effective_value_every_scope_that_has_one_is_told_and_which_shows(store: Store, ask: Ask) -> None:
    look(store)
    store.patch(session={"strategy": {"api": "v3"}})
    store.patch(cwd={"strategy": {"api": "v2"}}, session={"tactics": {"next": "ship"}})
    look(store)
    code, found, _ = ask("blame", "effective.strategy.api")
    assert code == 0
    assert found["path"] == "effective.strategy.api"
    assert told(found["scopes"]) == [
        ("session", "wins", (1, "exact", "retained", False)),
        ("cwd", "hidden", (1, "exact", "retained", False)),
        ("global", "hidden", None),
    ]
    assert found["scopes"][2]["unknown"] == "no change is retained, and it was there when the scope began"
    changes = [one["set_by"]["changes"] for one in found["scopes"][:2]]
    assert [[(line["sign"], line["path"]) for line in lines] for lines in changes] == [
        [("+", ["strategy", "api"])],
        [("~", ["strategy", "api"])],
    ]
    # Of the change that did more, only what it did there.
    assert found["scopes"][1]["set_by"]["session"] == store.address.scope_address("session")


def test_what_is_no_longer_retained_is_told_by_the_ledger(store: Store, ask: Ask) -> None:
    ledger = look(store)
    for number in range(12):
        store.patch(cwd={"tactics": {"store": f"step {number}"} if number == 2 else {"n": number}})
        ledger.observe(snapshot(store.address), at=2_000.0 + number)
    code, found, _ = ask("blame", "cwd.tactics.store")
    ((_, share, by),) = told(found["scopes"])
    assert (code, share, by) == (0, "own", (3, "exact", "ledger", False))
    assert found["scopes"][0]["set_by"]["seen"] == 2_002.0
    assert found["scopes"][0]["set_by"]["changes"][0]["what"] == '"half moved" → "step 2"'
    _, found, _ = ask("blame", "cwd.tactics.store", "--no-ledger")
    assert found["scopes"][0]["set_by"] is None
    assert found["scopes"][0]["unknown"] == (
        "none of the 7 retained changes touched it, and the ledger is not looked at"
    )
    _, page, _ = ask("blame", "cwd.tactics.store", plain=True)
    assert re.search(r"c3, seen .*, not ours, in the ledger", page)


def test_what_went_on_unseen_since_may_have_set_it(store: Store, ask: Ask) -> None:
    """The ledger's newest lies before all that is retained: nobody saw what came between."""
    store.patch(cwd={"tactics": {"d": 1}})
    look(store)
    _, before, _ = ask("blame", "cwd.tactics.d")
    assert before["scopes"][0]["set_by"]["unseen"] is False
    store.patch(cwd={"tactics": {"d": 7}})
    for number in range(10):
        store.patch(cwd={"tactics": {"u": number}})
    _, found, _ = ask("blame", "cwd.tactics.d")
    assert found["scopes"][0]["set_by"]["unseen"] is True
    look(store)
    _, seen, _ = ask("blame", "cwd.tactics.d")
    assert seen["scopes"][0]["set_by"]["unseen"] is True


def test_a_past_that_was_given_up_set_nothing(store: Store, ask: Ask, tmp_path: Path) -> None:
    store.patch(cwd={"tactics": {"kept": 1}})
    look(store)
    shutil.copytree(store.root, tmp_path / "copy")
    for number in range(2):
        store.patch(cwd={"tactics": {"given": number}})
    look(store)
    shutil.rmtree(store.root)
    shutil.move(tmp_path / "copy", store.root)
    _, found, _ = ask("blame", "cwd.tactics.given")
    assert found["scopes"][0]["set_by"] is None


def test_what_this_program_published_is_ours(store: Store, ask: Ask) -> None:
    look(store)
    patch = Path(store.cwd).parent / "patch.json"
    patch.write_text(json.dumps({"cwd": {"tactics": {"x": 1}}}))
    assert ask("patch", str(patch), at=["--store", store.root, "--cwd", store.cwd])[0] == 0
    code, found, _ = ask("blame", "cwd.tactics.x")
    assert (code, told(found["scopes"])) == (0, [("cwd", "own", (1, "exact", "retained", True))])


def test_without_any_record_the_tails_tell_what_they_can(store: Store, ask: Ask) -> None:
    store.patch(cwd={"tactics": {"checks": {"[1]": "mypy"}}})
    store.patch(cwd={"tactics": {"checks": {"[0]": "ruff"}}})
    code, found, _ = ask("blame", "cwd.tactics.checks[1]")
    ((_, _, by),) = told(found["scopes"])
    assert code == 0
    # As it is recorded an array is set as a whole.
    assert by == (2, "above", "retained", None)
    assert found["scopes"][0]["set_by"]["seen"] is None
    assert not home(store).exists()


def test_what_was_removed_is_told_too(store: Store, ask: Ask) -> None:
    look(store)
    store.patch(cwd={"tactics": {"store": None}})
    look(store)
    _, found, _ = ask("blame", "effective.tactics.store")
    assert [one for one in told(found["scopes"]) if one[2]] == [("cwd", "absent", (1, "exact", "retained", False))]
    assert found["scopes"][1]["set_by"]["changes"][0]["sign"] == "-"


@pytest.mark.parametrize("words", [["cwd.x["], [""], ["session.tactics.next"]])
def test_what_cannot_be_asked_is_said_in_one_line(store: Store, ask: Ask, words: list[str]) -> None:
    code, found, err = ask("blame", *words, at=["--store", store.root, "--cwd", store.cwd])
    assert (code, found) == (3, None)
    assert err.count("\n") == 1


def test_a_fenced_scope_is_unknown_and_hides_no_other(store: Store, ask: Ask) -> None:
    look(store)
    store.patch(session={"strategy": {"api": "v3"}})
    Path(store.address.scope_dir("cwd"), "patches.jsonl").write_bytes(b"{torn")
    code, found, err = ask("blame", "effective.strategy.api")
    assert code == 5
    assert err.count("\n") == 1
    assert [one["scope"] for one in found["scopes"] if one["set_by"]] == ["session"]


def test_nothing_of_a_store_is_obeyed_or_written(store: Store, ask: Ask) -> None:
    odd = "a\x1b]52;c;x\x07[red]\u202e\ud800"
    look(store)
    store.patch(cwd={"lazy": {odd: {"[0]x": "\x1b[2J\x9b31m"}}})
    look(store)
    before = fingerprint(Path(store.root))
    code, page, _ = ask("blame", "cwd.lazy", plain=True)
    assert code == 0
    assert "\x1b" not in page
    assert "\x9b" not in page
    assert "\u202e" not in page
    assert ask("blame", f"cwd.lazy[{json.dumps(odd)}]")[0] == 0
    assert fingerprint(Path(store.root)) == before


# The ledger.


def test_of_a_store_that_nobody_watched_there_is_nothing_and_nothing_is_made(store: Store, ask: Ask) -> None:
    code, found, _ = ask("ledger", "status")
    assert (code, found["log_bytes"], found["last_good"]) == (0, None, dict.fromkeys(("global", "cwd", "session")))
    code, found, _ = ask("ledger", "verify")
    assert (code, found["ok"], found["reason"]) == (1, None, "there is no log")
    assert ask("ledger", "rotate")[:2] == (0, {"kept": None})
    assert not home(store).exists()
    assert "nothing was recorded of this store" in ask("ledger", "status", plain=True)[1]


def test_the_status_says_what_is_recorded_and_what_was_valid_last(store: Store, ask: Ask) -> None:
    look(store)
    store.patch(cwd={"lazy": {"n": 1}}, session={"lazy": {"n": 1}})
    look(store)
    (home(store) / CRASH_NAME).write_bytes(b"half a li\n")
    code, found, _ = ask("ledger", "status")
    assert code == 0
    log = (home(store) / LOG_NAME).read_bytes()
    assert (found["log_bytes"], found["folded_bytes"], found["events"]) == (len(log), len(log), log.count(b"\n"))
    assert found["crashed_bytes"] == 10
    assert found["trouble"] is None
    assert found["rows"]["wholes"] == 3
    assert [(scope, one["revision"], one["start"] is not None) for scope, one in found["last_good"].items()] == [
        ("global", 0, True),
        ("cwd", 1, True),
        ("session", 1, True),
    ]
    _, page, _ = ask("ledger", "status", plain=True)
    assert re.search(r"cwd\s+c1  in g0 c1 s1, seen .*; its value can be given again", page)


def test_what_differs_from_the_log_is_found_told_and_made_good(store: Store, ask: Ask) -> None:
    look(store)
    assert ask("ledger", "verify")[:2] == (0, {**ask("ledger", "verify")[1], "ok": True})
    import sqlite3

    with sqlite3.connect(home(store) / STATE_NAME) as connection:
        connection.execute("UPDATE wholes SET revision = 7")
    connection.close()
    code, found, _ = ask("ledger", "verify")
    assert (code, found["ok"]) == (7, False)
    assert [one["unit"] for one in found["differing"]] == ["wholes"]
    code, page, _ = ask("ledger", "verify", plain=True)
    assert code == 0
    assert page.startswith("the same:")


def test_a_new_log_begins_and_the_old_one_is_kept(store: Store, ask: Ask) -> None:
    look(store)
    old = (home(store) / LOG_NAME).read_bytes()
    code, found, _ = ask("ledger", "rotate")
    assert code == 0
    assert (home(store) / found["kept"]).read_bytes() == old
    assert (home(store) / LOG_NAME).read_bytes() == b""
    store.patch(cwd={"lazy": {"n": 1}})
    look(store)
    _, status, _ = ask("ledger", "status")
    assert status["kept"] == [{"name": found["kept"], "bytes": len(old)}]
    assert status["last_good"]["cwd"]["revision"] == 1
    code, page, _ = ask("ledger", "rotate", plain=True)
    assert (code, page.count("\n")) == (0, 3)
    assert "nothing was removed" in page
    assert "no longer answered from it: who changed what and when" in page


def test_after_a_new_log_nobody_says_that_nobody_looked(store: Store, ask: Ask) -> None:
    store.patch(cwd={"tactics": {"x": 1}})
    look(store)
    _, page, _ = ask("blame", "cwd.tactics.x", plain=True)
    assert "before anybody looked" in page
    assert ask("ledger", "rotate")[0] == 0
    for asked in (("blame", "cwd.tactics.x"), ("log",), ("show", "timeline")):
        _, page, _ = ask(*asked, plain=True)
        assert "before anybody looked" not in page
        assert "may stand in a log that was put aside" in page
    _, _, said = ask("script", plain=True)
    assert "may stand in a log that was put aside" in said


def test_of_what_never_stood_there_it_is_said(store: Store, ask: Ask) -> None:
    code, found, _ = ask("blame", "cwd.nothing.here")
    assert (code, found["scopes"][0]["set_by"]) == (0, None)
    store.patch(cwd={"tactics": {"x": 1}})
    _, page, _ = ask("blame", "cwd.nothing.here", plain=True)
    assert "when it was set" not in page
    assert "unknown" in page or "never set" in page
