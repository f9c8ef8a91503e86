"""Whether artifacts still describe what they were made from: judged from what a look at the disk gave, and no further."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal

from engine.health.findings import Finding
from engine.memory.dialect import ARTIFACTS
from engine.memory.draft import Remove
from engine.memory.gathering import pre_image
from engine.memory.scope import Scope
from engine.records import dataclass
from engine.values import Json, JsonObject, is_object, whole

_HASHED: Final = "sha256:"


@dataclass(frozen=True, slots=True)
class Evidence:
    """What the metadata recorded of a source when its artifact was made."""

    digest: str | None = None
    size: int | None = None
    mtime_ns: int | None = None


@dataclass(frozen=True, slots=True)
class Looked:
    """What is at a source's path. "unknown" says nothing but `why`; `digest` is there where the file was read."""

    kind: Literal["file", "gone", "unknown"]
    size: int = 0
    mtime_ns: int = 0
    digest: str | None = None
    why: str = ""


def evidence_of(recorded: Json) -> Evidence:
    """Read what was recorded; what is not of its form counts as not recorded."""
    if not is_object(recorded):
        return Evidence()
    digest, mark = recorded.get("sourceHash"), recorded.get("sourceFingerprint")
    size: int | None = None
    mtime: int | None = None
    if is_object(mark):
        size = whole(mark.get("size"))
        text = mark.get("mtimeNs")
        if isinstance(text, str) and text.removeprefix("-").isdecimal() and text.isascii() and len(text) <= 30:
            mtime = int(text)
    known = isinstance(digest, str) and digest.startswith(_HASHED)
    return Evidence(str(digest) if known else None, size, mtime)


def needs_reading(evidence: Evidence, size: int, mtime_ns: int) -> bool:
    """Whether only the bytes of a file tell if it is what it was."""
    if evidence.digest is None or (evidence.size is not None and evidence.size != size):
        return False
    return evidence.size is None or evidence.mtime_ns != mtime_ns


def judge(
    states: Mapping[Scope, JsonObject], scope: Scope, source: str, evidence: Evidence, looked: Looked
) -> Finding | None:
    """The finding about one source, None where nothing speaks against its artifact."""
    path = (ARTIFACTS, source)
    if looked.kind == "gone":
        fix = (Remove(scope, path, pre_image(states, scope, path)),)
        return Finding("source-gone", "medium", scope, path, "nothing is at the path of its source now", fix=fix)
    if looked.kind == "unknown":
        why = "whether its source is there and unchanged cannot be told"
        return Finding(
            "source-unknown", "low", scope, path, why, (looked.why,), unfixed="what is not known is not acted on"
        )
    told = _difference(evidence, looked)
    if told is None:
        return None
    certain, seen = told
    if not certain and looked.why:
        why = "its source may have changed since the artifact was made"
        return Finding(
            "source-unknown", "low", scope, path, why, (seen, looked.why), unfixed="what is not known is not acted on"
        )
    words = "its source is not what it was" if certain else "its source was written again"
    unfixed = "only who reads the source again can describe it"
    return Finding(
        "source-changed", "medium" if certain else "low", scope, path, f"{words} since the artifact was made", (seen,), unfixed=unfixed
    )  # fmt: skip


def _difference(evidence: Evidence, looked: Looked) -> tuple[bool, str] | None:
    """Whether the contents differ for certain, and what shows it; None where nothing differs, or nothing was recorded."""
    if evidence.size is not None and evidence.size != looked.size:
        return True, f"{evidence.size:,} bytes then, {looked.size:,} now"
    if evidence.digest is not None and looked.digest is not None:
        return None if evidence.digest == looked.digest else (True, "its contents have another hash now")
    if evidence.mtime_ns is not None and evidence.mtime_ns != looked.mtime_ns:
        return False, "as long as then, but written at another time"
    if evidence.digest is not None and evidence.size is None:
        return False, "its contents were not compared"
    return None
