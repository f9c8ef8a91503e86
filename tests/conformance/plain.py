"""Values by themselves: the patch and the text form."""

from __future__ import annotations

from engine.errors import DecodeError, InvalidRequest
from engine.memory.dialect import Dialect
from engine.values import canonical, decode, merge, prune, sha256
from tests.conformance.case import Case, differences


def apply_patch(case: Case, _dialect: Dialect) -> list[str]:
    try:
        merged = merge(case["state"], case["patch"])
    except InvalidRequest:
        return [] if case.get("rejects") else ["refused"]
    if case.get("rejects"):
        return ["not refused"]
    pruned = prune(merged.value)
    return differences(
        {
            "result": merged.value,
            "resultSha256": sha256(merged.value),
            "pruned": pruned,
            "prunedSha256": sha256(pruned),
            "missingDeletions": [{"path": miss.path, "unavailablePath": miss.unavailable} for miss in merged.missing],
        },
        case,
        ignored=("id", "tags", "state", "patch"),
    )


# The text form says nothing of how deep a store may nest: here only the interpreter's stack ends it.
_TEXT_DEPTH = 900


def canonical_json(case: Case, _dialect: Dialect) -> list[str]:
    try:
        value = decode(case["text"].encode("utf-8", "surrogatepass"), max_depth=_TEXT_DEPTH).value
    except DecodeError:
        return [] if case.get("rejects") else ["refused"]
    if case.get("rejects"):
        return ["not refused"]
    found = {"canonical": canonical(value), "sha256": sha256(value), "value": value}
    return differences(found, case, ignored=("id", "tags", "text"))


ADAPTERS = {"apply_patch.jsonl": apply_patch, "canonical_json.jsonl": canonical_json}
