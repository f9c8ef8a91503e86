"""`sftui intents`: the headless twin of screen 4."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sftui.views.intents import intents
from sftui.views.picture import Picture, look, measured
from tests.app.stores import Store, begin
from tests.cli.conftest import Run, fingerprint

MEMORY: dict[str, Any] = {
    "cwd": {
        "intents": {
            "migrate": {"goal": "move it", "plan": [{"$ref": "cwd.tactics.store"}, {"$ref": "cwd.lazy.survey"}]},
            "report": {
                "from": {"$ref": "cwd.lazy.survey"},
                "see": "$session.tactics.next",
                "gone": {"$ref": "cwd.lazy.x"},
            },
            "idle": "wait",
        },
        "tactics": {"store": "half moved", "note": 1},
        "lazy": {"survey": {"text": "short"}},
    },
    "session": {"tactics": {"next": "run"}},
}


def options(store: Store, *, session: bool = True) -> list[str]:
    place = ["--store", store.root, "--cwd", store.cwd]
    return [*place, "--session", str(store.session)] if session else place


def begun(tmp_path: Path) -> Store:
    return begin(str(tmp_path / "store"), str(tmp_path / "app"), MEMORY)


def test_all_of_it_as_data(run: Run, tmp_path: Path) -> None:
    store = begun(tmp_path)
    before = fingerprint(tmp_path / "store")
    done = run("intents", *options(store), "--json")
    assert done.code == 0 and done.err == ""
    assert fingerprint(tmp_path / "store") == before
    none: list[Any] = []
    assert done.json == {
        "intents": [
            {
                "scope": "cwd",
                "intent": "idle",
                "says": '"wait"',
                "owned": none,
                "shared": none,
                "used": none,
                "dangling": none,
                "deletion": {"cascaded": none, "bytes": 0},
            },
            {
                "scope": "cwd",
                "intent": "migrate",
                "says": '"move it"',
                "owned": [{"path": "cwd.tactics.store"}],
                "shared": [{"path": "cwd.lazy.survey", "shared_with": ["report"]}],
                "used": none,
                "dangling": none,
                "deletion": {"cascaded": ["cwd.tactics.store"], "bytes": 12},
            },
            {
                "scope": "cwd",
                "intent": "report",
                "says": '"$session.tactics.next"',
                "owned": none,
                "shared": [{"path": "cwd.lazy.survey", "shared_with": ["migrate"]}],
                "used": [{"path": "session.tactics.next"}],
                "dangling": [{"path": "cwd.lazy.x", "owning": True}],
                "deletion": {"cascaded": none, "bytes": 0},
            },
        ],
        "unowned": {
            "session": [{"path": "session.tactics.next", "bytes": 5, "used_by": ["report"]}],
            "cwd": [{"path": "cwd.tactics.note", "bytes": 1, "used_by": none}],
            "global": none,
        },
        "unreadable": none,
    }


def test_in_words(run: Run, tmp_path: Path) -> None:
    done = run("intents", *options(begun(tmp_path)))
    assert done.code == 0
    lines = [" ".join(line.split()) for line in done.out.splitlines()]
    assert lines[:4] == [
        "intent in owned shared used dangling goes with it",
        "idle cwd",
        "migrate cwd 1 1 12 B",
        "report cwd 1 1 1",
    ]
    assert "shared cwd.lazy.survey 16 B kept by report" in lines
    assert "used session.tactics.next 5 B used, not owned" in lines
    assert "dangling cwd.lazy.x nothing is there" in lines
    assert lines[-5:] == [
        "unowned in session 1",
        "session.tactics.next 5 B used by report",
        "",
        "unowned in cwd 1",
        "cwd.tactics.note 1 B",
    ]


def test_without_a_session_nobody_says_what_it_holds(run: Run, tmp_path: Path) -> None:
    done = run("intents", *options(begun(tmp_path), session=False), "--json")
    report = done.json["intents"][2]
    assert report["used"] == [{"path": "session.tactics.next", "known": False}]
    assert set(done.json["unowned"]) == {"cwd", "global"}
    only = run("intents", *options(begun(tmp_path / "other")), "--scopes", "session", "--json")
    assert only.code == 0 and only.json["intents"] == [] and set(only.json["unowned"]) == {"session"}


def test_a_fenced_scope_is_named_and_the_others_are_told(run: Run, tmp_path: Path) -> None:
    store = begun(tmp_path)
    Path(store.address.scope_dir("cwd"), "patches.jsonl").write_bytes(b"{broken\n")
    done = run("intents", *options(store), "--json")
    assert done.code == 5 and "patches.jsonl" in done.err
    assert done.json["unreadable"] == ["cwd"] and done.json["intents"] == []
    assert [place["path"] for place in done.json["unowned"]["session"]] == ["session.tactics.next"]
    assert run("intents", *options(store), "--scopes", "global").code == 0


def test_the_screen_and_the_command_say_the_same(run: Run, tmp_path: Path) -> None:
    from engine.store.snapshot import snapshot

    store = begun(tmp_path)
    picture = measured(look(Picture(), snapshot(store.address), "live", 0.0, pinned=True, sightings={}))
    assert run("intents", *options(store), "--json").json == intents(picture).to_json()
