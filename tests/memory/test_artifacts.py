from __future__ import annotations

from typing import Any

import pytest

from engine.errors import InvalidRequest
from engine.memory.artifacts import (
    BOOKKEEPING,
    Evidence,
    check_card,
    check_card_patch,
    check_cards,
    compiled,
    parse_evidence,
    shown_cards,
)

HASH = "sha256:" + "0123456789abcdef" * 4


@pytest.mark.parametrize(
    "card",
    [
        {"description": "d"},
        {"description": "\u200b"},
        {"description": " d ", "tags": [], "kind": "skill", "compilation": {"a": [1]}, "anything": [{"x": 1}]},
        {"description": "d", "hash": HASH, "compiler": "c", "hint": 5, "compiledAt": False},
        {"description": "d", "tags": ["a", "A", "\u0085"]},
    ],
)
def test_a_good_card(card: Any) -> None:
    check_card("/p", card)


@pytest.mark.parametrize(
    ("source", "card", "path"),
    [
        ("", {"description": "d"}, 'artifacts[""]'),
        ("\ufeff \u3000", {"description": "d"}, None),
        ("p", "text", "artifacts.p"),
        ("p", [], "artifacts.p"),
        ("p", None, "artifacts.p"),
        ("p", {}, "artifacts.p.description"),
        ("p", {"description": None}, "artifacts.p.description"),
        ("p", {"description": "\ufeff\u00a0\n"}, "artifacts.p.description"),
        ("p", {"description": "d", "kind": " "}, "artifacts.p.kind"),
        ("p", {"description": "d", "compiler": 1}, "artifacts.p.compiler"),
        ("p", {"description": "d", "tags": "t"}, "artifacts.p.tags"),
        ("p", {"description": "d", "tags": {}}, "artifacts.p.tags"),
        ("p", {"description": "d", "tags": ["a", "a"]}, "artifacts.p.tags"),
        ("p", {"description": "d", "tags": ["a "]}, "artifacts.p.tags"),
        ("p", {"description": "d", "tags": [""]}, "artifacts.p.tags"),
        ("p", {"description": "d", "tags": [1]}, "artifacts.p.tags"),
        ("p", {"description": "d", "compilation": []}, "artifacts.p.compilation"),
        ("p", {"description": "d", "hash": HASH.upper()}, "artifacts.p.hash"),
        ("p", {"description": "d", "hash": HASH + "\n"}, "artifacts.p.hash"),
    ],
)
def test_a_bad_card_is_named(source: str, card: Any, path: str | None) -> None:
    with pytest.raises(InvalidRequest) as refusal:
        check_cards({source: card})
    assert refusal.value.code == "invalid-artifact"
    if path is not None:
        assert refusal.value.path == path


def test_cards_are_an_object() -> None:
    with pytest.raises(InvalidRequest):
        check_cards([])


@pytest.mark.parametrize("member", sorted(BOOKKEEPING))
def test_a_patch_keeps_its_hands_off_provenance(member: str) -> None:
    for value in ("v", None):
        with pytest.raises(InvalidRequest):
            check_card_patch({"p": {member: value}})
    check_card_patch({"p": {"nested": {member: "v"}}, "q": None})


def test_reads_leave_bookkeeping_out_and_share_the_rest() -> None:
    plain: Any = {"p": {"description": "d"}}
    assert shown(plain) is plain
    mixed: Any = {"p": plain["p"], "q": {"description": "d", "hash": HASH, "hint": "h"}}
    found = shown(mixed)
    assert found == {"p": {"description": "d"}, "q": {"description": "d"}}
    assert found["p"] is plain["p"]


def shown(cards: Any) -> Any:
    return shown_cards(cards)


@pytest.mark.parametrize(
    "read",
    [
        5,
        {},
        {"path": " "},
        {"path": "/p", "scope": "effective"},
        {"path": "/p", "hash": "md5:0"},
        {"path": "/p", "sourceFingerprint": {"size": -1, "mtimeNs": "1"}},
        {"path": "/p", "sourceFingerprint": {"size": True, "mtimeNs": "1"}},
        {"path": "/p", "sourceFingerprint": {"size": 1, "mtimeNs": 1}},
        {"path": "/p", "sourceFingerprint": {"size": 1, "mtimeNs": "1.5"}},
    ],
)
def test_bad_evidence_is_refused(read: Any) -> None:
    with pytest.raises(InvalidRequest):
        parse_evidence([read])


def test_evidence_becomes_provenance() -> None:
    (read,) = parse_evidence(
        [{"path": "/p", "scope": "cwd", "hash": HASH, "sourceFingerprint": {"size": 1, "mtimeNs": "-5"}}]
    )
    assert read.provenance() == {
        "sourceHash": HASH,
        "sourceFingerprint": {"size": 1, "mtimeNs": "-5"},
        "compilerRevision": "artifact-v1",
    }


def test_a_skill_may_stay_uncompiled_but_not_half() -> None:
    read = Evidence("/s", "cwd", HASH, skill=True)
    good: Any = {"description": "d", "kind": "skill", "compilation": {"a": 1}}
    assert compiled([read], {"cwd": {"artifacts": {"/s": good}}}) == (read,)
    assert compiled([read], {"cwd": {"tactics": {"x": 1}}}) == ()
    assert compiled([read], {"session": {"artifacts": {"/s": None}}}) == ()
    half: list[Any] = [
        None,
        {**good, "kind": "doc"},
        {**good, "compilation": {}},
        {"kind": "skill", "compilation": {"a": 1}},
    ]
    for bad in half:
        with pytest.raises(InvalidRequest):
            compiled([read], {"cwd": {"artifacts": {"/s": bad}}})
    with pytest.raises(InvalidRequest, match="belongs to cwd"):
        compiled([read], {"session": {"artifacts": {"/s": good}}})
