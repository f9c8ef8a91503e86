"""Every recorded merge and every recorded text, on the fast and on the slow way."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from engine.errors import DecodeError, InvalidRequest
from engine.values import (
    canonical,
    decode,
    decode_lines,
    encode,
    merge,
    prune,
    prune_along,
    same,
    sha256,
    use_fast_paths,
)

DATA = Path(__file__).parent.parent / "conformance" / "data"


def cases(name: str) -> list[Any]:
    return [line.decoded.value for line in decode_lines((DATA / name).read_bytes())]


@pytest.fixture(params=[True, False], ids=["fast", "slow"], autouse=True)
def _twins(request: pytest.FixtureRequest) -> Any:
    with use_fast_paths(request.param):
        yield


def test_apply_patch() -> None:
    recorded = cases("apply_patch.jsonl")
    assert len(recorded) == 1045
    for case in recorded:
        name = case["id"]
        if case.get("rejects"):
            with pytest.raises(InvalidRequest, match=r"."):
                merge(case["state"], case["patch"])
            continue
        found = merge(case["state"], case["patch"])
        missing = [{"path": miss.path, "unavailablePath": miss.unavailable} for miss in found.missing]
        assert missing == case["missingDeletions"], name
        assert same(found.value, case["result"]), name
        assert sha256(found.value) == case["resultSha256"], name
        tidy = prune(found.value)
        assert same(tidy, case["pruned"]), name
        assert sha256(tidy) == case["prunedSha256"], name
        if prune(case["state"]) is case["state"]:
            assert same(prune_along(found.value, found.touched), tidy), name


def test_canonical_json() -> None:
    recorded = cases("canonical_json.jsonl")
    assert len(recorded) == 217
    for case in recorded:
        name = case["id"]
        text = case["text"].encode("utf-8", "surrogatepass")
        if case.get("rejects"):
            with pytest.raises(DecodeError, match=r"."):
                decode(text)
            continue
        value = decode(text).value
        assert canonical(value) == canonical(case["value"]) == case["canonical"], name
        assert sha256(value) == case["sha256"], name
        assert same(decode(encode(value)).value, value), name
