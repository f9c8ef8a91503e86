"""Artifact cards, and the evidence that a patch compiled what was read.

A card describes one source, under the source's path. Where it came from (hashes, compilers, times) is kept apart, in
the scope's metadata; old cards may still carry such members, patches may not, and reads leave them out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from engine.errors import InvalidRequest
from engine.memory.scope import SCOPES, Scope, is_scope
from engine.records import dataclass
from engine.values import Json, JsonObject, KeyPath, dotted, is_array, is_object, kind

BOOKKEEPING = frozenset({
    "hash", "compiler", "sourceHash", "sourceFingerprint", "compilerRevision", "compiledAt",
    "source_hash_verified", "compiled_at", "hint",
})  # fmt: skip

ARTIFACT_COMPILER = "artifact-v1"
SKILL_COMPILER = "skill-artifact-v1"

_PLANE = "artifacts"
_CARD = 2  # the length of the path of a card: its plane and its source

_HASH = re.compile(r"sha256:[0-9a-f]{64}\Z")
_NANOSECONDS = re.compile(r"-?[0-9]+\Z")
# What JavaScript trims: U+FEFF counts as white space, U+0085 and U+200B do not.
_WHITE = "\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"


@dataclass(frozen=True, slots=True)
class Evidence:
    """One source that was read, and that a patch may now describe in `scope`.

    `digest` is "sha256:<64 hex>" or None, `fingerprint` {"size": int, "mtimeNs": "<digits>"} or None.
    """

    path: str
    scope: Scope
    digest: str | None = None
    fingerprint: JsonObject | None = None
    skill: bool = False

    def provenance(self) -> JsonObject:
        """What the metadata says about the source once its card is accepted."""
        found: dict[str, Json] = {}
        if self.digest is not None:
            found["sourceHash"] = self.digest
        if self.fingerprint is not None:
            found["sourceFingerprint"] = self.fingerprint
        found["compilerRevision"] = SKILL_COMPILER if self.skill else ARTIFACT_COMPILER
        return found


def parse_evidence(reads: Json, *, skill: bool = False) -> tuple[Evidence, ...]:
    """Evidence from `[{"path", "scope"?, "hash"?, "sourceFingerprint"?}]`; the scope is global unless said.

    Raises InvalidRequest "bad-evidence". A skill cannot be vouched for without its hash.
    """
    if not is_array(reads):
        raise _bad("The list of reads is not an array")
    return tuple(_one_read(read, skill=skill) for read in reads)


def check_cards(cards: Json) -> None:
    """Raise InvalidRequest unless `cards` is an object of source path -> well-formed card."""
    if not is_object(cards):
        raise InvalidRequest("invalid-artifact", "The artifacts are not an object", path=_PLANE)
    for source, card in cards.items():
        check_card(source, card)


def check_card(source: str, card: Json) -> None:
    """Raise InvalidRequest unless `card` may stand under `source`."""
    if not _trim(source):
        raise _bad_card(source, "An artifact needs a source path")
    if not is_object(card):
        raise _bad_card(source, f"An artifact card must be an object, not {kind(card)}")
    if not _is_text(card.get("description")):
        raise _bad_card(source, "An artifact card needs a description", "description")
    for member in ("kind", "compiler"):
        if member in card and not _is_text(card[member]):
            raise _bad_card(source, f"The {member} of an artifact card must be a text that is not blank", member)
    if "tags" in card:
        _check_tags(source, card["tags"])
    if "compilation" in card and not is_object(card["compilation"]):
        raise _bad_card(source, "The compilation of an artifact card must be an object", "compilation")
    if "hash" in card:
        digest = card["hash"]
        if not isinstance(digest, str) or not _HASH.match(digest):
            raise _bad_card(source, "The hash of an artifact card must be sha256: and 64 hexadecimal digits", "hash")


def check_card_patch(cards: JsonObject) -> None:
    """Raise InvalidRequest where an authored patch writes or removes bookkeeping members of a card."""
    for source, card in cards.items():
        if not is_object(card):
            continue
        for member in card:
            if member in BOOKKEEPING:
                raise InvalidRequest(
                    "artifact-provenance",
                    f"A patch may not touch {member}, which says where an artifact came from",
                    path=dotted(_PLANE, (source, member)),
                    hint="Leave it out; it is recorded without being asked for",
                )


def shown_cards(cards: Json) -> Json:
    """The cards as a read shows them: without bookkeeping. Gives back `cards` itself where there is none."""
    if not is_object(cards):
        return cards
    stripped = {source: shown_card(card) for source, card in cards.items()}
    return cards if all(stripped[source] is card for source, card in cards.items()) else stripped


def shown_card(card: Json) -> Json:
    """One card without its bookkeeping members."""
    if not is_object(card) or BOOKKEEPING.isdisjoint(card):
        return card
    return {member: value for member, value in card.items() if member not in BOOKKEEPING}


def is_bookkeeping(path: KeyPath) -> bool:
    """Whether a path (plane first) leads to a member of a card that no read shows, or below it."""
    return path[0] == _PLANE and len(path) > _CARD and path[_CARD] in BOOKKEEPING


def shown_at(path: KeyPath, value: Json) -> Json:
    """The value at a path (plane first) as a read shows it: cards without their bookkeeping."""
    if path[0] != _PLANE or len(path) > _CARD:
        return value
    return shown_cards(value) if len(path) == 1 else shown_card(value)


def compiled(evidence: Iterable[Evidence], patches: Mapping[Scope, JsonObject]) -> tuple[Evidence, ...]:
    """Which evidence the patches make use of; raises InvalidRequest where it does not bear them out.

    An artifact read must be described, whole, in its scope by this patch. A skill may stay uncompiled, but what is
    written about it must be a skill card with a compilation, in the scope that the skill belongs to.
    """
    return tuple(
        read for read in evidence if (_skill_used(read, patches) if read.skill else _source_used(read, patches))
    )


def _source_used(read: Evidence, patches: Mapping[Scope, JsonObject]) -> bool:
    card = _authored(read.path, patches.get(read.scope))
    if not is_object(card):
        raise _bad("A source that was read is not described by the patch", read)
    if not _is_text(card.get("description")):
        raise _bad("A source that was read must be described whole, with its description", read)
    return True


def _skill_used(read: Evidence, patches: Mapping[Scope, JsonObject]) -> bool:
    for scope in SCOPES:
        if scope != read.scope and is_object(_authored(read.path, patches.get(scope))):
            raise _bad(f"A skill that belongs to {read.scope} is described in {scope}", read)
    artifacts = (patches.get(read.scope) or {}).get(_PLANE)
    if not is_object(artifacts) or read.path not in artifacts:
        return False
    card = artifacts[read.path]
    if not is_object(card) or not _is_text(card.get("description")):
        raise _bad("A skill that was read must be described whole, with its description", read)
    if card.get("kind") != "skill":
        raise _bad("The card of a skill must be of kind skill", read)
    compilation = card.get("compilation")
    if not is_object(compilation) or not compilation:
        raise _bad("The card of a skill needs a compilation", read)
    return True


def _authored(source: str, patch: JsonObject | None) -> Json:
    artifacts = (patch or {}).get(_PLANE)
    return artifacts.get(source) if is_object(artifacts) else None


def _one_read(read: Json, *, skill: bool) -> Evidence:
    if not is_object(read):
        raise _bad("A read is not an object")
    path, scope = read.get("path"), read.get("scope", "global")
    if not isinstance(path, str) or not _trim(path):
        raise _bad("A read names no source")
    if not isinstance(scope, str) or not is_scope(scope):
        raise _bad("A read names no scope")
    digest, fingerprint = read.get("hash"), read.get("sourceFingerprint")
    if digest is None:
        if skill:
            raise _bad("A skill was read without its hash")
    elif not isinstance(digest, str) or not _HASH.match(digest):
        raise _bad("The hash of a read must be sha256: and 64 hexadecimal digits")
    if fingerprint is not None and not _is_fingerprint(fingerprint):
        raise _bad("The fingerprint of a read must be a size and a time in nanoseconds")
    return Evidence(path, scope, digest, fingerprint if is_object(fingerprint) else None, skill)


def _is_fingerprint(value: Json) -> bool:
    if not is_object(value):
        return False
    size, mtime = value.get("size"), value.get("mtimeNs")
    if isinstance(size, bool) or not isinstance(size, int) or size < 0:
        return False
    return isinstance(mtime, str) and _NANOSECONDS.match(mtime) is not None


def _check_tags(source: str, tags: Json) -> None:
    if not is_array(tags):
        raise _bad_card(source, "The tags of an artifact card must be an array", "tags")
    seen: set[str] = set()
    for tag in tags:
        if not isinstance(tag, str) or not tag or _trim(tag) != tag:
            raise _bad_card(source, "A tag must be a text without white space around it", "tags")
        if tag in seen:
            raise _bad_card(source, "A tag stands twice on an artifact card", "tags")
        seen.add(tag)


def _trim(text: str) -> str:
    return text.strip(_WHITE)


def _is_text(value: Json) -> bool:
    return isinstance(value, str) and _trim(value) != ""


def _bad_card(source: str, message: str, member: str | None = None) -> InvalidRequest:
    at = (source,) if member is None else (source, member)
    return InvalidRequest("invalid-artifact", message, path=dotted(_PLANE, at))


def _bad(message: str, read: Evidence | None = None) -> InvalidRequest:
    where = None if read is None else dotted(_PLANE, (read.path,))
    return InvalidRequest("bad-evidence", message, path=where, scope=None if read is None else read.scope)
