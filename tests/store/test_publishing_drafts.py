"""A person's draft becomes files: compiled on what is there when it is written, or refused, with the preview's words."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from engine.errors import Fenced, InvalidRequest, Moved
from engine.memory.draft import Draft, Operation, PreImage, Put, Raw, Remove, Step, Transfer
from engine.memory.scope import Scope
from engine.store import writing
from engine.store.afterwards import Fold
from engine.store.layout import Address, locate
from engine.store.publication import publish
from engine.store.readings import ScopeReading
from engine.store.snapshot import snapshot
from engine.values import Encoder, Json, JsonObject, KeyPath
from tests.store.building import CWD, KEY, SESSION, Home, build, dump

NOTHING = PreImage(exists=False)


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return build(tmp_path / "store")


def shared(home: Home) -> Address:
    return locate(str(home.root), CWD)


def whole(home: Home) -> Address:
    return locate(str(home.root), CWD, SESSION)


def draft(*operations: Operation) -> Draft:
    return Draft(tuple(Step(operation) for operation in operations))


def put(path: KeyPath, value: Json, *, before: Json = None, scope: Scope = "cwd") -> Put:
    return Put(scope, path, value, NOTHING if before is None else PreImage(exists=True, value=before))


def remove(path: KeyPath, before: Json, scope: Scope = "cwd") -> Remove:
    return Remove(scope, path, PreImage(exists=True, value=before))


def moving(path: KeyPath, before: Json) -> Transfer:
    """A step of the cwd scope that cannot be carried out once there is nothing at `path`."""
    return Transfer("cwd", path, "cwd", ("lazy", "moved"), PreImage(exists=True, value=before), NOTHING)


def patch_cwd(home: Home, planes: dict[str, Any]) -> None:
    publish(shared(home), {"cwd": planes}, wanted=("global", "cwd"))


def test_a_draft_is_written_as_its_steps_say(home: Home) -> None:
    steps = draft(
        put(("tactics", "new"), {"deep": [1, 2]}),
        remove(("tactics", "kept"), "cwd"),
        Transfer("cwd", ("lazy", "n"), "global", ("lazy", "of_cwd"), PreImage(exists=True, value=2), NOTHING),
    )
    done = publish(shared(home), steps)
    assert home.value("cwd") == {"tactics": {"new": {"deep": [1, 2]}}}
    assert home.value("global")["lazy"] == {"n": 2, "of_cwd": 2}
    assert done.changed == ("global", "cwd")
    assert done.boundary is not None
    assert home.meta("cwd")["temporal"]["patches"][-1] == home.meta("global")["temporal"]["patches"][-1]


def test_the_preview_says_what_was_compiled_and_touches_nothing(home: Home) -> None:
    before = home.files()
    seen = publish(shared(home), draft(put(("tactics", "new"), 1)), dry_run=True)
    assert seen.authored == {"cwd": {"tactics": {"new": 1}}}
    assert seen.staged.net == {"cwd": {"tactics": {"new": 1}}}
    assert (seen.problems, seen.remarks, seen.obstacles) == ((), (), ())
    assert home.files() == before


def test_a_patch_says_what_was_asked_for_too(home: Home) -> None:
    seen = publish(shared(home), {"tactics": {"new": 1}}, wanted=("cwd",), dry_run=True)
    assert seen.authored == {"cwd": {"tactics": {"new": 1}}}


def test_what_was_approved_is_written_although_other_keys_have_moved(home: Home) -> None:
    steps = draft(put(("tactics", "new"), 1))
    seen = publish(shared(home), steps, dry_run=True)
    patch_cwd(home, {"tactics": {"theirs": "the agent's"}})
    publish(shared(home), steps, approved=seen.digest)
    assert home.value("cwd")["tactics"] == {"kept": "cwd", "theirs": "the agent's", "new": 1}


def test_an_approval_does_not_reach_further_than_what_was_seen(home: Home) -> None:
    steps = draft(put(("tactics", "kept"), "mine", before="cwd"))
    seen = publish(shared(home), steps, dry_run=True)
    patch_cwd(home, {"tactics": {"kept": "theirs"}})
    with pytest.raises(Moved) as refused:
        publish(shared(home), steps, approved=seen.digest)
    assert refused.value.approved == seen.digest
    assert home.value("cwd")["tactics"] == {"kept": "theirs"}
    # The draft is as good as before: looked at again it can be approved.
    again = publish(shared(home), steps, dry_run=True)
    publish(shared(home), steps, approved=again.digest)
    assert home.value("cwd")["tactics"] == {"kept": "mine"}


def test_a_step_whose_ground_is_gone_blocks_the_whole_draft(home: Home) -> None:
    steps = draft(put(("tactics", "new"), 1), moving(("tactics", "kept"), "cwd"))
    patch_cwd(home, {"tactics": {"kept": None, "other": 1}})
    before = home.files()
    seen = publish(shared(home), steps, dry_run=True)
    assert [(problem.step, problem.scope, problem.path) for problem in seen.problems] == [
        (1, "cwd", ("tactics", "kept"))
    ]
    assert [obstacle.code for obstacle in seen.obstacles] == ["draft-blocked"]
    assert seen.staged.net == {"cwd": {"tactics": {"new": 1}}}
    with pytest.raises(InvalidRequest) as refused:
        publish(shared(home), steps)
    error = refused.value
    assert (error.code, error.scope, error.path) == ("draft-blocked", "cwd", "tactics.kept")
    assert error.hint == "change step 2 of the draft, or leave it out"
    assert home.files() == before


def test_a_blocked_step_that_is_not_ticked_blocks_nothing(home: Home) -> None:
    steps = draft(put(("tactics", "new"), 1), moving(("tactics", "gone"), 1)).ticking(1, ticked=False)
    publish(shared(home), steps)
    assert home.value("cwd")["tactics"] == {"kept": "cwd", "new": 1}


def test_what_moved_is_told_before_what_it_blocks(home: Home) -> None:
    steps = draft(moving(("tactics", "kept"), "cwd"))
    seen = publish(shared(home), steps, dry_run=True)
    patch_cwd(home, {"tactics": {"kept": None, "other": 1}})
    with pytest.raises(Moved):
        publish(shared(home), steps, approved=seen.digest)
    again = publish(shared(home), steps, dry_run=True, approved=seen.digest)
    assert [obstacle.code for obstacle in again.obstacles] == ["moved", "draft-blocked"]


@pytest.mark.parametrize("steps", [Draft(), draft(put(("tactics", "new"), 1)).ticking(0, ticked=False)])
def test_nothing_ticked_is_nothing_done(home: Home, steps: Draft) -> None:
    before = home.files()
    for dry in (True, False):
        done = publish(shared(home), steps, dry_run=dry)
        assert (done.changed, done.boundary, done.authored, done.obstacles) == ((), None, {}, ())
    assert home.files() == before


def test_a_fenced_session_does_not_keep_its_directory_from_being_mended(home: Home) -> None:
    (home.session / "patches.jsonl").write_bytes(b'{"lazy":\n')
    publish(whole(home), draft(put(("tactics", "new"), 1)))
    assert home.value("cwd")["tactics"] == {"kept": "cwd", "new": 1}
    for dry in (True, False):
        with pytest.raises(Fenced) as refused:
            publish(whole(home), draft(put(("tactics", "new"), 1, scope="session")), dry_run=dry)
        assert refused.value.scope == "session"


def test_references_of_a_fenced_scope_are_left_alone(home: Home) -> None:
    lines = (home.session / "patches.jsonl").read_bytes() + b'{"lazy":\n'
    (home.session / "patches.jsonl").write_bytes(lines)
    moved = Transfer("cwd", ("tactics", "kept"), "cwd", ("lazy", "kept"), PreImage(exists=True, value="cwd"), NOTHING)
    publish(whole(home), draft(moved))
    assert home.value("cwd") == {"lazy": {"n": 2, "kept": "cwd"}}
    assert (home.session / "patches.jsonl").read_bytes() == lines


def test_a_flat_reference_of_the_only_scope_stays_as_it_was_written(tmp_path: Path) -> None:
    home = build(tmp_path / "store", session=False)
    publish(locate(str(home.root)), draft(put(("tactics", "see"), {"$ref": "lazy.n"}, scope="global")))
    assert home.value("global")["tactics"]["see"] == {"$ref": "lazy.n"}


def test_the_first_scopes_of_a_store_can_be_a_drafts(tmp_path: Path) -> None:
    address = locate(str(tmp_path / "store"), CWD)
    seen = publish(address, draft(put(("tactics", "new"), 1)), dry_run=True)
    assert (seen.created, seen.folds) == (("global", "cwd"), ())
    assert not (tmp_path / "store").exists()
    publish(address, draft(put(("tactics", "new"), 1)), approved=seen.digest)
    assert json.loads((tmp_path / "store" / KEY / "patches.jsonl").read_bytes()) == {"tactics": {"new": 1}}


def test_a_raw_patch_is_one_of_the_steps(home: Home) -> None:
    patch: dict[str, Any] = {"cwd": {"tactics": {"new": 1}}, "global": {"lazy": {"n": None}}}
    done = publish(shared(home), draft(Raw(patch, ()), put(("tactics", "new"), 2)))
    assert home.value("cwd")["tactics"]["new"] == 2
    assert home.value("global") == {"tactics": {"kept": "global"}}
    assert done.changed == ("global", "cwd")


def test_what_history_lets_go_of_is_said(tmp_path: Path) -> None:
    home = build(tmp_path / "store", patches=3, limit=3)
    chain = home.meta("cwd")["temporal"]["patches"]
    seen = publish(shared(home), draft(put(("tactics", "new"), 1)), dry_run=True)
    assert [(fold.scope, fold.revision, fold.patch) for fold in seen.folds] == [("cwd", 1, {"lazy": {"n": 1}})]
    assert seen.folds[0].boundary.to_json() == chain[0]
    done = publish(shared(home), draft(put(("tactics", "new"), 1)))
    assert done.folds == seen.folds
    assert home.meta("cwd")["temporal"]["checkpoint"] == chain[0]


def test_a_shorter_history_lets_go_of_several_patches_at_once(tmp_path: Path) -> None:
    home = build(tmp_path / "store", patches=4)
    (home.root / "config.json").write_bytes(dump({"historyLimit": 2}))
    seen = publish(shared(home), draft(put(("tactics", "new"), 1)), dry_run=True)
    assert [fold.revision for fold in seen.folds] == [1, 2, 3]
    (home.root / "config.json").write_bytes(dump({"historyLimit": 0}))
    seen = publish(shared(home), draft(put(("tactics", "new"), 1, scope="global")), dry_run=True)
    assert [(fold.scope, fold.revision) for fold in seen.folds] == [("global", n) for n in (1, 2, 3, 4)]
    assert all(isinstance(fold, Fold) for fold in seen.folds)


def test_with_room_in_the_tail_nothing_is_let_go_of(home: Home) -> None:
    assert publish(shared(home), draft(put(("tactics", "new"), 1)), dry_run=True).folds == ()


def test_a_preview_meets_the_losses_that_a_publication_would_meet(tmp_path: Path) -> None:
    """It spells no checkpoint out, and still knows that this one would be replaced."""
    home = build(tmp_path / "store", patches=3, limit=3)
    path = home.cwd / "checkpoint.json"
    path.write_bytes(path.read_bytes().replace(b'"cwd"', b'"\xff"'))
    steps = draft(put(("tactics", "new"), 1))
    seen = publish(shared(home), steps, dry_run=True)
    assert [obstacle.code for obstacle in seen.obstacles] == ["replacement-characters"]
    with pytest.raises(Fenced) as refused:
        publish(shared(home), steps, approved=seen.digest)
    assert str(refused.value) == str(seen.obstacles[0])
    (home.root / "config.json").write_bytes(dump({"historyLimit": 4}))
    assert publish(shared(home), steps, dry_run=True).obstacles == ()


def test_a_preview_spells_no_checkpoint_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The text of a large one costs more than all else that a person's look at a change of one key needs."""
    home = build(tmp_path / "store", patches=3, limit=3)
    spelt: list[str] = []
    spell = writing._document

    def noted(reading: ScopeReading, value: JsonObject, encoder: Encoder | None) -> list[bytes]:
        spelt.append(reading.scope)
        return spell(reading, value, encoder)

    monkeypatch.setattr(writing, "_document", noted)
    steps = draft(put(("tactics", "new"), 1))
    seen = publish(shared(home), steps, dry_run=True)
    assert [fold.scope for fold in seen.folds] == ["cwd"]
    assert spelt == []
    done = publish(shared(home), steps, approved=seen.digest)
    assert spelt == ["cwd"]
    assert done.snapshot.scopes["cwd"].stream == snapshot(shared(home)).scopes["cwd"].stream


def test_the_cohort_before_stays_at_hand(home: Home) -> None:
    before = snapshot(shared(home))
    done = publish(shared(home), draft(put(("tactics", "new"), 1)), previous=before)
    old, new = done.earlier.scopes["cwd"].stream, done.snapshot.scopes["cwd"].stream
    assert old is not None
    assert new is not None
    assert (old.revision, new.revision) == (2, 3)
    assert done.cohort is not None
    assert done.cohort.streams["cwd"] == new


def test_publishing_a_patch_does_not_load_what_drafts_are_made_of(home: Home) -> None:
    script = (
        "import sys; from engine.store.layout import locate; from engine.store.publication import publish; "
        f"publish(locate({str(home.root)!r}, {CWD!r}), {{'cwd': {{'tactics': {{'new': 1}}}}}}, wanted=('global', 'cwd')); "
        "print(sorted(name for name in sys.modules if name in "
        "('engine.memory.draft', 'engine.memory.compiling', 'engine.store.consequences')))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
    assert home.value("cwd")["tactics"]["new"] == 1
