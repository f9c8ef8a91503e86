"""Plain JSON: decoding, encoding, patching, comparing. No notion of memory, no input or output."""

from engine.values.canonical import canonical, canonical_bytes, sha256
from engine.values.decode import Decoded, Line, decode, decode_lines
from engine.values.diff import Change, changes, inverse_patch, net_patch
from engine.values.encode import encode, encoded_size
from engine.values.encoder import Encoder
from engine.values.fast import fast_paths, set_fast_paths, use_fast_paths
from engine.values.graft import graft
from engine.values.growth import commas, grown, members_grown
from engine.values.merge import Merged, MissingDeletion, Surprise, merge
from engine.values.notes import Note
from engine.values.numbers import MAX_DIGITS, SAFE_INTEGER, whole
from engine.values.paths import (
    KeyTrie,
    dotted,
    enumeration_order,
    get,
    has,
    is_addressable,
    is_index,
    join_tries,
    parse_pointer,
    pointer,
    related,
    slot,
    trie,
    trie_paths,
    utf16_order,
)
from engine.values.pretty import pretty
from engine.values.prune import prune, prune_along
from engine.values.types import (
    MAX_DEPTH,
    Json,
    JsonArray,
    JsonObject,
    KeyPath,
    Kind,
    a_kind,
    is_array,
    is_deeper,
    is_object,
    kind,
    same,
)

__all__ = [
    "MAX_DEPTH",
    "MAX_DIGITS",
    "SAFE_INTEGER",
    "Change",
    "Decoded",
    "Encoder",
    "Json",
    "JsonArray",
    "JsonObject",
    "KeyPath",
    "KeyTrie",
    "Kind",
    "Line",
    "Merged",
    "MissingDeletion",
    "Note",
    "Surprise",
    "a_kind",
    "canonical",
    "canonical_bytes",
    "changes",
    "commas",
    "decode",
    "decode_lines",
    "dotted",
    "encode",
    "encoded_size",
    "enumeration_order",
    "fast_paths",
    "get",
    "graft",
    "grown",
    "has",
    "inverse_patch",
    "is_addressable",
    "is_array",
    "is_deeper",
    "is_index",
    "is_object",
    "join_tries",
    "kind",
    "members_grown",
    "merge",
    "net_patch",
    "parse_pointer",
    "pointer",
    "pretty",
    "prune",
    "prune_along",
    "related",
    "same",
    "set_fast_paths",
    "sha256",
    "slot",
    "trie",
    "trie_paths",
    "use_fast_paths",
    "utf16_order",
    "whole",
]
