"""Where a store lies and how its parts are named."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from engine.errors import InvalidRequest
from engine.store import layout
from engine.store.layout import Address, locate
from engine.store.listing import cwds, newest_session, sessions
from tests.store.building import CWD, KEY, SESSION, build, dump


@pytest.mark.parametrize(
    ("environ", "root"),
    [
        ({"HOME": "/h"}, "/h/.pi/agent/state-flow"),
        ({"HOME": "/h", "PI_CODING_AGENT_DIR": "/x/agent"}, "/x/agent/state-flow"),
        ({"HOME": "/h", "PI_CODING_AGENT_DIR": "~/agent"}, "/h/agent/state-flow"),
        ({"HOME": "/h", "PI_CODING_AGENT_DIR": ""}, "/h/.pi/agent/state-flow"),
    ],
)
def test_the_default_root_is_the_agents(environ: dict[str, str], root: str) -> None:
    assert layout.default_root(environ) == root


def test_our_own_files_are_never_inside_of_a_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.platform", "linux")
    environ = {"HOME": "/h", "XDG_STATE_HOME": "/state"}
    assert layout.state_home(environ) == "/state/sftui"
    assert layout.state_home({"HOME": "/h", "XDG_STATE_HOME": "relative"}) == "/h/.local/state/sftui"
    one, other = layout.store_home(str(tmp_path / "a"), environ), layout.store_home(str(tmp_path / "b"), environ)
    assert one != other
    assert one.startswith("/state/sftui/stores/")
    (tmp_path / "link").symlink_to(tmp_path / "a")
    assert layout.store_home(str(tmp_path / "link"), environ) == one


def test_two_directories_may_share_a_key() -> None:
    assert layout.cwd_key("/a/b-c") == layout.cwd_key("/a-b/c") == "--a-b-c--"
    assert layout.cwd_key("//a") == "--a--"


@pytest.mark.parametrize("key", ["a", "a-b", "2026-11-01T10-00-00-000Z_x", "A9", "a.b_c"])
def test_session_keys_are_one_safe_segment(key: str) -> None:
    assert layout.is_session_key(key)
    assert layout.session_key(f"/sessions/{key}.jsonl", "id", None) == key


@pytest.mark.parametrize("key", ["", ".", "..", "a/b", "-a", "a-", "a\n", "é", "a b", ".a", "a:b"])
def test_other_names_are_no_session_keys(key: str) -> None:
    assert not layout.is_session_key(key)
    with pytest.raises(InvalidRequest):
        Address("/root", "/a", key)


def test_an_address_names_its_scopes() -> None:
    address = Address("/root", "/a/b", "s1")
    assert address.scopes == ("global", "cwd", "session")
    assert [address.scope_address(scope) for scope in address.scopes] == [".", "--a-b--", "--a-b--/s1"]
    assert [address.scope_dir(scope) for scope in address.scopes] == ["/root", "/root/--a-b--", "/root/--a-b--/s1"]
    assert Address("/root").scopes == ("global",)
    assert Address("/root", key="--a--").scopes == ("global", "cwd")
    with pytest.raises(InvalidRequest):
        Address("/root").scope_address("cwd")
    with pytest.raises(InvalidRequest):
        Address("/root", session="s1")


def test_links_above_the_root_are_followed_once(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    assert locate(str(tmp_path / "link" / "store"), "/a/./b/").root == str(tmp_path / "real" / "store")
    assert locate("x", "/a/./b/").cwd == "/a/b"


def test_directories_and_sessions_are_listed_without_being_opened(tmp_path: Path) -> None:
    here = tmp_path / "work"
    here.mkdir()
    home = build(tmp_path / "store")
    mine = home.root / layout.cwd_key(str(here))
    mine.mkdir()
    (mine / "meta.json").write_bytes(dump({"owner": {"cwd": str(here)}}))
    torn = home.root / "--torn--"
    torn.mkdir()
    (torn / "meta.json").write_bytes(b"{")
    (home.root / "--file--").write_bytes(b"")
    (home.root / "--link--").symlink_to(mine)
    (home.root / "other").mkdir()
    found = {entry.key: entry for entry in cwds(str(home.root))}
    assert found.keys() == {KEY, mine.name, "--torn--"}
    assert (found[KEY].owner_cwd, found[KEY].exists) == (CWD, False)
    assert (found[mine.name].owner_cwd, found[mine.name].exists) == (str(here), True)
    assert (found["--torn--"].owner_cwd, found["--torn--"].exists) == (None, False)

    (home.cwd / "2026-12-01_older").mkdir()
    os.utime(home.cwd / "2026-12-01_older", (1, 1))
    (home.cwd / "not a key").mkdir()
    assert [entry.key for entry in sessions(str(home.root), KEY)] == [SESSION, "2026-12-01_older"]
    newest = newest_session(str(home.root), KEY)
    assert newest is not None
    assert newest.key == SESSION


def test_nothing_is_listed_where_nothing_is(tmp_path: Path) -> None:
    assert cwds(str(tmp_path / "no")) == ()
    assert sessions(str(tmp_path), "--no--") == ()
    assert newest_session(str(tmp_path), "--no--") is None
